import { Pool, type PoolClient, types } from 'pg';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { DatabaseHealth } from './database-health.ts';
import { connectionFailure, sqlState } from './errors.ts';
import { StatementTimes } from './statement-times.ts';
import { CLAIMS, type Claim, closed, overloaded, Turns } from './turns.ts';

/** What a connection is needed for: to look up a session, or for a transaction. */
type Purpose = 'session' | 'transaction';

/** A pool of connections, and how its user waits for one. Only `tx.ts` connects and sends statements. */
export type Db = {
  readonly pool: Pool;
  readonly turns: Turns;
  /** How long its statements take. */
  readonly times: StatementTimes;
  /** What its transactions met. */
  readonly health: DatabaseHealth;
  /** How to wait for a connection. */
  claimFor(purpose: Purpose): Claim;
  /** Called with the duration of each wait, in milliseconds. */
  waited?(milliseconds: number): void;
  /** Waits until all connections are returned, then closes them. */
  close(): Promise<void>;
};

/** Time limit of a statement on the server, in milliseconds. The client's own limit is somewhat longer. */
export const STATEMENT_TIMEOUT_MS = 30_000;
/** More than the product has. Lists that callers filter make texts of their own. */
const MAX_STATEMENTS = 1_000;

/** Reads `bigint` columns, which are counters and identities, as numbers. Throws if a value would lose digits. */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('A bigint value exceeds the safe integers');
  return value;
}

const getTypeParser: typeof types.getTypeParser = (oid, format) =>
  oid === types.builtins.INT8 && format !== 'binary' ? parseInt8 : types.getTypeParser(oid, format);

/**
 * Creates a pool without opening a connection. It uses no session state, so it works behind a transaction-mode pooler
 * that tracks prepared statements, such as PgBouncer since 1.21.
 * @param url `postgres://login:password@host:port/database`
 * @param max maximum number of connections
 */
export function createPool(
  url: string,
  { max, applicationName, clock = systemClock }: { max: number; applicationName: string; clock?: Clock },
): Db {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // A server process keeps all its plans in memory, so connections are replaced after an hour.
    maxLifetimeSeconds: 3_600,
    keepAlive: true,
    // The first statement of a transaction is sent without waiting for the response to `begin`.
    pipeline: true,
    types: { getTypeParser },
  });
  // If the server ends a connection, idle or in use, an event without a listener would end the process. The user of
  // the connection gets the error from its statement, and the next user gets a new connection.
  pool.on('error', () => undefined);
  // The last words of a server come before the socket closes. Nothing more can be sent, so it is closed here.
  pool.on('connect', (client) => client.on('error', () => client.connection.stream.destroy()));
  return {
    pool,
    turns: new Turns(max),
    times: new StatementTimes(MAX_STATEMENTS),
    health: new DatabaseHealth(clock),
    claimFor: () => CLAIMS.alone,
    close: () => pool.end(),
  };
}

/** The same pool with another kind of waiting. */
export const claiming = (db: Db, kind: keyof typeof CLAIMS): Db => ({
  ...db,
  claimFor: () => CLAIMS[kind],
});

/**
 * The same pool for one request. All its waits together are limited by its claim. The session is looked up before
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

/**
 * Takes a turn and a connection. Throws `overloaded` if that takes too long, the server has no more connections, or the
 * pool is closed. Whatever it throws is a failure of the connection.
 */
export async function connect(db: Db, purpose: Purpose): Promise<Connection> {
  if (db.health.isClosed) throw connectionFailure(closed());
  const claim = db.claimFor(purpose);
  const since = performance.now();
  await db.turns.take(claim).catch((error: unknown) => {
    throw connectionFailure(error);
  });
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
    throw connectionFailure(sqlState(error) === TOO_MANY_CONNECTIONS ? overloaded() : error);
  }
}
