import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mockAiProvider } from '../../core/ai/mock.ts';
import { startCampaign, startRescoreCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../../core/config/config.ts';
import type { ComparisonConnector, LabelObservation, SourceItem } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { Thresholds } from '../../core/inference/inference.ts';
import { planRescore } from '../../core/inference/plan-rescore.ts';
import type { CampaignId, PrincipalId, ScopeId } from '../../core/kernel/ids.ts';
import { lockActiveEnsemble } from '../../core/models/ensembles.sql.ts';
import { rescoreUnder, startRescore } from '../../core/models/rescore.ts';
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
async function rescore(
  changes: Partial<Thresholds> = {},
): Promise<{ campaignId: CampaignId; ensembleVersion: number }> {
  now += 1_000;
  const started = await write(async (tx) =>
    rescoreUnder(tx, { ...(await lockActiveEnsemble(tx)), ...changes }, null, origin, now),
  );
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
/** The version under which each asset was scored last. */
const versions = () =>
  database.inspect<{ file: string; version: number }>(sql`
    select a.external_id as file, g.ensemble_version as version from asset_scorings g join assets a using (tenant_id, asset_id)
     where a.tenant_id = ${DEV} and a.status = 'active' order by 1`);
/** What the model says now of an asset, with the question that it asks. */
const said = (externalId: string) =>
  database.inspect<{ version: number; type: string; status: string | null; isAboutThis: boolean | null }>(sql`
    select i.ensemble_version as version, i.information_type_id as type, k.status,
           k.inference_id = i.inference_id as "isAboutThis"
      from assets a
      join inferences i
        on i.tenant_id = a.tenant_id and i.asset_id = a.asset_id and i.inference_key = a.stage_keys ->> 'inference'
      left join candidates k
        on k.tenant_id = i.tenant_id and k.asset_id = i.asset_id and k.information_type_id = i.information_type_id
     where a.tenant_id = ${DEV} and a.external_id = ${externalId} and a.status = 'active'
     order by i.confidence desc limit 1`);

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

    expect(await versions()).toEqual([
      { file: 'a1', version: ensembleVersion },
      { file: 'a2', version: ensembleVersion },
    ]);
    const active = await database.inspect(sql`
      select version from ensembles where tenant_id = ${DEV} and active`);
    expect(active).toEqual([{ version: ensembleVersion }]);
  });

  test('stores no inference again that says the same', async () => {
    put('h1', INVOICE);
    await scan();
    const asset = () =>
      database.inspect(sql`select xmin, * from assets where external_id = 'h1' and status = 'active'`);
    const [before, asked] = [await inferences(), await database.inspect(sql`select * from candidates`)];
    const known = await asset();
    await rescore();
    // Only an asset that is too short for its confidence depends on this threshold.
    await rescore({ exactDupConfirmedBoost: 0.9 });
    expect(await inferences()).toEqual(before);
    expect(await database.inspect(sql`select * from candidates`)).toEqual(asked);
    expect(await asset()).toEqual(known);
  });

  test('computes nothing for an asset that was scored under the same version', async () => {
    put('p1', INVOICE);
    await scan();
    const { ensembleVersion } = await rescore();
    const again = await write(async (tx) => {
      const first = await planRescore(tx, ensembleVersion, null);
      return startRescoreCampaign(tx, { ...origin, first }, now);
    });
    await drain();
    expect(await stages(again ?? '')).toEqual([{ stage: 'inference', outcome: 'cache_hit', count: 1 }]);
  });

  test('scores 50 assets in a transaction', async () => {
    const files = Array.from({ length: 60 }, (_, n) => `q${n}`);
    for (const file of files) put(file, INVOICE);
    await scan();
    await rescore();
    const groups = await database.inspect<{ count: number }>(sql`
      select count(*)::int as count from asset_scorings g join assets a using (tenant_id, asset_id)
       where a.status = 'active' group by g.xmin order by 1`);
    expect(groups).toEqual([{ count: 10 }, { count: 50 }]);
  });

  test('stores a new result beside the former one, and asks about the new one', async () => {
    put('i1', INVOICE);
    await scan();
    const before = await inferences();
    // The text is short, and its confidence is limited to a share of this threshold.
    const { ensembleVersion } = await rescore({ reviewHighThreshold: 0.95 });
    const after = await inferences();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expect(await said('i1')).toMatchObject([
      { version: ensembleVersion, status: 'pending', isAboutThis: true },
    ]);
    await rescore();
    expect(await inferences()).toEqual(after);
    await rescore({ reviewHighThreshold: 0.8 });
  });

  test('withdraws and asks by the thresholds, though each confidence stays', async () => {
    put('j1', INVOICE);
    await scan();
    const raised = await rescore({ candidateThreshold: 0.99 });
    expect(await said('j1')).toMatchObject([{ version: raised.ensembleVersion, status: 'withdrawn' }]);
    const lowered = await rescore({ candidateThreshold: 0.4 });
    expect(await said('j1')).toMatchObject([
      { version: lowered.ensembleVersion, status: 'pending', isAboutThis: true },
    ]);
  });

  test('leaves put off what it was put off for, until the model says something new', async () => {
    put('k1', INVOICE);
    await scan();
    await database.inspect(sql`
      update candidates set status = 'deferred'
       where asset_id = (select asset_id from assets where external_id = 'k1' and status = 'active')`);
    await rescore();
    expect(await said('k1')).toMatchObject([{ status: 'deferred' }]);
    await rescore({ reviewHighThreshold: 0.95 });
    expect(await said('k1')).toMatchObject([{ status: 'pending' }]);
    await rescore({ reviewHighThreshold: 0.8 });
  });

  test('stores the result of an asset that the release before scored, once', async () => {
    for (const id of ['m1', 'm2']) put(id, INVOICE);
    await scan();
    // The release before notes the key of its inferences with the asset, and nothing else.
    await database.inspect(sql`delete from asset_scorings`);
    await scan();
    expect(await versions()).toEqual([]);
    await rescore();
    const stored = await inferences();
    expect(await said('m1')).toMatchObject([{ status: 'pending', isAboutThis: true }]);
    await database.inspect(sql`
      update assets set stage_keys = stage_keys || '{"inference": "of_the_release_before"}'
       where external_id = 'm2' and status = 'active'`);
    const { ensembleVersion } = await rescore();
    const added = (await inferences()).slice(stored.length);
    expect(new Set(added.map((each) => each.ensemble_version))).toEqual(new Set([ensembleVersion]));
    expect(new Set(added.map((each) => each.asset_id)).size).toBe(1);
    expect(await said('m2')).toMatchObject([{ version: ensembleVersion, isAboutThis: true }]);
  });

  test('leaves the next scan nothing to infer', async () => {
    put('b1', INVOICE);
    await scan();
    await rescore();
    const before = await versions();
    await scan();
    expect(await versions()).toEqual(before);
    expect(
      await database.inspect(sql`
      select s.outcome from campaign_stage_counts s join campaigns c using (tenant_id, campaign_id)
       where s.stage = 'inference' and c.kind = 'inventory' order by c.created_at desc limit 1`),
    ).toEqual([{ outcome: 'cache_hit' }]);
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
    await database.inspect(sql`
      update asset_features set features = features - 'terms'
       where asset_id = (select asset_id from assets where external_id = 'g2' and status = 'active')`);
    const { campaignId, ensembleVersion } = await rescore();
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
    const scored = (await versions()).filter(({ version }) => version === ensembleVersion);
    expect(scored.map(({ file }) => file)).toEqual(['g1', 'g3']);
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
    const ensembles = () =>
      database.inspect(sql`select version, active from ensembles where tenant_id = ${DEV}`);
    const before = await ensembles();
    await expect(write((tx) => startRescore(tx, origin, now))).rejects.toMatchObject({ code: 'conflict' });
    expect(await ensembles()).toEqual(before);
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
  test('that a rescore overtakes does not put the older scoring back', async () => {
    put('n', INVOICE);
    await scan();
    put('n', INVOICE, {
      name: 'Payroll.txt',
      path: 'People/Payroll.txt',
      sourceVersion: 'v2',
      contentVersion: 'c2',
    });
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    calls = [];
    const scanned = scan();
    await expect.poll(() => calls).toContain('readContent');
    now += 1_000;
    const { ensembleVersion } = await write((tx) => startRescore(tx, origin, now));
    await expect.poll(versions).toEqual([{ file: 'n', version: ensembleVersion }]);
    opened.resolve();
    await scanned;
    now += 3_600_000;
    await drain();
    expect(await versions()).toEqual([{ file: 'n', version: ensembleVersion }]);
    // It goes on with the newer scoring, and reads nothing again.
    expect(calls.filter((call) => call === 'readContent')).toHaveLength(1);
  });

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

  test('changed content raises the revision of its question, even with the same result', async () => {
    const revision = async () => {
      const [row] = await database.inspect<{ revision: number }>(sql`
        select k.revision from candidates k join assets a using (tenant_id, asset_id)
         where a.external_id = 'u' and a.status = 'active' and k.status = 'pending' order by k.confidence desc limit 1`);
      return row?.revision ?? 0;
    };
    put('u', INVOICE);
    await scan();
    const before = await revision();
    await rescore();
    expect(await revision()).toBe(before);
    put('u', `${INVOICE}\n`, { sourceVersion: 'v2', contentVersion: 'c2' });
    await scan();
    expect(await revision()).toBe(before + 1);
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
