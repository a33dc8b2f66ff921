import type { TableSample } from '../../kernel/table-sample.ts';
import {
  ConnectorError,
  type LabelObservation,
  type Permissions,
  ScopeRefused,
  type SensitivityLabel,
} from '../connector.ts';

/**
 * What each engine of a database implements. The connector above it knows no engine. An engine only reads: it sends
 * statements of a fixed list with bound parameters, quotes identifiers of the catalogue alone, and bounds each statement
 * on the server. It throws `ConnectorError` and nothing else, made by `sqlFailure` and `databaseRefused`.
 */
export type SqlEngine = {
  /** Opens one session. Gives up after `CONNECT_MS`, and when the signal fires. */
  connect(target: SqlTarget, signal: AbortSignal): Promise<SqlSession>;
};

export type SqlEngineName = 'postgres' | 'mysql' | 'sqlserver';
/** The engines that classify columns. */
export const CLASSIFYING_ENGINES: readonly SqlEngineName[] = ['sqlserver'];

/** One database and the login that reads it. */
export type SqlTarget = {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  /**
   * Whether the connection is encrypted and the certificate checked, with its host name, by the authorities that Node
   * trusts (`NODE_EXTRA_CA_CERTS` adds to them). False only for a server on this machine.
   */
  tls: boolean;
};

/** How long the server gets for a connection, a statement on its catalogue, and a statement on a table; milliseconds. */
export const CONNECT_MS = 10_000;
export const CATALOGUE_MS = 10_000;
export const SAMPLE_MS = 5_000;
/** How long a statement waits for a lock that somebody else has. */
export const LOCK_MS = 1_000;

/**
 * One connection to one database. Its user makes one call at a time, and closes it after any call that was rejected. A
 * rejected call may leave its statement running on the server until the bound of that statement.
 */
export type SqlSession = {
  /** Whether the login can do more than read. */
  login(): Promise<LoginCheck>;
  /** Those of the schemas that exist. An engine without schemas returns what it was given. */
  schemas(names: readonly string[]): Promise<string[]>;
  /**
   * The next tables and views in the order of the engine, which is stable and which a rename of another table does not
   * change. Partitions of a table are not listed beside it; tables of the system are not listed. What the login cannot
   * read is listed as far as the catalogue shows it.
   */
  tables(query: TableQuery): Promise<TableEntry[]>;
  /** The table as `tables` lists it, whatever its schema. Null if there is none, also for an id that no table can have. */
  table(id: string): Promise<TableEntry | null>;
  /** Who can read the table. Null if there is no such table. */
  permissions(id: string): Promise<Permissions | null>;
  /** The classification of the table by the database itself. `unknown` where the engine has none. */
  label(id: string): Promise<LabelObservation>;
  /** The classifications that the tables of the database have. Empty where the engine has none. */
  labels(): Promise<SensitivityLabel[]>;
  sample(id: string, bounds: SampleBounds): Promise<SampleRead>;
  /** Never rejects. A session in the middle of a call ends at once. */
  close(): Promise<void>;
};

/** On what a login has a right beyond reading. `administrator`: on the server. `owner`: it owns something. */
export const WRITING_RIGHTS = [
  ...(['administrator', 'role', 'owner', 'database', 'server', 'routine', 'schema'] as const),
  ...(['table', 'column', 'sequence', 'parameter'] as const),
] as const;
export type WritingRight = (typeof WRITING_RIGHTS)[number];

/**
 * `writes`: the first kind of right that was found. `unchecked`: the database does not say what the login can do. Rights
 * on temporary tables alone count as reading.
 */
export type LoginCheck =
  | { state: 'reads' }
  | {
      state: 'writes';
      by: WritingRight;
    }
  | { state: 'unchecked' };

/** `schemas`: null for all that are not of the system. `after`: id of the last entry before; null to begin. */
export type TableQuery = { schemas: readonly string[] | null; after: string | null; limit: number };

/** A table or view as the catalogue shows it. The three signals are opaque texts of at most 64 characters. */
export type TableEntry = {
  /** Survives a rename if the engine has such an identity. At most 300 characters. */
  id: string;
  /** Empty if the engine has no schemas. */
  schema: string;
  name: string;
  kind: 'table' | 'view';
  /** Changes with columns, types, keys, comments and the definition of a view, and not with the name. */
  structure: string;
  /** Changes with grants, the owner, row security and masks. */
  access: string;
  /** Changes with rows. Null if the database counts no changes. It may lag, and may change without any. */
  activity: string | null;
  /** By the catalogue's own figures, without a look at the table. 0 if they have none. */
  sizeBytes: number;
  createdAt: string | null;
  /** When the structure changed last. */
  modifiedAt: string | null;
};

/**
 * `maxRows`: at least 1. `maxBytes`: rows are read until the sum of their characters is larger. `seed`: the same one reads
 * the same part of an unchanged table.
 */
export type SampleBounds = { maxRows: number; maxBytes: number; seed: number };

/**
 * A part of a table that costs few blocks, however large the table is, or all of a small one. Values are texts of at most
 * `MAX_VALUE` characters; the connector cuts names and comments. `denied`: the login may not read the
 * table, or a view fails or takes too long whenever it is read.
 */
export type SampleRead =
  | { state: 'read'; sample: TableSample }
  | { state: 'denied' }
  /** There is no such table. */
  | { state: 'gone' };

/** Characters of a value that are read. */
export const MAX_VALUE = 4_096;

const FAILURES = {
  /** No answer, or the connection was lost. */
  sql_unreachable: 'transient',
  /** The server offers no TLS, or its certificate is not trusted. */
  sql_tls_refused: 'permanent',
  sql_login_refused: 'auth',
  sql_login_can_write: 'auth',
  sql_login_unchecked: 'auth',
  sql_too_many_connections: 'throttled',
  /** A statement took longer than its bound, or waited for a lock. */
  sql_statement_timeout: 'transient',
  sql_locked: 'transient',
  /** A statement failed and may succeed later: a deadlock, a server that starts or stops, a conflict on a replica. */
  sql_interrupted: 'transient',
  /** A statement failed for another reason. */
  sql_refused: 'permanent',
} as const;
export type SqlFailure = keyof typeof FAILURES;

/** Thrown instead of a session whose login can write. */
export class LoginCanWrite extends ConnectorError {
  readonly by: WritingRight;

  constructor(by: WritingRight) {
    super(FAILURES.sql_login_can_write, 'sql_login_can_write' satisfies SqlFailure);
    this.by = by;
  }
}

export const sqlFailure = (failure: SqlFailure): ConnectorError =>
  new ConnectorError(FAILURES[failure], failure);

/** For a database that does not exist, or that the login may not connect to. */
export const databaseRefused = (reason: 'not_found' | 'denied'): ScopeRefused =>
  reason === 'not_found'
    ? new ScopeRefused('not_found', 'sql_database_not_found')
    : new ScopeRefused('denied', 'sql_database_denied', 'auth');
