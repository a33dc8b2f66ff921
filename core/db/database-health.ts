import { type Clock, neverBack } from '../kernel/clock.ts';
import { databaseProblem } from './errors.ts';

/** A refused write counts as recent this long, and until another one succeeds. */
export const REFUSAL_COUNTS_MS = 30_000;

/**
 * What the transactions of a pool met: nothing is asked of the database for it. Heartbeats write every ten seconds, so
 * that a database that writes again is noticed.
 */
export class DatabaseHealth {
  readonly #clock: Clock;
  #refusedAt: number | null = null;
  #wroteAt = Number.NEGATIVE_INFINITY;
  /** Whether transactions are refused, because it is not known yet that the schema is that of this release. */
  isClosed = false;

  constructor(clock: Clock) {
    this.#clock = neverBack(clock);
  }

  /** A transaction that may write has been committed. */
  wrote(): void {
    if (this.#refusedAt !== null) this.#wroteAt = this.#clock();
  }

  /** A transaction that may write has failed with this error. */
  failed(error: unknown): void {
    if (databaseProblem(error) === 'database_refuses') this.#refusedAt = this.#clock();
  }

  /** Whether the database has refused to write lately, and not written since. */
  get refusesWrites(): boolean {
    if (this.#refusedAt === null) return false;
    const isRecent = this.#clock() - this.#refusedAt < REFUSAL_COUNTS_MS;
    if (isRecent || this.#wroteAt <= this.#refusedAt) return true;
    this.#refusedAt = null;
    return false;
  }
}
