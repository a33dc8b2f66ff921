import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mockAiProvider } from '../../core/ai/mock.ts';
import { loadConfig } from '../../core/config.ts';
import {
  type ComparisonConnector,
  type Connector,
  ConnectorError,
  type DeltaChange,
  type SourceItem,
} from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { UNIT_KINDS, type UnitKind } from '../../core/kernel/vocabulary.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { analyse } from '../../core/scan/analyse.ts';
import type { AnalysisPool } from '../../core/scan/analysis-pool.ts';
import { FIRST_ENSEMBLE } from '../../core/scan/inference.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { startCampaign } from '../../core/work/campaigns.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let now = 0;

/** A source that a test changes at will. */
let items: Map<string, SourceItem>;
let feed: DeltaChange[][];
let beforePage: (page: number) => Promise<void>;
let beforeGet: (externalId: string) => Promise<void>;
let timeBound: boolean;
let drain: () => Promise<number>;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `walk-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  const first = FIRST_ENSEMBLE;
  await database.inspect(sql`
    insert into ensembles values (${tenantId}, ${first.version}, ${first.candidateThreshold},
      ${first.reviewLowThreshold}, ${first.reviewHighThreshold}, ${first.nearDupConfirmedBoost},
      ${first.exactDupConfirmedBoost}, true, ${new Date(now)})`);
  items = new Map();
  feed = [[]];
  beforePage = async () => undefined;
  beforeGet = async () => undefined;
  timeBound = false;
});

function put(path: string, version = 'v1', kind: SourceItem['kind'] = 'file'): SourceItem {
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
  items.set(path, item);
  return item;
}

const reads: Omit<ComparisonConnector, 'delta'> = {
  family: 'm365',
  mode: 'mock',
  listScopes: async () => [],
  listLabels: async () => [],
  listItems: async () => ({ items: [...items.values()], nextPageToken: null, deltaCursor: 'cursor' }),
  getItem: async (_scope: string, externalId: string) => {
    const item = items.get(externalId) ?? null;
    await beforeGet(externalId);
    return item;
  },
  getPermissions: async () => ({ grants: [], complete: false }),
  getLabel: async () => ({ state: 'unknown' }),
  readContent: async () => ({ state: 'available', bytes: new TextEncoder().encode('words') }),
};
const connectors: Record<'feed' | 'comparison', Connector> = {
  comparison: { ...reads, delta: 'comparison' },
  feed: {
    ...reads,
    delta: 'feed',
    listDelta: async (_scope, _cursor, pageToken) => {
      const page = Number(pageToken ?? 0);
      await beforePage(page);
      const last = page === feed.length - 1;
      return {
        changes: feed[page] ?? [],
        nextPageToken: last ? null : `${page + 1}`,
        deltaCursor: last ? 'cursor' : null,
      };
    },
  },
};
const analysis: AnalysisPool = {
  extract: async ({ bytes }, argument) =>
    timeBound
      ? { state: 'failed', format: 'text', reason: 'time_bound', ms: 1 }
      : {
          state: 'available',
          format: 'text',
          reason: null,
          analysis: analyse(new TextDecoder().decode(bytes), argument),
          analysisMs: 1,
          ms: 1,
        },
  stats: () => ({ workers: 0, busy: 0, waiting: 0, runs: 0, replaced: 0 }),
  close: async () => undefined,
};

async function scan(
  kind: 'inventory' | 'delta',
  mode: 'feed' | 'comparison',
  kinds: readonly UnitKind[] = UNIT_KINDS,
): Promise<void> {
  const log = createLogger({ level: 'error', clock: () => now, destination: { write: () => undefined } });
  const common = { db: database.db, clock: () => now, log, metrics: createMetrics(), doorbell: null };
  const config = loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url });
  const handlers = scanHandlers({
    ...common,
    config,
    analysis,
    provider: mockAiProvider,
    connectorFor: () => connectors[mode],
  });
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta:0', payload: {} };
  const createdBy = 'somebody' as PrincipalId;
  await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    startCampaign(tx, { scopeId, kind, createdBy, correlationId: 'cor_1', first }, now),
  );
  const served = Object.fromEntries(
    Object.entries(handlers).filter(([each]) => kinds.some((one) => one === each)),
  );
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers: served, concurrency: 4 });
  drain = () => worker.drain(60_000, new AbortController().signal);
  // Retries are due when the clock says so.
  for (let attempt = 1; attempt <= 4; attempt++) {
    await drain();
    now += 60_000;
  }
}

const observed = async (externalId: string): Promise<string | null> => {
  const [row] = await database.inspect<{ observed: string | null }>(sql`
    select stage_keys->>'observe' as observed from assets
     where tenant_id = ${tenantId} and external_id = ${externalId}`);
  return row?.observed ?? null;
};
const active = async (): Promise<string[]> => {
  const rows = await database.inspect<{ external_id: string }>(sql`
    select external_id from assets where tenant_id = ${tenantId} and status = 'active' order by 1`);
  return rows.map((row) => row.external_id);
};

describe.each(['feed', 'comparison'] as const)('with a delta by %s', (mode) => {
  test('a change whose unit died is looked at by the next delta', async () => {
    put('a');
    put('b');
    await scan('inventory', mode);
    feed = [[{ type: 'upsert', item: put('b', 'v2') }]];
    beforeGet = async () => {
      throw new ConnectorError('permanent', 'scope_unknown');
    };
    await scan('delta', mode);
    expect(await observed('b')).toBe('v1');
    feed = [[]];
    beforeGet = async () => undefined;
    await scan('delta', mode);
    expect(await observed('b')).toBe('v2');
    const [last] = await database.inspect(sql`
      select units_total, units_completed from campaigns where tenant_id = ${tenantId}
       order by created_at desc, campaign_id desc limit 1`);
    expect(last).toEqual({ units_total: 2, units_completed: 2 });
  });

  test('what lies below a folder that can no longer be entered is hidden, not deleted', async () => {
    for (const path of ['docs/a', 'docs/deep/b', 'docs2/c', 'd']) put(path);
    await scan('inventory', mode);
    items.clear();
    put('docs', 'v1', 'folder');
    put('d');
    await scan(mode === 'comparison' ? 'delta' : 'inventory', mode);
    expect(await active()).toEqual(['d', 'docs', 'docs/a', 'docs/deep/b']);
    expect(await observed('docs/a')).toBe('v1');
    items.clear();
    put('docs/a');
    put('d');
    await scan(mode === 'comparison' ? 'delta' : 'inventory', mode);
    expect(await active()).toEqual(['d', 'docs/a']);
  });
});

test('an asset that changes twice within one delta is looked at twice', async () => {
  put('a');
  await scan('inventory', 'feed');
  feed = [[{ type: 'upsert', item: put('a', 'v2') }], []];
  beforePage = async (page) => {
    if (page === 0) return;
    await drain();
    expect(await observed('a')).toBe('v2');
    feed[1] = [{ type: 'upsert', item: put('a', 'v3') }];
  };
  await scan('delta', 'feed');
  expect(await observed('a')).toBe('v3');
});

test('a delta by comparison records its changes in bounded transactions', async () => {
  for (let n = 0; n < 450; n++) put(`f${n}`);
  await scan('delta', 'comparison', ['delta_run']);
  const rows = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from assets where tenant_id = ${tenantId} group by xmin::text order by 1`);
  expect(rows.map((row) => row.count)).toEqual([50, 200, 200]);
});

test('a file that a busy machine had no time for is tried again by the next inventory', async () => {
  put('a');
  const state = () =>
    database.inspect(sql`select content_state, content_reason from assets where tenant_id = ${tenantId}`);
  timeBound = true;
  await scan('inventory', 'feed');
  expect(await state()).toEqual([{ content_state: 'failed', content_reason: 'time_bound' }]);
  timeBound = false;
  await scan('inventory', 'feed');
  expect(await state()).toEqual([{ content_state: 'available', content_reason: null }]);
});

test('a run that lost its lease stores nothing', async () => {
  put('a');
  beforeGet = async () => {
    await database.inspect(sql`
      update work_units set lease_owner = 'another', attempt = attempt + 1
       where tenant_id = ${tenantId} and kind = 'process_asset'`);
    beforeGet = async () => {
      throw new ConnectorError('permanent', 'scope_unknown');
    };
  };
  await scan('inventory', 'feed');
  expect(await observed('a')).toBeNull();
});

test('a run that saw an older version than was listed meanwhile looks again', async () => {
  put('a');
  let gets = 0;
  beforeGet = async () => {
    if (++gets > 1) return;
    put('a', 'v2');
    await database.inspect(sql`update assets set source_version = 'v2' where tenant_id = ${tenantId}`);
  };
  await scan('inventory', 'feed');
  expect({ gets, observed: await observed('a') }).toEqual({ gets: 2, observed: 'v2' });
});
