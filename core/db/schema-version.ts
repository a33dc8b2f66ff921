import { sqlState } from './errors.ts';
import { laterThan, type Migration, migrationsFolder, readMigrations } from './migrate.ts';
import { sql } from './sql.ts';
import { type Db, withEngineTx } from './tx.ts';

/** Errors of a database that was never migrated: an unknown table, an unknown role, a missing right of the login. */
const UNKNOWN_HERE = new Set(['42P01', '22023', '42501']);

/**
 * The newest migration of this release that the database has, how many it lacks, and how many it has of later releases.
 */
export type SchemaVersion = { newest: string | null; missing: number; unknown: number };

/** Rejects if the database cannot be reached. */
export async function schemaVersion(db: Db): Promise<SchemaVersion> {
  const known = await readMigrations(migrationsFolder());
  const applied = await appliedMigrations(db);
  const isThere = ({ name, replaces }: Migration) =>
    applied.has(name) || (replaces !== null && applied.has(replaces.name));
  return {
    newest: known.findLast((migration) => !migration.isRepeatable && isThere(migration))?.name ?? null,
    missing: known.filter((migration) => !isThere(migration)).length,
    unknown: laterThan(known, applied).length,
  };
}

async function appliedMigrations(db: Db): Promise<Set<string>> {
  try {
    const rows = await withEngineTx(db, (tx) =>
      tx.query<{ name: string }>(sql`select name from schema_migrations`),
    );
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (UNKNOWN_HERE.has(sqlState(error) ?? '')) return new Set();
    throw error;
  }
}
