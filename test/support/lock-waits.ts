import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from './database.ts';

/**
 * How many statements of this database wait for a lock just now.
 * @param of what stands in their text
 */
export async function lockWaits(database: TestDatabase, of = ''): Promise<number> {
  const waiting = await database.inspect(sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query like ${`%${of}%`}`);
  return waiting.length;
}
