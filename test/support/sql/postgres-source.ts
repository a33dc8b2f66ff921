import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { inject } from 'vitest';
import { withClient } from '../../../core/db/client.ts';
import { dropDatabase, urlOf } from '../../../core/db/provision.ts';
import type { TestCluster } from '../cluster.ts';

/** A database of its own on a real Postgres, and a login that the service reads it with. */
export type PostgresSource = {
  /** Of the superuser. */
  adminUrl: string;
  /** What the service is given. */
  connection: string;
  database: string;
  reader: string;
  scopeId: string;
  /** Runs statements as the superuser, one after the other. Returns the rows of the last one. */
  run<Row = Record<string, unknown>>(...statements: readonly string[]): Promise<Row[]>;
  /** The id of a table as an item. */
  idOf(table: string): Promise<string>;
  /** Removes the database and the login. */
  close(): Promise<void>;
};

/** @param template a database to copy; nobody may be connected to it */
export async function createPostgresSource({
  cluster = inject('cluster'),
  template = 'template1',
}: {
  cluster?: Pick<TestCluster, 'adminUrl'>;
  template?: string;
} = {}): Promise<PostgresSource> {
  const name = `source_${randomBytes(6).toString('hex')}`;
  const reader = `${name}_reader`;
  const password = 'p@ss/w:rd #1';
  await withClient(cluster.adminUrl, async (client) => {
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    await client.query(`create role ${reader} login password '${password}'`);
  });
  const adminUrl = urlOf(cluster.adminUrl, { database: name });
  const url = new URL(urlOf(adminUrl, { database: name, login: { name: reader, password } }));
  url.searchParams.set('sslmode', 'disable');
  const run = <Row>(...statements: readonly string[]) =>
    // Each connection that ends has reported what it counted.
    withClient(adminUrl, async (client) => {
      let rows: unknown[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows;
      return rows as Row[];
    });
  return {
    adminUrl,
    connection: url.href,
    database: name,
    reader,
    scopeId: `${url.hostname}:${url.port}/${name}`,
    run,
    idOf: async (table) => {
      const [row] = await run<{ id: string }>(`select '${table}'::regclass::oid::text as id`);
      return row?.id ?? '';
    },
    close: async () => {
      await dropDatabase(cluster.adminUrl, name);
      await withClient(cluster.adminUrl, (client) => client.query(`drop role ${reader}`));
    },
  };
}

/** What somebody else does in a transaction that does not end before `done`. */
export async function holding(adminUrl: string, statement: string): Promise<{ done(): Promise<void> }> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return { done: () => client.end() };
}

export const quoted = escapeIdentifier;
