import { loadConfig } from '../config.ts';
import { migrateConfigured } from './migrate-configured.ts';

const applied = await migrateConfigured(loadConfig());
for (const name of applied) console.log(`applied ${name}`);
console.log(applied.length === 0 ? 'The schema is up to date.' : `${applied.length} applied.`);
