import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { createPool, type Db } from '../../core/db/pool.ts';
import { dropDatabase, urlOf } from '../../core/db/provision.ts';
import type { Statement } from '../../core/db/sql.ts';
import type { TestCluster } from './cluster.ts';

export type TestDatabase = {
  /** Pool of the runtime login, as in production. */
  db: Db;
  /** Pool of the login that owns the schema, which creates tenants. */
  owner: Db;
  /** URL of the runtime login. */
  url: string;
  /** URL of the login that owns the schema. Row-level security applies to it too. */
  ownerUrl: string;
  /** URL of the superuser, to whom row-level security does not apply. */
  adminUrl: string;
  /** Runs a statement as the superuser, over all tenants. */
  inspect<Row extends object>(statement: Statement): Promise<Row[]>;
  drop(): Promise<void>;
};

/**
 * Creates a database for a test file, with the schema and no rows, in the cluster of the run or another one. Call
 * `drop` in `afterAll`.
 */
export async function createTestDatabase({
  max = 5,
  cluster = inject('cluster'),
}: {
  max?: number;
  cluster?: TestCluster;
} = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files costs a third of writing their pages to the log, where nothing is flushed.
  await withClient(cluster.adminUrl, (client) =>
    client.query(
      `create database ${name} owner ${cluster.owner.name} template ${cluster.template} strategy file_copy`,
    ),
  );
  return openTestDatabase(cluster, name, max);
}

/** A database that exists in a cluster. */
export function openTestDatabase(cluster: TestCluster, name: string, max = 5): TestDatabase {
  const url = urlOf(cluster.adminUrl, { database: name, login: cluster.runtime });
  const adminUrl = urlOf(cluster.adminUrl, { database: name });
  const db = createPool(url, { max, applicationName: 'test' });
  const ownerUrl = urlOf(cluster.adminUrl, { database: name, login: cluster.owner });
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'test' });
  const superuser = createPool(adminUrl, { max: 4, applicationName: 'superuser' });
  return {
    db,
    url,
    owner,
    ownerUrl,
    adminUrl,
    inspect: async <Row extends object>({ text, values }: Statement) =>
      (await superuser.pool.query<Row>(text, [...values])).rows,
    drop: async () => {
      await Promise.all([db, owner, superuser].map((pool) => pool.close()));
      await dropDatabase(cluster.adminUrl, name);
    },
  };
}
