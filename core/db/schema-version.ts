import { sqlState } from './errors.ts';
import { laterThan, type Migration, migrationsFolder, readMigrations } from './migrate.ts';
import { sql } from './sql.ts';
import { type Db, type Tx, withEngineTx } from './tx.ts';

/** Errors of a database that was never migrated: an unknown table, an unknown role, a missing right of the login. */
export const UNKNOWN_HERE: ReadonlySet<string> = new Set(['42P01', '22023', '42501']);

/**
 * The newest migration of this release that the database has, how many it lacks, and how many it has of later releases.
 * It lacks a file of functions whose former content it has, unless a later release has taken its place.
 */
export type SchemaVersion = { newest: string | null; missing: number; unknown: number };

/** Rejects if the database cannot be reached. */
export async function schemaVersion(db: Db): Promise<SchemaVersion> {
  const known = await readMigrations(migrationsFolder());
  const applied = await appliedMigrations(db);
  const later = laterThan(known, applied);
  const isThere = ({ name, replaces, isRepeatable, checksum }: Migration) =>
    isRepeatable
      ? later.length > 0 || applied.get(name) === checksum
      : applied.has(name) || (replaces !== null && applied.has(replaces.name));
  return {
    newest: known.findLast((migration) => !migration.isRepeatable && isThere(migration))?.name ?? null,
    missing: known.filter((migration) => !isThere(migration)).length,
    unknown: later.length,
  };
}

/** Checksums by name. */
async function appliedMigrations(db: Db): Promise<Map<string, string>> {
  try {
    const rows = await withEngineTx(db, (tx) =>
      tx.query<{ name: string; checksum: string }>(sql`select name, checksum from schema_migrations`),
    );
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (error) {
    if (UNKNOWN_HERE.has(sqlState(error) ?? '')) return new Map();
    throw error;
  }
}

/** The version of the database server, as it calls it. */
export async function serverVersion(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ version: string }>(sql`select current_setting('server_version') as version`);
  return row?.version ?? 'unknown';
}
