import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { connectionFailure, sqlState } from './errors.ts';
import type { Statement } from './sql.ts';
import type { StatementTimes } from './statement-times.ts';

/** The server has not responded in time. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

const IN_FAILED_TRANSACTION = '25P02';

/**
 * The statements of one transaction, or of one look-up, on its connection. They are sent at once and answered in order.
 * The time of a statement counts from its turn: when it is sent, or later, when the statement before it is answered.
 */
export class Pipeline {
  readonly #client: PoolClient;
  readonly #timeoutMs: number;
  readonly #times: StatementTimes;
  #unanswered = 0;
  /** When the statement whose turn it is began its turn. */
  #turnSince = 0;
  /** Limits the statement whose turn it is. */
  #timer: NodeJS.Timeout | undefined;
  /** The first error of the server. */
  #failure: Error | undefined;

  constructor(client: PoolClient, timeoutMs: number, times: StatementTimes) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#times = times;
  }

  /** Sends a statement and notes how long its turn takes. A fixed text is prepared under its fingerprint. */
  run<Row extends object>(statement: Statement): Promise<QueryResult<Row>> {
    const { fingerprint, isFixed, text, values } = statement;
    const config = { ...(isFixed && { name: fingerprint }), text, values: [...values] };
    return this.send<Row>(config, (milliseconds) =>
      this.#times.add(fingerprint, isFixed ? text : null, milliseconds),
    );
  }

  /**
   * Uses callbacks and its own timer. The client's promises and its `query_timeout` keep the rows of finished queries
   * reachable from old objects. The garbage collector then runs a full collection every second.
   */
  send<Row extends object>(
    config: QueryConfig,
    took?: (milliseconds: number) => void,
  ): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      const { stream } = this.#client.connection;
      // Statements of one turn of the event loop are sent in one write.
      stream.cork();
      process.nextTick(() => stream.uncork());
      if (this.#unanswered++ === 0) this.#beginTurn();
      this.#client.query<Row>(config, (error: Error | null, result) => {
        clearTimeout(this.#timer);
        took?.(performance.now() - this.#turnSince);
        if (--this.#unanswered > 0) this.#beginTurn();
        if (error) reject(this.#reasonOf(error));
        else resolve(result);
      });
    });
  }

  #beginTurn(): void {
    this.#turnSince = performance.now();
    this.#timer = setTimeout(() => {
      // Rejects all unanswered statements. The connection would keep waiting, and nobody else could use it.
      this.#client.connection.stream.destroy(
        new Unanswered(`The database has not responded within ${this.#timeoutMs} ms`),
      );
    }, this.#timeoutMs);
  }

  /** The server refuses all statements of a failed transaction. The reason is the error that it failed with. */
  #reasonOf(error: Error): Error {
    const state = sqlState(error);
    if (state === IN_FAILED_TRANSACTION) return this.#failure ?? error;
    if (state !== null) this.#failure ??= error;
    // Also what the server said before it ended the connection, such as that it is stopped.
    if (this.#client.connection.stream.destroyed) connectionFailure(error);
    return error;
  }
}
