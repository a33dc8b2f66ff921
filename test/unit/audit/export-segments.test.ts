import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SignedCheckpoint, signedStatement } from '../../../core/audit/checkpoint.ts';
import { type ExportOptions, verifyExport } from '../../../core/audit/verify-export.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import {
  checkpointsOf,
  eventChain,
  exportFile,
  exportSource,
  exportText,
  newAuditKey,
  segmentTexts,
} from '../../support/audit-trail.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const TENANT = 'tenant-1' as TenantId;
const EVENTS = 12;
/** The second and the third sign the same event. */
const SIGNED = [1, 4, 4, 11];
const { signer } = newAuditKey();
const events = eventChain(TENANT, EVENTS);
const checkpoints = checkpointsOf(events, SIGNED, signer);
const honest = await exportText(exportSource(TENANT, events, checkpoints));
const whole = await verifyExport([exportFile(honest)]);
const linesOf = (text: string) => text.trimEnd().split('\n');
const ofLines = (some: readonly string[]) => some.map((line) => `${line}\n`).join('');
const cutAfter = (...numbers: number[]) => segmentTexts(TENANT, events, checkpoints, numbers);
const keeping = (kept: readonly SignedCheckpoint[]): ExportOptions => ({
  anchors: {
    trustedKeys: new Set(),
    pinned: kept.map(signedStatement).filter((statement) => statement !== null),
  },
});
const verifyAll = (texts: readonly string[], options: ExportOptions = {}) =>
  verifyExport(
    texts.map((text, place) => exportFile(text, `file-${place}`)),
    options,
  );
/** Some of the checkpoints, by their numbers, as places to cut at. */
const cuts = fc.subarray(checkpoints.map(({ number }) => number));
/** Three files: events 1 to 4, a checkpoint that signs event 4 once more with events 5 to 11, and event 12. */
const [first = '', second = '', rest = ''] = await cutAfter(2, 4);
const otherEvents = eventChain(TENANT, EVENTS, 1);
const otherCheckpoints = checkpointsOf(otherEvents, SIGNED, signer);
const [, otherSecond = ''] = await segmentTexts(TENANT, otherEvents, otherCheckpoints, [2, 4]);
const FOREIGN = 'tenant-2' as TenantId;
const [foreign = ''] = await segmentTexts(FOREIGN, eventChain(FOREIGN, 3), [], []);

describe('a trail in segments', () => {
  test('verifies as the whole does, wherever it is cut, in any order of the files', async () => {
    const shuffled = cuts.chain((numbers) => {
      const places = [...numbers, 0].map((_, place) => place);
      return fc.tuple(
        fc.constant(numbers),
        fc.shuffledSubarray(places, { minLength: places.length, maxLength: places.length }),
      );
    });
    await fc.assert(
      fc.asyncProperty(shuffled, async ([numbers, order]) => {
        const texts = await cutAfter(...numbers);
        const report = await verifyExport(
          order.map((place) => exportFile(texts[place] ?? '', `file-${place}`)),
        );
        expect(report).toEqual({ ...whole, files: texts.map((_, place) => `file-${place}`) });
      }),
    );
  });

  test('verifies from each cut on, and says where it begins', async () => {
    const some = fc.tuple(cuts, fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(some, async ([numbers, from, length]) => {
        const texts = await cutAfter(...numbers);
        const start = from % texts.length;
        const part = texts.slice(start, start + 1 + (length % (texts.length - start)));
        const after = checkpoints[(numbers[start - 1] ?? 0) - 1] ?? null;
        const report = await verifyAll(part);
        expect(report).toMatchObject({
          ok: true,
          after: after && { number: after.number, seq: after.seq },
          count: report.head.seq - (after?.seq ?? 0),
        });
      }),
    );
  });

  test('has the lines of the whole; a file begins with the checkpoint before it', async () => {
    const files = [first, second, rest].map(linesOf);
    expect(files[1]?.[1]).toBe(files[0]?.at(-1));
    expect(files[2]?.[1]).toBe(files[1]?.at(-1));
    expect(files.flatMap((file, place) => file.slice(place === 0 ? 1 : 2))).toEqual(linesOf(honest).slice(1));
  });

  test('has the header of a whole export unless it begins after a checkpoint', () => {
    const head = (seq: number) => `"head":{"hash":"${events[seq - 1]?.hash}","seq":${seq}}`;
    expect(linesOf(first)[0]).toBe(
      `{"export":{"checkpoints":2,"format":"audit-trail",${head(4)},"tenantId":"${TENANT}","version":1}}`,
    );
    expect(linesOf(second)[0]).toBe(
      `{"export":{"afterCheckpoint":2,"checkpoints":2,"format":"audit-trail",${head(11)},"tenantId":"${TENANT}","version":2}}`,
    );
  });

  test('with a line removed, repeated, moved or swapped, in any file, does not hold', async () => {
    const original = [first, second, rest].map(linesOf);
    const place = fc.nat(2).chain((file) => fc.tuple(fc.constant(file), fc.nat(99)));
    const change = fc.record({
      from: place,
      to: place,
      kind: fc.constantFrom('remove', 'repeat', 'move', 'swap'),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ from: [a, i], to: [b, j], kind }) => {
        const files = original.map((file) => [...file]);
        const [source, target] = [files[a] ?? [], files[b] ?? []];
        const [at, into] = [i % source.length, j % target.length];
        const line = source[at] ?? '';
        if (kind === 'swap') [source[at], target[into]] = [target[into] ?? '', line];
        if (kind === 'remove' || kind === 'move') source.splice(at, 1);
        if (kind === 'repeat' || kind === 'move') target.splice(into, 0, line);
        const texts = files.map(ofLines);
        fc.pre(texts.join('\0') !== [first, second, rest].join('\0'));
        expect(await verifyAll(texts)).toMatchObject({ ok: false });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('with any byte changed does not hold', async () => {
    const texts = [first, second, rest];
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.nat(), fc.integer({ min: 1, max: 255 }), async (which, at, by) => {
        const files = texts.map((text) => Buffer.from(text));
        const file = files[which] ?? Buffer.alloc(1);
        const place = at % file.length;
        file[place] = (file[place] ?? 0) ^ by;
        expect(await verifyExport(files.map((bytes) => exportFile(bytes)))).toMatchObject({ ok: false });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test.each([
    ['a file is missing between others', [first, rest], 'file-1', 'segment_gap'],
    ['a file comes twice', [first, second, second, rest], 'file-2', 'segment_overlap'],
    ['files overlap', [second, honest], 'file-0', 'segment_overlap'],
    [
      'a file follows one that goes on after its last checkpoint',
      [honest, rest],
      'file-1',
      'segment_overlap',
    ],
    ['a segment is of another history', [first, otherSecond], 'file-1', 'segment_mismatch'],
    ['a file is of another tenant', [first, foreign], 'file-1', 'wrong_tenant'],
    ['a file is no export', [first, second, '{}\n'], 'file-2', 'malformed_header'],
  ])('does not hold where %s', async (_, texts, file, reason) => {
    expect((await verifyAll(texts)).firstBreak).toMatchObject({ file, reason });
  });

  test('of which a segment is missing at the end is found by a kept checkpoint', async () => {
    expect(await verifyAll([first, second])).toMatchObject({ ok: true });
    expect((await verifyAll([first], keeping(checkpoints))).firstBreak).toMatchObject({
      seq: 5,
      reason: 'tail_cut',
    });
  });

  test('that begins with another checkpoint than its header names does not hold', async () => {
    const [header = '', ...others] = linesOf(second);
    const renamed = ofLines([header.replace('"afterCheckpoint":2', '"afterCheckpoint":1'), ...others]);
    expect((await verifyAll([renamed])).firstBreak).toMatchObject({ seq: 4, reason: 'checkpoint_gap' });
    expect((await verifyAll([ofLines([header])])).firstBreak).toMatchObject({ reason: 'checkpoint_gap' });
  });

  test('that begins where a kept checkpoint signs another event does not hold', async () => {
    const kept = keeping(otherCheckpoints.slice(1, 2));
    expect((await verifyAll([second], kept)).firstBreak).toMatchObject({
      line: 2,
      seq: 4,
      reason: 'checkpoint_mismatch',
    });
  });

  test('without a new checkpoint is trusted for the key of the one before it', async () => {
    const trusting = (keyId: string) => ({ anchors: { trustedKeys: new Set([keyId]), pinned: [] } });
    expect(await verifyAll([rest], trusting(signer.keyId))).toMatchObject({
      ok: true,
      after: { number: 4, seq: 11 },
      count: 1,
      checkpoints: 0,
      newestCheckpoints: [{ number: 4 }],
    });
    expect((await verifyAll([rest], trusting(newAuditKey().signer.keyId))).firstBreak).toMatchObject({
      reason: 'checkpoint_key_unknown',
    });
  });
});
