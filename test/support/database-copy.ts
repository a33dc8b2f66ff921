import { inject } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** Copies a database. Connections to the original are closed and can be opened again. */
export async function copyOf(database: TestDatabase): Promise<TestDatabase> {
  const template = new URL(database.url).pathname.slice(1);
  // Nobody may be connected to the original, including this connection, whose termination is its last message.
  await database
    .inspect(sql`
      select pg_terminate_backend(pid, 2000) from pg_stat_activity
       where datname = ${template} and pid <> pg_backend_pid()
      union all select pg_terminate_backend(pg_backend_pid())`)
    .catch(() => undefined);
  return createTestDatabase({ cluster: { ...inject('cluster'), template } });
}
