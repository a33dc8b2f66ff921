import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { ConnectorError, type DeltaChange } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { UNIT_KINDS, type UnitKind } from '../../core/kernel/vocabulary.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant } from '../support/campaign.ts';
import { type ChangingSource, createChangingSource, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const SITE = 'site-1';

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let tenants = 0;
let now = 0;
let source: ChangingSource;
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
  await makeEnsemble(database, tenantId, now);
  source = createChangingSource();
});

const put = (path: string, version?: string, kind?: 'file' | 'folder') =>
  source.put(SITE, path, version, kind);

async function scan(
  kind: 'inventory' | 'delta',
  mode: 'feed' | 'comparison',
  kinds: readonly UnitKind[] = UNIT_KINDS,
): Promise<readonly string[]> {
  const { handlers, logs, ...common } = scanOf(source, mode, { database, clock: () => now });
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
  drain = () => worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
  // Retries are due when the clock says so.
  for (let attempt = 1; attempt <= 4; attempt++) {
    await drain();
    now += 60_000;
  }
  return logs;
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
    source.feed.set(SITE, [[{ type: 'upsert', item: put('b', 'v2') }]]);
    source.beforeGet = async () => {
      throw new ConnectorError('permanent', 'scope_unknown');
    };
    await scan('delta', mode);
    expect(await observed('b')).toBe('v1');
    source.feed.clear();
    source.beforeGet = async () => undefined;
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
    source.items(SITE).clear();
    put('docs', 'v1', 'folder');
    put('d');
    await scan(mode === 'comparison' ? 'delta' : 'inventory', mode);
    expect(await active()).toEqual(['d', 'docs', 'docs/a', 'docs/deep/b']);
    expect(await observed('docs/a')).toBe('v1');
    source.items(SITE).clear();
    put('docs/a');
    put('d');
    await scan(mode === 'comparison' ? 'delta' : 'inventory', mode);
    expect(await active()).toEqual(['d', 'docs/a']);
  });
});

test('an asset that changes twice within one delta is looked at twice', async () => {
  put('a');
  await scan('inventory', 'feed');
  const pages: DeltaChange[][] = [[{ type: 'upsert', item: put('a', 'v2') }], []];
  source.feed.set(SITE, pages);
  source.beforePage = async (page) => {
    if (page === 0) return;
    await drain();
    expect(await observed('a')).toBe('v2');
    pages[1] = [{ type: 'upsert', item: put('a', 'v3') }];
  };
  await scan('delta', 'feed');
  expect(await observed('a')).toBe('v3');
});

test('a delta by comparison records its changes in bounded transactions', async () => {
  for (let n = 0; n < 450; n++) put(`f${n}`);
  await scan('delta', 'comparison', ['delta_run', 'inventory_page']);
  const rows = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from assets where tenant_id = ${tenantId} group by xmin::text order by 1`);
  expect(rows.map((row) => row.count)).toEqual([50, 200, 200]);
});

test('what an inventory no longer meets is marked in bounded transactions', async () => {
  for (let n = 0; n < 1_050; n++) put(`f${n}`);
  await scan('inventory', 'feed', ['inventory_page']);
  source.items(SITE).clear();
  put('g');
  await scan('inventory', 'feed', ['inventory_page']);
  const rows = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from assets where tenant_id = ${tenantId} and status = 'deleted'
     group by xmin::text order by 1`);
  expect(rows.map((row) => row.count)).toEqual([50, 1_000]);
  expect(await active()).toEqual(['g']);
  const [scope] = await database.inspect(sql`select asset_count from scopes where scope_id = ${scopeId}`);
  expect(scope).toEqual({ asset_count: 1 });
});

test('a file that a busy machine had no time for is tried again by the next inventory', async () => {
  put('a');
  const state = () =>
    database.inspect(sql`select content_state, content_reason from assets where tenant_id = ${tenantId}`);
  source.timeBound = true;
  await scan('inventory', 'feed');
  expect(await state()).toEqual([{ content_state: 'failed', content_reason: 'time_bound' }]);
  source.timeBound = false;
  await scan('inventory', 'feed');
  expect(await state()).toEqual([{ content_state: 'available', content_reason: null }]);
});

test('permissions that a source refuses to tell stay as they were, and are asked again', async () => {
  put('a', 'v1');
  const everybody = {
    ...({ principal: 'anonymous link', principalKind: 'anyone', external: true } as const),
    ...({ role: 'read', inherited: false } as const),
  };
  const grants = async () =>
    (
      await database.inspect<{ grants: object[] }>(
        sql`select grants from assets where tenant_id = ${tenantId} and status = 'active'`,
      )
    ).flatMap((row) => row.grants);
  source.permissions = { grants: [everybody], complete: false };
  await scan('inventory', 'feed');
  expect(await grants()).toEqual([everybody]);
  source.permissions = 'denied';
  put('a', 'v2');
  await scan('inventory', 'feed');
  expect(await observed('a')).toBe('v2');
  expect(await grants()).toEqual([everybody]);
  source.permissions = { grants: [], complete: false };
  await scan('inventory', 'feed');
  expect(await grants()).toEqual([]);
});

test('a run that lost its lease stores nothing', async () => {
  put('a');
  source.beforeGet = async () => {
    await database.inspect(sql`
      update work_units set lease_owner = 'another', attempt = attempt + 1
       where tenant_id = ${tenantId} and kind = 'process_asset'`);
    source.beforeGet = async () => {
      throw new ConnectorError('permanent', 'scope_unknown');
    };
  };
  await scan('inventory', 'feed');
  expect(await observed('a')).toBeNull();
});

test('a run that saw an older version than was listed meanwhile looks again', async () => {
  put('a');
  let gets = 0;
  source.beforeGet = async () => {
    if (++gets > 1) return;
    put('a', 'v2');
    await database.inspect(sql`update assets set source_version = 'v2' where tenant_id = ${tenantId}`);
  };
  await scan('inventory', 'feed');
  expect({ gets, observed: await observed('a') }).toEqual({ gets: 2, observed: 'v2' });
});

test('a bug of a reader ends in a dead letter, and is no verdict on the file', async () => {
  put('a');
  const bug = new TypeError('Cannot read properties of canary');
  bug.stack = `${bug}\n    at Object.extract (${new URL('../../core/extractors/rtf/rtf.ts', import.meta.url)}:7:9)`;
  source.bug = bug;
  const logs = await scan('inventory', 'feed');
  const letters = await database.inspect(sql`
    select retry_class, safe_diagnostic, attempt from dead_letters where tenant_id = ${tenantId}`);
  expect(letters).toEqual([{ retry_class: 'permanent', safe_diagnostic: 'extraction_fault', attempt: 1 }]);
  const assets = await database.inspect(sql`
    select external_id, content_state, content_reason from assets where tenant_id = ${tenantId}`);
  expect(assets).toEqual([{ external_id: 'a', content_state: 'not_fetched', content_reason: null }]);
  const failed = logs.filter((line) => line.includes('work_failed'));
  expect(failed).toHaveLength(1);
  expect(JSON.parse(failed[0] ?? '')).toMatchObject({
    errorClass: 'TypeError',
    errorFrames: expect.stringMatching(/^core\/extractors\/rtf\/rtf\.ts:7/),
  });
  expect(logs.join('')).not.toContain('canary');
});

describe('the way of a unit at level debug', () => {
  const wayOf = (logs: readonly string[]) =>
    logs
      .map((line) => JSON.parse(line))
      .filter(({ event, kind }) => /^unit_/.test(event) && kind === 'process_asset');
  const shown = ({ event, stage, outcome }: Record<string, string>) =>
    [event, stage, outcome].filter((word) => word !== undefined).join(' ');

  test('is leased, each stage with its state, and settled', async () => {
    put('a');
    const way = wayOf(await scan('inventory', 'feed'));
    expect(way.map(shown)).toEqual([
      'unit_leased',
      'unit_stage observe computed',
      'unit_stage permissions computed',
      'unit_stage labels computed',
      'unit_stage content computed',
      'unit_stage features computed',
      'unit_stage inference computed',
      'unit_settled completed',
    ]);
    for (const line of way) {
      expect(line).toMatchObject({ level: 'debug', tenantId, unitId: expect.any(Number), attempt: 1 });
      expect(Object.keys(line).filter((key) => !FIELDS.has(key))).toEqual([]);
    }
  });

  test('ends at the stage that threw', async () => {
    put('a');
    source.bug = new TypeError('bug');
    expect(wayOf(await scan('inventory', 'feed')).map(shown)).toEqual([
      'unit_leased',
      'unit_stage content failed',
      'unit_settled dead',
    ]);
  });

  const FIELDS = new Set([
    ...['level', 'service', 'process', 'time', 'event', 'kind', 'unitId', 'tenantId', 'campaignId'],
    ...['attempt', 'stage', 'outcome', 'retryClass'],
  ]);
});
