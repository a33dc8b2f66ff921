import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CustomDefinition } from '../../../core/detectors/custom-definition.ts';
import { compileCustomDetectors, faultsOf } from '../../../core/detectors/custom-detector.ts';
import { detect } from '../../../core/detectors/engine/detect.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const BADGE: CustomDefinition = {
  title: 'Badge number',
  pattern: 'NW-[0-9]{5}',
  context: ['badge', 'Ausweis-Nr.'],
  contextRequired: false,
  checksum: 'none',
  examples: { hits: ['badge NW-10442'], misses: ['NW-1044'] },
};
const found = (definition: Partial<CustomDefinition>, text: string) =>
  detect(
    text,
    compileCustomDetectors([{ detectorId: 'custom_1', version: 3, definition: { ...BADGE, ...definition } }]),
  );

test('finds whole tokens and says by tier why', () => {
  expect(found({}, 'NW-10442')).toEqual([
    {
      detectorId: 'custom_1',
      detectorVersion: 3,
      family: 'custom',
      count: 1,
      confidence: 0.4,
      tiers: { pattern: 1 },
      positions: [[0, 8]],
    },
  ]);
  expect(found({}, 'his badge: NW-10442')[0]?.tiers).toEqual({ context: 1 });
  expect(found({}, 'AUSWEIS NR NW-10442')[0]?.tiers).toEqual({ context: 1 });
  for (const text of ['XNW-10442', 'NW-104421', 'NW-10442é', 'NW-1044'])
    expect(found({}, text), text).toEqual([]);
});

test('a required context is required, a checksum is checked', () => {
  expect(found({ contextRequired: true }, 'NW-10442')).toEqual([]);
  expect(found({ contextRequired: true }, 'badge NW-10442')).toHaveLength(1);
  const luhn = { pattern: '[0-9]{4}-[0-9]{4}', checksum: 'luhn' as const };
  expect(found(luhn, '1234-5674')[0]?.tiers).toEqual({ checksum: 1 });
  expect(found(luhn, '1234-5675')).toEqual([]);
  // The example of ISO 17442.
  const lei = { pattern: '[A-Z0-9]{18}[0-9]{2}', checksum: 'mod97' as const };
  expect(found(lei, '54930084UKLVMY22DS16')).toHaveLength(1);
  expect(found(lei, '54930084UKLVMY22DS17')).toEqual([]);
});

describe('faults', () => {
  const faults = (definition: Partial<CustomDefinition>) =>
    faultsOf({ ...BADGE, ...definition }).map(({ path }) => path);

  test.each([
    ['none', {}, []],
    ['look-ahead', { pattern: 'a(?=b)' }, ['pattern']],
    ['a back-reference', { pattern: '(a)\\1' }, ['pattern']],
    ['not a pattern', { pattern: '(' }, ['pattern']],
    ['large repetitions', { pattern: '(?:[a-z]{1,30} ){1,30}' }, ['pattern']],
    ['the empty text', { pattern: 'a*' }, ['pattern']],
    ['nothing but a boundary', { pattern: '\\b' }, ['examples.hits.0']],
    ['no context where it is required', { context: [], contextRequired: true }, ['context']],
    ['context without a word', { context: ['badge', '--'] }, ['context.1']],
    [
      'examples that it does not keep',
      { examples: { hits: ['NW-1', 'NW-10442'], misses: ['x', 'NW-22222'] } },
      ['examples.hits.0', 'examples.misses.1'],
    ],
  ] as const)('%s', (_, definition, paths) => {
    expect(faults(definition)).toEqual(paths);
  });

  test('quote nothing of what was declared, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 40 }), (pattern) => {
        for (const { message } of faultsOf({ ...BADGE, pattern })) expect(message).not.toContain(pattern);
      }),
    );
  });
});

test('the work on one text is bounded, however many detectors a tenant has', () => {
  const slow = Array.from({ length: 50 }, (_, at) => ({
    detectorId: `custom_${at}`,
    version: 1,
    definition: { ...BADGE, pattern: '[a-z]{1,100}[0-9]' },
  }));
  const [detector] = compileCustomDetectors(slow);
  // A match far beyond what the share of one of fifty may cost is not looked for.
  expect(detect(`${'word '.repeat(10_000)} abc1`, detector ? [detector] : [])).toEqual([]);
  const [alone] = compileCustomDetectors(slow.slice(0, 1));
  expect(detect(`${'word '.repeat(10_000)} abc1`, alone ? [alone] : [])).toHaveLength(1);
});

test('a search that reads ahead for a longer match costs no more with every match', () => {
  const ahead = compileCustomDetectors([
    { detectorId: 'custom_1', version: 1, definition: { ...BADGE, pattern: 'x[^y]*y|x' } },
  ]);
  const began = cpuMs();
  // Read to its end for each of them, 60,000 characters took most of a minute.
  expect(detect('x '.repeat(30_000), ahead)[0]?.count).toBe(30_000);
  expect(cpuMs() - began).toBeLessThan(10_000);
});

test.each([0, 1, 60, 379, 380, 383, 384, 385, 500, 505, 511, 512, 513, 1_000])(
  'a match is found whole wherever it stands, here behind %i characters',
  (length) => {
    const before = `${'-'.repeat(length)} `;
    const { positions } =
      found({ pattern: 'NW-[0-9]{5}(?: [a-z]{1,80})?' }, `${before}NW-10442 ${'z'.repeat(80)} end`)[0] ?? {};
    expect(positions).toEqual([[before.length, before.length + 89]]);
    expect(found({ pattern: '(?m)^NW-[0-9]{5}$' }, `${before}\nNW-10442\n`)).toHaveLength(1);
    expect(found({ pattern: '(?m)^NW-[0-9]{5}$' }, `${before}NW-10442 x\n`)).toEqual([]);
  },
);
