import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startScheduledInventories } from '../../core/campaigns/scheduled-inventories.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createGraphClient } from '../../core/connectors/m365/graph-client.ts';
import { GRAPH_CLOUDS } from '../../core/connectors/m365/graph-cloud.ts';
import { sql } from '../../core/db/sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { WITHOUT_BOUND } from '../support/graph/connect.ts';
import { noGraph } from '../support/graph/no-graph.ts';

const NOW = Date.UTC(2026, 0, 30);
const DAY_MS = 86_400_000;
const GRAPH = {
  SVC_CONNECTOR_MODE: 'graph',
  SVC_GRAPH_TENANT_ID: 'a',
  SVC_GRAPH_CLIENT_ID: 'b',
  SVC_GRAPH_CLIENT_SECRET_REF: 'SECRET',
  SECRET: 'c',
  SVC_GRAPH_SITES: 'all',
};

let database: TestDatabase;
let tenantId: TenantId;
let now: number;
let tenants = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = NOW;
  tenantId = `age-${tenants++}` as TenantId;
  await makeTenant(database, tenantId, NOW - 60 * DAY_MS);
  await database.inspect(sql`update scopes set coverage_state = 'delta' where tenant_id = ${tenantId}`);
});
afterEach(() => database.inspect(sql`update scopes set selected = false`));

const start = (settings: Record<string, string> = GRAPH) =>
  startScheduledInventories(
    {
      config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url, ...settings }),
      db: database.db,
      clock: () => now,
      graph: {
        ...noGraph,
        reads: () =>
          createGraphClient({
            ...{
              cloud: GRAPH_CLOUDS.global,
              gate: WITHOUT_BOUND,
              priority: 'background',
              writesLabels: false,
            },
            ...{ clock: () => now, count: () => undefined },
            tokens: { token: () => Promise.reject(new Error('Nothing is called')) },
          }),
      },
      fixture: fixtureCompany,
      log: createLogger({ level: 'error', clock: () => now }),
      doorbell: null,
    },
    new AbortController().signal,
  );
const scopes = (count: number) =>
  database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, coverage_state,
                        created_at)
    select tenant_id, scope_id || '-' || lpad(n::text, 4, '0'), connector_instance_id, family, n::text, name, kind,
           'delta', created_at
      from scopes, generate_series(1, ${count}::integer) as n where tenant_id = ${tenantId}`);
const inventoried = (days: number, status = 'completed', scope = `scp_${tenantId}`) =>
  database.inspect(sql`
    insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, correlation_id, created_at, finished_at)
    values (${tenantId}, ${`cmp_${scope}_${days}`}, ${scope}, 'inventory', ${status}, 'cor_1',
            ${new Date(NOW - days * DAY_MS)}, ${new Date(NOW - days * DAY_MS)})`);
const started = async () =>
  (
    await database.inspect<{ scope: string }>(sql`
      select scope_id as scope from campaigns
       where tenant_id = ${tenantId} and status = 'pending' and kind = 'inventory' and created_by is null
       order by scope_id`)
  ).map(({ scope }) => scope);

test('an inventory starts when the last one began the days ago that are set', async () => {
  await inventoried(6.9);
  expect(await start()).toBe(0);
  now = NOW + 0.1 * DAY_MS;
  expect(await start()).toBe(1);
  expect(await started()).toEqual([`scp_${tenantId}`]);
  expect(await start()).toBe(0);
});

test('none starts where no age is set, or versions cover permissions', async () => {
  expect(await start({ ...GRAPH, SVC_INVENTORY_MAX_AGE_DAYS: '0' })).toBe(0);
  expect(await start({})).toBe(0);
});

test('a scope without a first inventory, or not selected, is left alone', async () => {
  await scopes(1);
  await database.inspect(sql`update scopes set coverage_state = null where scope_id = ${`scp_${tenantId}`}`);
  await database.inspect(sql`update scopes set selected = false where scope_id = ${`scp_${tenantId}-0001`}`);
  expect(await start()).toBe(0);
});

test('after a cancelled inventory, the next one starts a day later', async () => {
  await inventoried(9);
  await inventoried(0.5, 'cancelled');
  expect(await start()).toBe(0);
  now = NOW + 0.6 * DAY_MS;
  expect(await start()).toBe(1);
});

test('after an incomplete inventory the next one starts a day later', async () => {
  await inventoried(9);
  await inventoried(0.5);
  await database.inspect(sql`
    update campaigns set listing_units_dead = 1 where campaign_id = ${`cmp_scp_${tenantId}_0.5`}`);
  expect(await start()).toBe(0);
  now = NOW + 0.6 * DAY_MS;
  expect(await start()).toBe(1);
});

test('those that are due at once are spread over a day, the oldest first', async () => {
  await scopes(600);
  await inventoried(8, 'completed', `scp_${tenantId}-0007`);
  await database.inspect(sql`
    insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, correlation_id, created_at, finished_at)
    select tenant_id, 'cmp_' || scope_id, scope_id, 'inventory', 'completed', 'cor_1', ${new Date(NOW - 7.5 * DAY_MS)},
           ${new Date(NOW - 7.5 * DAY_MS)}
      from scopes where tenant_id = ${tenantId} and scope_id <> ${`scp_${tenantId}-0007`}`);
  // 601 scopes in 288 calls a day.
  expect(await start()).toBe(3);
  expect(await started()).toEqual([`scp_${tenantId}`, `scp_${tenantId}-0001`, `scp_${tenantId}-0007`]);
  expect(await start()).toBe(3);
});
