import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { sqlState } from './errors.ts';

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
  #unanswered = 0;
  /** Limits the statement whose turn it is. */
  #timer: NodeJS.Timeout | undefined;
  /** The first error of the server. */
  #failure: Error | undefined;

  constructor(client: PoolClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Uses callbacks and its own timer. The client's promises and its `query_timeout` keep the rows of finished queries
   * reachable from old objects. The garbage collector then runs a full collection every second.
   */
  send<Row extends object>(config: QueryConfig): Promise<QueryResult<Row>> {
    return new Promise((resolve, reject) => {
      const { stream } = this.#client.connection;
      // Statements of one turn of the event loop are sent in one write.
      stream.cork();
      process.nextTick(() => stream.uncork());
      if (this.#unanswered++ === 0) this.#startTimer();
      this.#client.query<Row>(config, (error: Error | null, result) => {
        clearTimeout(this.#timer);
        if (--this.#unanswered > 0) this.#startTimer();
        if (error) reject(this.#reasonOf(error));
        else resolve(result);
      });
    });
  }

  #startTimer(): void {
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
    return error;
  }
}
