import { inject } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { createPool } from '../../core/db/pool.ts';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import type { TestCluster } from './cluster.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { seedTenants } from './seed.ts';

/**
 * Creates a database for a test file with the tenants of `seedTenants`. Call `drop` in `afterAll`.
 * @param itemsPerScope the number of items of each scope in the fixture, if their kinds do not matter
 */
export async function createSeededDatabase({
  max = 5,
  itemsPerScope,
}: {
  max?: number;
  itemsPerScope?: number;
} = {}): Promise<TestDatabase> {
  const cluster = inject('cluster');
  const template = await seededTemplate(cluster);
  const database = await createTestDatabase({ max, cluster: { ...cluster, template } });
  if (itemsPerScope !== undefined) await keepItems(database, itemsPerScope);
  return database;
}

/** Removes all but some items of each scope from the fixture. */
export async function keepItems({ inspect }: TestDatabase, perScope: number): Promise<void> {
  await inspect(sql`
    delete from fixture_items i using (
      select ctid, row_number() over (partition by tenant_id, scope_external_id order by external_id) as n
        from fixture_items) numbered
     where i.ctid = numbered.ctid and n > ${perScope}`);
}

/** The template database of the run. The first test file that needs it creates it. */
async function seededTemplate({ adminUrl, owner, template }: TestCluster): Promise<string> {
  const name = `${template}_seeded`;
  const making = `${name}_making`;
  await withClient(adminUrl, async (client) => {
    // Held until the session ends.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 1) return;
    // Left by a test file that was interrupted.
    await dropDatabase(adminUrl, making);
    await ensureDatabase(adminUrl, { name: making, owner: owner.name, template });
    const db = createPool(urlOf(adminUrl, { database: making, login: owner }), {
      max: 1,
      applicationName: 'test',
    });
    await seedTenants(db).finally(() => db.close());
    await client.query(`alter database ${making} rename to ${name}`);
  });
  return name;
}
