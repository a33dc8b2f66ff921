import { expect, test } from 'vitest';
import type { SourceItem } from '../../../core/connectors/connector.ts';
import { NO_WORK, workOf } from '../../../core/estimates/expected-work.ts';
import type { EndedScan } from '../../../core/estimates/known.sql.ts';
import { minutesOf } from '../../../core/estimates/minutes.ts';
import { costOf } from '../../../core/estimates/provider-cost.ts';
import { withCeilings, withoutQuiet } from '../../../core/estimates/rests.ts';
import type { Sample } from '../../../core/estimates/sample-scope.ts';
import { type Evidence, workFigures } from '../../../core/estimates/work-figures.ts';
import type { ScopeId } from '../../../core/kernel/ids.ts';

const sample = (more: Partial<Sample> = {}): Sample => ({
  way: 'listing',
  pages: 2,
  folders: 0,
  listed: 400,
  leftOut: 0,
  listedBytes: 40_000,
  work: { items: 400, reads: 400, bytes: 40_000, refusedBytes: 0, calls: 1_600 },
  complete: true,
  ...more,
});
const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  sample: sample(),
  inherits: false,
  knownAssets: null,
  countedBytes: null,
  scans: [],
  ...more,
});
const part = sample({ complete: false });
const scan = (more: Partial<EndedScan> = {}): EndedScan => ({
  isOfScope: true,
  isOfKind: true,
  scopeId: 'scp_a' as ScopeId,
  family: 'smb',
  items: 100,
  calls: 600,
  // The share of the sample above.
  reads: 150,
  startedAt: new Date('2026-01-05T10:00:00Z'),
  finishedAt: new Date('2026-01-05T10:01:00Z'),
  bytesRead: 5_000,
  seconds: 60,
  ...more,
});

test('a listing that was read to its end is counted', () => {
  const { items, bytes, calls } = workFigures(evidence());
  expect(items).toEqual({ low: 400, high: 400, basis: 'sample', certainty: 'high', missing: null });
  expect(bytes).toMatchObject({ low: 40_000, high: 40_000, certainty: 'high' });
  // Two pages, the catalogue of labels, four calls for each item; a tenth more for what is repeated.
  expect(calls).toMatchObject({ low: 1_603, high: 1_764 });
});

test('folders whose permissions files inherit are asked for too', () => {
  const { calls } = workFigures(evidence({ inherits: true, sample: sample({ folders: 50 }) }));
  expect(calls.low).toBe(1_653);
});

test('a part of a listing is extrapolated to the assets of the last walk', () => {
  const { items, bytes, calls } = workFigures(evidence({ sample: part, knownAssets: 4_000 }));
  expect(items).toEqual({ low: 3_200, high: 5_000, basis: 'last_walk', certainty: 'medium', missing: null });
  expect(bytes).toEqual({ low: 200_000, high: 800_000, basis: 'sample', certainty: 'low', missing: null });
  expect(calls).toMatchObject({ low: 8_015, high: 32_060, certainty: 'low' });
});

test('what no item of a part had may be elsewhere', () => {
  const none = sample({ way: 'comparison', complete: false, work: NO_WORK });
  const { items, bytes } = workFigures(evidence({ sample: none, knownAssets: 4_000 }));
  expect(items).toMatchObject({ low: 0, high: 30, certainty: 'low' });
  expect(bytes).toMatchObject({ low: 0, high: 3_000 });
});

test('bytes that were refused before are read at most', () => {
  const work = { items: 3, reads: 1, bytes: 5, refusedBytes: 20, calls: 4 };
  const { bytes } = workFigures(evidence({ sample: sample({ work }) }));
  expect(bytes).toMatchObject({ low: 5, high: 25, certainty: 'medium' });
});

test('the counter of a source bounds what it lists', () => {
  const { items, bytes } = workFigures(evidence({ sample: part, countedBytes: 400_000 }));
  // Ten times the bytes of the part, and no more bytes than are counted.
  expect(items).toEqual({ low: 400, high: 12_000, basis: 'counter', certainty: 'low', missing: null });
  expect(bytes).toMatchObject({ low: 40_000, high: 400_000 });
});

test('without a basis there is a least and no most, with the reason', () => {
  const figures = workFigures(evidence({ sample: part }));
  expect(figures.items).toEqual({
    low: 400,
    high: null,
    basis: 'sample',
    certainty: 'low',
    missing: 'listing_goes_on',
  });
  expect(minutesOf(figures, [scan()])).toMatchObject({ high: null, missing: 'listing_goes_on' });
});

test('a source that does not answer has the figures of its last scan, or none', () => {
  const last = workFigures(
    evidence({ sample: null, scans: [scan({ isOfKind: false }), scan({ items: 10 })] }),
  );
  expect(last.items).toEqual({ low: 5, high: 20, basis: 'last_walk', certainty: 'low', missing: null });
  const { items } = workFigures(evidence({ sample: null, scans: [scan({ isOfScope: false })] }));
  expect(items).toEqual({ low: null, high: null, basis: null, certainty: null, missing: 'source_failed' });
});

test('minutes come from the paces of the scope, or else of its family', () => {
  const work = workFigures(evidence());
  const paces = [
    scan({ calls: 600, reads: 150 }),
    scan({ calls: 1_200, reads: 300 }),
    scan({ isOfScope: false, calls: 8, reads: 2 }),
  ];
  // 1,603 calls at 1,200 a minute, 1,764 at 600; a quarter wider.
  expect(minutesOf(work, paces)).toEqual({
    low: 1.06,
    high: 3.68,
    basis: 'last_walk',
    certainty: 'medium',
    missing: null,
  });
  expect(minutesOf(work, [scan({ isOfScope: false })])).toMatchObject({
    basis: 'other_scans',
    certainty: 'low',
  });
  expect(minutesOf(work, [scan({ seconds: null })])).toMatchObject({
    low: null,
    missing: 'no_scan_to_compare',
  });
});

const atMost = (value: number) =>
  ({ low: value, high: value, basis: 'sample', certainty: 'high', missing: null }) as const;
const all = { calls: 400, reads: 100, seconds: 600 };
const repeat = { calls: atMost(100), reads: atMost(0) };

test('how much longer a content takes is a range until there are scans with few', () => {
  // A content takes as much as one other call, 2.5 minutes, or as ten of them: 100 / (300 + 10 * 100) of 10 minutes.
  const unclear = minutesOf(repeat, [scan(all)]);
  expect(unclear).toMatchObject({ low: 0.61, high: 3.13, certainty: 'low', missing: null });
  expect(unclear.why).toMatch(/not known how much faster/);
  // A scan like the one before takes as long, whatever a content takes.
  const same = minutesOf({ calls: atMost(400), reads: atMost(100) }, [scan(all)]);
  expect(same).toMatchObject({ low: 8, high: 12.5, certainty: 'medium' });
  expect(same.why).toBeUndefined();
});

test('minutes of a repeat follow from a repeat, and those of contents from contents', () => {
  const scans = [scan(all), scan({ calls: 100, reads: 0, seconds: 60 })];
  const again = minutesOf(repeat, scans);
  expect(again.low).toBeGreaterThan(0.5);
  expect(again.high).toBeLessThan(2);
  expect(again.certainty).toBe('medium');
  // Half of the contents: 3 minutes of other calls and 3.5 of contents.
  const half = minutesOf({ calls: atMost(350), reads: atMost(50) }, scans);
  expect(half.low).toBeGreaterThan(3.25);
  expect(half.high).toBeLessThan(13);
  // Another scope of the family has shown what a content takes.
  const others = [scan(all), scan({ isOfScope: false, calls: 1_000, reads: 250, seconds: 1_500 })];
  const told = [...others, scan({ isOfScope: false, calls: 250, reads: 0, seconds: 150 })];
  expect(minutesOf(repeat, told)).toMatchObject({ basis: 'last_walk', certainty: 'medium' });
});

test('the pace of scans of a few calls is none of a large one', () => {
  const work = { calls: atMost(400), reads: atMost(100) };
  const small = Array.from({ length: 9 }, () => scan({ calls: 3, reads: 0, seconds: 2 }));
  const { high } = minutesOf(work, [...small, scan(all)]);
  expect(high).toBeLessThan(20);
});

const schedule = {
  ...{ target: 'family:smb', family: 'smb', scopeId: null, revision: 1, timeZone: 'UTC' },
  ...{ quietHours: null, callsPerHour: null, megabytesPerHour: null },
  ...({ whenRunning: 'skip', whenLate: 'run' } as const),
};

test('a ceiling makes a scan wait for the next hours', () => {
  const minutes = { low: 1, high: 2, basis: 'last_walk', certainty: 'medium', missing: null } as const;
  const work = { calls: atMost(1_000), bytes: atMost(1_000_000) };
  const scope = { family: 'smb', scopeId: 'scp_a' };
  // Ten hours, of which the first and the last may be short.
  const held = withCeilings(minutes, work, scope, [{ ...schedule, callsPerHour: 100 }]);
  expect(held).toMatchObject({ low: 480, high: 602, why: expect.stringMatching(/Ceilings/) });
  for (const free of [
    { ...schedule, callsPerHour: 1_000 },
    { ...schedule, megabytesPerHour: 1 },
    { ...schedule, target: 'family:s3', callsPerHour: 1 },
  ])
    expect(withCeilings(minutes, work, scope, [free])).toEqual(minutes);
});

test('the time of a scan that quiet hours interrupted says nothing', () => {
  const quiet = {
    ...schedule,
    quietHours: [{ days: ['monday' as const], from: '10:00', to: '12:00' }],
  };
  const finishedAt = new Date('2026-01-05T12:30:00Z');
  const interrupted = scan({ startedAt: new Date('2026-01-05T09:59:00Z'), finishedAt });
  const after = scan({ startedAt: new Date('2026-01-05T12:20:00Z'), finishedAt });
  expect(withoutQuiet([interrupted, after], [quiet]).map(({ seconds }) => seconds)).toEqual([null, 60]);
});

const listed: SourceItem = {
  ...{ externalId: 'a', name: 'a.txt', path: 'a.txt', kind: 'file', sizeBytes: 10, mimeType: null },
  ...{
    sourceUrl: null,
    sourceVersion: 's2',
    contentVersion: 'c2',
    createdAt: null,
    modifiedAt: null,
    modifiedBy: null,
  },
};
const known = { observed: 's2', contentVersion: 'c2', readsAgain: false, wasRefused: false };
const how = { way: 'listing', inherits: undefined, maxBytes: 100 } as const;

test.each([
  ['a new item', listed, null, how, { items: 1, reads: 1, bytes: 10, calls: 4 }],
  ['an item that is the same', listed, known, how, { items: 1, reads: 0, bytes: 0, calls: 1 }],
  [
    'one that inherits permissions',
    listed,
    known,
    { ...how, inherits: true } as const,
    { items: 1, reads: 0, bytes: 0, calls: 2 },
  ],
  ['a renamed one', listed, { ...known, observed: 's1' }, how, { items: 1, reads: 0, bytes: 0, calls: 3 }],
  [
    'changed content',
    listed,
    { ...known, observed: 's1', contentVersion: 'c1' },
    how,
    { items: 1, reads: 1, bytes: 10, calls: 4 },
  ],
  [
    'content worth another attempt',
    listed,
    { ...known, readsAgain: true },
    how,
    { items: 1, reads: 1, bytes: 10, calls: 2 },
  ],
  [
    'content that was refused',
    listed,
    { ...known, readsAgain: true, wasRefused: true },
    how,
    { items: 1, reads: 1, bytes: 0, refusedBytes: 10, calls: 2 },
  ],
  [
    'a file that is too large',
    { ...listed, sizeBytes: 101 },
    null,
    how,
    { items: 1, reads: 1, bytes: 0, calls: 4 },
  ],
  [
    'an archived one',
    { ...listed, notRead: 'archived' } as const,
    null,
    how,
    { items: 1, reads: 0, bytes: 0, calls: 3 },
  ],
  ['the same in a comparison', listed, known, { ...how, way: 'comparison' } as const, NO_WORK],
])('%s', (_, item, stored, parts, expected) => {
  expect(workOf(item, stored, parts)).toEqual({ refusedBytes: 0, ...expected });
});

const reads = { low: 10, high: 20, basis: 'sample', certainty: 'high', missing: null } as const;
const settings = {
  SVC_AI_PRICES: new Map([['embedder', { input: 0.5, output: 0 }]]),
  SVC_AI_MONTHLY_CAP: undefined,
  SVC_AI_SECOND_OPINION: false,
  SVC_AI_SECOND_OPINIONS_PER_SCAN: 10,
};
const live = { mode: 'live', model: 'embedder', opinion: null } as const;

test('the provider costs at most what the longest texts would', () => {
  // 20 texts of 8,000 tokens, at 0.5 for a million.
  expect(costOf(reads, settings, live, 'minimized_evidence')).toEqual({
    low: 0,
    high: 0.08,
    basis: 'prices',
    certainty: 'low',
    missing: null,
  });
  const capped = costOf(reads, { ...settings, SVC_AI_MONTHLY_CAP: 0.01 }, live, 'minimized_evidence');
  expect(capped.high).toBe(0.01);
});

test('a cost without prices is missing, and none where nothing is sent', () => {
  const unpriced = costOf(reads, { ...settings, SVC_AI_PRICES: undefined }, live, 'minimized_evidence');
  expect(unpriced).toMatchObject({ low: null, high: null, missing: 'no_prices' });
  expect(costOf(reads, settings, live, 'metadata_only')).toMatchObject({ high: 0, basis: 'configuration' });
  const mock = { mode: 'mock', model: 'lexical', opinion: null } as const;
  expect(costOf(reads, settings, mock, 'minimized_evidence')).toMatchObject({
    high: 0,
    basis: 'configuration',
  });
});
