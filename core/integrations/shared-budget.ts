import { untilAborted } from '../connectors/abort.ts';
import type { CallBudget, CallPriority, Permit } from '../connectors/m365/call-budget.ts';
import { LONGEST_SLEEP_MS, throttledOut } from '../connectors/m365/retry.ts';
import { type BudgetReport, type BudgetState, FIRST_LIMIT, shareOf } from './budget-state.ts';
import { CallGate } from './call-gate.ts';

/** Reports to all processes and returns the new state, with the time of the clock that its times are of. */
export type ReportCalls = (report: BudgetReport) => Promise<{ state: BudgetState; now: number }>;

const REPORT_EVERY_MS = 1_000;
/** Before a call, what was last heard may be this old. */
const FRESH_MS = 2_000;
/** A pause that the source does not name, until the shared state names one. */
const UNNAMED_PAUSE_MS = 1_000;
/** Calls for which a person waits and that pass beside the share. They are few, and people do not wait for a scan. */
const INTERACTIVE_PLACES = 2;

type Waiting = { priority: CallPriority; admit: (permit: Permit) => void; refuse: (error: Error) => void };

/**
 * The budget of one tenant in this process. It reports about once a second while there are calls, and at once when the
 * source asks to wait. While reports fail, the last state holds.
 */
export class SharedBudget implements CallBudget {
  /** Tells this process from others. */
  readonly #process: string;
  readonly #report: ReportCalls;
  readonly #onFailure: (error: unknown) => void;
  readonly #gate = new CallGate(FIRST_LIMIT, performance.now());
  #waiting: Waiting[] = [];
  #underWay: Record<CallPriority, number> = { interactive: 0, background: 0 };
  #epoch = 0;
  #wants = false;
  #refusal: BudgetReport['refusal'] = null;
  #heardAt = Number.NEGATIVE_INFINITY;
  #reporting: Promise<void> | undefined;
  #nextReport: NodeJS.Timeout | undefined;
  #nextServe: NodeJS.Timeout | undefined;

  constructor(process: string, report: ReportCalls, onFailure: (error: unknown) => void) {
    this.#process = process;
    this.#report = report;
    this.#onFailure = onFailure;
  }

  async enter(priority: CallPriority, signal: AbortSignal): Promise<Permit> {
    if (performance.now() - this.#heardAt > FRESH_MS) await untilAborted(signal, () => this.#reportNow());
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const place: Waiting = { priority, admit: resolve, refuse: reject };
    this.#waiting.push(place);
    this.#reportLater(REPORT_EVERY_MS);
    this.#serve();
    try {
      return await untilAborted(signal, () => promise);
    } catch (error) {
      this.#waiting = this.#waiting.filter((each) => each !== place);
      // It may have been admitted in the moment in which the signal fired.
      promise.then((permit) => permit.leave({ kind: 'answered' })).catch(() => undefined);
      throw error;
    }
  }

  #reportNow(): Promise<void> {
    clearTimeout(this.#nextReport);
    this.#nextReport = undefined;
    this.#reporting ??= this.#send();
    return this.#reporting;
  }

  #reportLater(ms: number): void {
    if (this.#reporting === undefined) this.#nextReport ??= setTimeout(() => this.#reportNow(), ms);
  }

  async #send(): Promise<void> {
    const used = this.#gate.takeUsed(performance.now());
    const sent = { process: this.#process, used, wants: this.#wants, refusal: this.#refusal };
    this.#wants = false;
    this.#refusal = null;
    try {
      const { state, now } = await this.#report(sent);
      const heardAt = performance.now();
      this.#epoch = state.epoch;
      this.#gate.set(shareOf(state, this.#process), heardAt + (state.pausedUntil - now), heardAt);
    } catch (error) {
      this.#refusal ??= sent.refusal;
      this.#onFailure(error);
    }
    this.#heardAt = performance.now();
    this.#reporting = undefined;
    if (this.#underWay.background + this.#underWay.interactive + this.#waiting.length > 0) {
      const isLate = this.#refusal !== null && this.#refusal !== sent.refusal;
      this.#reportLater(isLate ? 0 : REPORT_EVERY_MS);
    }
    this.#serve();
  }

  #serve(): void {
    clearTimeout(this.#nextServe);
    const pauseMs = this.#gate.pauseMs(performance.now());
    if (pauseMs > LONGEST_SLEEP_MS) {
      for (const { refuse } of this.#waiting.splice(0)) refuse(throttledOut(pauseMs));
    } else if (pauseMs === 0) {
      this.#admitAll();
      this.#wants ||= this.#waiting.length > 0;
    }
    const waitMs = this.#gate.waitMs(performance.now());
    if (this.#waiting.length > 0 && Number.isFinite(waitMs))
      this.#nextServe = setTimeout(() => this.#serve(), Math.ceil(waitMs));
  }

  #admitAll(): void {
    for (;;) {
      const first = this.#waiting.findIndex(({ priority }) => priority === 'interactive');
      const passesBeside = first !== -1 && this.#underWay.interactive < INTERACTIVE_PLACES;
      if (!passesBeside && this.#gate.waitMs(performance.now()) > 0) return;
      const [next] = this.#waiting.splice(Math.max(0, first), 1);
      if (next === undefined) return;
      next.admit(this.#permit(next.priority));
    }
  }

  #permit(priority: CallPriority): Permit {
    const epoch = this.#epoch;
    this.#gate.enter(performance.now());
    this.#underWay[priority]++;
    return {
      leave: (end) => {
        this.#gate.leave(performance.now());
        this.#underWay[priority]--;
        if (end.kind === 'throttled') this.#heard(end.retryAfterMs, epoch);
        this.#serve();
      },
    };
  }

  #heard(retryAfterMs: number | null, epoch: number): void {
    this.#gate.pauseUntil(performance.now() + (retryAfterMs ?? UNNAMED_PAUSE_MS));
    const asked = [retryAfterMs, this.#refusal?.retryAfterMs ?? null].filter((ms) => ms !== null);
    this.#refusal = {
      epoch: Math.max(epoch, this.#refusal?.epoch ?? 0),
      retryAfterMs: asked.length === 0 ? null : Math.max(...asked),
    };
    void this.#reportNow();
  }
}
