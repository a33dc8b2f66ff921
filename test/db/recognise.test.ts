import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Identity } from '../../core/auth/claims.ts';
import { recognise } from '../../core/auth/identities.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { Role } from '../../core/kernel/vocabulary.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const MICROSOFT = 'https://login.microsoftonline.com/0b1c/v2.0';
const OTHER = 'https://idp.test';
const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-01T12:00:00Z');

let database: TestDatabase;
beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

const identity = (issuer: string, subject: string, directoryId: string): Identity => ({
  ...{ issuer, subject, directoryId },
  displayName: 'Ada',
  email: null,
});

async function signIn(who: Identity, claimed: readonly Role[], code: Buffer | null = null) {
  const events: string[] = [];
  await database.inspect(sql`update tenants set idp_issuer = ${who.issuer} where tenant_id = ${DEV}`);
  const recognition = await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
    recognise(tx, who, { codeHash: code, claimed }, ({ type }) => events.push(type), NOW),
  );
  return { ...recognition, events };
}

test('another registration at Microsoft finds people by their directory id', async () => {
  const first = await signIn(identity(MICROSOFT, 'subject-of-app-1', 'oid-1'), ['auditor']);
  const again = await signIn(identity(MICROSOFT, 'subject-of-app-2', 'oid-1'), ['auditor']);
  expect(again).toMatchObject({ principalId: first.principalId, refused: null });
  expect(again.events).toContain('identity_bound');
});

test('elsewhere a subject takes nobody over who is bound to another one', async () => {
  const first = await signIn(identity(OTHER, 'a', 'a'), ['auditor']);
  await database.inspect(
    sql`update principals set directory_id = 'b' where principal_id = ${first.principalId}`,
  );
  await expect(signIn(identity(OTHER, 'b', 'b'), ['auditor'])).rejects.toThrow('two principals');
});

test('claimed roles of a token count for as long as a session would', async () => {
  const { principalId } = await signIn(identity(OTHER, 'c', 'c'), ['auditor']);
  await database.inspect(
    sql`update principals set last_sign_in_at = ${new Date(NOW)} where principal_id = ${principalId}`,
  );
  const rolesAfter = async (hours: number) => {
    const since = new Date(NOW + hours * HOUR - 12 * HOUR);
    const [row] = await database.inspect<{ roles: Role[] }>(
      sql`select roles from token_principal(${OTHER}, 'c', ${since})`,
    );
    return row?.roles;
  };
  expect(await rolesAfter(11)).toEqual(['auditor']);
  expect(await rolesAfter(13)).toEqual([]);
});

test('a person who may not enter uses up no setup code', async () => {
  const { principalId } = await signIn(identity(OTHER, 'd', 'd'), ['auditor']);
  const code = Buffer.alloc(32, 7);
  await database.inspect(sql`
    insert into sign_in_codes (code_hash, tenant_id, created_at, expires_at)
    values (${code}, ${DEV}, ${new Date(NOW)}, ${new Date(NOW + HOUR)})`);
  await database.inspect(sql`update principals set status = 'disabled' where principal_id = ${principalId}`);
  expect(await signIn(identity(OTHER, 'd', 'd'), [], code)).toMatchObject({ refused: 'deactivated' });
  expect(await signIn(identity(OTHER, 'e', 'e'), [], code)).toMatchObject({
    refused: null,
    events: ['principal_registered', 'identity_bound', 'role_granted', 'setup_code_used'],
  });
  expect(await signIn(identity(OTHER, 'f', 'f'), [], code)).toMatchObject({ refused: 'code_invalid' });
});
