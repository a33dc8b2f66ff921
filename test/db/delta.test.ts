import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { ConnectorError, type DeltaChange, DeltaCursorInvalid } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { CampaignId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { UNIT_KINDS, type UnitKind } from '../../core/kernel/vocabulary.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant, mustStart } from '../support/campaign.ts';
import { type ChangingSource, createChangingSource, PAGE_SIZE, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

const SITE = 'site-1';
const OTHER_SITE = 'site-2';
type Mode = 'feed' | 'comparison';
const MODES = ['feed', 'comparison'] as const;

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let otherScopeId: ScopeId;
let source: ChangingSource;
let logs: string[];
let tenants = 0;
let now = 0;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(() => anotherTenant());

/** A tenant of its own with two scopes, so that nothing of an earlier test is left. */
async function anotherTenant(): Promise<void> {
  now = Date.UTC(2026, 0, 1);
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `delta-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  otherScopeId = `${scopeId}-2` as ScopeId;
  await makeEnsemble(database, tenantId, now);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select tenant_id, ${otherScopeId}, connector_instance_id, family, ${OTHER_SITE}, name, kind, created_at from scopes
     where tenant_id = ${tenantId}`);
  source = createChangingSource();
  logs = [];
}

function start(kind: 'inventory' | 'delta', scope = scopeId): Promise<CampaignId> {
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const campaign = { scopeId: scope, kind, createdBy: null, correlationId: 'cor_1', first };
  return withTx(database.db, { tenantId, mode: 'write' }, (tx) => startCampaign(tx, campaign, now)).then(
    mustStart,
  );
}

/** Runs what is due. A unit of another kind than `kinds` dies. */
async function drain(mode: Mode, kinds: readonly UnitKind[] = UNIT_KINDS): Promise<void> {
  const { handlers, logs: lines, ...common } = scanOf(source, mode, { database, clock: () => now });
  const served = Object.fromEntries(
    Object.entries(handlers).filter(([kind]) => kinds.some((one) => one === kind)),
  );
  const worker = createWorker({ owner: 'wrk_1', ...common, handlers: served, concurrency: 4 });
  await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
  logs.push(...lines);
}

/** `drain` until retries have had their time too. */
async function run(mode: Mode): Promise<void> {
  for (let attempt = 1; attempt <= 4; attempt++) {
    await drain(mode);
    now += 60_000;
  }
}

async function scan(kind: 'inventory' | 'delta', mode: Mode, scope = scopeId) {
  const campaignId = await start(kind, scope);
  await run(mode);
  return outcomes(campaignId);
}

/** Outcomes of the stages that say what was read: `content:computed` and so on, with how many. */
async function outcomes(campaignId: CampaignId): Promise<Record<string, number>> {
  const rows = await database.inspect<{ name: string; count: number }>(sql`
    select stage || ':' || outcome as name, count from campaign_stage_counts
     where tenant_id = ${tenantId} and campaign_id = ${campaignId}`);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

type ScopeState = { coverage: string | null; cursor: string; assets: number };
const scopeState = async (scope = scopeId): Promise<ScopeState> => {
  const [row] = await database.inspect<ScopeState>(sql`
    select coverage_state as coverage, delta_cursor_status as cursor, asset_count as assets from scopes
     where tenant_id = ${tenantId} and scope_id = ${scope}`);
  return row ?? expect.unreachable('No such scope.');
};
type AssetState = { id: string; status: string; observed: string | null; content: string };
const assetState = async (externalId: string, scope = scopeId): Promise<AssetState | null> => {
  const [row] = await database.inspect<AssetState>(sql`
    select asset_id as id, status, stage_keys ->> 'observe' as observed, content_state as content from assets
     where tenant_id = ${tenantId} and scope_id = ${scope} and external_id = ${externalId}`);
  return row ?? null;
};
const activeAssets = async (scope = scopeId): Promise<Record<string, string | null>> => {
  const rows = await database.inspect<{ id: string; observed: string | null }>(sql`
    select external_id as id, stage_keys ->> 'observe' as observed from assets
     where tenant_id = ${tenantId} and scope_id = ${scope} and status = 'active'`);
  return Object.fromEntries(rows.map(({ id, observed }) => [id, observed]));
};
const upsert = (path: string, version: string, site = SITE): DeltaChange => ({
  type: 'upsert',
  item: source.put(site, path, version),
});
const gone = (path: string): DeltaChange => ({ type: 'delete', externalId: path });

describe('a cursor that the source no longer knows', () => {
  beforeEach(async () => {
    for (const path of ['a', 'b', 'c']) source.put(SITE, path);
    await scan('inventory', 'feed');
  });

  test('leaves the scope stale until the same campaign has walked it from the cache', async () => {
    source.feed.set(SITE, null);
    const { reads } = source;
    const campaignId = await start('delta');
    let afterRun: unknown;
    source.beforePage = async () => {
      source.beforePage = async () => {
        afterRun = [
          await scopeState(),
          await database.inspect(sql`
            select logical_key, kind from work_units
             where tenant_id = ${tenantId} and campaign_id = ${campaignId} and kind = 'inventory_page'`),
        ];
        source.beforePage = async () => undefined;
      };
    };
    await run('feed');
    expect(afterRun).toEqual([
      { coverage: 'stale', cursor: 'resync_required', assets: 3 },
      [{ logical_key: 'resync:page:0', kind: 'inventory_page' }],
    ]);
    expect(await scopeState()).toEqual({ coverage: 'baseline', cursor: 'valid', assets: 3 });
    expect(await outcomes(campaignId)).toMatchObject({ 'content:cache_hit': 3, 'features:cache_hit': 3 });
    expect(source.reads).toBe(reads);
    expect(logs.filter((line) => line.includes('"delta_resync_required"'))).toHaveLength(1);
  });

  test('is not lost again when the run that found out is repeated after the walk', async () => {
    source.feed.set(SITE, null);
    const campaignId = await start('delta');
    await run('feed');
    await database.inspect(sql`
      with again as (
        update work_units set status = 'pending', settled_at = null
         where tenant_id = ${tenantId} and campaign_id = ${campaignId} and kind = 'delta_run'
        returning campaign_id)
      update campaigns c set status = 'running', units_completed = units_completed - 1 from again
       where c.tenant_id = ${tenantId} and c.campaign_id = again.campaign_id`);
    await run('feed');
    expect(await scopeState()).toEqual({ coverage: 'baseline', cursor: 'valid', assets: 3 });
    expect(Object.keys(await activeAssets())).toHaveLength(3);
  });

  test('does not keep what the feed had named and the source lost before the walk', async () => {
    source.feed.set(SITE, [[upsert('late', 'v1')], []]);
    await start('delta');
    source.beforePage = async (page) => {
      if (page === 0) return;
      source.beforePage = async () => undefined;
      await drain('feed');
      source.remove(SITE, 'late');
      throw new DeltaCursorInvalid();
    };
    await run('feed');
    expect((await assetState('late'))?.observed).toBe('v1');
    expect(Object.keys(await activeAssets()).sort()).toEqual(['a', 'b', 'c']);
    expect(await scopeState()).toEqual({ coverage: 'baseline', cursor: 'valid', assets: 3 });
  });
});

describe('a feed', () => {
  beforeEach(async () => {
    for (const path of ['a', 'b', 'c']) source.put(SITE, path);
    await scan('inventory', 'feed');
    await scan('inventory', 'feed', otherScopeId);
  });

  test('marks what is gone, and an asset that returns keeps its history', async () => {
    const before = await assetState('a');
    source.remove(SITE, 'a');
    source.feed.set(SITE, [[gone('a')]]);
    expect(await scan('delta', 'feed')).toEqual({});
    expect(await assetState('a')).toMatchObject({ status: 'deleted' });
    expect(await scopeState()).toMatchObject({ coverage: 'delta', assets: 2 });
    const { reads } = source;
    source.feed.set(SITE, [[upsert('a', 'v1')]]);
    expect(await scan('delta', 'feed')).toMatchObject({ 'observe:cache_hit': 1, 'content:cache_hit': 1 });
    expect(await assetState('a')).toEqual(before);
    expect(await scopeState()).toMatchObject({ assets: 3 });
    expect(source.reads).toBe(reads);
  });

  test.each([
    ['an item twice on a page', (): DeltaChange[][] => [[upsert('a', 'v2'), gone('a')]], 'deleted'],
    ['one that is gone and back', (): DeltaChange[][] => [[gone('a'), upsert('a', 'v2')]], 'active'],
    ['one on two pages', (): DeltaChange[][] => [[upsert('a', 'v2')], [gone('a')]], 'deleted'],
    ['one back on the next page', (): DeltaChange[][] => [[gone('a')], [upsert('a', 'v2')]], 'active'],
  ])('may name %s: the last word holds', async (_, pages, status) => {
    source.feed.set(SITE, pages());
    if (status === 'deleted') source.remove(SITE, 'a');
    await scan('delta', 'feed');
    expect(await assetState('a')).toMatchObject({ status, observed: status === 'active' ? 'v2' : 'v1' });
    expect((await scopeState()).assets).toBe(status === 'active' ? 3 : 2);
  });

  test.each([
    ['first left, then met', [[SITE], [OTHER_SITE]]],
    ['first met, then left', [[OTHER_SITE], [SITE]]],
    ['both at the same time', [[SITE, OTHER_SITE]]],
    ['both at the same time, begun the other way round', [[OTHER_SITE, SITE]]],
  ])('tells of a move to another scope, %s: gone here, an asset of its own there', async (_, rounds) => {
    source.remove(SITE, 'a');
    source.feed.set(SITE, [[gone('a')]]);
    source.feed.set(OTHER_SITE, [[upsert('a', 'v2', OTHER_SITE)]]);
    for (const round of rounds) {
      for (const site of round) await start('delta', site === SITE ? scopeId : otherScopeId);
      await run('feed');
    }
    const [here, there] = [await assetState('a'), await assetState('a', otherScopeId)];
    expect(here).toMatchObject({ status: 'deleted' });
    expect(there).toMatchObject({ status: 'active', observed: 'v2', content: 'available' });
    expect(there?.id).not.toBe(here?.id);
    expect([(await scopeState()).assets, (await scopeState(otherScopeId)).assets]).toEqual([2, 1]);
  });

  test('an asset that was listed again while a run found it gone is looked at again', async () => {
    let gets = 0;
    source.feed.set(SITE, [[upsert('a', 'v2')]]);
    source.remove(SITE, 'a');
    source.beforeGet = async () => {
      if (++gets > 1) return undefined;
      source.put(SITE, 'a', 'v3');
      await database.inspect(sql`
        update assets set source_version = 'v3' where tenant_id = ${tenantId} and external_id = 'a'`);
      return undefined;
    };
    await scan('delta', 'feed');
    expect(await assetState('a')).toMatchObject({ status: 'active', observed: 'v3' });
    expect(gets).toBe(2);
  });
});

describe.each(MODES)('after a change of the tenant’s configuration, a delta by %s', (mode) => {
  const derived = (campaign: Record<string, number>) => campaign['features:computed'] ?? 0;
  const reconfigure = () =>
    database.inspect(sql`
      update tenants set config_version = config_version + 1, data_handling_profile = 'metadata_only'
       where tenant_id = ${tenantId}`);
  const excerpts = async () => {
    const [row] = await database.inspect<{ kept: number }>(sql`
      select coalesce(sum(jsonb_array_length(excerpts)), 0)::int as kept from asset_features
       where tenant_id = ${tenantId}`);
    return row?.kept;
  };

  test('derives the evidence of every asset again, once, and nothing else of them', async () => {
    for (let n = 0; n < 5; n++) source.put(SITE, `f${n}`);
    await scan('inventory', mode);
    expect(derived(await scan('delta', mode))).toBe(0);
    await reconfigure();
    const { reads } = source;
    expect(await scan('delta', mode)).toMatchObject({
      'observe:cache_hit': 5,
      'permissions:cache_hit': 5,
      'labels:cache_hit': 5,
      'features:computed': 5,
    });
    // Features are made of the text, which is not kept.
    expect(source.reads).toBe(reads + 5);
    expect(await excerpts()).toBe(0);
    expect(await scan('delta', mode)).toEqual({});
  });

  test('fetches nothing of what had no text', async () => {
    source.put(SITE, 'a');
    source.unsupported = true;
    await scan('inventory', mode);
    expect(await assetState('a')).toMatchObject({ content: 'unsupported' });
    await reconfigure();
    const { reads } = source;
    expect(await scan('delta', mode)).toMatchObject({ 'content:cache_hit': 1, 'features:computed': 1 });
    expect(source.reads).toBe(reads);
    expect(await assetState('a')).toMatchObject({ content: 'unsupported' });
  });

  test('has nothing left to do where an inventory came first', async () => {
    source.put(SITE, 'a');
    await scan('inventory', mode);
    await reconfigure();
    expect(derived(await scan('inventory', mode))).toBe(1);
    expect(await scan('delta', mode)).toEqual({});
  });
});

describe('a delta by comparison', () => {
  const kept = () => database.inspect(sql`select * from delta_listings where tenant_id = ${tenantId}`);

  test('holds no more than a page: each is recorded before the next is asked for', async () => {
    for (let n = 0; n < PAGE_SIZE * 3; n++) source.put(SITE, `f${n}`);
    const recorded: number[] = [];
    source.beforePage = async () => {
      recorded.push(Object.keys(await activeAssets()).length);
    };
    await start('delta');
    await drain('comparison', ['delta_run', 'inventory_page']);
    expect(recorded).toEqual([0, PAGE_SIZE, PAGE_SIZE * 2]);
    expect(await kept()).toEqual([]);
  });

  test('a run that ends half-way loses nothing and leaves no unchanged mark for the next', async () => {
    for (let n = 0; n <= PAGE_SIZE; n++) source.put(SITE, `f${n}`);
    await scan('inventory', 'comparison');
    source.beforePage = async (page) => {
      if (page === 1) throw new ConnectorError('permanent', 'share_unreachable');
    };
    await scan('delta', 'comparison');
    expect(await scopeState()).toMatchObject({ coverage: 'baseline', assets: PAGE_SIZE + 1 });
    expect(await kept()).toHaveLength(1);
    source.beforePage = async () => undefined;
    source.remove(SITE, 'f0');
    expect(await scan('delta', 'comparison')).toEqual({});
    expect(await scopeState()).toMatchObject({
      coverage: 'delta',
      cursor: 'none',
      assets: PAGE_SIZE,
    });
    expect(await assetState('f0')).toMatchObject({ status: 'deleted' });
    expect(await kept()).toEqual([]);
  });

  test('leaves of a scope what its source holds, whatever happened between', async () => {
    const listing = fc.dictionary(fc.stringMatching(/^[a-h]$/), fc.constantFrom('1', '2', '3'));
    await fc.assert(
      fc.asyncProperty(fc.array(listing, { minLength: 2, maxLength: 4 }), async (listings) => {
        await anotherTenant();
        for (const [round, listed] of listings.entries()) {
          source.items(SITE).clear();
          for (const [path, version] of Object.entries(listed)) source.put(SITE, path, version);
          await scan(round === 0 ? 'inventory' : 'delta', 'comparison');
          expect(await activeAssets()).toEqual(listed);
          expect((await scopeState()).assets).toBe(Object.keys(listed).length);
        }
      }),
      { numRuns: propertyRuns(10) },
    );
  });
});

test.each(MODES)('by %s: a refused item is inaccessible, not gone, and is asked for again', async (mode) => {
  source.put(SITE, 'a');
  await scan('inventory', mode);
  source.beforeGet = async () => 'denied';
  source.feed.set(SITE, [[upsert('a', 'v2')]]);
  expect(await scan('delta', mode)).toEqual({ 'observe:failed': 1 });
  expect(await assetState('a')).toMatchObject({
    status: 'active',
    observed: null,
    content: 'inaccessible',
  });
  source.beforeGet = async () => undefined;
  source.feed.clear();
  await scan('delta', mode);
  expect(await assetState('a')).toMatchObject({ status: 'active', observed: 'v2', content: 'available' });
});

test('a source that asks for more than the backoff is left alone until then', async () => {
  source.put(SITE, 'a');
  source.beforeGet = async () => {
    throw new ConnectorError('throttled', 'source_throttled', 45_000);
  };
  const began = now;
  await start('inventory');
  await drain('feed');
  const due = await database.inspect<{ run_after: Date; attempt: number }>(sql`
    select run_after, attempt from work_units where tenant_id = ${tenantId} and kind = 'process_asset'`);
  expect(due).toEqual([{ run_after: new Date(began + 45_000), attempt: 1 }]);
  now += 44_999;
  source.beforeGet = async () => undefined;
  await drain('feed');
  expect(await assetState('a')).toMatchObject({ observed: null });
  now += 1;
  await drain('feed');
  expect(await assetState('a')).toMatchObject({ observed: 'v1' });
});

test.each(MODES)('%s: an entry that cannot be read ends no asset, what is gone ends', async (mode) => {
  source.pageSize = 2;
  for (const path of ['a', 'b', 'c', 'd', 'e']) source.put(SITE, path);
  await scan('inventory', mode);
  source.unreadable.add('b');
  source.remove(SITE, 'd');
  const campaignId = await start(mode === 'feed' ? 'inventory' : 'delta');
  await run(mode);
  expect(await activeAssets()).toEqual({ a: 'v1', b: 'v1', c: 'v1', e: 'v1' });
  expect(await assetState('d')).toMatchObject({ status: 'deleted' });
  expect(await scopeState()).toMatchObject({ assets: 4 });
  // What cannot be read is reported.
  const dead = await database.inspect<{ why: string }>(sql`
    select safe_diagnostic as why from dead_letters where tenant_id = ${tenantId} and campaign_id = ${campaignId}`);
  expect(dead).toEqual([{ why: 'cloud_drive_file_malformed' }]);
  source.unreadable.clear();
  source.remove(SITE, 'b');
  await scan(mode === 'feed' ? 'inventory' : 'delta', mode);
  expect(await assetState('b')).toMatchObject({ status: 'deleted' });
});

test.each(MODES)('%s: a label that is not answered stays, and no delta asks again', async (mode) => {
  const labelOf = async () => {
    const [asset] = await database.inspect<{ label: string | null; content: string }>(sql`
      select label_name as label, content_state as content from assets where tenant_id = ${tenantId}`);
    return asset;
  };
  source.put(SITE, 'a');
  source.label = { state: 'labeled', labelGuid: '2', labelName: 'High' };
  await scan('inventory', mode);
  source.label = 'denied';
  source.put(SITE, 'a', 'v2');
  source.feed.set(SITE, [[upsert('a', 'v2')]]);
  const reads = source.reads;
  expect(await scan('delta', mode)).toMatchObject({ 'labels:failed': 1, 'content:computed': 1 });
  expect(source.reads).toBe(reads + 1);
  expect(await labelOf()).toEqual({ label: 'High', content: 'available' });
  expect(await assetState('a')).toMatchObject({ observed: 'v2' });
  source.feed.set(SITE, []);
  source.label = { state: 'unlabeled' };
  expect(await scan('delta', mode)).toEqual({});
  expect(await labelOf()).toEqual({ label: 'High', content: 'available' });
  expect(await scan('inventory', mode)).toMatchObject({ 'labels:computed': 1, 'content:cache_hit': 1 });
  expect(await labelOf()).toEqual({ label: null, content: 'available' });
});

describe('the catalog of labels', () => {
  const catalog = async () =>
    (
      await database.inspect<{ name: string }>(sql`
        select name from sensitivity_labels where tenant_id = ${tenantId} order by rank`)
    ).map(({ name }) => name);
  beforeEach(async () => {
    source.put(SITE, 'a');
    source.labels = async () => [
      { guid: '1', name: 'Low' },
      { guid: '2', name: 'High' },
    ];
    await scan('inventory', 'feed');
  });

  test('is taken over with each inventory, named once', async () => {
    expect(await catalog()).toEqual(['Low', 'High']);
    source.labels = async () => [
      { guid: '2', name: 'Higher' },
      { guid: '2', name: 'Highest' },
      { guid: '3', name: 'New' },
    ];
    await scan('inventory', 'feed');
    expect(await catalog()).toEqual(['Highest', 'New']);
  });

  test('that the source does not tell stays as it is, and fails no scan', async () => {
    source.labels = async () => {
      throw new Error('secret-name');
    };
    await scan('inventory', 'feed');
    expect(await catalog()).toEqual(['Low', 'High']);
    expect(await scopeState()).toMatchObject({ coverage: 'baseline', assets: 1 });
    expect(logs.some((line) => line.includes('"label_catalog_failed"'))).toBe(true);
    expect(logs.join()).not.toContain('secret-name');
  });
});
