import type { SqlEngine, SqlEngineName } from './engine.ts';

/** Drivers are loaded with the first source that needs them. */
const LOAD: Partial<Record<SqlEngineName, () => Promise<SqlEngine>>> = {
  postgres: async () => (await import('./postgres/postgres-engine.ts')).postgresEngine,
  mysql: async () => (await import('./mysql/mysql-engine.ts')).mysqlEngine,
  sqlserver: async () => (await import('./sqlserver/sqlserver-engine.ts')).sqlServerEngine,
};

/** Null if this release does not have the engine. */
export const engineFor = async (name: SqlEngineName): Promise<SqlEngine | null> =>
  (await LOAD[name]?.()) ?? null;
