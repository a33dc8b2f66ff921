import { createSqlConnector } from '../../core/connectors/sql/sql-connector.ts';
import { LOGIN, startSqlServerFake } from '../support/tds/sql-server-fake.ts';
import { exerciseConnector, type Subject } from './connector.exercise.ts';

exerciseConnector('sql of SQL Server', async (): Promise<Subject> => {
  const server = await startSqlServerFake({ certificate: null });
  for (let table = 0; table < 240; table++) server.addTable('hr', `canary ${table}`, [[table, 'canary']]);
  const { catalogue, data } = server;
  const connection = `sqlserver://${LOGIN.user}:${encodeURIComponent(LOGIN.password)}@127.0.0.1:${server.port}/crm?sslmode=disable`;
  const connector = createSqlConnector({ connection: () => connection, schemas: ['hr'] });
  const [scopeExternalId = ''] = connector.scopeIds;
  const names = new Map<string, string>();
  let updates = 0;
  const changed = (id: string) =>
    catalogue.update(
      'dm_db_index_usage_stats',
      { last_user_update: `2026-03-01T08:00:${String(++updates).padStart(2, '0')}` },
      { object_id: Number(id) },
    );
  return {
    connector,
    scopeExternalId,
    canaries: ['canary', LOGIN.password, LOGIN.user],
    act: {
      add: async (name, text) => {
        const id = String(server.addTable('hr', name, [[1, text]]));
        names.set(id, name);
        return id;
      },
      edit: async (id, text) => {
        data.own(`UPDATE hr."${names.get(id)}" SET note = ?`, text);
        changed(id);
      },
      rename: async (id, name) => {
        data.own(`ALTER TABLE hr."${names.get(id)}" RENAME TO "${name}"`);
        names.set(id, name);
        catalogue.update('objects', { name }, { object_id: Number(id) });
        return id;
      },
      remove: async (id) => {
        data.own(`DROP TABLE hr."${names.get(id)}"`);
        for (const view of ['objects', 'columns', 'indexes', 'index_columns', 'partitions'])
          catalogue.remove(view, 'object_id', Number(id));
      },
    },
    close: server.close,
  };
});
