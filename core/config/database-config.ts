import { issueMessage } from '../kernel/issue-message.ts';
import { type Config, ConfigError, SettingsSchema } from './config.ts';
import { takeFiles } from './secret-files.ts';

const DATABASE_SETTINGS = SettingsSchema.pick({
  SVC_DATABASE_URL: true,
  SVC_DATABASE_URL_FILE: true,
  SVC_MIGRATION_DATABASE_URL: true,
  SVC_MIGRATION_DATABASE_URL_FILE: true,
});
export type DatabaseConfig = Pick<Config, 'SVC_DATABASE_URL' | 'SVC_MIGRATION_DATABASE_URL'>;

/** The logins of the database alone, for a command that needs no other setting or secret. Throws `ConfigError`. */
export function loadDatabaseConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): DatabaseConfig {
  const present = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in DATABASE_SETTINGS.shape && value !== ''),
  );
  const files = takeFiles(present, ['SVC_DATABASE_URL', 'SVC_MIGRATION_DATABASE_URL']);
  const { data, error } = DATABASE_SETTINGS.safeParse(present);
  const issues = error?.issues.filter(({ path }) => !files.has(`${path.join('.')}_FILE`)) ?? [];
  const problems = [
    ...issues.map((issue) => `${issue.path.join('.')}: ${issueMessage(issue, present)}`),
    ...[...files].map(([setting, problem]) => `${setting}: ${problem}`),
  ];
  if (data === undefined || problems.length > 0) throw new ConfigError(problems);
  return data;
}
