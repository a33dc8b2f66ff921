import type { DatabaseConfig } from '../config/database-config.ts';
import { migrate } from './migrate.ts';

/** The login that owns the schema. */
export const ownerUrl = (config: DatabaseConfig): string =>
  config.SVC_MIGRATION_DATABASE_URL ?? config.SVC_DATABASE_URL;

/**
 * Migrates the configured database with the login that owns the schema. Returns the files that this call applied.
 * @param report reports that a migration waits, and for what
 */
export const migrateConfigured = (
  config: DatabaseConfig,
  report?: (waiting: string) => void,
): Promise<string[]> =>
  migrate(ownerUrl(config), {
    runtimeLogin: decodeURIComponent(new URL(config.SVC_DATABASE_URL).username),
    ...(report !== undefined && { report }),
  });
