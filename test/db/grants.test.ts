import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlState } from '../../core/db/errors.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { withEngineTx, withProvisioningTx, withTx } from '../../core/db/tx.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

const asService = (statement: Statement) =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => tx.query(statement)).then(
    () => null,
    sqlState,
  );

// Even whoever could make the service run a statement of theirs.
test.each([
  ['gives nobody a role', sql`insert into principal_roles values (${DEV}, ${PERSONA.nobody}, 'auditor')`],
  ['makes no tenant', sql`insert into tenants (tenant_id, name, created_at) values ('x', 'x', now())`],
  ['changes no profile', sql`update tenants set data_handling_profile = 'enhanced_evidence'`],
  ['assigns no owner', sql`update owner_assignments set ended_at = null`],
  ['approves no taxonomy', sql`update domains set status = 'approved'`],
  ['moves no threshold', sql`update ensembles set candidate_threshold = 0`],
  ['reads of no scanner where it runs', sql`select host from scanners`],
  ['moves no heartbeat', sql`update scanners set heartbeat_at = now()`],
  ['removes no scanner', sql`delete from scanners`],
  ['reads no session token', sql`select csrf_token from sessions`],
  ['forgets no notification', sql`delete from change_notifications`],
  ['rewrites no notification', sql`update change_notifications set outcome = 'deduplicated'`],
  ['counts no unit as completed', sql`update campaigns set units_completed = 0`],
  ['takes no lease', sql`update work_units set lease_owner = 'x', lease_expires_at = now()`],
])('the service %s', async (_, statement) => {
  expect(await asService(statement)).toBe(INSUFFICIENT_PRIVILEGE);
});

test('the engine reads no session, changes no subscription, and moves no row to another tenant', async () => {
  for (const statement of [
    sql`select csrf_token from sessions`,
    sql`update work_units set tenant_id = 'other'`,
    sql`update campaigns set tenant_id = 'other'`,
    sql`update change_subscriptions set status = 'active'`,
    sql`select campaign_id from change_notifications`,
  ]) {
    const state = await withEngineTx(database.db, (tx) => tx.query(statement)).then(() => null, sqlState);
    expect(state).toBe(INSUFFICIENT_PRIVILEGE);
  }
});

test('the runtime login cannot provision', async () => {
  const state = await withProvisioningTx(database.db, DEV, async () => null).catch(sqlState);
  expect(state).toBe(INSUFFICIENT_PRIVILEGE);
});
