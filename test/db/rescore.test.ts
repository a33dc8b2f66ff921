import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mockAiProvider } from '../../core/ai/mock.ts';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../../core/config.ts';
import type { ComparisonConnector, LabelObservation, SourceItem } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId } from '../../core/kernel/ids.ts';
import { startRescore } from '../../core/models/rescore.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { analyse } from '../../core/scan/analyse.ts';
import type { AnalysisPool } from '../../core/scan/analysis-pool.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { createWorker } from '../../core/work/worker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { DEV, seedTenants } from '../support/seed.ts';

const INVOICE =
  'Invoice\nPlease pay the amount due of this invoice within the payment terms. VAT is included.';
const PAYROLL =
  'Payroll\nGross pay, net pay and deductions of the employees: salary, bonus and tax of the month.';

let database: TestDatabase;
let now = Date.UTC(2026, 2, 1);
let scopeId: ScopeId;
/** What the source holds, and every call that it or the pool of workers got. */
let items: Map<string, { item: SourceItem; text: string; label: LabelObservation }>;
let calls: string[];
/** Whatever touches the source or a file fails. */
let closed: boolean;
/** What the reading of a file waits for. */
let gate: Promise<void>;

const touched = (what: string) => {
  calls.push(what);
  if (closed) throw new Error(`${what} was called`);
};
const connector: ComparisonConnector = {
  family: 'm365',
  mode: 'mock',
  delta: 'comparison',
  listScopes: async () => ({ scopes: [], nextPageToken: null }),
  listLabels: async () => [],
  listItems: async () => {
    touched('listItems');
    return { items: [...items.values()].map(({ item }) => item), nextPageToken: null, deltaCursor: null };
  },
  getItem: async (_scope, externalId) => {
    touched('getItem');
    return items.get(externalId)?.item ?? null;
  },
  getPermissions: async () => {
    touched('getPermissions');
    return { grants: [], complete: true };
  },
  getLabel: async (_scope, externalId) => {
    touched('getLabel');
    return items.get(externalId)?.label ?? { state: 'unknown' };
  },
  readContent: async (_scope, externalId) => {
    touched('readContent');
    await gate;
    return { state: 'available', bytes: new TextEncoder().encode(items.get(externalId)?.text ?? '') };
  },
};
const analysis: AnalysisPool = {
  extract: async ({ bytes }, argument) => {
    touched('extract');
    const text = new TextDecoder().decode(bytes);
    return {
      state: 'available',
      format: 'text',
      reason: null,
      contains: [],
      analysis: analyse(text, argument),
      analysisMs: 1,
      ms: 1,
    };
  },
  stats: () => ({ workers: 0, busy: 0, waiting: 0, runs: 0, replaced: 0 }),
  close: async () => undefined,
};

function put(externalId: string, text: string, changes: Partial<SourceItem> = {}): void {
  const item: SourceItem = {
    externalId,
    name: `${externalId}.txt`,
    path: `${externalId}.txt`,
    kind: 'file',
    sizeBytes: text.length,
    mimeType: 'text/plain',
    sourceUrl: null,
    sourceVersion: 'v1',
    contentVersion: 'c1',
    createdAt: null,
    modifiedAt: null,
    modifiedBy: null,
    ...changes,
  };
  items.set(externalId, { item, text, label: { state: 'unlabeled' } });
}

/** What a process keeps between its campaigns: the taxonomy that it read a moment ago is old for the next one. */
let drain: () => Promise<number>;

const write = <T>(fn: Parameters<typeof withTx<T>>[2]) =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, fn);
const origin = { createdBy: 'pri_helena_brandt' as PrincipalId, correlationId: 'cor_1' };
async function scan(): Promise<string[]> {
  const first = {
    kind: 'inventory_page' as const,
    logicalKey: 'page:0',
    payload: { page: 0, pageToken: null },
  };
  await write((tx) => startCampaign(tx, { ...origin, scopeId, kind: 'inventory', first }, now));
  calls = [];
  await drain();
  return calls;
}
async function rescore(): Promise<{ campaignId: CampaignId; ensembleVersion: number }> {
  now += 1_000;
  const started = await write((tx) => startRescore(tx, origin, now));
  await drain();
  return started;
}

type Campaign = { status: string; units_total: number; units_completed: number; units_dead: number };
const campaign = async (campaignId: string) => {
  const [row] = await database.inspect<Campaign>(sql`
    select status, units_total, units_completed, units_dead from campaigns where campaign_id = ${campaignId}`);
  return row;
};
const stages = (campaignId: string) =>
  database.inspect(sql`
    select stage, outcome, count from campaign_stage_counts where campaign_id = ${campaignId} order by stage, outcome`);
const inferences = () =>
  database.inspect<{ inference_id: string; asset_id: string; ensemble_version: number }>(
    sql`select * from inferences where tenant_id = ${DEV} order by created_at, inference_id`,
  );

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
  await seedTenants(database.owner, now);
  scopeId = 'scp_rescore' as ScopeId;
  const at = new Date(now);
  await write(async (tx) => {
    await tx.query(sql`
      insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
      values (${DEV}, 'con_rescore', 'm365', 'mock', ${at})`);
    await tx.query(sql`
      insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
      values (${DEV}, ${scopeId}, 'con_rescore', 'm365', 'site-1', 'Site', 'site', ${at})`);
  });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now += 3_600_000;
  items = new Map();
  calls = [];
  closed = false;
  gate = Promise.resolve();
  await database.inspect(sql`update assets set status = 'deleted'`);
  await database.inspect(sql`update campaigns set status = 'cancelled' where status <> 'completed'`);
  const log = createLogger({ level: 'error', clock: () => now, destination: { write: () => undefined } });
  const common = { db: database.db, clock: () => now, log, metrics: createMetrics(), doorbell: null };
  const handlers = scanHandlers({
    ...common,
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    analysis,
    provider: mockAiProvider,
    connectorFor: () => connector,
  });
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 4 });
  drain = () => worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
});

describe('a rescore', () => {
  test('scores every asset from retained features and never touches the source', async () => {
    put('a1', INVOICE);
    put('a2', PAYROLL);
    await scan();
    const before = await inferences();
    expect(before.length).toBeGreaterThan(1);
    closed = true;
    calls = [];
    const { campaignId, ensembleVersion } = await rescore();
    expect(calls).toEqual([]);
    expect(await campaign(campaignId)).toEqual({
      status: 'completed',
      units_total: 2,
      units_completed: 2,
      units_dead: 0,
    });
    expect(await stages(campaignId)).toEqual([{ stage: 'inference', outcome: 'computed', count: 2 }]);

    const after = await inferences();
    expect(after.slice(0, before.length)).toEqual(before);
    const added = after.slice(before.length);
    expect(added.map((each) => each.asset_id).sort()).toEqual(before.map((each) => each.asset_id).sort());
    expect(new Set(added.map((each) => each.ensemble_version))).toEqual(new Set([ensembleVersion]));
    const active = await database.inspect(sql`
      select version from ensembles where tenant_id = ${DEV} and active`);
    expect(active).toEqual([{ version: ensembleVersion }]);
  });

  test('leaves the next scan nothing to infer', async () => {
    put('b1', INVOICE);
    await scan();
    await rescore();
    const before = await inferences();
    await scan();
    expect(await inferences()).toEqual(before);
  });

  test('skips an asset without retained features, or with those of a former version', async () => {
    put('c1', INVOICE);
    put('c2', INVOICE);
    await scan();
    await database.inspect(sql`
      update asset_features set features = features || '{"featureVersion": 0}'
       where asset_id = (select asset_id from assets where external_id = 'c1' and status = 'active')`);
    await database.inspect(sql`delete from asset_risks`);
    const { campaignId } = await rescore();
    expect(await stages(campaignId)).toEqual([
      { stage: 'inference', outcome: 'computed', count: 1 },
      { stage: 'inference', outcome: 'skipped', count: 1 },
    ]);
    // What is known of it is judged all the same.
    expect(await database.inspect(sql`select 1 from asset_risks`)).toHaveLength(2);
  });

  test('scores the others where the features of one asset cannot be read', async () => {
    for (const id of ['g1', 'g2', 'g3']) put(id, INVOICE);
    await scan();
    const before = await inferences();
    await database.inspect(sql`
      update asset_features set features = features - 'terms'
       where asset_id = (select asset_id from assets where external_id = 'g2' and status = 'active')`);
    const { campaignId } = await rescore();
    expect(await campaign(campaignId)).toMatchObject({ units_total: 3, units_completed: 2, units_dead: 0 });
    const attempts = await database.inspect(sql`
      select a.external_id, u.status, u.attempt
        from work_units u join assets a on a.asset_id = u.payload ->> 'assetId'
       where u.campaign_id = ${campaignId} order by 1`);
    expect(attempts).toEqual([
      { external_id: 'g1', status: 'completed', attempt: 1 },
      { external_id: 'g2', status: 'pending', attempt: 1 },
      { external_id: 'g3', status: 'completed', attempt: 1 },
    ]);
    const scoredAgain = (await inferences()).slice(before.length).map(({ asset_id }) => asset_id);
    expect(new Set(scoredAgain).size).toBe(2);
  });

  test('has one unit per active asset and enqueues them in bounded transactions', async () => {
    await database.inspect(sql`
      insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                          content_version, first_seen_at, last_seen_at, status)
      select ${DEV}, 'ast_many_' || lpad(n::text, 6, '0'), ${scopeId}, 'many' || n, 'n', 'n', 'file', 1, 'v', 'c',
             now(), now(), case when n % 10 = 0 then 'deleted' else 'active' end
        from generate_series(1, 1250) as n`);
    const { campaignId } = await write((tx) => startRescore(tx, origin, now));
    expect(await campaign(campaignId)).toMatchObject({ units_total: 1_000, status: 'pending' });
    await drain();
    expect(await campaign(campaignId)).toEqual({
      status: 'completed',
      units_total: 1_125,
      units_completed: 1_125,
      units_dead: 0,
    });
    const [units] = await database.inspect<{ units: number; assets: number; kinds: string[] }>(sql`
      select count(*)::int as units, count(distinct payload ->> 'assetId')::int as assets,
             array_agg(distinct kind) as kinds
        from work_units where campaign_id = ${campaignId}`);
    expect(units).toEqual({ units: 1_125, assets: 1_125, kinds: ['rescore_asset'] });
  });

  test('completes at once with nothing to score, and is refused while another is active', async () => {
    const { campaignId } = await write((tx) => startRescore(tx, origin, now));
    expect(await campaign(campaignId)).toMatchObject({ status: 'completed', units_total: 0 });
    put('d1', INVOICE);
    await scan();
    await write((tx) => startRescore(tx, origin, now));
    const versions = () =>
      database.inspect(sql`select version, active from ensembles where tenant_id = ${DEV}`);
    const before = await versions();
    await expect(write((tx) => startRescore(tx, origin, now))).rejects.toMatchObject({ code: 'conflict' });
    expect(await versions()).toEqual(before);
  });

  test('started twice at once, starts once', async () => {
    put('e1', INVOICE);
    await scan();
    const both = await Promise.allSettled([
      write((tx) => startRescore(tx, origin, now)),
      write((tx) => startRescore(tx, origin, now)),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
  });
});

describe('a scan', () => {
  test('has nothing of an asset in hand while it waits for who decides of it', async () => {
    put('l', INVOICE);
    await scan();
    put('l', PAYROLL, { sourceVersion: 'v2', contentVersion: 'c2' });
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    calls = [];
    const scanned = scan();
    await expect.poll(() => calls).toContain('readContent');
    await write(async (tx) => {
      await tx.query(sql`
        select 1 from assets where tenant_id = ${DEV} and external_id = 'l' and status = 'active' for no key update`);
      opened.resolve();
      await expect.poll(() => lockWaits(database, 'assets')).toBeGreaterThan(0);
      const free = await tx.query(sql`
        select 1 from candidates k join assets a using (tenant_id, asset_id)
         where k.tenant_id = ${DEV} and a.external_id = 'l' and a.status = 'active' for update of k nowait`);
      expect(free.length).toBeGreaterThan(0);
    });
    await scanned;
  });
});

describe('stage caching', () => {
  const changed: [string, (externalId: string) => void][] = [
    [
      'a new name',
      (id) => put(id, INVOICE, { name: 'Payroll.txt', path: 'People/Payroll.txt', sourceVersion: 'v2' }),
    ],
    ['other permissions', (id) => put(id, INVOICE, { sourceVersion: 'v2' })],
    [
      'another label',
      (id) => {
        put(id, INVOICE, { sourceVersion: 'v2' });
        const labelled = items.get(id);
        if (labelled !== undefined)
          labelled.label = {
            state: 'labeled',
            labelGuid: '5c1e0a52-8c0d-4c7e-9d3a-0f5a3c6b1e01',
            labelName: 'Public',
          };
      },
    ],
  ];
  test.each(changed)('%s fetches and extracts nothing', async (what, change) => {
    const id = `s-${what}`;
    put(id, INVOICE);
    expect(await scan()).toEqual(expect.arrayContaining(['readContent', 'extract']));
    change(id);
    const again = await scan();
    expect(again.filter((call) => call === 'readContent' || call === 'extract')).toEqual([]);
    expect(again).toEqual(expect.arrayContaining(['getItem', 'getPermissions', 'getLabel']));
  });

  test('a changed content is fetched and extracted once', async () => {
    put('t', INVOICE);
    await scan();
    put('t', PAYROLL, { sourceVersion: 'v2', contentVersion: 'c2' });
    const again = await scan();
    expect(again.filter((call) => call === 'readContent' || call === 'extract')).toEqual([
      'readContent',
      'extract',
    ]);
  });
});
