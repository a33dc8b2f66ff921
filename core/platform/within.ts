/** The storage account has not answered in time. */
class StorageUnanswered extends Error {
  override readonly name = 'StorageUnanswered';
}

/**
 * The result of a call to the storage account, or `StorageUnanswered` after `milliseconds`, whatever its client does
 * about the signal: retries and look-ups of names and credentials have no bound of their own.
 */
export async function within<T>(
  milliseconds: number,
  call: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new StorageUnanswered(`The storage account has not answered within ${milliseconds} ms`));
    stop.abort();
  }, milliseconds);
  try {
    return await Promise.race([call(stop.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same call, made once. It is made again after it failed. */
export function once<A extends unknown[], T>(call: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let made: Promise<T> | undefined;
  return (...args) => {
    made ??= call(...args).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
