import { inject } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** A database with the same rows. Whoever is connected to the original loses the connection, and may connect anew. */
export async function copyOf(database: TestDatabase): Promise<TestDatabase> {
  const template = new URL(database.url).pathname.slice(1);
  // Nobody may be connected to what is copied, this connection included: its own loss is the last thing it hears.
  await database
    .inspect(sql`
      select pg_terminate_backend(pid, 2000) from pg_stat_activity
       where datname = ${template} and pid <> pg_backend_pid()
      union all select pg_terminate_backend(pg_backend_pid())`)
    .catch(() => undefined);
  return createTestDatabase({ cluster: { ...inject('cluster'), template } });
}
