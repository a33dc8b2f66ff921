import { ConnectorError } from './connector.ts';

const aborted = () => new ConnectorError('transient', 'aborted');

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted();
}

/**
 * Settles with `run`, or rejects as soon as the signal fires. A read from a dead mount cannot be cancelled, but its
 * caller need not wait for it.
 */
export async function untilAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  throwIfAborted(signal);
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(aborted());
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([run(), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
