import { digest } from '../../../kernel/digest.ts';
import type { Permissions } from '../../connector.ts';
import {
  CATALOGUE_MS,
  type LoginCheck,
  SAMPLE_MS,
  type SampleBounds,
  type SampleRead,
  type SqlEngine,
  type SqlSession,
  type TableEntry,
  type TableQuery,
} from '../engine.ts';
import {
  type ColumnRow,
  columnsOf,
  currentRole,
  namesAfter,
  ownGrants,
  type PrivilegeRow,
  privilegesIn,
  quotedRole,
  type TableRow,
  tablesNamed,
  takeRole,
  type ViewRow,
  viewsNamed,
} from './mysql.sql.ts';
import { type MysqlConnection, openMysql } from './mysql-connection.ts';
import { isMysqlError, mysqlFailure, tableRefusal } from './mysql-failure.ts';
import { isReadable, isViewRow, readSample } from './mysql-sample.ts';
import { type OwnRights, ownRights } from './own-grants.ts';
import { tableGrants } from './table-grants.ts';

/** MySQL and MariaDB. A schema is a database there. */
export const mysqlEngine: SqlEngine = {
  connect: async (target, signal) => sessionOn(await openMysql(target, signal), target.database),
};

/** Names in one statement. */
const AT_ONCE = 50;
const MAX_NAME = 64;
/** Grants that a login with rights on the tables of the system may be shown. */
const MAX_GRANTS = 50_000;

function sessionOn(connection: MysqlConnection, database: string): SqlSession {
  const failing = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw isMysqlError(error) ? mysqlFailure(error) : error;
    }
  };
  const entriesOf = async (names: readonly string[]): Promise<TableEntry[]> => {
    const described = await describe(connection, database, names);
    if (described.length === 0) return [];
    const privileges = await connection.rows<PrivilegeRow>(privilegesIn(database, MAX_GRANTS));
    return described.map((each) =>
      entryOf(each, tableGrants(privileges, { database, table: each.table.TABLE_NAME })),
    );
  };
  const oneOf = async (id: string): Promise<Described | null> =>
    id === '' || id.length > MAX_NAME || id.includes('\0')
      ? null
      : ((await describe(connection, database, [id]))[0] ?? null);

  return {
    login: () => failing(() => checkLogin(connection)),
    schemas: async (names) => [...names],
    tables: (query) => failing(() => nextEntries(connection, database, query, entriesOf)),
    table: (id) =>
      failing(async () => ((await oneOf(id)) === null ? null : ((await entriesOf([id]))[0] ?? null))),
    permissions: (id) =>
      failing(async () => {
        if ((await oneOf(id)) === null) return null;
        return tableGrants(await connection.rows(privilegesIn(database, MAX_GRANTS)), {
          database,
          table: id,
        });
      }),
    label: async () => ({ state: 'unknown' }),
    labels: async () => [],
    sample: (id, bounds) =>
      failing(async () => {
        const described = await oneOf(id);
        return described === null ? { state: 'gone' } : sampleOf(connection, database, described, bounds);
      }),
    close: async () => connection.close(),
  };
}

/** Names come in pages, and some of them are neither table nor view. */
async function nextEntries(
  connection: MysqlConnection,
  database: string,
  { after, limit }: TableQuery,
  entriesOf: (names: readonly string[]) => Promise<TableEntry[]>,
): Promise<TableEntry[]> {
  const entries: TableEntry[] = [];
  let last = after ?? '';
  while (entries.length < limit) {
    const rows = await connection.rows<{ TABLE_NAME: string }>(
      namesAfter(database, last, limit - entries.length),
    );
    const names = rows.map(({ TABLE_NAME }) => TABLE_NAME);
    entries.push(...(await entriesOf(names)));
    last = names.at(-1) ?? last;
    if (names.length === 0) break;
  }
  return entries;
}

type Described = { table: TableRow; columns: ColumnRow[]; view: ViewRow | undefined };

async function describe(
  connection: MysqlConnection,
  database: string,
  names: readonly string[],
): Promise<Described[]> {
  const found: Described[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    const all = await connection.rows<TableRow>(tablesNamed(database, some));
    // A lookup by name may ignore case where the names of tables do not.
    const tables = all.filter((table) => some.includes(table.TABLE_NAME) && isTableOrView(table));
    const present = tables.map(({ TABLE_NAME }) => TABLE_NAME);
    if (present.length === 0) continue;
    const columns = await connection.rows<ColumnRow>(columnsOf(database, present));
    const viewNames = tables.filter(isViewRow).map(({ TABLE_NAME }) => TABLE_NAME);
    const views =
      viewNames.length === 0 ? [] : await connection.rows<ViewRow>(viewsNamed(database, viewNames));
    for (const table of tables)
      found.push({
        table,
        columns: columns
          .filter(({ TABLE_NAME }) => TABLE_NAME === table.TABLE_NAME)
          .sort((one, other) => Number(one.ORDINAL_POSITION) - Number(other.ORDINAL_POSITION)),
        view: views.find(({ TABLE_NAME }) => TABLE_NAME === table.TABLE_NAME),
      });
  }
  return found;
}

/** Sequences of MariaDB are none. */
const isTableOrView = ({ TABLE_TYPE }: TableRow) =>
  ['BASE TABLE', 'SYSTEM VERSIONED', 'VIEW'].includes(TABLE_TYPE);

function entryOf({ table, columns, view }: Described, permissions: Permissions): TableEntry {
  const isView = view !== undefined || isViewRow(table);
  const shapes = columns.map((column) => [
    column.COLUMN_NAME,
    column.COLUMN_TYPE,
    column.COLLATION_NAME,
    column.COLUMN_KEY,
    column.COLUMN_COMMENT,
  ]);
  const readable = columns.map(({ PRIVILEGES }) => PRIVILEGES);
  // The comment of a view that fails is its error.
  const comment = isView ? '' : table.TABLE_COMMENT;
  return {
    id: table.TABLE_NAME,
    schema: '',
    name: table.TABLE_NAME,
    kind: isView ? 'view' : 'table',
    structure: digest(shapes, comment, view?.VIEW_DEFINITION ?? null, view?.SECURITY_TYPE ?? null),
    access: digest(permissions.grants, readable),
    activity: isView ? null : activityOf(table),
    sizeBytes: Number(table.DATA_LENGTH ?? 0),
    createdAt: isoOf(table.CREATE_TIME),
    modifiedAt: null,
  };
}

/**
 * Null if nothing was counted since the server started, which loses the time. Estimates of rows and sizes are left out: they
 * change without any change of rows, and with a rename.
 */
function activityOf({ UPDATE_TIME, AUTO_INCREMENT }: TableRow): string | null {
  return UPDATE_TIME === null && AUTO_INCREMENT === null ? null : digest(UPDATE_TIME, AUTO_INCREMENT);
}

/** The session has the time zone of UTC. */
const isoOf = (time: string | null) => (time === null ? null : `${time.replace(' ', 'T')}Z`);

/** Also what the roles allow that the login could take, because what it has is not all that it could have. */
async function checkLogin(connection: MysqlConnection): Promise<LoginCheck> {
  const own = await rightsOf(connection);
  if (!own.isKnown) return { state: 'unchecked' };
  if (own.writes !== null) return { state: 'writes', by: own.writes };
  if (own.roles.length === 0) return { state: 'reads' };
  try {
    return await checkRoles(connection, own.roles);
  } catch (error) {
    if (isMysqlError(error) && (error.errno ?? 0) >= 1000) return { state: 'unchecked' };
    throw error;
  }
}

/** MySQL takes all roles at once, MariaDB one with those that it contains. The role from before is taken again. */
async function checkRoles(connection: MysqlConnection, roles: readonly string[]): Promise<LoginCheck> {
  if (!connection.isMariaDb) {
    await connection.run(takeRole('ALL'));
    const all = await rightsOf(connection);
    await connection.run(takeRole('DEFAULT'));
    return roleCheck(all);
  }
  const [former] = await firstColumn(connection, currentRole);
  for (const role of new Set(roles)) {
    await connection.run(takeRole(role));
    const check = roleCheck(await rightsOf(connection));
    if (check.state !== 'reads') return check;
  }
  await connection.run(takeRole(former === undefined || former === null ? 'NONE' : quotedRole(former)));
  return { state: 'reads' };
}

function roleCheck({ writes, isKnown }: OwnRights): LoginCheck {
  if (!isKnown) return { state: 'unchecked' };
  return writes === null ? { state: 'reads' } : { state: 'writes', by: 'role' };
}

/** The lines end here: those of MariaDB have a hash of the password. */
async function rightsOf(connection: MysqlConnection): Promise<OwnRights> {
  const lines = await firstColumn(connection, ownGrants);
  return ownRights(lines.map((line) => line ?? ''));
}

async function firstColumn(
  connection: MysqlConnection,
  statement: Parameters<MysqlConnection['each']>[0],
): Promise<(string | null)[]> {
  const values: (string | null)[] = [];
  await connection.each(statement, ([value = null]) => values.push(value === null ? null : String(value)));
  return values;
}

async function sampleOf(
  connection: MysqlConnection,
  database: string,
  { table, columns }: Described,
  bounds: SampleBounds,
): Promise<SampleRead> {
  if (!columns.some(isReadable)) return { state: 'denied' };
  await connection.boundStatements(SAMPLE_MS);
  const read = await sampleOrRefusal(connection, { database, table, columns }, bounds);
  await connection.boundStatements(CATALOGUE_MS);
  return read;
}

async function sampleOrRefusal(
  connection: MysqlConnection,
  described: Parameters<typeof readSample>[1],
  bounds: SampleBounds,
): Promise<SampleRead> {
  try {
    return { state: 'read', sample: await readSample(connection, described, bounds) };
  } catch (error) {
    const refusal = isMysqlError(error) ? tableRefusal(error, isViewRow(described.table)) : null;
    if (refusal === null) throw error;
    return { state: refusal };
  }
}
