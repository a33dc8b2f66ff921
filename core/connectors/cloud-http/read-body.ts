import type { CallFailureReason } from '../../kernel/vocabulary.ts';
import type { ContentRead } from '../connector.ts';

/** A body that is not what it must be. Nothing of it is reported. */
export class Unread extends Error {
  readonly reason: Extract<CallFailureReason, 'too_large' | 'malformed'>;

  constructor(reason: Unread['reason']) {
    super(reason);
    this.name = 'Unread';
    this.reason = reason;
  }
}

/** There is no answer, or its body broke off: no connection, or the time is up. */
export class CutOff extends Error {
  constructor(cause: unknown) {
    super('cut_off', { cause });
    this.name = 'CutOff';
  }
}

/** Throws `CutOff` for whatever a call of the network throws. */
export async function orCutOff<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new CutOff(error);
  }
}

/** The body after decompression. Throws `CutOff`. Throws `Unread` and ends the connection if it has more than `most` bytes. */
export async function readAtMost(response: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let read = await next(reader); read !== undefined; read = await next(reader)) {
    length += read.byteLength;
    if (length > most) {
      await reader?.cancel().catch(() => undefined);
      throw new Unread('too_large');
    }
    chunks.push(read);
  }
  return Buffer.concat(chunks, length);
}

async function next(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<Uint8Array | undefined> {
  return reader === undefined ? undefined : (await orCutOff(reader.read())).value;
}

/** The JSON of a body, or undefined if there is none. Throws `Unread`. */
function parseJson(bytes: Uint8Array, reviver?: Reviver): unknown {
  if (bytes.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), reviver);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new Unread('malformed');
  }
}

/** Pages of 200 items have about half a megabyte; a batch of the productivity suite has up to 20 answers. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** As of `JSON.parse`. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

export const readJson = async (response: Response, reviver?: Reviver): Promise<unknown> =>
  parseJson(await readAtMost(response, MAX_JSON_BYTES), reviver);

/** The bytes of an answer. `too_large` past `maxBytes`, which ends the connection. */
export async function readContent(response: Response, maxBytes: number): Promise<ContentRead> {
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > maxBytes) {
    await response.body?.cancel();
    return { state: 'too_large', sizeBytes: announced };
  }
  try {
    return { state: 'available', bytes: await readAtMost(response, maxBytes) };
  } catch (error) {
    if (error instanceof Unread) return { state: 'too_large', sizeBytes: maxBytes + 1 };
    throw error;
  }
}

/** A body of an error has at most so many bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The JSON of an error's body. Undefined if it cannot be read: what it says beside its codes is of no use. */
export async function readError(response: Response): Promise<unknown> {
  try {
    return parseJson(await readAtMost(response, MAX_ERROR_BYTES));
  } catch (error) {
    if (!(error instanceof Unread || error instanceof CutOff)) throw error;
    return undefined;
  }
}

/** A field of an answer whose form is not known. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const CODE = /^[\w.-]{1,80}$/;

/** Whether the code of an error has the form of one. Anything else may quote names or ids. */
export const isCode = (code: unknown): code is string => typeof code === 'string' && CODE.test(code);
