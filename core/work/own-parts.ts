import type { Clock } from '../kernel/clock.ts';
import type { OwnProblem } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';

/** After a failure of its own, a process leases nothing this long. Then it tries one unit. */
export const PAUSE_MS = 5_000;

/**
 * Whether the parts of this process work: the database, its memory, its threads. While one fails, a unit would be handed
 * back, so none is leased, except one from time to time as a trial.
 */
export class OwnParts {
  readonly #parts: { clock: Clock; log: Logger; metrics: Metrics };
  #problem: OwnProblem | null = null;
  #failedAt = 0;
  #nextTrialAt = 0;

  constructor(parts: { clock: Clock; log: Logger; metrics: Metrics }) {
    this.#parts = parts;
  }

  /** What fails now. */
  get problem(): OwnProblem | null {
    return this.#problem;
  }

  /** How long nothing may be leased, in milliseconds. */
  get pausedMs(): number {
    return this.#problem === null ? 0 : Math.max(0, this.#nextTrialAt - this.#parts.clock());
  }

  failed(problem: OwnProblem, error?: unknown): void {
    const { clock, log, metrics } = this.#parts;
    metrics.count(`own_part_failed:${problem}`);
    if (this.#problem !== problem) log.error('own_part_failed', { problem }, error);
    this.#problem = problem;
    this.#failedAt = clock();
    this.#nextTrialAt = this.#failedAt + PAUSE_MS;
  }

  /** A unit was completed that began at this time. */
  worked(since: number): void {
    if (this.#problem === null || since < this.#failedAt) return;
    this.#parts.log.info('own_part_works', { problem: this.#problem });
    this.#problem = null;
  }

  /** Whether `most` units may be leased, only one, or none. The next trial is a pause later. */
  mayLease(most: number): number {
    if (this.#problem === null) return most;
    if (this.pausedMs > 0) return 0;
    this.#nextTrialAt = this.#parts.clock() + PAUSE_MS;
    return 1;
  }
}
