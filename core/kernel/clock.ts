/** Milliseconds since the epoch. Injected, so that a test sets the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
