import { expect, inject } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { createPool } from '../../core/db/pool.ts';
import { dropDatabase, ensureDatabase, type Login, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { startService, type TestService } from './client.ts';
import type { TestCluster } from './cluster.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { PERSONA, seedTenants } from './seed.ts';

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

const seededTemplate = (cluster: TestCluster): Promise<string> =>
  templateOf(cluster, 'seeded', cluster.template, async (ownerUrl) => {
    const db = createPool(ownerUrl, { max: 1, applicationName: 'test' });
    await seedTenants(db).finally(() => db.close());
  });

/** The sites that are scanned in `createScannedDatabase`. */
const SCANNED_SITES = ['site-operations', 'site-people'];

/**
 * Creates a database for a test file with the tenants of `seedTenants`, of whose first one `SCANNED_SITES` are scanned.
 * Call `drop` in `afterAll`.
 */
export async function createScannedDatabase(): Promise<TestDatabase> {
  const cluster = inject('cluster');
  const seeded = await seededTemplate(cluster);
  const template = await templateOf(cluster, 'scanned', seeded, async (_, url) => {
    const service = await startService({ url });
    try {
      await scanSites(service);
    } finally {
      await service.close();
    }
  });
  return createTestDatabase({ max: 10, cluster: { ...cluster, template } });
}

async function scanSites(service: TestService): Promise<void> {
  type Sources = { items: { scopeId: string; externalId: string }[] };
  const admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  for (const { scopeId, externalId } of (await admin.get<Sources>('/api/sources')).body.items) {
    if (!SCANNED_SITES.includes(externalId)) continue;
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  }
  await service.drain();
}

/**
 * A template database of the run. The first test file that needs it creates it.
 * @param fill fills it, by the URLs of the owner and of the runtime login
 */
async function templateOf(
  { adminUrl, owner, runtime, template }: TestCluster,
  kind: string,
  from: string,
  fill: (ownerUrl: string, url: string) => Promise<void>,
): Promise<string> {
  const name = `${template}_${kind}`;
  const making = `${name}_making`;
  await withClient(adminUrl, async (client) => {
    // Held until the session ends.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 1) return;
    // Left by a test file that was interrupted.
    await dropDatabase(adminUrl, making);
    await ensureDatabase(adminUrl, { name: making, owner: owner.name, template: from });
    const urlAs = (login: Login) => urlOf(adminUrl, { database: making, login });
    await fill(urlAs(owner), urlAs(runtime));
    await client.query(`alter database ${making} rename to ${name}`);
  });
  return name;
}
