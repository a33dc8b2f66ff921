import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../../core/detectors/detector.ts';
import { findHits } from '../../../core/detectors/engine/detect.ts';
import { toSignal } from '../../../core/detectors/engine/to-signal.ts';
import { fingerprintOf, fingerprintsOf } from '../../../core/detectors/fingerprints.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { isAbout, isWithin, type Suppression, suppress } from '../../../core/signals/suppression.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const IBAN = { id: 'iban', family: 'bank' } as const;
const VALUES = ['DE15 7015 0000 0094 0634 18', 'GB98 BARC 2071 4583 6083 87', 'AT22 1200 0523 6650 1742'];

const detected = (text: string) => {
  const hits = findHits(text, DETECTORS);
  return { signals: hits.map(toSignal), fingerprints: fingerprintsOf(KEY, text, hits) };
};
const ofValue = (value: string): Suppression => ({
  ...{ suppressionId: `sup_${value.slice(0, 4)}`, detectorId: 'iban', domainId: null },
  ...{ kind: 'value', fingerprint: fingerprintOf(KEY, IBAN, value) },
});
const inScope = (folder: string | null, detectorId = 'iban'): Suppression => ({
  ...{ suppressionId: 'sup_scope', detectorId, domainId: null },
  ...{ kind: 'detector_in_scope', scopeId: 'scp_1', folder },
});
const ibans = (signals: readonly Signal[]) => signals.find(({ detectorId }) => detectorId === 'iban');

const mentions = fc.array(
  fc.record({ value: fc.integer({ min: 0, max: VALUES.length - 1 }), inContext: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);
const textOf = (said: { value: number; inContext: boolean }[]) =>
  said
    .map(({ value, inContext }) => `${'far away '.repeat(12)}${inContext ? 'IBAN: ' : ''}${VALUES[value]}.`)
    .join('\n');

describe('rules of values', () => {
  test('leave what the detector finds in a text without the values', () => {
    fc.assert(
      fc.property(mentions, fc.subarray(VALUES), (said, gone) => {
        const { signals, fingerprints } = detected(textOf(said));
        const left = said.filter(({ value }) => !gone.includes(VALUES[value] ?? ''));
        const expected = ibans(detected(textOf(left)).signals);
        const standing = ibans(suppress(signals, fingerprints, gone.map(ofValue)).signals);
        expect(standing?.count).toBe(expected?.count);
        expect(standing?.tiers).toEqual(expected?.tiers);
        expect(standing?.confidence).toBe(expected?.confidence);
      }),
    );
  });

  test('tell how many hits each took, and how many remain after it', () => {
    fc.assert(
      fc.property(mentions, fc.subarray(VALUES), (said, gone) => {
        const { signals, fingerprints } = detected(textOf(said));
        const { suppressed, signals: standing } = suppress(signals, fingerprints, gone.map(ofValue));
        const taken = suppressed.reduce((sum, { removed }) => sum + removed, 0);
        expect(taken + (ibans(standing)?.count ?? 0)).toBe(ibans(signals)?.count);
        expect(suppressed.every(({ removed }) => removed > 0)).toBe(true);
        expect(suppressed.at(-1)?.remaining ?? ibans(standing)?.count).toBe(ibans(standing)?.count ?? 0);
      }),
    );
  });

  test('keep the confidence while hits without a fingerprint remain', () => {
    const { signals, fingerprints } = detected(`IBAN: ${VALUES[0]}`);
    const more = signals.map((signal) => ({ ...signal, count: signal.count + 5 }));
    const standing = ibans(suppress(more, fingerprints, [ofValue(VALUES[0] ?? '')]).signals);
    expect(standing).toMatchObject({ count: 5, confidence: ibans(signals)?.confidence });
  });

  test('do nothing to features of a release before', () => {
    const { signals } = detected(`IBAN: ${VALUES[0]}`);
    expect(suppress(signals, undefined, [ofValue(VALUES[0] ?? '')])).toEqual({ signals, suppressed: [] });
  });
});

describe('rules of a detector', () => {
  test('take its whole signal and no other', () => {
    const { signals, fingerprints } = detected(
      `IBAN: ${VALUES[0]}\nbirth date: 3 May 1980\nName: Anna Miller`,
    );
    expect(signals.length).toBeGreaterThan(1);
    const { signals: standing, suppressed } = suppress(signals, fingerprints, [inScope(null)]);
    expect(standing).toEqual(signals.filter(({ detectorId }) => detectorId !== 'iban'));
    expect(suppressed).toEqual([
      { suppressionId: 'sup_scope', domainId: null, detectorId: 'iban', removed: 1, remaining: 0 },
    ]);
  });

  test.each([
    [null, 'a/b.txt', true],
    ['a', 'a/b.txt', true],
    ['a', 'a/c/b.txt', true],
    ['a', 'ab/b.txt', false],
    ['a', 'a', false],
    ['a/c', 'a/b.txt', false],
  ])('of the folder %s are about %s: %s', (folder, path, expected) => {
    const asset = { scopeId: 'scp_1', path, ...detected(`IBAN: ${VALUES[0]}`) };
    expect(isAbout(inScope(folder), asset, null)).toBe(expected);
    expect(isAbout(inScope(folder), { ...asset, scopeId: 'scp_2' }, null)).toBe(false);
    expect(isAbout(inScope(folder, 'credit_card'), asset, null)).toBe(false);
  });
});

test('a rule of a domain applies to assets of that domain alone', () => {
  expect(isWithin('dom_a', new Set(['dom_a']))).toBe(true);
  expect(isWithin('dom_a', new Set(['dom_a', 'dom_b']))).toBe(false);
  expect(isWithin('dom_a', new Set(['dom_b']))).toBe(false);
  expect(isWithin('dom_a', new Set())).toBe(false);
});

describe('a rule of a template', () => {
  const signature = (seed: number) => Uint8Array.from({ length: 2048 }, (_, bin) => 1 + ((bin * seed) % 255));
  const rule: Suppression = {
    ...{ suppressionId: 'sup_t', detectorId: 'iban', domainId: null, kind: 'template', bands: [1] },
    ...{ shingles: null, template: signature(3) },
  };
  const asset = { scopeId: 'scp_1', path: 'a.txt', ...detected(`IBAN: ${VALUES[0]}`) };

  test('is about texts whose sketch is similar, and needs one', () => {
    expect(isAbout(rule, asset, { shingles: null, template: signature(3) })).toBe(true);
    expect(isAbout(rule, asset, { shingles: null, template: signature(7) })).toBe(false);
    expect(isAbout(rule, asset, { shingles: signature(3), template: null })).toBe(false);
    expect(isAbout(rule, asset, null)).toBe(false);
  });
});
