import { MAX_VALUE } from '../engine.ts';

/** A statement and its parameters. One statement each: the driver is set to refuse several. */
export type Statement = { sql: string; values: readonly (string | Buffer)[] };

const statement = (sql: string, ...values: readonly (string | Buffer)[]): Statement => ({ sql, values });

/** An identifier of the catalogue. */
const quoted = (identifier: string) => `\`${identifier.replaceAll('`', '``')}\``;

/** `MAX_EXECUTION_TIME` of MySQL counts milliseconds, `max_statement_time` of MariaDB seconds. */
export const statementBound = (isMariaDb: boolean, ms: number): Statement =>
  statement(
    isMariaDb ? `SET SESSION max_statement_time = ${ms / 1000}` : `SET SESSION MAX_EXECUTION_TIME = ${ms}`,
  );

/**
 * What a session begins with. Read-only transactions are a guard and no proof, because the session could end them.
 * Locks: of metadata, and of rows, in seconds.
 */
export const sessionSettings = (lockMs: number): Statement[] => [
  statement('SET SESSION TRANSACTION READ ONLY'),
  statement(`SET SESSION lock_wait_timeout = ${Math.ceil(lockMs / 1000)}`),
  statement(`SET SESSION innodb_lock_wait_timeout = ${Math.ceil(lockMs / 1000)}`),
  statement("SET SESSION time_zone = '+00:00'"),
  // Without ANSI_QUOTES, PIPES_AS_CONCAT and the like, which change what the statements below mean.
  statement("SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION'"),
];

/** MySQL 8 keeps figures of tables for a day. The variable is unknown elsewhere. */
export const freshFigures = statement('SET SESSION information_schema_stats_expiry = 0');

export const versionOfServer = statement('SELECT VERSION()');

export const ownGrants = statement('SHOW GRANTS');
export const currentRole = statement('SELECT CURRENT_ROLE()');
/** @param role as `SHOW GRANTS` quotes it, or `NONE`, `ALL`, `DEFAULT` */
export const takeRole = (role: string): Statement => statement(`SET ROLE ${role}`);
export const quotedRole = quoted;

/**
 * Names alone. MariaDB opens each table of the schema if any other column is asked for, or any other condition is set.
 * Compared as bytes, because names that differ in case alone are two tables.
 */
export const namesAfter = (database: string, after: string, limit: number): Statement =>
  statement(
    `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?
       AND CAST(TABLE_NAME AS BINARY) > CAST(? AS BINARY)
     ORDER BY CAST(TABLE_NAME AS BINARY) LIMIT ${limit}`,
    database,
    after,
  );

/**
 * One lookup for each name, because MariaDB finds a table by name only if the name is compared with one value. With a
 * list it opens all.
 */
function forEachName(select: string, database: string, names: readonly string[]): Statement {
  const one = `${select} WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`;
  return statement(names.map(() => one).join('\nUNION ALL\n'), ...names.flatMap((name) => [database, name]));
}

export type TableRow = {
  TABLE_NAME: string;
  TABLE_TYPE: string;
  TABLE_ROWS: string | null;
  DATA_LENGTH: string | null;
  AUTO_INCREMENT: string | null;
  CREATE_TIME: string | null;
  UPDATE_TIME: string | null;
  TABLE_COMMENT: string;
};

export const tablesNamed = (database: string, names: readonly string[]): Statement =>
  forEachName(
    `SELECT TABLE_NAME, TABLE_TYPE, CAST(TABLE_ROWS AS CHAR) AS TABLE_ROWS, CAST(DATA_LENGTH AS CHAR) AS DATA_LENGTH,
       CAST(AUTO_INCREMENT AS CHAR) AS AUTO_INCREMENT, CAST(CREATE_TIME AS CHAR) AS CREATE_TIME,
       CAST(UPDATE_TIME AS CHAR) AS UPDATE_TIME, TABLE_COMMENT FROM information_schema.TABLES`,
    database,
    names,
  );

export type ColumnRow = {
  TABLE_NAME: string;
  COLUMN_NAME: string;
  ORDINAL_POSITION: string;
  DATA_TYPE: string;
  COLUMN_TYPE: string;
  COLLATION_NAME: string | null;
  COLUMN_KEY: string;
  COLUMN_COMMENT: string;
  PRIVILEGES: string;
};

export const columnsOf = (database: string, names: readonly string[]): Statement =>
  forEachName(
    `SELECT TABLE_NAME, COLUMN_NAME, CAST(ORDINAL_POSITION AS CHAR) AS ORDINAL_POSITION, DATA_TYPE, COLUMN_TYPE,
       COLLATION_NAME, COLUMN_KEY, COLUMN_COMMENT, PRIVILEGES FROM information_schema.COLUMNS`,
    database,
    names,
  );

export type ViewRow = { TABLE_NAME: string; VIEW_DEFINITION: string | null; SECURITY_TYPE: string };

export const viewsNamed = (database: string, names: readonly string[]): Statement =>
  forEachName(
    'SELECT TABLE_NAME, VIEW_DEFINITION, SECURITY_TYPE FROM information_schema.VIEWS',
    database,
    names,
  );

export const primaryKeyOf = (database: string, name: string): Statement =>
  statement(
    `SELECT COLUMN_NAME FROM information_schema.STATISTICS
     WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX`,
    database,
    name,
  );

export const foreignKeysOf = (database: string, name: string): Statement =>
  statement(
    `SELECT COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE
     WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL`,
    database,
    name,
  );

export type PrivilegeRow = {
  GRANTEE: string;
  PRIVILEGE_TYPE: string;
  /** A pattern for the grants of databases. Null for those of the server. */
  TABLE_SCHEMA: string | null;
  /** Null for the grants of databases and of the server. */
  TABLE_NAME: string | null;
};

/**
 * Grants on the server, on databases and on tables, as far as the login may see them: its own, or all if it may read the
 * tables of the system. These views have no passwords.
 */
export const privilegesIn = (database: string, limit: number): Statement =>
  statement(
    `SELECT GRANTEE, PRIVILEGE_TYPE, NULL AS TABLE_SCHEMA, NULL AS TABLE_NAME FROM information_schema.USER_PRIVILEGES
     UNION ALL
     SELECT GRANTEE, PRIVILEGE_TYPE, TABLE_SCHEMA, NULL FROM information_schema.SCHEMA_PRIVILEGES
     UNION ALL
     SELECT GRANTEE, PRIVILEGE_TYPE, TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLE_PRIVILEGES
       WHERE TABLE_SCHEMA = ?
     UNION ALL
     SELECT GRANTEE, PRIVILEGE_TYPE, TABLE_SCHEMA, TABLE_NAME FROM information_schema.COLUMN_PRIVILEGES
       WHERE TABLE_SCHEMA = ?
     LIMIT ${limit}`,
    database,
    database,
  );

/** How the values of a column are read. Null if they are no text and cannot be made one. */
export type Reading = 'text' | 'cast' | 'bits' | 'bytes' | null;

const READING: Readonly<Record<Exclude<Reading, null>, (column: string) => string>> = {
  text: (column) => `LEFT(${column}, ${MAX_VALUE})`,
  cast: (column) => `CAST(${column} AS CHAR)`,
  bits: (column) => `CAST(CAST(${column} AS UNSIGNED) AS CHAR)`,
  bytes: (column) => `LEFT(${column}, ${MAX_VALUE})`,
};

export type SampleColumn = { name: string; reading: Reading };
type SampledTable = { database: string; name: string; columns: readonly SampleColumn[] };

const valuesOf = ({ columns }: SampledTable) =>
  columns.map(({ name, reading }) => (reading === null ? 'NULL' : READING[reading](quoted(name)))).join(', ');
const fromTable = ({ database, name }: SampledTable) => `FROM ${quoted(database)}.${quoted(name)}`;

/** The first rows in the order of storage. It ends with the last of them and reads no further. */
export const firstRows = (table: SampledTable, limit: number): Statement =>
  statement(`SELECT ${valuesOf(table)} ${fromTable(table)} LIMIT ${limit}`);

/** The first column of a key and how its values are bound. */
export type KeyColumn = { name: string; as: 'SIGNED' | 'UNSIGNED' | 'DATETIME' | null };

/** Two steps in the index, however large the table is. */
export const keyRange = (table: SampledTable, key: KeyColumn): Statement => {
  const column = quoted(key.name);
  const ends =
    key.as === null
      ? [`MIN(${column})`, `MAX(${column})`]
      : [`CAST(MIN(${column}) AS CHAR)`, `CAST(MAX(${column}) AS CHAR)`];
  return statement(`SELECT ${ends.join(', ')} ${fromTable(table)}`);
};

/** Rows from a place of the key on, up to another place. */
export function rowsFrom(
  table: SampledTable,
  key: KeyColumn,
  { from, to, limit }: { from: string | Buffer; to: string | Buffer | undefined; limit: number },
): Statement {
  const column = quoted(key.name);
  const bound = key.as === null ? '?' : `CAST(? AS ${key.as})`;
  const upper = to === undefined ? '' : ` AND ${column} < ${bound}`;
  return statement(
    `SELECT ${valuesOf(table)} ${fromTable(table)} FORCE INDEX (PRIMARY)
     WHERE ${column} >= ${bound}${upper} ORDER BY ${column} LIMIT ${limit}`,
    from,
    ...(to === undefined ? [] : [to]),
  );
}
