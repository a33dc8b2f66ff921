import type { Client } from 'pg';
import { expect, inject } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { migrate } from '../../core/db/migrate.ts';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { createMigrationFolder } from './migration-folder.ts';

/** The tenant `t` with one scope. */
const TENANT = `
  insert into tenants (tenant_id, name, created_at) values ('t', 'T', now());
  insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values ('t', 'con', 'm365', 'mock', now());
  insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    values ('t', 'scp', 'con', 'm365', 'site', 'Site', 'site', now())`;

/**
 * Creates a database in its state before a migration, with the tenant `t` and its scope `scp`. Runs `before` to fill
 * it, applies this migration and all later ones, and runs `after` to check the result, both as superuser. Checks that
 * row-level security is forced on the tables' owner at the end, even if a migration lifted it.
 * @param migration name of the first file that is not applied yet
 */
export async function migratedFrom(
  migration: string,
  before: (admin: Client) => Promise<unknown>,
  after: (admin: Client) => Promise<unknown>,
): Promise<void> {
  const cluster = inject('cluster');
  const name = `test_before_${migration.slice(0, 4)}_${process.pid}`;
  const { folder, add, remove } = await createMigrationFolder();
  try {
    await ensureDatabase(cluster.adminUrl, { name, owner: cluster.owner.name });
    const ownerUrl = urlOf(cluster.adminUrl, { database: name, login: cluster.owner });
    const run = () => migrate(ownerUrl, { runtimeLogin: cluster.runtime.name, folder });
    await add((file) => file < migration);
    await run();
    await withClient(urlOf(cluster.adminUrl, { database: name }), async (admin) => {
      await admin.query(TENANT);
      await before(admin);
      await add((file) => file >= migration);
      await run();
      await after(admin);
      const { rows: open } = await admin.query(
        'select relname from pg_class where relrowsecurity and not relforcerowsecurity',
      );
      expect(open).toEqual([]);
    });
  } finally {
    await dropDatabase(cluster.adminUrl, name);
    await remove();
  }
}
