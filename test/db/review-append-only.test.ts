import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

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

test.each(['inferences', 'decisions', 'assertions', 'asset_versions'])(
  'the runtime can neither change nor remove %s',
  async (table) => {
    for (const statement of [
      sql`update ${sql.ident(table)} set tenant_id = tenant_id`,
      sql`delete from ${sql.ident(table)}`,
      sql`truncate ${sql.ident(table)}`,
    ]) {
      await expect(
        withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => tx.execute(statement)),
      ).rejects.toThrow('permission denied');
    }
    const allowed = await database.inspect<{ privilege: string }>(sql`
      select privilege_type as privilege from information_schema.role_table_grants
       where table_name = ${table} and grantee = 'svc_app' order by 1`);
    expect(allowed.map(({ privilege }) => privilege)).toEqual(['INSERT', 'SELECT']);
  },
);

test('a candidate moves, but is not removed', async () => {
  await expect(
    withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => tx.execute(sql`delete from candidates`)),
  ).rejects.toThrow('permission denied');
});
