import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sqlState } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { APPEND_ONLY } from '../support/append-only.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
const RESTRICT_VIOLATION = '23001';

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase();
  await storeScanned(database.db, DEV, [
    {
      assetId: 'ast_1',
      said: [{ informationTypeId: 'ift_invoices', domainId: 'dom_finance', confidence: 0.9 }],
    },
  ]);
});
afterAll(() => database.drop());

const changesOf = (table: string) => [
  sql`update ${sql.ident(table)} set tenant_id = tenant_id`,
  sql`update ${sql.ident(table)} set tenant_id = tenant_id where false`,
  sql`delete from ${sql.ident(table)}`,
  sql`truncate ${sql.ident(table)} cascade`,
];

const stateOf = (attempt: Promise<unknown>) => attempt.then(() => 'allowed', sqlState);

test.each(APPEND_ONLY)('the runtime has no right to change or remove %s', async (table) => {
  for (const statement of changesOf(table)) {
    const attempt = withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => tx.execute(statement));
    expect(await stateOf(attempt), statement.text).toBe(INSUFFICIENT_PRIVILEGE);
  }
  const allowed = await database.inspect<{ privilege: string }>(sql`
    select distinct privilege_type as privilege from information_schema.role_table_grants
     where table_name = ${table} and grantee like 'svc%' order by 1`);
  expect(allowed.map(({ privilege }) => privilege)).toEqual(['INSERT', 'SELECT']);
});

test.each(APPEND_ONLY)(
  'a trigger keeps %s from the owner of the tables and from a superuser',
  async (table) => {
    for (const url of [database.ownerUrl, database.adminUrl]) {
      await withClient(url, async (client) => {
        for (const { text } of changesOf(table)) {
          expect(await stateOf(client.query(text)), `${url} ${text}`).toBe(RESTRICT_VIOLATION);
        }
      });
    }
  },
);

test('the trigger holds for the runtime too, should it ever be granted more', async () => {
  await database.inspect(sql`grant all on inferences to svc_app`);
  for (const statement of changesOf('inferences').slice(0, 3)) {
    const attempt = withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => tx.execute(statement));
    expect(await stateOf(attempt), statement.text).toBe(RESTRICT_VIOLATION);
  }
});

test('a candidate moves, but is not removed', async () => {
  const attempt = withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
    tx.execute(sql`delete from candidates`),
  );
  expect(await stateOf(attempt)).toBe(INSUFFICIENT_PRIVILEGE);
});
