import { Pool, types } from 'pg';

/** A pool of connections. Statements go through `tx.ts`, which alone touches `pool`. */
export type Db = {
  readonly pool: Pool;
  /** Waits for the connections in use to come back, then closes them all. */
  close(): Promise<void>;
};

/** What a statement may take on the server, in milliseconds; the client gives up somewhat later. */
export const STATEMENT_TIMEOUT_MS = 30_000;

/** `bigint` columns are counters and identities here: numbers, or an error before one loses a digit. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('A bigint does not fit a number');
  return value;
}

/**
 * Takes two megabytes and frees them. Until a process of the server has freed a piece as large as that, the C library gives
 * its memory back after every statement that sorts, and takes it anew for the next one: half the time of a sort of one
 * megabyte (mallopt(3), `M_MMAP_THRESHOLD`: from then on up to twice as much is kept).
 */
const FREE_A_LARGE_PIECE = "select octet_length(repeat(repeat('x', 2048), 1024))";

const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  oid === types.builtins.INT8 && format !== 'binary' ? parseInt8 : types.getTypeParser(oid, format);

/**
 * Opens no connection yet. Nothing here depends on the state of a session, so that a transaction-mode pooler may
 * stand between (one that keeps track of prepared statements, as PgBouncer does since 1.21).
 * @param url `postgres://login:password@host:port/database`
 * @param max connections at most
 */
export function createPool(
  url: string,
  { max, applicationName }: { max: number; applicationName: string },
): Db {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // A server process keeps the plans of all that it has been asked.
    maxLifetimeSeconds: 3_600,
    keepAlive: true,
    // A transaction's first statement does not wait for the answer to its beginning.
    pipeline: true,
    types: { getTypeParser },
  });
  // A server that goes away ends connections idle or in use. Unheard, either event would end the process; whoever
  // uses the connection gets the error from the statement, and the next one gets a new connection.
  const heard = () => undefined;
  pool.on('error', heard);
  pool.on('connect', (client) => {
    client.on('error', heard);
    client.query(FREE_A_LARGE_PIECE).catch(heard);
  });
  return { pool, close: () => pool.end() };
}
