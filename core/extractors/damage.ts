/** Thrown by a reader for bytes that break their format. Of what readers throw, this alone says something of the file. */
export class Damaged extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'Damaged';
  }
}

/** Codes of Node's errors that bytes of a file cause: a number beyond their end, and what zlib and zstd refuse. */
const DAMAGE_CODES: ReadonlySet<unknown> = new Set([
  ...['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'],
  ...['Z_DATA_ERROR', 'Z_BUF_ERROR', 'Z_NEED_DICT'],
]);

const ZSTD_ERROR = /^ZSTD_error_/;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Whether an error means that the bytes are damaged. Any other one is a bug of the service, and is thrown on. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Damaged || DAMAGE_CODES.has(codeOf(error)) || ZSTD_ERROR.test(String(codeOf(error)));

/** Null for damage. Throws any other error. */
export function nullIfDamaged(error: unknown): null {
  if (!isDamage(error)) throw error;
  return null;
}

/** Whether zlib refused to inflate beyond `maxOutputLength`. */
export const isInflatedTooFar = (error: unknown): boolean => codeOf(error) === 'ERR_BUFFER_TOO_LARGE';

const MEMORY_CODES: ReadonlySet<unknown> = new Set(['ERR_MEMORY_ALLOCATION_FAILED', 'ERR_STRING_TOO_LONG']);
const MEMORY_MESSAGES: ReadonlySet<string> = new Set([
  'Array buffer allocation failed',
  'Invalid string length',
]);

/** Whether an error means that a file is too large for the memory. */
export const isMemoryBound = (error: unknown): boolean =>
  MEMORY_CODES.has(codeOf(error)) || (error instanceof RangeError && MEMORY_MESSAGES.has(error.message));

/**
 * Calls a library on bytes of a file. Libraries throw anything for damaged bytes, also a `TypeError`, so whatever
 * this call throws is damage. Call nothing of our own in it.
 */
export async function byLibrary<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw refusedByLibrary(error);
  }
}

/** As `byLibrary`, for a call that returns at once. */
export function byLibrarySync<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw refusedByLibrary(error);
  }
}

/** As `byLibrary`, for what a library yields. */
export async function* eachByLibrary<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    while (true) {
      const { done, value } = await byLibrary(() => iterator.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

const refusedByLibrary = (error: unknown): unknown =>
  isMemoryBound(error) ? error : new Damaged('refused_by_library', { cause: error });
