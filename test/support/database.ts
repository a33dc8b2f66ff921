import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createPool, type Db } from '../../core/db/pool.ts';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import type { Statement } from '../../core/db/sql.ts';
import type { TestCluster } from './cluster.ts';

export type TestDatabase = {
  /** Pool of the runtime login, as in production. */
  db: Db;
  /** Pool of the login that owns the schema: what makes tenants. */
  owner: Db;
  /** The runtime login. */
  url: string;
  /** The login that owns the schema; row-level security is forced on it too. */
  ownerUrl: string;
  /** The superuser, whom row-level security does not bind. */
  adminUrl: string;
  /** Runs one statement as the superuser: all rows of all tenants. */
  inspect<Row extends object>(statement: Statement): Promise<Row[]>;
  drop(): Promise<void>;
};

/**
 * A database of its own for a test file, with the schema and no rows, in the cluster of the run or another one. `drop`
 * it in `afterAll`.
 */
export async function createTestDatabase({
  max = 5,
  cluster = inject('cluster'),
}: {
  max?: number;
  cluster?: TestCluster;
} = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await ensureDatabase(cluster.adminUrl, { name, owner: cluster.owner.name, template: cluster.template });
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
