import type { SQLInputValue } from 'node:sqlite';
import { catalogueTables } from './catalogue-views.ts';
import { openTSql, type TSql } from './t-sql.ts';
import type { Login, Table } from './tds-packets.ts';
import { type Answer, Refused, type Request, startTdsServer } from './tds-server.ts';

export const LOGIN = { user: 'reader', password: 'correct horse' };

export type SqlServerFake = {
  port: number;
  /** Rows of catalogue views and of the views that say what the login may do. */
  catalogue: {
    insert(view: string, row: Readonly<Record<string, SQLInputValue>>): void;
    remove(view: string, column: string, value: SQLInputValue): void;
    update(
      view: string,
      set: Readonly<Record<string, SQLInputValue>>,
      where: Readonly<Record<string, SQLInputValue>>,
    ): void;
  };
  /** A table of texts with an object id, and an `id` that is its primary key. Returns its object id. */
  addTable(schema: string, name: string, rows: readonly (readonly [number, string])[]): number;
  data: Pick<TSql, 'own'>;
  /** What the login may do beyond `LOGIN_RIGHTS`, as `KIND SECURABLE RIGHT`. */
  rights: Set<string>;
  /** The errors of statements that contain a text. */
  faults: Map<string, { number: number; message: string }>;
  /** Statements that contain one of these texts are answered when the client gives up. */
  stuck: Set<string>;
  /** All statements, in their order. */
  statements: string[];
  logins: Login[];
  /** Whether each login came encrypted. */
  encrypted: boolean[];
  close(): Promise<void>;
};

const TYPES: readonly [name: string, systemType: number, userType: number][] = [
  ['int', 56, 56],
  ['nvarchar', 231, 231],
  ['datetime', 61, 61],
  ['varbinary', 165, 165],
  ['xml', 241, 241],
  ['decimal', 106, 106],
  ['geography', 240, 130],
];

/** Principals that each database has: public, dbo, guest, the two schemas of the system, fixed roles. */
const PRINCIPALS: readonly [id: number, name: string, type: string][] = [
  [0, 'public', 'R'],
  [1, 'dbo', 'S'],
  [2, 'guest', 'S'],
  [3, 'INFORMATION_SCHEMA', 'S'],
  [4, 'sys', 'S'],
  [5, 'reader', 'S'],
  [16384, 'db_owner', 'R'],
  [16390, 'db_datareader', 'R'],
  [16391, 'db_datawriter', 'R'],
  [16392, 'db_denydatareader', 'R'],
  [16393, 'db_denydatawriter', 'R'],
];

type FakeOptions = {
  certificate: { cert: string; key: string } | null;
  says?: readonly number[];
  databases?: readonly string[];
};

/** A server with one database of the schemas `dbo` and `hr`, whose login only reads. */
export async function startSqlServerFake({
  certificate,
  says,
  databases = ['crm'],
}: FakeOptions): Promise<SqlServerFake> {
  const rights = new Set<string>();
  const faults: SqlServerFake['faults'] = new Map();
  const stuck = new Set<string>();
  const statements: string[] = [];
  const logins: Login[] = [];
  const has = (securable: unknown, kind: unknown, right: unknown) =>
    rights.has(`${kind} ${securable} ${right}`) ? 1 : 0;
  const tSql = openTSql(['sys', 'dbo', 'hr'], {
    HAS_PERMS_BY_NAME: has,
    DB_NAME: () => databases[0] ?? null,
    DB_ID: () => 5,
    DATABASE_PRINCIPAL_ID: () => 5,
    SUSER_SNAME: () => LOGIN.user,
    USER_NAME: (id) => PRINCIPALS.find(([each]) => each === id)?.[1] ?? null,
    IS_ROLEMEMBER: (role) => (rights.has(`MEMBER ${role}`) ? 1 : 0),
    offset_of_server: () => 60,
  });
  fill(tSql);
  const answer: Answer = async (request, ended) => {
    statements.push(request.sql);
    return answerTo(request, ended, { tSql, faults, stuck });
  };
  const server = await startTdsServer({
    certificate,
    ...(says !== undefined && { says }),
    session: (login) => {
      logins.push(login);
      if (!databases.includes(login.database)) throw new Refused(4060, 'Cannot open database.', 11);
      if (login.user !== LOGIN.user || login.password !== LOGIN.password)
        throw new Refused(18456, `Login failed for user '${login.user}'.`);
      return answer;
    },
  });
  return {
    port: server.port,
    catalogue: catalogueOf(tSql),
    addTable: tableAdder(tSql),
    data: tSql,
    rights,
    faults,
    stuck,
    statements,
    logins,
    encrypted: server.logins,
    close: async () => {
      await server.close();
      tSql.close();
    },
  };
}

function fill(tSql: TSql): void {
  for (const table of catalogueTables()) tSql.own(table);
  const { insert } = catalogueOf(tSql);
  insert('schemas', { name: 'dbo', schema_id: 1, principal_id: 1 });
  insert('schemas', { name: 'hr', schema_id: 7, principal_id: 1 });
  insert('schemas', { name: 'sys', schema_id: 4, principal_id: 4 });
  for (const [name, system, user] of TYPES)
    insert('types', { name, system_type_id: system, user_type_id: user });
  for (const [id, name, type] of PRINCIPALS) insert('database_principals', { principal_id: id, name, type });
  insert('server_principals', { principal_id: 259, name: LOGIN.user, type: 'S' });
  for (const right of ['CONNECT SQL', 'VIEW ANY DATABASE'])
    insert('my_permissions_on_server', { entity_name: 'server', permission_name: right });
  for (const right of ['CONNECT', 'SELECT', 'VIEW DEFINITION', 'VIEW ANY COLUMN MASTER KEY DEFINITION'])
    insert('my_permissions_on_database', { entity_name: 'database', permission_name: right });
}

function catalogueOf(tSql: TSql): SqlServerFake['catalogue'] {
  const names = (row: Readonly<Record<string, SQLInputValue>>) => Object.keys(row).map((name) => `"${name}"`);
  return {
    insert: (view, row) =>
      tSql.own(
        `INSERT INTO sys.${view} (${names(row).join(', ')}) VALUES (${names(row)
          .map(() => '?')
          .join(', ')})`,
        ...Object.values(row),
      ),
    remove: (view, column, value) => tSql.own(`DELETE FROM sys.${view} WHERE "${column}" = ?`, value),
    update: (view, set, where) =>
      tSql.own(
        `UPDATE sys.${view} SET ${names(set)
          .map((name) => `${name} = ?`)
          .join(', ')} WHERE ${names(where)
          .map((name) => `${name} = ?`)
          .join(' AND ')}`,
        ...Object.values(set),
        ...Object.values(where),
      ),
  };
}

const FIRST_ID = 245_575_913;
const SCHEMA_IDS: Readonly<Record<string, number>> = { dbo: 1, hr: 7 };

function tableAdder(tSql: TSql): SqlServerFake['addTable'] {
  const { insert } = catalogueOf(tSql);
  let last = FIRST_ID;
  return (schema, name, rows) => {
    last += 16;
    const id = last;
    tSql.own(`CREATE TABLE ${schema}."${name}" (id, note)`);
    for (const row of rows) tSql.own(`INSERT INTO ${schema}."${name}" VALUES (?, ?)`, ...row);
    insert('objects', {
      name,
      object_id: id,
      schema_id: SCHEMA_IDS[schema] ?? null,
      type: 'U ',
      create_date: '2026-01-05T08:00:00',
      modify_date: '2026-02-05T08:00:00',
      is_ms_shipped: 0,
    });
    const column = { object_id: id, precision: 0, scale: 0, is_masked: 0, is_hidden: 0 };
    insert('columns', {
      ...column,
      name: 'id',
      column_id: 1,
      system_type_id: 56,
      user_type_id: 56,
      max_length: 4,
    });
    insert('columns', {
      ...column,
      name: 'note',
      column_id: 2,
      system_type_id: 231,
      user_type_id: 231,
      max_length: 160,
    });
    insert('indexes', { object_id: id, index_id: 1, is_primary_key: 1 });
    insert('index_columns', { object_id: id, index_id: 1, column_id: 1, key_ordinal: 1 });
    insert('partitions', { object_id: id, index_id: 1, hobt_id: id, rows: rows.length });
    insert('allocation_units', { container_id: id, type: 1, used_pages: 2 });
    insert('dm_db_index_usage_stats', { database_id: 5, object_id: id, index_id: 1 });
    return id;
  };
}

type Parts = Pick<SqlServerFake, 'faults' | 'stuck'> & { tSql: TSql };

async function answerTo(
  request: Request,
  ended: AbortSignal,
  { tSql, faults, stuck }: Parts,
): Promise<Table | null> {
  const { sql } = request;
  for (const [text, { number, message }] of faults)
    if (sql.includes(text)) throw new Refused(number, message);
  for (const text of stuck) {
    if (!sql.includes(text)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    return null;
  }
  // The driver sets its session up by one batch of settings.
  return /^\s*set /i.test(sql) ? null : tSql.query(request);
}
