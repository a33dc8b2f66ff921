import { Pool, type PoolClient, types } from 'pg';
import { sqlState } from './errors.ts';
import { CLAIMS, type Claim, overloaded, Turns } from './turns.ts';

/** What a connection is wanted for: to look up a session, or for a transaction. */
type Purpose = 'session' | 'transaction';

/** A pool of connections, and how its user waits for them. Statements go through `tx.ts`, which alone connects. */
export type Db = {
  readonly pool: Pool;
  readonly turns: Turns;
  /** How to wait for a connection now. */
  claimFor(purpose: Purpose): Claim;
  /** Is told how long each wait took, in milliseconds. */
  waited?(milliseconds: number): void;
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
  pool.on('connect', (client) => client.on('error', heard));
  return { pool, turns: new Turns(max), claimFor: () => CLAIMS.alone, close: () => pool.end() };
}

/** The same pool for a user who waits otherwise. */
export const claiming = (db: Db, kind: keyof typeof CLAIMS): Db => ({
  ...db,
  claimFor: () => CLAIMS[kind],
});

/**
 * The same pool for one request, whose waits together take no longer than its claim says. The session is looked up before
 * lists are read.
 */
export function forRequest(db: Db, kind: 'decision' | 'list'): Db {
  let waitMs: number = CLAIMS[kind].waitMs;
  return {
    ...db,
    claimFor: (purpose) => ({ ...CLAIMS[purpose === 'session' ? 'decision' : kind], waitMs }),
    waited: (milliseconds) => {
      waitMs -= milliseconds;
    },
  };
}

export type Connection = { client: PoolClient; release(broken: boolean): void };

const TOO_MANY_CONNECTIONS = '53300';

/** A connection when it is one's turn. Throws `overloaded` where that takes too long, or the server has none to give. */
export async function connect(db: Db, purpose: Purpose): Promise<Connection> {
  const claim = db.claimFor(purpose);
  const since = performance.now();
  await db.turns.take(claim);
  db.waited?.(performance.now() - since);
  try {
    const client = await db.pool.connect();
    return {
      client,
      release: (broken) => {
        client.release(broken);
        db.turns.give(claim);
      },
    };
  } catch (error) {
    db.turns.give(claim);
    throw sqlState(error) === TOO_MANY_CONNECTIONS ? overloaded() : error;
  }
}
