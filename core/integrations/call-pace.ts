import { untilAborted } from '../connectors/abort.ts';
import type { CallGate, CallPriority, Permit } from '../connectors/cloud-http/call-gate.ts';
import { LONGEST_SLEEP_MS, throttledOut } from '../connectors/cloud-http/retry.ts';

/** The pause that the source asked for last, as all processes of the deployment know it. */
export type SharedPause = { leftMs(): Promise<number>; extend(ms: number): Promise<void> };

/** Calls a second. */
const FIRST_PACE = 20;
const LEAST_PACE = 0.1;
const MOST_PACE = 1_000;
/** What a call that had to wait adds to the pace: it doubles in a second, until the source first asks to wait. */
const FIRST_GROWTH = Math.LN2;
/** Later the pace takes a minute, or ten times the pause, to be back where the source asked to wait. */
const BACK_AFTER_MS = 60_000;
const BACK_AFTER_PAUSES = 10;
/** A pace that is refused so soon after a pause is far too fast. */
const SOON_MS = 3_000;
/** Other processes may know of a pause for so long before this one does. */
const READ_EVERY_MS = 1_000;
const UNNAMED_PAUSE_MS = 2_000;
/** Longer pauses are not believed: one answer must not stop the tenant for good. */
const LONGEST_PAUSE_MS = 3_600_000;
/** Timers are late. Calls make up for so much. */
const LATE_MS = 20;

type Waiting = {
  priority: CallPriority;
  since: number;
  admit: (permit: Permit) => void;
  refuse: (error: Error) => void;
};

/**
 * Bounds the calls of this process to one tenant of the source. Calls for which a person waits wait for pauses only.
 * The others keep a pace, which falls when the source asks to wait, and grows with each call that had to wait for it.
 */
export class CallPace implements CallGate {
  readonly #shared: SharedPause;
  readonly #onFailure: (error: unknown) => void;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #most: number;
  #pace: number;
  #growth = FIRST_GROWTH;
  #nextAt = Number.NEGATIVE_INFINITY;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /**
   * @param onFailure while the shared pause cannot be read or written, the process keeps its own
   * @param most calls a second that the source is known to allow
   */
  constructor(shared: SharedPause, onFailure: (error: unknown) => void, most = MOST_PACE) {
    this.#most = most;
    this.#pace = Math.min(FIRST_PACE, most);
    this.#shared = shared;
    this.#onFailure = onFailure;
  }

  async enter(priority: CallPriority, signal: AbortSignal): Promise<Permit> {
    if (performance.now() - this.#readAt > READ_EVERY_MS) {
      this.#reading ??= this.#read();
      await untilAborted(signal, () => this.#reading ?? Promise.resolve());
    }
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const place: Waiting = { priority, since: performance.now(), admit: resolve, refuse: reject };
    this.#waiting.push(place);
    this.#serve();
    try {
      return await untilAborted(signal, () => promise);
    } finally {
      const at = this.#waiting.indexOf(place);
      if (at !== -1) this.#waiting.splice(at, 1);
    }
  }

  async #read(): Promise<void> {
    try {
      const leftMs = await this.#shared.leftMs();
      if (leftMs > 0) this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + leftMs);
    } catch (error) {
      this.#onFailure(error);
    }
    this.#readAt = performance.now();
    this.#reading = undefined;
  }

  #serve(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const pauseMs = this.#pausedUntil - now;
    if (pauseMs > LONGEST_SLEEP_MS)
      for (const { refuse } of this.#waiting.splice(0)) refuse(throttledOut(pauseMs));
    while (this.#waiting.length > 0) {
      const first = this.#waiting.findIndex(({ priority }) => priority === 'interactive');
      const waitMs = Math.max(pauseMs, first === -1 ? this.#nextAt - now : 0);
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#serve(), Math.ceil(waitMs));
        return;
      }
      for (const next of this.#waiting.splice(Math.max(0, first), 1)) this.#admit(next, now);
    }
  }

  #admit({ priority, since, admit }: Waiting, now: number): void {
    if (priority === 'background') {
      if (now - since >= 1) this.#pace = Math.min(this.#most, this.#pace + this.#growth);
      this.#nextAt = Math.max(this.#nextAt, now - LATE_MS) + 1_000 / this.#pace;
    }
    admit({
      leave: (end) => {
        if (end.kind === 'throttled') this.#slowDown(end.retryAfterMs ?? UNNAMED_PAUSE_MS, now);
      },
    });
  }

  #slowDown(askedMs: number, enteredAt: number): void {
    const now = performance.now();
    const pauseMs = Math.min(askedMs, LONGEST_PAUSE_MS);
    // Calls that were under way when the pace fell say nothing about the new one.
    if (enteredAt > this.#slowedAt) {
      const isFarOff = this.#growth === FIRST_GROWTH || now - this.#pausedUntil < SOON_MS;
      this.#pace = Math.max(LEAST_PACE, this.#pace * (isFarOff ? 0.5 : 0.85));
      this.#growth = 150 / Math.max(BACK_AFTER_MS, BACK_AFTER_PAUSES * pauseMs);
      this.#slowedAt = now;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    this.#serve();
    this.#shared.extend(pauseMs).catch(this.#onFailure);
  }
}
