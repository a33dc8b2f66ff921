import { untilAborted } from './abort.ts';

/** Runs a call when one of the slots is free. Throws `ConnectorError` if the signal fires first. */
export type CallSlots = <T>(signal: AbortSignal, run: () => Promise<T>) => Promise<T>;

/** Lets so many calls run at once. The others wait in their order. */
export function callSlots(most: number): CallSlots {
  let free = most;
  const waiting: (() => void)[] = [];
  const enter = async (signal: AbortSignal) => {
    if (free > 0) {
      free--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    try {
      await untilAborted(signal, () => promise);
    } catch (error) {
      const at = waiting.indexOf(resolve);
      // The slot may have been given to it in the same moment.
      if (at === -1) leave();
      else waiting.splice(at, 1);
      throw error;
    }
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return async (signal, run) => {
    await enter(signal);
    try {
      return await run();
    } finally {
      leave();
    }
  };
}
