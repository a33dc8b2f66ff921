import { mockAiProvider } from '../../core/ai/mock.ts';
import { loadConfig } from '../../core/config/config.ts';
import {
  type ComparisonConnector,
  type Connector,
  ConnectorError,
  type DeltaChange,
  DeltaCursorInvalid,
  type FeedConnector,
  type LabelObservation,
  type Permissions,
  type SensitivityLabel,
  type SourceFolder,
  type SourceItem,
} from '../../core/connectors/connector.ts';
import type { Db } from '../../core/db/tx.ts';
import { ThreadFault, thrownInThread } from '../../core/kernel/thread-fault.ts';
import { createLogger, type Logger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { analyse } from '../../core/scan/analyse.ts';
import type { AnalysisPool } from '../../core/scan/analysis-pool.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import type { TestDatabase } from './database.ts';
import { textAnalysis } from './text-analysis.ts';

export const PAGE_SIZE = 200;

/**
 * A source that a test can change. Scopes and items have the source's ids, and the path of an item is its id. A listing is
 * in the order of paths and goes on after the last one, whatever has changed before it.
 */
export type ChangingSource = {
  put(scope: string, path: string, version?: string, kind?: SourceItem['kind']): SourceItem;
  remove(scope: string, path: string): void;
  items(scope: string): Map<string, SourceItem>;
  /** The most items of a page of a listing. */
  pageSize: number;
  /** Items whose entries cannot be read, by path: listed as such, refused when asked for. */
  unreadable: Set<string>;
  /** Folders that the first page of an inventory reports, by scope. */
  folders: Map<string, SourceFolder[]>;
  /** Pages of the next delta of a scope. Null means that the cursor is invalid. */
  feed: Map<string, DeltaChange[][] | null>;
  labels: () => Promise<SensitivityLabel[]>;
  /** Of every item. */
  label: LabelObservation | 'denied';
  beforePage: (page: number) => Promise<void>;
  /** Can answer instead of the source. */
  beforeGet: (externalId: string) => Promise<'denied' | undefined>;
  /** Of every item. */
  permissions: Permissions | 'denied';
  /** The number of contents read so far. */
  reads: number;
  /** Whether extraction fails as on a machine that is too busy. */
  timeBound: boolean;
  /** What the thread that reads a file throws. Null if the reader has no bug. */
  bug: Error | null;
  /** Whether no extractor claims the files. */
  unsupported: boolean;
  connector(delta: 'feed' | 'comparison'): Connector;
};

export function createChangingSource(): ChangingSource {
  const scopes = new Map<string, Map<string, SourceItem>>();
  const items = (scope: string) => {
    const held = scopes.get(scope) ?? new Map<string, SourceItem>();
    scopes.set(scope, held);
    return held;
  };
  const source: ChangingSource = {
    items,
    pageSize: PAGE_SIZE,
    put: (scope, path, version = 'v1', kind = 'file') => {
      const item: SourceItem = {
        externalId: path,
        name: path.replace(/^.*\//, ''),
        path,
        kind,
        sizeBytes: 5,
        mimeType: 'text/plain',
        sourceUrl: null,
        sourceVersion: version,
        contentVersion: version,
        createdAt: null,
        modifiedAt: null,
        modifiedBy: null,
      };
      items(scope).set(path, item);
      return item;
    },
    remove: (scope, path) => {
      items(scope).delete(path);
    },
    unreadable: new Set(),
    folders: new Map(),
    feed: new Map(),
    labels: async () => [],
    label: { state: 'unknown' },
    beforePage: async () => undefined,
    beforeGet: async () => undefined,
    permissions: { grants: [], complete: false },
    reads: 0,
    timeBound: false,
    bug: null,
    unsupported: false,
    connector: (delta) => (delta === 'feed' ? feed : comparison),
  };
  const reads: Omit<FeedConnector, 'delta' | 'listDelta'> = {
    family: 'm365',
    mode: 'mock',
    listScopes: async () => ({ scopes: [], nextPageToken: null }),
    listLabels: () => source.labels(),
    listItems: async (scope, pageToken) => {
      const [page, after] = pageToken === null ? [0, ''] : (JSON.parse(pageToken) as [number, string]);
      await source.beforePage(page);
      const rest = [...items(scope).keys()].filter((path) => path > after).sort();
      const listed = rest.slice(0, source.pageSize);
      const last = listed.length === rest.length;
      return {
        items: listed.flatMap((path) => (source.unreadable.has(path) ? [] : (items(scope).get(path) ?? []))),
        leftOut: listed.filter((path) => source.unreadable.has(path)).map(() => 'unreadable' as const),
        folders: page === 0 ? (source.folders.get(scope) ?? []) : [],
        nextPageToken: last ? null : JSON.stringify([page + 1, listed.at(-1)]),
        deltaCursor: last ? 'cursor' : null,
      };
    },
    getItem: async (scope, externalId) => {
      if (source.unreadable.has(externalId))
        throw new ConnectorError('permanent', 'cloud_drive_file_malformed');
      const item = items(scope).get(externalId) ?? null;
      return (await source.beforeGet(externalId)) ?? item;
    },
    getPermissions: async () => source.permissions,
    getLabel: async () => source.label,
    readContent: async () => {
      source.reads++;
      return { state: 'available', bytes: new TextEncoder().encode('words') };
    },
  };
  const feed: FeedConnector = {
    ...reads,
    delta: 'feed',
    listDelta: async (scope, _cursor, pageToken) => {
      const page = Number(pageToken ?? 0);
      await source.beforePage(page);
      const pages = source.feed.get(scope);
      if (pages === null) throw new DeltaCursorInvalid();
      const last = page >= (pages?.length ?? 1) - 1;
      return {
        changes: pages?.[page] ?? [],
        nextPageToken: last ? null : `${page + 1}`,
        deltaCursor: last ? 'cursor' : null,
      };
    },
  };
  const comparison: ComparisonConnector = {
    ...reads,
    delta: 'comparison',
    listItems: async (...args) => ({ ...(await reads.listItems(...args)), deltaCursor: null }),
  };
  return source;
}

/**
 * The handlers of a scan of such a source, and their log.
 * @param db of another process than that of the test
 * @param around takes the place of the connector
 * @param analysis reads the files. Without it each is taken for a text
 */
export function scanOf(
  source: ChangingSource,
  delta: 'feed' | 'comparison',
  {
    database,
    clock,
    db = database.db,
    around = (_, connector) => connector,
    analysis = analysisOf(source),
  }: {
    database: TestDatabase;
    clock: () => number;
    db?: Db;
    around?: (parts: { db: Db; clock: () => number; log: Logger }, connector: Connector) => Connector;
    analysis?: AnalysisPool;
  },
) {
  const logs: string[] = [];
  const log = createLogger({ level: 'debug', clock, destination: { write: (line) => logs.push(line) } });
  const connector = around({ db, clock, log }, source.connector(delta));
  const common = { db, clock, log, metrics: createMetrics(), doorbell: null };
  const handlers = scanHandlers({
    ...common,
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    analysis,
    provider: mockAiProvider,
    connectorFor: () => connector,
  });
  return { ...common, handlers, logs };
}

const analysisOf = (source: ChangingSource): AnalysisPool => ({
  ...textAnalysis,
  extract: async (file, argument) => {
    if (source.bug !== null) throw new ThreadFault(thrownInThread(source.bug));
    if (source.timeBound) return { state: 'failed', format: 'text', reason: 'time_bound', ms: 1 };
    if (!source.unsupported) return textAnalysis.extract(file, argument);
    const analysed = { analysis: analyse(null, argument), analysisMs: 1, ms: 1 };
    return { state: 'unsupported', format: 'unknown', reason: 'unknown_format', ...analysed };
  },
});
