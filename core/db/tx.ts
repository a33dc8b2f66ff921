import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import type { Brand, TenantId } from '../kernel/ids.ts';
import { inSpan, type SpanOfWork } from '../observability/traces.ts';
import type { TransactionKind } from '../observability/vocabulary.ts';
import { sqlState } from './errors.ts';
import { Pipeline } from './pipeline.ts';
import { BY_INDEX, type Planned, planCacheMode } from './plan-hints.ts';
import { connect, type Db, STATEMENT_TIMEOUT_MS } from './pool.ts';
import type { Statement } from './sql.ts';

export type { Db } from './pool.ts';

type Queries = {
  /** The rows of the statement in order; `[]` if it returns none. */
  query<Row extends object>(statement: Statement): Promise<Row[]>;
  /** The number of rows that the statement inserted, updated or deleted. */
  execute(statement: Statement): Promise<number>;
};

/** A transaction as `svc_app`, which reads and writes the rows of one tenant. Only `withTx` creates it. */
export type Tx = Brand<Queries & { readonly tenantId: TenantId }, 'Tx'>;

/** A transaction as `svc_engine`, which leases units and sweeps, across tenants. Only `withEngineTx` creates it. */
export type EngineTx = Brand<Queries, 'EngineTx'>;

/** The delay between attempts doubles at most this often. */
const LONGEST_WAIT = 6;
const ATTEMPTS = 4;
/** Every request waits for this look-up, so a server that does not respond must be detected quickly. */
const LOOKUP_TIMEOUT_MS = 3_000;
/** If the server has not ended a statement this long after its own limit, no response is expected. */
const CLIENT_GRACE_MS = 5_000;
/** serialization_failure and deadlock_detected: the same work can succeed if it is repeated. */
const RETRIED = new Set(['40001', '40P01']);
const TENANT_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** Callers wait for a read, and others wait for its connection. */
const READ_TIMEOUT_MS = 8_000;
const limits = (statementTimeoutMs: number) =>
  [
    `set local statement_timeout = ${statementTimeoutMs}`,
    'set local lock_timeout = 10000',
    'set local idle_in_transaction_session_timeout = 15000',
  ].join('; ');
const BEGIN = {
  // All statements of a read transaction see one snapshot.
  read: 'begin isolation level repeatable read read only',
  write: 'begin isolation level read committed read write',
};

export type TxOptions = {
  tenantId: TenantId;
  mode: 'read' | 'write';
  /** Ends the transaction between statements. */
  signal?: AbortSignal;
  /** For statements whose plan does not depend on the values: each is planned once per connection. */
  planned?: Planned;
};

/**
 * Runs `fn` in a transaction of one tenant. Commits when it resolves and rolls back when it rejects. After a
 * serialization failure or a deadlock it runs `fn` again, up to four times, so `fn` must have no effects except on
 * `tx`.
 */
export const withTx = <T>(db: Db, options: TxOptions, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  tenantTx(db, 'svc_app', options, fn);

/**
 * A transaction that may make a tenant, which the service itself never does. Only the login that owns the schema can
 * begin one.
 */
export const withProvisioningTx = <T>(db: Db, tenantId: TenantId, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  tenantTx(db, 'svc_provision', { tenantId, mode: 'write' }, fn);

/** A transaction that may store a checkpoint of the audit trail, which `svc_app` may not. */
export const withSigningTx = <T>(
  db: Db,
  options: { tenantId: TenantId; signal: AbortSignal },
  fn: (tx: Tx) => Promise<T>,
): Promise<T> => tenantTx(db, 'svc_signer', { ...options, mode: 'write' }, fn);

function tenantTx<T>(
  db: Db,
  role: 'svc_app' | 'svc_provision' | 'svc_signer',
  { tenantId, mode, signal, planned }: TxOptions,
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (!TENANT_ID.test(tenantId)) return Promise.reject(new TypeError('Not a tenant id'));
  const bounds = limits(mode === 'read' ? READ_TIMEOUT_MS : STATEMENT_TIMEOUT_MS);
  const plan = planned === undefined ? '' : `; ${planCacheMode(planned)}`;
  const begin = `${BEGIN[mode]}; set local role ${role}; set local svc.tenant_id = '${tenantId}'; ${bounds}${plan}`;
  return retried(signal, () =>
    inTransaction(db, { kind: mode, begin, signal }, (queries) => fn({ ...queries, tenantId } as Tx)),
  );
}

/** Like `withTx`, but across tenants, for the few tables whose policies allow it. */
export function withEngineTx<T>(db: Db, fn: (tx: EngineTx) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const begin = `${BEGIN.write}; set local role svc_engine; ${limits(STATEMENT_TIMEOUT_MS)}`;
  return retried(signal, () =>
    inTransaction(db, { kind: 'engine', begin, signal }, (queries) => fn(queries as EngineTx)),
  );
}

/**
 * Like `withEngineTx`, for the statements that lease and settle. The planner must use the indexes that they are
 * written for. `lasting: false` does not wait for the disk: a crash of the server can undo the commit, and later
 * commits that did not wait either. `planned: 'once'` is for statements whose plan does not depend on the size of the
 * queue.
 */
export function withQueueTx<T>(
  db: Db,
  { lasting, planned }: { lasting: boolean; planned: Planned },
  fn: (tx: EngineTx) => Promise<T>,
): Promise<T> {
  const wait = lasting ? '' : '; set local synchronous_commit = off';
  const begin = `${BEGIN.write}; set local role svc_engine; ${limits(STATEMENT_TIMEOUT_MS)}; ${BY_INDEX}; ${planCacheMode(planned)}${wait}`;
  return retried(undefined, () =>
    inTransaction(db, { kind: 'queue', begin }, (queries) => fn(queries as EngineTx)),
  );
}

/**
 * Runs one prepared statement outside a transaction, as the login itself. The login has almost no rights, so the
 * statement calls a `security definer` function. Returns its first row, or null.
 */
export function lookup<Row extends object>(db: Db, statement: Statement): Promise<Row | null> {
  return inSpan('transaction', { 'svc.transaction.kind': 'lookup' }, async () => {
    const { client, release } = await connect(db, 'session');
    let broken = true;
    try {
      const { rows } = await new Pipeline(client, LOOKUP_TIMEOUT_MS, db.times).run<Row>(statement);
      broken = false;
      return rows[0] ?? null;
    } finally {
      release(broken);
    }
  });
}

/** Runs a transaction again after a conflict with another one, up to `attempts` times. */
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

type Begin = {
  kind: TransactionKind;
  /** The statements that begin it. */
  begin: string;
  signal?: AbortSignal | undefined;
};

const inTransaction = <T>(db: Db, begun: Begin, fn: (queries: Queries) => Promise<T>): Promise<T> =>
  inSpan('transaction', { 'svc.transaction.kind': begun.kind }, (span) => transact(db, begun, fn, span));

async function transact<T>(
  db: Db,
  { kind, begin, signal }: Begin,
  fn: (queries: Queries) => Promise<T>,
  span: SpanOfWork,
): Promise<T> {
  signal?.throwIfAborted();
  const since = performance.now();
  const { client, release } = await connect(db, 'transaction');
  span.describe({ 'svc.transaction.waited_ms': Math.round(performance.now() - since) });
  const pipeline = new Pipeline(client, STATEMENT_TIMEOUT_MS + CLIENT_GRACE_MS, db.times);
  const statements = new StatementQueue(pipeline, signal);
  let broken = false;
  // Later statements are sent without waiting for this response. If `begin` fails, they fail too: the transaction is
  // aborted, or there is none, and the login itself may not read or write anything.
  const begun = pipeline.send({ text: begin });
  begun.catch(() => undefined);
  try {
    const value = await fn({
      query: async <Row extends object>(statement: Statement) => (await statements.run<Row>(statement)).rows,
      execute: async (statement) => (await statements.run(statement)).rowCount ?? 0,
    });
    await statements.close();
    await begun;
    signal?.throwIfAborted();
    const { command } = await pipeline.send({ text: 'commit' });
    // The server answers the commit of a failed transaction with a rollback and no error.
    if (command !== 'COMMIT')
      throw new Error('A statement of the transaction failed and its error was ignored');
    if (kind !== 'read') db.health.wrote();
    return value;
  } catch (failed) {
    await statements.close();
    const error: unknown = await begun.then(
      () => failed,
      (reason: unknown) => reason,
    );
    broken = !(await rolledBack(pipeline));
    if (kind !== 'read') db.health.failed(error);
    throw error;
  } finally {
    span.describe({ 'svc.transaction.statements': statements.count });
    release(broken);
  }
}

const rolledBack = (pipeline: Pipeline): Promise<boolean> =>
  pipeline.send({ text: 'rollback' }).then(
    () => true,
    () => false,
  );

/**
 * The statements of one transaction. They are sent at once and answered in order. Statements that do not depend on
 * each other (`Promise.all`) share a round trip. After an error all others fail with that error. No statement is sent
 * after the end of the transaction.
 */
class StatementQueue {
  readonly #pipeline: Pipeline;
  readonly #signal: AbortSignal | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** How many were sent. */
  count = 0;

  constructor(pipeline: Pipeline, signal: AbortSignal | undefined) {
    this.#pipeline = pipeline;
    this.#signal = signal;
  }

  async run<Row extends object>(statement: Statement): Promise<QueryResult<Row>> {
    if (this.#closed) throw new Error('The transaction has ended');
    this.#signal?.throwIfAborted();
    this.count++;
    const result = this.#pipeline.run<Row>(statement);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when the running statements have ended. */
  close(): Promise<unknown> {
    this.#closed = true;
    return this.#last;
  }
}
