/** A rest is no longer than what calls of this length, in milliseconds, cause. */
const LONGEST_COUNTED_MS = 3_000;

/**
 * Lets calls of one process through, so that on average `share` of them are under way at once. Times are milliseconds of
 * a clock that never goes back.
 */
export class CallGate {
  #share: number;
  #pausedUntil = 0;
  #inFlight = 0;
  /** What calls have taken beyond the share: places times milliseconds, at most 0. Rests make up for it. */
  #balance = 0;
  #at: number;
  #busy = 0;
  #since: number;

  constructor(share: number, now: number) {
    this.#share = share;
    this.#at = now;
    this.#since = now;
  }

  /** Milliseconds of the pause that are left. */
  pauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** Milliseconds until a call may enter, as far as time alone decides; infinite until another call leaves. */
  waitMs(now: number): number {
    this.#advance(now);
    const free = this.#share - this.#inFlight;
    if (free <= 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.pauseMs(now), -this.#balance / free);
  }

  enter(now: number): void {
    this.#advance(now);
    this.#inFlight++;
  }

  leave(now: number): void {
    this.#advance(now);
    this.#inFlight--;
  }

  set(share: number, pausedUntil: number, now: number): void {
    this.#advance(now);
    this.#share = share;
    this.pauseUntil(pausedUntil);
  }

  pauseUntil(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** Calls at once since the last time that this was asked, as a mean. */
  takeUsed(now: number): number {
    this.#advance(now);
    const used = now > this.#since ? this.#busy / (now - this.#since) : this.#inFlight;
    this.#busy = 0;
    this.#since = now;
    return used;
  }

  #advance(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#at = Math.max(this.#at, now);
    this.#busy += this.#inFlight * passed;
    const balance = this.#balance + (this.#share - this.#inFlight) * passed;
    this.#balance = Math.min(0, Math.max(-LONGEST_COUNTED_MS, balance));
  }
}
