import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withQueueTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { LEASE_BATCH, leaseUnits } from '../../core/work/lease.sql.ts';
import type { WorkUnit } from '../../core/work/unit.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** Who is served how soon, where some have much more work than others. */
const TENANTS = 6;
const CAMPAIGNS = 3;
let database: TestDatabase;
let tenants: TenantId[];
let runs = 0;
const now = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  database = await createTestDatabase();
  tenants = Array.from({ length: TENANTS }, (_, n) => `fair-${n}` as TenantId);
  for (const tenantId of tenants) await makeTenant(database, tenantId, now);
  // Only one campaign of a scope may be active.
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select tenant_id, tenant_id || ':' || n, connector_instance_id, family, 'copy:' || n, name, kind, created_at
      from scopes cross join generate_series(1, ${CAMPAIGNS}::int) n`);
});
afterAll(() => database.drop());

const lease = (): Promise<WorkUnit[]> =>
  withQueueTx(database.db, { lasting: false, planned: 'once' }, (tx) =>
    leaseUnits(tx, 'a', { units: LEASE_BATCH, orphans: 1 }, now),
  );

/** Nothing but new campaigns, for each tenant one for each number of units. Returns their ids, in order. */
async function onlyCampaigns(spread: readonly (readonly number[])[]): Promise<string[][]> {
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  const run = runs++;
  const given = spread.flatMap((sizes, tenant) =>
    sizes.map((units, n) => {
      const tenantId = tenants[tenant] ?? '';
      return { tenantId, scopeId: `${tenantId}:${n + 1}`, campaignId: `cmp_${run}_${tenant}_${n}`, units };
    }),
  );
  await database.inspect(sql`
    with given as (
      select * from unnest(${given.map(({ tenantId }) => tenantId)}::text[],
                           ${given.map(({ scopeId }) => scopeId)}::text[],
                           ${given.map(({ campaignId }) => campaignId)}::text[],
                           ${given.map(({ units }) => units)}::int[]) as g (tenant_id, scope_id, campaign_id, units)
    ), made as (
      insert into campaigns (tenant_id, campaign_id, scope_id, kind, correlation_id, units_total, created_at)
      select tenant_id, campaign_id, scope_id, 'inventory', 'cor_1', units, ${new Date(now)} from given
    )
    insert into work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
    select tenant_id, campaign_id, 'process_asset', 'asset:' || n, '{}', ${new Date(now)}, ${new Date(now)}
      from given cross join lateral generate_series(1, units) n`);
  return spread.map((sizes, tenant) => sizes.map((_, n) => `cmp_${run}_${tenant}_${n}`));
}

const HUGE = 100_000;
const SMALL = 50;

test('a little work is served at once beside a hundred thousand units of any tenant', async () => {
  const [[, beside] = [], [alone] = []] = await onlyCampaigns([[HUGE, SMALL], [SMALL]]);
  const leased: WorkUnit[] = [];
  const of = (campaign: string | undefined) => leased.filter(({ campaignId }) => campaignId === campaign);
  // Half of each batch is the small tenant's.
  const half = Math.ceil(SMALL / (LEASE_BATCH / 2));
  for (let batch = 0; batch < half; batch++) leased.push(...(await lease()));
  expect(of(alone)).toHaveLength(SMALL);
  // And of the other half, half is the small campaign's.
  for (let batch = 0; batch < half; batch++) leased.push(...(await lease()));
  expect(of(beside)).toHaveLength(SMALL);
});

test('a tenant of several campaigns gets its full share of an uneven batch', async () => {
  const batches = 12;
  await onlyCampaigns(tenants.map((_, n) => (n === 0 ? [200, 200, 200] : [200])));
  const got = new Map<string, number>();
  for (let batch = 0; batch < batches; batch++) {
    const leased = await lease();
    expect(leased).toHaveLength(LEASE_BATCH);
    for (const { tenantId } of leased) got.set(tenantId, (got.get(tenantId) ?? 0) + 1);
  }
  const share = LEASE_BATCH / TENANTS;
  for (const tenantId of tenants) {
    expect(got.get(tenantId)).toBeGreaterThanOrEqual(Math.floor(share) * batches);
    expect(got.get(tenantId)).toBeLessThanOrEqual(Math.ceil(share) * batches);
  }
});

/**
 * While a tenant has due work it gets at least this part of an equal share of each batch in the long run. It is not
 * the whole share: what a campaign that runs dry leaves of it is for the next batch.
 */
const LEAST_PART = 0.9;
/** What it may be behind that at any moment. */
const BEHIND_MOST = LEASE_BATCH;

test('no tenant with due work falls behind, however the work is spread', async () => {
  const tenant = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: CAMPAIGNS });
  await fc.assert(
    fc.asyncProperty(fc.array(tenant, { minLength: 2, maxLength: TENANTS }), async (spread) => {
      await onlyCampaigns(spread);
      const left = new Map<string, number>();
      for (const [n, tenantId] of tenants.slice(0, spread.length).entries()) {
        left.set(tenantId, spread[n]?.reduce((sum, units) => sum + units, 0) ?? 0);
      }
      const got = new Map<string, number>();
      const promised = new Map<string, number>();
      while (left.size > 0) {
        const batch = await lease();
        expect(batch.length).toBeGreaterThan(0);
        for (const tenantId of left.keys()) {
          promised.set(tenantId, (promised.get(tenantId) ?? 0) + (LEASE_BATCH / left.size) * LEAST_PART);
        }
        for (const { tenantId } of batch) {
          got.set(tenantId, (got.get(tenantId) ?? 0) + 1);
          left.set(tenantId, (left.get(tenantId) ?? 0) - 1);
        }
        for (const [tenantId, units] of left) {
          if (units === 0) left.delete(tenantId);
          else expect((promised.get(tenantId) ?? 0) - (got.get(tenantId) ?? 0)).toBeLessThan(BEHIND_MOST);
        }
      }
    }),
    { numRuns: propertyRuns(6) },
  );
});
