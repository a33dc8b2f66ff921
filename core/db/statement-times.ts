/** A statement longer than this is cut. */
const MAX_CHARACTERS = 300;

/** Times are in milliseconds. */
export type StatementTime = {
  fingerprint: string;
  /** Begins the text, which the source code alone decides on; null where it depends on a request. */
  statement: string | null;
  calls: number;
  totalMs: number;
  maxMs: number;
};

/** How long statements took since the start of the process, by fingerprint. They are reported without their values. */
export class StatementTimes {
  readonly #capacity: number;
  readonly #times = new Map<string, StatementTime>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(fingerprint: string, text: string | null, milliseconds: number): void {
    let time = this.#times.get(fingerprint);
    if (time === undefined) {
      if (this.#times.size === this.#capacity) this.#forgetLeast();
      const statement = text === null ? null : text.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_CHARACTERS);
      time = { fingerprint, statement, calls: 0, totalMs: 0, maxMs: 0 };
      this.#times.set(fingerprint, time);
    }
    time.calls++;
    time.totalMs += milliseconds;
    time.maxMs = Math.max(time.maxMs, milliseconds);
  }

  /** The statements that took most of the time, at most `limit`. */
  slowest(limit: number): StatementTime[] {
    return [...this.#times.values()].sort((a, b) => b.totalMs - a.totalMs).slice(0, limit);
  }

  #forgetLeast(): void {
    let least: StatementTime | undefined;
    for (const time of this.#times.values())
      if (least === undefined || time.totalMs < least.totalMs) least = time;
    if (least !== undefined) this.#times.delete(least.fingerprint);
  }
}
