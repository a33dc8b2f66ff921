import { loadConfig } from '../../core/config/config.ts';
import { createPool } from '../../core/db/pool.ts';
import { seedDevelopmentTenant } from '../local/seed.ts';

/** Creates the development tenant in the configured database, unless it exists. Never for a production environment. */
const config = loadConfig();
if (config.SVC_ENV === 'production') {
  console.error('The development tenant is for SVC_ENV=development.');
  process.exit(1);
}
const db = createPool(config.SVC_MIGRATION_DATABASE_URL ?? config.SVC_DATABASE_URL, {
  max: 1,
  applicationName: 'seed-development-tenant',
});
try {
  const created = await seedDevelopmentTenant(db, Date.now());
  console.log(created ? 'The development tenant is created.' : 'There is a development tenant already.');
} finally {
  await db.close();
}
