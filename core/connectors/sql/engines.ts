import type { SqlEngine, SqlEngineName } from './engine.ts';

/** Drivers are loaded with the first source that needs them. */
const LOAD: Readonly<Record<SqlEngineName, () => Promise<SqlEngine>>> = {
  postgres: async () => (await import('./postgres/postgres-engine.ts')).postgresEngine,
  mysql: async () => (await import('./mysql/mysql-engine.ts')).mysqlEngine,
  sqlserver: async () => (await import('./sqlserver/sqlserver-engine.ts')).sqlServerEngine,
};

export const engineFor = (name: SqlEngineName): Promise<SqlEngine> => LOAD[name]();
