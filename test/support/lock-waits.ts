import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from './database.ts';

/**
 * The number of statements in this database that currently wait for a lock.
 * @param of part of the text of the statements
 */
export async function lockWaits(database: TestDatabase, of = ''): Promise<number> {
  const waiting = await database.inspect(sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query like ${`%${of}%`}`);
  return waiting.length;
}
