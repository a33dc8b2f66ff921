/** Milliseconds since the epoch. Injected, so that a test sets the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/**
 * The same clock for pauses and ages within this process. When the other is set back, it goes on from where it was, so
 * that no pause lasts longer for it.
 */
export function neverBack(clock: Clock): Clock {
  let last = Number.NEGATIVE_INFINITY;
  let offset = 0;
  return () => {
    const now = clock() + offset;
    if (now < last) offset += last - now;
    else last = now;
    return last;
  };
}
