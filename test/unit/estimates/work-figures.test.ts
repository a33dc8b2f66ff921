import { expect, test } from 'vitest';
import type { SourceItem } from '../../../core/connectors/connector.ts';
import { NO_WORK, workOf } from '../../../core/estimates/expected-work.ts';
import type { EndedScan } from '../../../core/estimates/known.sql.ts';
import { minutesOf } from '../../../core/estimates/minutes.ts';
import { costOf } from '../../../core/estimates/provider-cost.ts';
import type { Sample } from '../../../core/estimates/sample-scope.ts';
import { type Evidence, workFigures } from '../../../core/estimates/work-figures.ts';

const sample = (more: Partial<Sample> = {}): Sample => ({
  way: 'listing',
  pages: 2,
  folders: 0,
  listed: 400,
  leftOut: 0,
  listedBytes: 40_000,
  work: { items: 400, reads: 400, bytes: 40_000, calls: 1_600 },
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
  items: 100,
  calls: 600,
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

test('the counter of a source bounds what it lists', () => {
  const { items, bytes } = workFigures(evidence({ sample: part, countedBytes: 400_000 }));
  // Ten times the bytes of the part, and no more bytes than are counted.
  expect(items).toEqual({ low: 400, high: 12_000, basis: 'counter', certainty: 'low', missing: null });
  expect(bytes).toMatchObject({ low: 40_000, high: 400_000 });
});

test('without a basis there is a least and no most, with the reason', () => {
  const { items, calls } = workFigures(evidence({ sample: part }));
  expect(items).toEqual({
    low: 400,
    high: null,
    basis: 'sample',
    certainty: 'low',
    missing: 'listing_goes_on',
  });
  expect(minutesOf(calls, [scan()])).toMatchObject({ high: null, missing: 'listing_goes_on' });
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
  const { calls } = workFigures(evidence());
  const paces = [scan({ calls: 600 }), scan({ calls: 1_200 }), scan({ isOfScope: false, calls: 6 })];
  // 1,603 calls at 1,200 a minute, 1,764 at 600; a quarter wider.
  expect(minutesOf(calls, paces)).toEqual({
    low: 1.06,
    high: 3.68,
    basis: 'last_walk',
    certainty: 'medium',
    missing: null,
  });
  expect(minutesOf(calls, [scan({ isOfScope: false })])).toMatchObject({
    basis: 'other_scans',
    certainty: 'low',
  });
  expect(minutesOf(calls, [scan({ seconds: null })])).toMatchObject({
    low: null,
    missing: 'no_scan_to_compare',
  });
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
const known = { observed: 's2', contentVersion: 'c2', readsAgain: false };
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
  expect(workOf(item, stored, parts)).toEqual(expected);
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
