import { loadConfig } from '../config.ts';
import { migrate } from './migrate.ts';

const config = loadConfig();
const applied = await migrate(config.SVC_MIGRATION_DATABASE_URL ?? config.SVC_DATABASE_URL, {
  runtimeLogin: decodeURIComponent(new URL(config.SVC_DATABASE_URL).username),
});
for (const name of applied) console.log(`applied ${name}`);
console.log(applied.length === 0 ? 'The schema is up to date.' : `${applied.length} applied.`);
