import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastScanOf } from '../../core/campaigns/last-scan.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const T = 'last-scan' as TenantId;
const at = (day: number) => new Date(Date.UTC(2026, 0, day));

let database: TestDatabase;
let scopeId: ScopeId;
beforeAll(async () => {
  database = await createTestDatabase();
  scopeId = await makeTenant(database, T, at(1).getTime());
});
afterAll(() => database.drop());

const campaign = (id: string, day: number, status: string, listingUnitsDead: number) =>
  database.inspect(sql`
    insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, correlation_id, units_total, units_dead,
                           listing_units_dead, created_at, finished_at)
    values (${T}, ${id}, ${scopeId}, 'inventory', ${status}, 'cor', ${listingUnitsDead}, ${listingUnitsDead},
            ${listingUnitsDead}, ${at(day)}, ${at(day)})`);
const lastScan = async () => {
  const [row] = await withTx(database.db, { tenantId: T, mode: 'read' }, (tx) =>
    tx.query<{ last: Date | null }>(sql`select ${lastScanOf(tx, sql`${scopeId}`)} as last`),
  );
  return row?.last;
};

test('the last scan of a scope is the newest that completed and read the whole listing', async () => {
  expect(await lastScan()).toBeNull();
  await campaign('incomplete_first', 2, 'completed', 1);
  expect(await lastScan()).toBeNull();
  await campaign('whole', 3, 'completed', 0);
  await campaign('incomplete', 4, 'completed', 1);
  await campaign('cancelled', 5, 'cancelled', 0);
  expect(await lastScan()).toEqual(at(3));
});
