import { sqlState } from './errors.ts';
import { migrationsFolder, readMigrations } from './migrate.ts';
import { sql } from './sql.ts';
import { type Db, withEngineTx } from './tx.ts';

/** Errors of a database that was never migrated: an unknown table, an unknown role, a missing right of the login. */
const UNKNOWN_HERE = new Set(['42P01', '22023', '42501']);

/** Whether the database has every migration of this release. Rejects if it cannot be reached. */
export async function isMigrated(db: Db): Promise<boolean> {
  const migrations = await readMigrations(migrationsFolder());
  try {
    const rows = await withEngineTx(db, (tx) =>
      tx.query<{ name: string }>(sql`select name from schema_migrations`),
    );
    const applied = new Set(rows.map(({ name }) => name));
    return migrations.every(({ name }) => applied.has(name));
  } catch (error) {
    if (UNKNOWN_HERE.has(sqlState(error) ?? '')) return false;
    throw error;
  }
}
