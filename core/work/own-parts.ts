import { type Clock, neverBack } from '../kernel/clock.ts';
import type { OwnProblem } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { mayBeOfUnit } from './failure.ts';

/** After a failure of its own, a process leases nothing this long. Then it tries one unit. */
export const PAUSE_MS = 5_000;
/** So often a unit that may be the cause is handed back. Then its failures count as attempts. */
const MOST_HANDED_BACK = 20;
/** Units that are remembered, at most. */
const MOST_REMEMBERED = 10_000;

/**
 * Whether the parts of this process work: the database, its memory, its threads. While one fails, a unit would be handed
 * back, so none is leased, except one from time to time as a trial.
 */
export class OwnParts {
  readonly #parts: { log: Logger; metrics: Metrics };
  readonly #clock: Clock;
  #problem: OwnProblem | null = null;
  #failures = 0;
  #nextTrialAt = 0;
  /** How often each unit was handed back that may be the cause. */
  readonly #handedBack = new Map<number, number>();

  constructor(parts: { clock: Clock; log: Logger; metrics: Metrics }) {
    this.#parts = parts;
    this.#clock = neverBack(parts.clock);
  }

  /** What fails now. */
  get problem(): OwnProblem | null {
    return this.#problem;
  }

  /** How many there were so far. */
  get failures(): number {
    return this.#failures;
  }

  /** How long nothing may be leased, in milliseconds. */
  get pausedMs(): number {
    return this.#problem === null ? 0 : Math.max(0, this.#nextTrialAt - this.#clock());
  }

  failed(problem: OwnProblem, error?: unknown): void {
    const { log, metrics } = this.#parts;
    metrics.count(`own_part_failed:${problem}`);
    if (this.#problem !== problem) log.error('own_part_failed', { problem }, error);
    this.#problem = problem;
    this.#failures++;
    this.#nextTrialAt = this.#clock() + PAUSE_MS;
  }

  /**
   * Whether a unit that failed like a part of this process is handed back. One that may be the cause is so a bounded number
   * of times: while a part really fails, it could hardly be leased and settled between.
   */
  handsBack(unitId: number, error: unknown): boolean {
    if (!mayBeOfUnit(error)) return true;
    const times = this.#handedBack.get(unitId) ?? 0;
    if (times >= MOST_HANDED_BACK) return false;
    if (this.#handedBack.size >= MOST_REMEMBERED) this.#handedBack.clear();
    this.#handedBack.set(unitId, times + 1);
    return true;
  }

  completed(unitId: number): void {
    this.#handedBack.delete(unitId);
  }

  /** Something succeeded that began after so many failures. */
  worked(failures = this.#failures): void {
    if (this.#problem === null || failures < this.#failures) return;
    this.#parts.log.info('own_part_works', { problem: this.#problem });
    this.#problem = null;
  }

  /** Whether `most` units may be leased, only one, or none. The next trial is a pause later. */
  mayLease(most: number): number {
    if (this.#problem === null) return most;
    if (this.pausedMs > 0) return 0;
    this.#nextTrialAt = this.#clock() + PAUSE_MS;
    return 1;
  }
}
