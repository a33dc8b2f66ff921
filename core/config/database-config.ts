import { type Config, ConfigError, SettingsSchema } from './config.ts';
import { readSettings } from './read-settings.ts';
import type { Environment } from './secret-files.ts';

const DATABASE_SETTINGS = SettingsSchema.pick({
  SVC_DATABASE_URL: true,
  SVC_DATABASE_URL_FILE: true,
  SVC_MIGRATION_DATABASE_URL: true,
  SVC_MIGRATION_DATABASE_URL_FILE: true,
});
export type DatabaseConfig = Pick<Config, 'SVC_DATABASE_URL' | 'SVC_MIGRATION_DATABASE_URL'>;

/** The logins of the database alone, for a command that needs no other setting or secret. Throws `ConfigError`. */
export function loadDatabaseConfig(env: Environment = process.env): DatabaseConfig {
  const inFiles = ['SVC_DATABASE_URL', 'SVC_MIGRATION_DATABASE_URL'];
  const { data, problems, fileProblems } = readSettings(DATABASE_SETTINGS, env, inFiles);
  if (data === undefined || fileProblems.length > 0) throw new ConfigError([...problems, ...fileProblems]);
  return data;
}
