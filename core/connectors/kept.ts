import { type Clock, neverBack } from '../kernel/clock.ts';
import { untilAborted } from './abort.ts';
import { ConnectorError } from './connector.ts';

/** How long an answer is waited for. */
const WITHIN_MS = 2 * 60_000;
/** When a value that could not be read again is asked for again. */
const AGAIN_AFTER_MS = 10 * 60_000;

/**
 * A value of the source that changes rarely. It is read again when it is old. Concurrent readers share one call.
 * @param onFailure whether an old value is used while the source fails; `instead`: what is used if there is none
 */
export function kept<T>(
  clock: Clock,
  forMs: number,
  read: (signal: AbortSignal) => Promise<T>,
  onFailure: 'throw' | 'keep' | { instead: T } = 'throw',
): (signal: AbortSignal) => Promise<T> {
  const steady = neverBack(clock);
  let last: { value: T; at: number } | null = null;
  let reading: Promise<T> | undefined;
  const readAgain = async () => {
    // One reader that gives up does not end it for the others.
    const timeout = AbortSignal.timeout(WITHIN_MS);
    try {
      const value = await read(timeout);
      last = { value, at: steady() };
      return value;
    } catch (error) {
      const isFailure = error instanceof ConnectorError || timeout.aborted;
      if (onFailure === 'throw' || !isFailure) throw error;
      const before = last ?? (onFailure === 'keep' ? null : { value: onFailure.instead });
      if (before === null) throw error;
      last = { value: before.value, at: steady() - forMs + AGAIN_AFTER_MS };
      return before.value;
    } finally {
      reading = undefined;
    }
  };
  return async (signal) => {
    if (last !== null && steady() - last.at <= forMs) return last.value;
    return untilAborted(signal, () => {
      reading ??= readAgain();
      return reading;
    });
  };
}

/** Null for what the source refuses. What may pass is thrown, so that it is tried again. */
export async function orNull<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    const stays =
      error instanceof ConnectorError && (error.retryClass === 'permanent' || error.retryClass === 'auth');
    if (stays) return null;
    throw error;
  }
}
