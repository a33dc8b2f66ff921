import './refuse-old-node.ts';
import { ConfigError } from '../config/config.ts';
import { type DatabaseConfig, loadDatabaseConfig } from '../config/database-config.ts';
import { MigrationError } from '../db/migrate.ts';
import { migrateConfigured, ownerUrl } from '../db/migrate-configured.ts';
import { planMigrations } from '../db/migration-plan.ts';
import { planText } from '../db/migration-plan-text.ts';
import { errorFields } from '../observability/error-fields.ts';
import { takeFlags } from './options.ts';

const USAGE = `npm run migrate [-- --plan]

Brings the schema up to date and ends. It may run from several places at once.

  --plan  changes nothing: prints the migrations that would run, the locks that they take, and the time to expect
          with the present rows

It reads two settings of the environment, and no secret of the service: SVC_MIGRATION_DATABASE_URL is the login that owns
the schema (default: SVC_DATABASE_URL), and SVC_DATABASE_URL the runtime login, which is given its rights.`;

function wordsFor(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof MigrationError) return error.message;
  const { errorCode } = errorFields(error);
  // Anything else is a fault of the program and shows its stack.
  if (errorCode === undefined) return error;
  return `The database cannot be migrated (${errorCode}): see SVC_MIGRATION_DATABASE_URL and SVC_DATABASE_URL.`;
}

async function apply(config: DatabaseConfig): Promise<string> {
  const applied = await migrateConfigured(config, console.error);
  const done = applied.length === 0 ? 'The schema is up to date.' : `${applied.length} applied.`;
  return [...applied.map((name) => `applied ${name}`), done].join('\n');
}

const { plan } = takeFlags(USAGE, 'plan');
try {
  const config = loadDatabaseConfig();
  console.log(plan ? planText(await planMigrations(ownerUrl(config))) : await apply(config));
} catch (error) {
  console.error(wordsFor(error));
  process.exitCode = 1;
}
