import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { PERSONAS } from '../../infra/local/fixture/development-tenant.ts';
import { startPersonasProvider } from '../../infra/local/personas-provider.ts';
import type { TestDatabase } from '../support/database.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database?.drop());

/** Resolves with the issuer. */
async function start(): Promise<string> {
  const provider = await startPersonasProvider(0, database.ownerUrl);
  onTestFinished(provider.close);
  return provider.settings.SVC_IDP_ISSUER ?? expect.unreachable();
}

const tenants = () =>
  database.inspect<{ tenantId: string; issuer: string | null }>(
    sql`select tenant_id as "tenantId", idp_issuer as issuer from tenants where idp_issuer is not null`,
  );

const people = () =>
  database.inspect<{ issuer: string; id: string; subject: string }>(
    sql`select idp_issuer as issuer, principal_id as id, idp_subject as subject from principals
         where idp_issuer is not null order by principal_id collate "C"`,
  );

const personas = PERSONAS.map(({ id }) => id).sort();

test('each start binds the tenant, the personas and whom an earlier start knew', async () => {
  const first = await start();
  expect(await tenants()).toEqual([{ tenantId: 'dev', issuer: first }]);
  expect(await people()).toEqual(personas.map((id) => ({ issuer: first, id, subject: id })));

  await database.inspect(sql`
    insert into principals (tenant_id, principal_id, display_name, idp_issuer, idp_subject)
    values ('dev', 'pri_a_newcomer', 'Newcomer', ${first}, 'newcomer')`);
  const second = await start();
  expect(second).not.toBe(first);
  expect(await tenants()).toEqual([{ tenantId: 'dev', issuer: second }]);
  expect(await people()).toEqual([
    { issuer: second, id: 'pri_a_newcomer', subject: 'newcomer' },
    ...personas.map((id) => ({ issuer: second, id, subject: id })),
  ]);
});
