export type ThrottledSource = {
  /** Calls per second that it allows. */
  rate: number;
  /** Calls that it allows at once after a quiet time. */
  burst: number;
  latencyMs: number;
  /** What a refusal names, in milliseconds; null names nothing. */
  retryAfterMs: number | null;
};

/** Allows what a bucket holds that fills at the rate. After a refusal it refuses everything until the named time. */
export function throttledSource({ rate, burst, retryAfterMs }: ThrottledSource): (now: number) => boolean {
  let held = burst;
  let at = 0;
  let refusesUntil = 0;
  return (now) => {
    held = Math.min(burst, held + ((now - at) * rate) / 1_000);
    at = now;
    if (now < refusesUntil) return false;
    if (held >= 1) {
      held--;
      return true;
    }
    refusesUntil = now + (retryAfterMs ?? 0);
    return false;
  };
}

export type Tally = { accepted: number; refused: number };
