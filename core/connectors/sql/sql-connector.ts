import { type Clock, systemClock } from '../../kernel/clock.ts';
import { throwIfAborted } from '../abort.ts';
import { type ComparisonConnector, ConnectorError } from '../connector.ts';
import { type ContainerReads, containerConnector } from '../container-connector.ts';
import { connectionFrom, type SqlConnection } from './connection.ts';
import { createDatabaseReads } from './database-reads.ts';
import { CLASSIFYING_ENGINES, LoginCanWrite, type SqlSession, sqlFailure } from './engine.ts';
import { engineFor } from './engines.ts';
import { selectedDatabases } from './selection.ts';
import { createSessions } from './sessions.ts';

export type SqlOptions = {
  /** The connection string of a login that only reads. Asked for with each connection. Null if it is not there. */
  connection: () => string | null;
  /** What `selectedDatabases` takes. */
  schemas: readonly string[];
  clock?: Clock;
};

/**
 * Reads tables and views of selected databases of one server. Partitions belong to their table. A session whose login can
 * write, or does not let itself be checked, is closed before anything is read.
 */
export function createSqlConnector(
  options: SqlOptions,
): ComparisonConnector & { scopeIds: ReadonlySet<string> } {
  const { connection, scopeIds } = configured(options) ?? {};
  return containerConnector(
    {
      family: 'sql',
      kind: 'database',
      scopeIds: new Set(scopeIds),
      hasLabels: connection !== undefined && CLASSIFYING_ENGINES.includes(connection.engine),
    },
    () => databases(options),
  );
}

/** Null if the connection string is not there or malformed, or the selection is. */
export const sqlScopeIds = (options: SqlOptions): string[] | null => configured(options)?.scopeIds ?? null;

/** The server, without the password, as far as another one needs another connector. Empty if it is not known. */
export function sqlServerOf(options: SqlOptions): string {
  const { engine, host, port, database } = configured(options)?.connection ?? {};
  return JSON.stringify([engine, host, port, database]);
}

function configured({ connection, schemas }: SqlOptions) {
  const text = connection();
  if (text === null) return null;
  try {
    const known = connectionFrom(text);
    const scopeIds = [...selectedDatabases(known, schemas).keys()].map((name) => scopeIdOf(known, name));
    return { connection: known, scopeIds };
  } catch (error) {
    if (error instanceof ConnectorError) return null;
    throw error;
  }
}

/** Two databases of one name on different servers are two scopes. The login is no part of it. */
const scopeIdOf = ({ host, port }: SqlConnection, database: string) => `${host}:${port}/${database}`;

/** By the id of their scope. Throws `ConnectorError` if the connection string or the selection is malformed. */
function databases({
  connection,
  schemas,
  clock = systemClock,
}: SqlOptions): ReadonlyMap<string, ContainerReads> {
  const read = () => {
    const text = connection();
    if (text === null) throw new ConnectorError('auth', 'sql_connection_missing');
    return connectionFrom(text);
  };
  const known = read();
  const selected = selectedDatabases(known, schemas);
  return new Map(
    Array.from(selected, ([name, of]) => {
      const scopeId = scopeIdOf(known, name);
      const sessions = createSessions((signal) => open(read(), name, signal));
      return [scopeId, createDatabaseReads(sessions, { name, scopeId, schemas: of, clock })];
    }),
  );
}

/** A session whose login is proved to only read. */
async function open(connection: SqlConnection, database: string, signal: AbortSignal): Promise<SqlSession> {
  const engine = await engineFor(connection.engine);
  const session = await engine.connect({ ...connection, database }, signal);
  try {
    throwIfAborted(signal);
    const login = await session.login();
    if (login.state === 'writes') throw new LoginCanWrite(login.by);
    if (login.state === 'unchecked') throw sqlFailure('sql_login_unchecked');
    return session;
  } catch (error) {
    void session.close();
    throw error;
  }
}
