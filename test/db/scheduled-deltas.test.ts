import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyChain } from '../../core/audit/verify-chain.ts';
import { startScheduledDeltas } from '../../core/campaigns/scheduled-deltas.ts';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noGraph } from '../support/graph/no-graph.ts';

let database: TestDatabase;
let first: TenantId;
let second: TenantId;
let rung: number;
let logs: string[];
let tenants = 0;
const NOW = Date.UTC(2026, 0, 1);
const live = new AbortController().signal;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  first = `plan-${tenants++}` as TenantId;
  second = `plan-${tenants++}` as TenantId;
  for (const tenantId of [first, second]) await makeTenant(database, tenantId, NOW);
  await database.inspect(
    sql`update scopes set coverage_state = 'baseline' where tenant_id = any(${[first, second]})`,
  );
  rung = 0;
  logs = [];
});
afterEach(() => database.inspect(sql`update scopes set selected = false`));

const scopeOf = (tenantId: TenantId) => `scp_${tenantId}` as ScopeId;
const start = (signal = live, settings: Record<string, string> = {}) =>
  startScheduledDeltas(
    {
      config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url, ...settings }),
      db: database.db,
      clock: () => NOW,
      graph: noGraph,
      fixture: fixtureCompany,
      log: createLogger({
        level: 'info',
        clock: () => NOW,
        destination: { write: (line) => logs.push(line) },
      }),
      doorbell: {
        ring: async (count) => {
          rung += count;
        },
        isRinging: async () => false,
      },
    },
    signal,
  );
const campaigns = (tenantId: TenantId) =>
  database.inspect<{ scope_id: string; kind: string; created_by: string | null; units: string }>(sql`
    select c.scope_id, c.kind, c.created_by,
           (select string_agg(kind || ' ' || logical_key, ',') from work_units u where u.campaign_id = c.campaign_id) as units
      from campaigns c where tenant_id = ${tenantId} and status <> 'completed' order by scope_id`);
const addScopes = (tenantId: TenantId, count: number) =>
  database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, coverage_state,
                        created_at)
    select tenant_id, scope_id || '-' || n, connector_instance_id, family, n::text, name, kind, 'delta', created_at
      from scopes, generate_series(1, ${count}::integer) as n where tenant_id = ${tenantId}`);

test('every selected scope with an inventory gets a delta that nobody started', async () => {
  await addScopes(first, 3);
  await database.inspect(sql`
    update scopes set coverage_state = null where tenant_id = ${first} and scope_id like '%-1'`);
  await database.inspect(sql`
    update scopes set selected = false where tenant_id = ${first} and scope_id like '%-2'`);
  expect(await start()).toBe(3);
  const delta = { kind: 'delta', created_by: null, units: 'delta_run delta' };
  expect(await campaigns(first)).toEqual([
    { scope_id: scopeOf(first), ...delta },
    { scope_id: `${scopeOf(first)}-3`, ...delta },
  ]);
  expect(await campaigns(second)).toEqual([{ scope_id: scopeOf(second), ...delta }]);
  expect(rung).toBe(1);
});

test('each start is in the audit trail as nobody’s, and the chain holds', async () => {
  await start();
  const events = await database.inspect<{
    event: { type: string; principalId: unknown; details: object };
  }>(sql`
    select record::jsonb -> 'event' as event from audit_events where tenant_id = ${first}`);
  expect(events.map(({ event }) => event)).toMatchObject([
    {
      type: 'scan_started',
      principalId: null,
      details: { kind: 'delta', scheduled: true, scopeId: scopeOf(first) },
    },
  ]);
  const verified = await withTx(database.db, { tenantId: first, mode: 'read' }, verifyChain);
  expect(verified).toMatchObject({ ok: true, count: 1 });
});

test('a scope with a scan under way is left alone', async () => {
  await makeCampaign(database.db, first, scopeOf(first), 1, NOW);
  expect(await start()).toBe(1);
  expect(await campaigns(first)).toMatchObject([{ kind: 'inventory' }]);
});

test('five at once on several replicas start one of each, more than one page of them', async () => {
  await addScopes(first, 250);
  const started = await Promise.all(Array.from({ length: 5 }, () => start()));
  expect(started.reduce((sum, count) => sum + count, 0)).toBe(252);
  expect(await campaigns(first)).toHaveLength(251);
  expect(await start()).toBe(0);
  expect(logs.some((line) => line.includes('scheduled_delta_failed'))).toBe(false);
});

test('a scope that fails keeps no other from its own', async () => {
  await addScopes(first, 3);
  await database.inspect(sql`
    create function refuse_it() returns trigger language plpgsql as
      'begin if new.scope_id like ''%-2'' then raise exception ''secret''; end if; return new; end'`);
  await database.inspect(sql`
    create trigger refuse_it before insert on campaigns for each row execute function refuse_it()`);
  try {
    expect(await start()).toBe(4);
  } finally {
    await database.inspect(sql`drop function refuse_it cascade`);
  }
  const failed = logs.filter((line) => line.includes('scheduled_delta_failed'));
  expect(failed).toHaveLength(1);
  expect(failed.join()).not.toContain('secret');
});

test('a source that is not configured any more is passed over', async () => {
  expect(await start(live, { SVC_CONNECTOR_MODE: 'graph' })).toBe(0);
  expect(await campaigns(first)).toEqual([]);
});

test('a process that ends begins no more', async () => {
  await expect(start(AbortSignal.abort())).rejects.toThrow();
  expect(await campaigns(first)).toEqual([]);
});
