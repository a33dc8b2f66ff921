import { expect, test } from 'vitest';
import type { Connector, SourceItem } from '../../../core/connectors/connector.ts';
import { analyse } from '../../../core/scan/analyse.ts';
import type { AnalysisPool } from '../../../core/scan/analysis-pool.ts';
import { fetchAndAnalyse } from '../../../core/scan/read-content.ts';

const item = { name: 'a.eml', path: 'a.eml', kind: 'file', externalId: 'x', mimeType: null } as SourceItem;
const connector = {
  readContent: async () => ({ state: 'available', bytes: new Uint8Array([1]) }),
} as unknown as Connector;

const poolOf = (contains: readonly string[] | undefined): AnalysisPool => ({
  extract: async (_file, argument) => ({
    state: 'available',
    format: 'eml',
    reason: null,
    ...(contains !== undefined && { contains }),
    analysis: analyse('a text', argument),
    analysisMs: 0,
    ms: 0,
  }),
  stats: () => ({ workers: 0, busy: 0, waiting: 0, runs: 0, replaced: 0 }),
  close: async () => undefined,
});
const read = (contains: readonly string[] | undefined) =>
  fetchAndAnalyse(
    connector,
    poolOf(contains),
    'scope',
    item,
    10,
    {
      name: item.name,
      path: item.path,
      excerpts: { max: 0, width: 0 },
      detectors: [],
      homes: [],
      fingerprintKey: null,
      vocabulary: null,
      forOpinion: false,
    },
    new AbortController().signal,
  );

test('the hashes of the files inside are kept, a hundred at most', async () => {
  const hashes = Array.from({ length: 101 }, (_, at) => at.toString(16).padStart(64, '0'));
  expect((await read(hashes)).contains).toEqual(hashes.slice(0, 100));
  expect((await read(undefined)).contains).toEqual([]);
});
