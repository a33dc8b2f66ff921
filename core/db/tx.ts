import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Brand, TenantId } from '../kernel/ids.ts';
import { sqlState } from './errors.ts';
import { BY_INDEX, type Planned, planCacheMode } from './plan-hints.ts';
import { connect, type Db, STATEMENT_TIMEOUT_MS } from './pool.ts';
import type { Statement } from './sql.ts';

export type { Db } from './pool.ts';

type Queries = {
  /** Rows of the statement, in order; `[]` when it returns none. */
  query<Row extends object>(statement: Statement): Promise<Row[]>;
  /** How many rows the statement inserted, updated or deleted. */
  execute(statement: Statement): Promise<number>;
};

/** A transaction as `svc_app`: sees and writes the rows of one tenant. Only `withTx` makes one. */
export type Tx = Brand<Queries & { readonly tenantId: TenantId }, 'Tx'>;

/** A transaction as `svc_engine`: leases units and sweeps, across tenants. Only `withEngineTx` makes one. */
export type EngineTx = Brand<Queries, 'EngineTx'>;

/** Doublings of the wait between attempts. */
const LONGEST_WAIT = 6;
const ATTEMPTS = 4;
/** A caller waits for the look-up of every request: a server that hangs is told from a slow one soon. */
const LOOKUP_TIMEOUT_MS = 3_000;
/** What the server's own limit has not ended this long after, is not going to be answered. */
const CLIENT_GRACE_MS = 5_000;
/** serialization_failure, deadlock_detected: the same work again may well succeed. */
const RETRIED = new Set(['40001', '40P01']);
const TENANT_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Somebody waits for a read, and others for its connection. */
const READ_TIMEOUT_MS = 8_000;
const limits = (statementTimeoutMs: number) =>
  [
    `set local statement_timeout = ${statementTimeoutMs}`,
    'set local lock_timeout = 10000',
    'set local idle_in_transaction_session_timeout = 15000',
  ].join('; ');
const BEGIN = {
  // All statements of a reader see one moment.
  read: 'begin isolation level repeatable read read only',
  write: 'begin isolation level read committed read write',
};

export type TxOptions = {
  tenantId: TenantId;
  mode: 'read' | 'write';
  /** Ends it between statements. */
  signal?: AbortSignal;
  /** For statements whose plan is the same for all values: each is planned once a connection. */
  planned?: Planned;
};

/**
 * Runs `fn` in a transaction of one tenant; commits when it resolves, rolls back when it rejects. It may run up to
 * four times (serialization failure, deadlock), so its only effects are those on `tx`.
 */
export const withTx = <T>(db: Db, options: TxOptions, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  tenantTx(db, 'svc_app', options, fn);

/**
 * A transaction that may make a tenant, which the service itself never does. Only the login that owns the schema can
 * begin one.
 */
export const withProvisioningTx = <T>(db: Db, tenantId: TenantId, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  tenantTx(db, 'svc_provision', { tenantId, mode: 'write' }, fn);

function tenantTx<T>(
  db: Db,
  role: 'svc_app' | 'svc_provision',
  { tenantId, mode, signal, planned }: TxOptions,
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (!TENANT_ID.test(tenantId)) return Promise.reject(new TypeError('Not a tenant id'));
  const bounds = limits(mode === 'read' ? READ_TIMEOUT_MS : STATEMENT_TIMEOUT_MS);
  const plan = planned === undefined ? '' : `; ${planCacheMode(planned)}`;
  const begin = `${BEGIN[mode]}; set local role ${role}; set local svc.tenant_id = '${tenantId}'; ${bounds}${plan}`;
  return retried(signal, () =>
    inTransaction(db, begin, signal, (queries) => fn({ ...queries, tenantId } as Tx)),
  );
}

/** Like `withTx`, across tenants, for the few tables whose policies let the engine in. */
export function withEngineTx<T>(db: Db, fn: (tx: EngineTx) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const begin = `${BEGIN.write}; set local role svc_engine; ${limits(STATEMENT_TIMEOUT_MS)}`;
  return retried(signal, () => inTransaction(db, begin, signal, (queries) => fn(queries as EngineTx)));
}

/**
 * Like `withEngineTx`, for the statements that lease and settle: the planner is kept to the indexes that they are
 * written for. `lasting: false` does not wait for the disk: a crash of the server may take the commit back, and with
 * it everything that was committed after it and has not waited either. `planned: 'once'` is for statements whose plan is
 * the same for a queue of any size.
 */
export function withQueueTx<T>(
  db: Db,
  { lasting, planned }: { lasting: boolean; planned: Planned },
  fn: (tx: EngineTx) => Promise<T>,
): Promise<T> {
  const wait = lasting ? '' : '; set local synchronous_commit = off';
  const begin = `${BEGIN.write}; set local role svc_engine; ${limits(STATEMENT_TIMEOUT_MS)}; ${BY_INDEX}; ${planCacheMode(planned)}${wait}`;
  return retried(undefined, () => inTransaction(db, begin, undefined, (queries) => fn(queries as EngineTx)));
}

/**
 * One prepared statement outside a transaction, with the rights of the login itself: next to none, so it calls a
 * `security definer` function. Its first row, or null.
 */
export async function lookup<Row extends object>(db: Db, statement: Statement): Promise<Row | null> {
  const { client, release } = await connect(db, 'session');
  let broken = true;
  try {
    const { rows } = await answered<Row>(client, toConfig(statement), LOOKUP_TIMEOUT_MS);
    broken = false;
    return rows[0] ?? null;
  } finally {
    release(broken);
  }
}

const toConfig = (statement: Statement) => ({
  name: statement.name,
  text: statement.text,
  values: [...statement.values],
});

/** The server has not answered in time. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/**
 * By callback and with a clock of our own: the client's promises and its `query_timeout` keep the rows of a query that is
 * over from the collector of young objects, so that it copies them and full collections come each second.
 */
const answered = <Row extends object>(
  client: PoolClient,
  config: QueryConfig,
  timeoutMs = STATEMENT_TIMEOUT_MS + CLIENT_GRACE_MS,
): Promise<QueryResult<Row>> =>
  new Promise((resolve, reject) => {
    const { stream } = client.connection;
    // What is sent in one turn shares one write.
    stream.cork();
    process.nextTick(() => stream.uncork());
    const timer = setTimeout(() => {
      reject(new Unanswered(`The database has not answered for ${timeoutMs} ms`));
      // It would wait on, and is of no use to anybody else.
      stream.destroy();
    }, timeoutMs);
    client.query<Row>(config, (error: Error | null, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });

/** Runs a transaction again that another one got in the way of: four times in all, or as often as is said. */
export async function retried<T>(
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
  attempts = ATTEMPTS,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures === attempts || !RETRIED.has(sqlState(error) ?? '')) throw error;
      await sleep(
        Math.random() * 20 * 2 ** Math.min(failures, LONGEST_WAIT),
        undefined,
        signal && { signal },
      );
    }
  }
}

async function inTransaction<T>(
  db: Db,
  begin: string,
  signal: AbortSignal | undefined,
  fn: (queries: Queries) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { client, release } = await connect(db, 'transaction');
  const statements = new StatementQueue(client, signal);
  let broken = false;
  // What is sent behind it does not wait for its answer, and fails where it failed: then the transaction is one that
  // refuses all, or there is none, and the login itself may read and write nothing.
  const begun = answered(client, { text: begin });
  begun.catch(() => undefined);
  try {
    const value = await fn({
      query: async <Row extends object>(statement: Statement) => (await statements.run<Row>(statement)).rows,
      execute: async (statement) => (await statements.run(statement)).rowCount ?? 0,
    });
    await statements.close();
    await begun;
    signal?.throwIfAborted();
    const { command } = await answered(client, { text: 'commit' });
    // The server answers a commit of a failed transaction by rolling back, without an error.
    if (command !== 'COMMIT')
      throw new Error('A statement of the transaction failed and its error was ignored');
    return value;
  } catch (failed) {
    await statements.close();
    const error: unknown = await begun.then(
      () => failed,
      (reason: unknown) => reason,
    );
    broken = !(await rolledBack(client));
    throw error;
  } finally {
    release(broken);
  }
}

const rolledBack = (client: PoolClient): Promise<boolean> =>
  answered(client, { text: 'rollback' }).then(
    () => true,
    () => false,
  );

/**
 * Statements of one transaction. They are sent at once and answered in order: those that need no earlier answer
 * (`Promise.all`) share a round trip. After one that fails, the server refuses all others. None is sent once it is over.
 */
class StatementQueue {
  readonly #client: PoolClient;
  readonly #signal: AbortSignal | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(client: PoolClient, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#signal = signal;
  }

  async run<Row extends object>(statement: Statement): Promise<QueryResult<Row>> {
    if (this.#closed) throw new Error('The transaction is over');
    this.#signal?.throwIfAborted();
    const result = answered<Row>(this.#client, toConfig(statement));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when the statements under way have ended. */
  close(): Promise<unknown> {
    this.#closed = true;
    return this.#last;
  }
}
