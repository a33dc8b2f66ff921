import type { GraphFailure } from '../../kernel/vocabulary.ts';

/** A body that is not what it must be. Nothing of it is reported. */
export class Unread extends Error {
  readonly reason: Extract<GraphFailure, 'too_large' | 'malformed'>;

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

/** The JSON of a body, or undefined if there is none. */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Unread('malformed');
  }
}

/** Pages of 200 items have about half a megabyte; a batch has up to 20 answers. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

export const readJson = async (response: Response): Promise<unknown> =>
  parseJson(await readAtMost(response, MAX_JSON_BYTES));

const CODE = /^[\w.-]{1,80}$/;
/** Deeper than any error that was seen. */
const MAX_CODES = 8;

/** The codes of an error, the outermost first. Empty where the body is none of Graph's errors. */
export function errorCodes(bytes: Uint8Array): string[] {
  try {
    return codesIn(parseJson(bytes));
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return [];
  }
}

/** The same of a body that was parsed. Graph writes `innerError` and `innererror`. */
export function codesIn(body: unknown): string[] {
  const codes: string[] = [];
  let error = fieldOf(body, 'error');
  while (error !== undefined && codes.length < MAX_CODES) {
    const code = fieldOf(error, 'code');
    if (typeof code === 'string' && CODE.test(code)) codes.push(code);
    error = fieldOf(error, 'innerError') ?? fieldOf(error, 'innererror');
  }
  return codes;
}

/** Whether a body holds nothing, or an error in place of what was asked for. */
export const isHollow = (body: unknown): boolean =>
  body === undefined || body === null || fieldOf(body, 'error') !== undefined;

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
