import { MAX_VALUE } from '../engine.ts';

/** A statement and its parameters, `@p0`, `@p1` and so on. Each call sends one statement. */
export type Statement = { sql: string; values: readonly (string | number)[] };

const statement = (sql: string, ...values: readonly (string | number)[]): Statement => ({ sql, values });

/** An identifier of the catalogue. */
const quoted = (identifier: string) => `[${identifier.replaceAll(']', ']]')}]`;

/** `@p3, @p4`: names of `count` parameters from the one at `first`. */
const listed = (count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => `@p${first + at}`).join(', ');

/** SQL Server has no read-only transaction. These keep the service from waiting, and others from waiting for it. */
export const sessionSettings = (lockMs: number): Statement[] => [
  statement(`SET LOCK_TIMEOUT ${lockMs}`),
  statement('SET DEADLOCK_PRIORITY LOW'),
];

/** Times of the catalogue are those of the server. */
export const offsetOfServer = statement('SELECT DATEPART(tzoffset, SYSDATETIMEOFFSET()) AS minutes');

export type PermissionName = { permission_name: string };
/** https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-my-permissions-transact-sql */
export const ownServerRights = statement("SELECT permission_name FROM fn_my_permissions(NULL, 'SERVER')");
export const ownDatabaseRights = statement("SELECT permission_name FROM fn_my_permissions(NULL, 'DATABASE')");

const may = (securable: string, kind: string, ...permissions: readonly string[]) =>
  permissions
    .map((permission) => `HAS_PERMS_BY_NAME(${securable}, '${kind}', '${permission}') = 1`)
    .join(' OR ');

export const writableSchema = statement(
  `SELECT TOP (1) s.schema_id FROM sys.schemas AS s
   WHERE s.name NOT IN ('sys', 'INFORMATION_SCHEMA')
     AND (${may('QUOTENAME(s.name)', 'SCHEMA', 'INSERT', 'UPDATE', 'DELETE', 'EXECUTE', 'ALTER', 'TAKE OWNERSHIP')})`,
);

/** Tables and views, sequences, and procedures, which do what their owner may do; also by another name. */
export const writableObject = statement(
  `SELECT TOP (1) o.type FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
   WHERE o.is_ms_shipped = 0 AND o.type IN ('U', 'V', 'SO', 'P', 'PC', 'X', 'SN')
     AND (${may("CONCAT(QUOTENAME(s.name), '.', QUOTENAME(o.name))", 'OBJECT', 'INSERT', 'UPDATE', 'DELETE', 'EXECUTE', 'ALTER', 'TAKE OWNERSHIP')})`,
);

/**
 * What was granted on the database, on objects and their columns, schemas and principals, and is more than reading, or may
 * be granted on. A right on a column is no right on its table. `EXECUTE` is looked for above: functions only read. Principal
 * 0 is `public`. What is shipped has negative numbers.
 */
export type WritingGrant = { class: number; minor_id: number };
export const writingGrant = statement(
  `SELECT TOP (1) p.class AS class, p.minor_id AS minor_id FROM sys.database_permissions AS p
   WHERE p.class IN (0, 1, 3, 4) AND p.major_id >= 0
     AND (p.state = 'W' OR (p.state = 'G' AND p.permission_name NOT LIKE 'VIEW %'
       AND p.permission_name NOT IN ('CONNECT', 'SELECT', 'EXECUTE', 'REFERENCES', 'UNMASK', 'SHOWPLAN')))
     AND (p.grantee_principal_id IN (0, DATABASE_PRINCIPAL_ID()) OR IS_ROLEMEMBER(USER_NAME(p.grantee_principal_id)) = 1)`,
);

/** Whoever may act as another user, or change a role, has the rights of both. */
export const usableUser = statement(
  `SELECT TOP (1) p.principal_id FROM sys.database_principals AS p
   WHERE p.principal_id <> DATABASE_PRINCIPAL_ID()
     AND ((p.type <> 'R' AND ${may('QUOTENAME(p.name)', 'USER', 'IMPERSONATE')})
       OR (p.type = 'R' AND ${may('QUOTENAME(p.name)', 'ROLE', 'ALTER')}))`,
);

/** The same on the server. The view is not in every edition. */
export const usableLogin = statement(
  `SELECT TOP (1) p.principal_id FROM sys.server_principals AS p
   WHERE (p.type <> 'R' AND p.name <> SUSER_SNAME() AND ${may('QUOTENAME(p.name)', 'LOGIN', 'IMPERSONATE')})
     OR (p.type = 'R' AND ${may('QUOTENAME(p.name)', 'SERVER ROLE', 'ALTER')})`,
);

export type SchemaRow = { name: string };
export const schemasNamed = (names: readonly string[]): Statement =>
  statement(
    `SELECT s.name AS name FROM sys.schemas AS s WHERE s.name IN (${listed(names.length)})`,
    ...names,
  );

export type ObjectRow = {
  object_id: number;
  schema_id: number;
  schema_name: string;
  table_name: string;
  type: string;
  create_date: string;
  modify_date: string;
  owner_id: number;
};

const OBJECTS = `o.object_id AS object_id, o.schema_id AS schema_id, s.name AS schema_name, o.name AS table_name,
   o.type AS type, CONVERT(nvarchar(30), o.create_date, 126) AS create_date,
   CONVERT(nvarchar(30), o.modify_date, 126) AS modify_date, COALESCE(o.principal_id, s.principal_id) AS owner_id
   FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
   WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0`;

/** In the order of ids, which a rename leaves alone. */
export const objectsAfter = (schemas: readonly string[] | null, after: number, limit: number): Statement =>
  statement(
    `SELECT TOP (${limit}) ${OBJECTS} AND o.object_id > @p0
       ${schemas === null ? '' : `AND s.name IN (${listed(schemas.length, 1)})`} ORDER BY o.object_id`,
    after,
    ...(schemas ?? []),
  );

export const objectWithId = (id: number): Statement =>
  statement(`SELECT TOP (1) ${OBJECTS} AND o.object_id = @p0`, id);

export type ColumnRow = {
  object_id: number;
  column_id: number;
  name: string;
  type_name: string;
  base_type: string | null;
  max_length: number;
  digits: number;
  scale: number;
  is_masked: number;
  is_encrypted: number;
};

export const columnsOf = (ids: readonly number[]): Statement =>
  statement(
    `SELECT c.object_id AS object_id, c.column_id AS column_id, c.name AS name, t.name AS type_name, b.name AS base_type,
       c.max_length AS max_length, c.precision AS digits, c.scale AS scale, CAST(c.is_masked AS int) AS is_masked,
       CASE WHEN c.encryption_type IS NULL THEN 0 ELSE 1 END AS is_encrypted
     FROM sys.columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id
       LEFT JOIN sys.types AS b ON b.user_type_id = c.system_type_id
     WHERE c.object_id IN (${listed(ids.length)}) ORDER BY c.object_id, c.column_id`,
    ...ids,
  );

export type KeyRow = { object_id: number; column_id: number; is_primary: number };

export const keysOf = (ids: readonly number[]): Statement =>
  statement(
    `SELECT k.object_id AS object_id, k.column_id AS column_id, 1 AS is_primary
     FROM sys.indexes AS i JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
     WHERE i.is_primary_key = 1 AND i.object_id IN (${listed(ids.length)})
     UNION ALL
     SELECT f.parent_object_id, f.parent_column_id, 0 FROM sys.foreign_key_columns AS f
     WHERE f.parent_object_id IN (${listed(ids.length)})`,
    ...ids,
  );

export type CommentRow = { object_id: number; column_id: number; comment: string | null };

/** `column_id` 0: of the table. */
export const commentsOf = (ids: readonly number[]): Statement =>
  statement(
    `SELECT e.major_id AS object_id, e.minor_id AS column_id, CAST(e.value AS nvarchar(4000)) AS comment
     FROM sys.extended_properties AS e
     WHERE e.class = 1 AND e.name = 'MS_Description' AND e.major_id IN (${listed(ids.length)})`,
    ...ids,
  );

export type DefinitionRow = { object_id: number; definition: string | null };

export const definitionsOf = (ids: readonly number[]): Statement =>
  statement(
    `SELECT m.object_id AS object_id, m.definition AS definition FROM sys.sql_modules AS m
     WHERE m.object_id IN (${listed(ids.length)})`,
    ...ids,
  );

export type FigureRow = { object_id: number; row_count: number | string; used_pages: number | string };

/** Of heaps and clustered indexes. A page has 8 KiB. */
export const figuresOf = (ids: readonly number[]): Statement =>
  statement(
    `SELECT p.object_id AS object_id, SUM(p.rows) AS row_count, COALESCE(SUM(a.used_pages), 0) AS used_pages
     FROM sys.partitions AS p LEFT JOIN sys.allocation_units AS a ON a.container_id = p.hobt_id AND a.type = 1
     WHERE p.index_id IN (0, 1) AND p.object_id IN (${listed(ids.length)}) GROUP BY p.object_id`,
    ...ids,
  );

export type UpdateRow = { object_id: number; last_update: string | null };

/** Since the start of the server. Needs a right to view its state. */
export const updatesOf = (ids: readonly number[]): Statement =>
  statement(
    `SELECT u.object_id AS object_id, MAX(CONVERT(nvarchar(30), u.last_user_update, 126)) AS last_update
     FROM sys.dm_db_index_usage_stats AS u
     WHERE u.database_id = DB_ID() AND u.object_id IN (${listed(ids.length)}) GROUP BY u.object_id`,
    ...ids,
  );

export type PredicateRow = { object_id: number; predicate: string | null; is_filter: number };

export const predicatesOn = (ids: readonly number[]): Statement =>
  statement(
    `SELECT d.target_object_id AS object_id, d.predicate_definition AS predicate,
       CASE WHEN d.predicate_type = 0 THEN 1 ELSE 0 END AS is_filter
     FROM sys.security_predicates AS d JOIN sys.security_policies AS y ON y.object_id = d.object_id
     WHERE y.is_enabled = 1 AND d.target_object_id IN (${listed(ids.length)})`,
    ...ids,
  );

export type PrincipalRow = { principal_id: number; name: string; type: string };
export const principals = (limit: number): Statement =>
  statement(
    `SELECT TOP (${limit}) p.principal_id AS principal_id, p.name AS name, p.type AS type
     FROM sys.database_principals AS p ORDER BY p.principal_id`,
  );

export type MemberRow = { role_id: number; member_id: number };
export const roleMembers = (limit: number): Statement =>
  statement(
    `SELECT TOP (${limit}) m.role_principal_id AS role_id, m.member_principal_id AS member_id
     FROM sys.database_role_members AS m ORDER BY m.role_principal_id, m.member_principal_id`,
  );

export type RightRow = {
  /** 0: the database, 1: an object or a column, 3: a schema. */
  class: number;
  major_id: number;
  minor_id: number;
  grantee_id: number;
  permission_name: string;
  /** G: granted, W: granted with the right to grant, D: denied. */
  state: string;
};

/** On the database, on schemas, and on the tables and their columns. */
export const rightsOn = (ids: readonly number[], limit: number): Statement =>
  statement(
    `SELECT TOP (${limit}) p.class AS class, p.major_id AS major_id, p.minor_id AS minor_id,
       p.grantee_principal_id AS grantee_id, p.permission_name AS permission_name, p.state AS state
     FROM sys.database_permissions AS p
     WHERE p.class IN (0, 3) OR (p.class = 1 AND p.major_id IN (${listed(ids.length)}))
     ORDER BY p.class, p.major_id, p.minor_id, p.grantee_principal_id, p.permission_name`,
    ...ids,
  );

export type ClassificationRow = { label: string | null; label_id: string | null; rank: number | null };

export const classificationsOf = (id: number): Statement =>
  statement(
    `SELECT CAST(c.label AS nvarchar(128)) AS label, CAST(c.label_id AS nvarchar(128)) AS label_id, c.rank AS rank
     FROM sys.sensitivity_classifications AS c WHERE c.class = 1 AND c.major_id = @p0`,
    id,
  );

export const classifications = (limit: number): Statement =>
  statement(
    `SELECT TOP (${limit}) CAST(c.label AS nvarchar(128)) AS label, CAST(c.label_id AS nvarchar(128)) AS label_id,
       MAX(c.rank) AS rank
     FROM sys.sensitivity_classifications AS c WHERE c.class = 1
     GROUP BY CAST(c.label AS nvarchar(128)), CAST(c.label_id AS nvarchar(128))
     ORDER BY MAX(c.rank), CAST(c.label_id AS nvarchar(128)), CAST(c.label AS nvarchar(128))`,
  );

/** 1 if the login has the right on the database, 0 if not, null if this release has no such right. */
export type RightAnswer = { granted: number | null };
export const hasDatabaseRight = (
  right: 'VIEW DEFINITION' | 'VIEW ANY SENSITIVITY CLASSIFICATION' | 'UNMASK',
): Statement =>
  statement(`SELECT HAS_PERMS_BY_NAME(QUOTENAME(DB_NAME()), 'DATABASE', '${right}') AS granted`);

/** Since 2022 the right can be for a table. */
export const mayUnmask = (schema: string, table: string): Statement =>
  statement(
    `SELECT HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(@p0), '.', QUOTENAME(@p1)), 'OBJECT', 'UNMASK') AS granted`,
    schema,
    table,
  );

/** How the values of a column are read. Null if they are no text and cannot be made one. */
export type Reading = 'text' | 'cast' | 'iso' | null;

const READING: Readonly<Record<Exclude<Reading, null>, (column: string) => string>> = {
  text: (column) => `LEFT(CONVERT(nvarchar(max), ${column}), ${MAX_VALUE})`,
  cast: (column) => `CONVERT(nvarchar(4000), ${column})`,
  iso: (column) => `CONVERT(nvarchar(30), ${column}, 121)`,
};

export type SampledTable = {
  schema: string;
  name: string;
  columns: readonly { name: string; reading: Reading }[];
};

/** `blocks`: of each million, so many are read. Absent for the first rows, in the order of storage. */
export function rowsOf(
  { schema, name, columns }: SampledTable,
  { limit, blocks }: { limit: number; blocks?: { perMillion: number; seed: number } },
): Statement {
  const values = columns.map((column, at) =>
    column.reading === null
      ? `CAST(NULL AS nvarchar(1)) AS c${at}`
      : `${READING[column.reading](quoted(column.name))} AS c${at}`,
  );
  const sampled =
    blocks === undefined
      ? ''
      : ` TABLESAMPLE SYSTEM (${blocks.perMillion / 10_000} PERCENT) REPEATABLE (${blocks.seed})`;
  return statement(
    `SELECT TOP (${limit}) ${values.join(', ')} FROM ${quoted(schema)}.${quoted(name)}${sampled}`,
  );
}
