import './refuse-old-node.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { MigrationError } from '../db/migrate.ts';
import { migrateConfigured } from '../db/migrate-configured.ts';
import { errorFields } from '../observability/error-fields.ts';
import { takeNoOptions } from './options.ts';

const USAGE = `npm run migrate

Brings the schema up to date and ends. It may run from several places at once.

It is configured by the environment: SVC_MIGRATION_DATABASE_URL is the login that owns the schema (default:
SVC_DATABASE_URL), and SVC_DATABASE_URL the runtime login, which is given its rights.`;

function wordsFor(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof MigrationError) return error.message;
  const { errorCode } = errorFields(error);
  // Anything else is a fault of the program and shows its stack.
  if (errorCode === undefined) return error;
  return `The database cannot be migrated (${errorCode}): see SVC_MIGRATION_DATABASE_URL and SVC_DATABASE_URL.`;
}

takeNoOptions(USAGE);
try {
  const applied = await migrateConfigured(loadConfig());
  for (const name of applied) console.log(`applied ${name}`);
  console.log(applied.length === 0 ? 'The schema is up to date.' : `${applied.length} applied.`);
} catch (error) {
  console.error(wordsFor(error));
  process.exitCode = 1;
}
