import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlState } from '../../core/db/errors.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { withEngineTx, withProvisioningTx, withTx } from '../../core/db/tx.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
const CHECK_VIOLATION = '23514';

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
  ['changes no role', sql`update principal_roles set role = 'auditor'`],
  ['forgets nobody', sql`delete from principals`],
  ['binds no tenant to another issuer', sql`update tenants set idp_issuer = 'https://idp.test'`],
  ['prolongs no sign-in code', sql`update sign_in_codes set expires_at = now()`],
  ['makes no tenant', sql`insert into tenants (tenant_id, name, created_at) values ('x', 'x', now())`],
  ['renames no tenant', sql`update tenants set name = 'x'`],
  ['moves no owner to another domain', sql`update owner_assignments set domain_id = 'dom_finance'`],
  ['forgets no owner', sql`delete from owner_assignments`],
  ['says of no domain that it came from elsewhere', sql`update domains set origin = 'provisioned'`],
  ['moves no information type', sql`update information_types set domain_id = 'dom_finance'`],
  ['removes no domain', sql`delete from domains`],
  ['removes no information type', sql`delete from information_types`],
  ['rewrites no policy', sql`update policy_document_versions set content = ''`],
  ['removes no policy', sql`delete from policy_documents`],
  ['moves no mapping', sql`update regulatory_mappings set domain_id = 'dom_finance'`],
  ['changes no citation', sql`update regulatory_mappings set cited_anchor = 'x'`],
  ['moves no threshold', sql`update ensembles set candidate_threshold = 0`],
  ['reads of no scanner where it runs', sql`select host from scanners`],
  ['moves no heartbeat', sql`update scanners set heartbeat_at = now()`],
  ['removes no scanner', sql`delete from scanners`],
  ['reads no session token', sql`select csrf_token from sessions`],
  ['rewrites no notification', sql`update change_notifications set outcome = 'deduplicated'`],
  ['forgets no answer that nothing was found', sql`delete from not_found_counts`],
  ['says of no campaign that it ended otherwise', sql`update campaign_ends set status = 'cancelled'`],
  ['counts no unit as completed', sql`update campaigns set units_completed = 0`],
  ['says of no action that another asked for it', sql`update actions set requested_by = 'x'`],
  [
    'begins no action decided',
    sql`insert into actions (tenant_id, action_id, decided_by) values (${DEV}, 'a', 'x')`,
  ],
  ['turns no label into the opposite', sql`update dataset_candidates set label = 'counterexample'`],
  ['forgets no label', sql`delete from dataset_candidates`],
  ['says of no release that another proposed it', sql`update model_releases set proposed_by = 'x'`],
  ['changes no proposal', sql`update model_releases set config_patch = '{}'`],
  [
    'begins no release approved',
    sql`insert into model_releases (tenant_id, release_id, status, decided_by) values (${DEV}, 'r', 'approved', 'x')`,
  ],
  ['forgets no release', sql`delete from model_releases`],
  ['forgets no step of an action', sql`delete from action_transitions`],
  ['rewrites no step of an action', sql`update action_transitions set principal_id = null`],
  [
    'signs no audit trail',
    sql`insert into audit_checkpoints (tenant_id, number, record, public_key, signature) values (${DEV}, 1, '', '', '')`,
  ],
  ['takes no lease', sql`update work_units set lease_owner = 'x', lease_expires_at = now()`],
])('the service %s', async (_, statement) => {
  expect(await asService(statement)).toBe(INSUFFICIENT_PRIVILEGE);
});

test.each([
  ['domain', sql`update domains set status = 'approved'`],
  ['information type', sql`update information_types set status = 'approved'`],
])('the service approves no drafted %s without a person who does', async (_, approve) => {
  const draft = sql`
    insert into domains (tenant_id, domain_id, name, origin, created_at, updated_at)
    values (${DEV}, 'dom_draft', 'Draft', 'manual', now(), now())`;
  const draftType = sql`
    insert into information_types (tenant_id, information_type_id, domain_id, name, origin, created_at, updated_at)
    values (${DEV}, 'ift_draft', 'dom_draft', 'Draft', 'manual', now(), now())`;
  const state = await withTx(database.db, { tenantId: DEV, mode: 'write' }, async (tx) => {
    await tx.query(draft);
    await tx.query(draftType);
    await tx.query(approve);
  }).catch(sqlState);
  expect(state).toBe(CHECK_VIOLATION);
});

test('the engine reads no session, changes no subscription, moves no row of a tenant', async () => {
  for (const statement of [
    sql`select csrf_token from sessions`,
    sql`update work_units set tenant_id = 'other'`,
    sql`update campaigns set tenant_id = 'other'`,
    sql`update change_subscriptions set status = 'active'`,
    sql`select campaign_id from change_notifications`,
    sql`select campaign_id from campaign_ends`,
    sql`delete from campaign_ends`,
    sql`select audit_append('{}')`,
  ]) {
    const state = await withEngineTx(database.db, (tx) => tx.query(statement)).then(() => null, sqlState);
    expect(state).toBe(INSUFFICIENT_PRIVILEGE);
  }
});

test('the runtime login cannot provision', async () => {
  const state = await withProvisioningTx(database.db, DEV, async () => null).catch(sqlState);
  expect(state).toBe(INSUFFICIENT_PRIVILEGE);
});

test('a function with the rights of another role is not for everybody', async () => {
  const rows = await database.inspect<{ proname: string }>(sql`
    select p.proname from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.prosecdef
       and has_function_privilege('public', p.oid, 'execute')`);
  // The login calls them before it knows a tenant. A caller must know a session hash or an identity, or learns nothing.
  expect(rows.map(({ proname }) => proname).sort()).toEqual([
    'session_principal',
    'tenant_of_issuer',
    'token_principal',
  ]);
});
