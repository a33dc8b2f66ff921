import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpRequest } from '@azure/functions';
import type { Endpoint } from './declaration.ts';

/** Below this length the header that names the encoding takes what compression saves. */
const MIN_BYTES = 1_000;
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/json)/;
/** A list is made for each answer, so speed counts. Level 4 takes a fourth of the time of level 9 for a tenth more bytes. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const compress = { br: (text: Uint8Array) => promisify(brotliCompress)(text, BROTLI), gzip: promisify(gzip) };

type Encoding = keyof typeof compress;
type Whole = string | Uint8Array;

/** What is sent of a body. Without a body, the caller has it already (304). */
export type Representation = { status: number; headers: Record<string, string>; body?: Whole };

/**
 * A complete body as this caller receives it: compressed if it is long and the caller accepts that, and not at all if
 * a GET names the tag that the body has. The tag is weak, because it names the content and not its encoding. A body
 * with a secret has none of both.
 */
export async function represent(
  { method, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  { carriesSecret }: Pick<Endpoint, 'carriesSecret'>,
  { status, contentType, body }: { status: number; contentType: string; body: Whole },
): Promise<Representation> {
  const plain = { status, headers: { 'content-type': contentType, ...lengthOf(body) }, body };
  if (carriesSecret || !COMPRESSIBLE.test(contentType)) return plain;
  const vary = Buffer.byteLength(body) >= MIN_BYTES ? { vary: 'accept-encoding' } : {};
  const etag = status === 200 && (method === 'GET' || method === 'HEAD') ? tagOf(body) : null;
  const named = { ...vary, ...(etag !== null && { etag }) };
  if (etag !== null && isNamed(headers.get('if-none-match'), etag)) return { status: 304, headers: named };
  const encoding = vary.vary === undefined ? null : acceptedEncoding(headers.get('accept-encoding'));
  if (encoding === null) return { ...plain, headers: { ...plain.headers, ...named } };
  const compressed = await compressedBy(encoding, body);
  return {
    status,
    headers: { 'content-type': contentType, 'content-encoding': encoding, ...lengthOf(compressed), ...named },
    body: compressed,
  };
}

const lengthOf = (body: Whole) => ({ 'content-length': String(Buffer.byteLength(body)) });

/** Of bodies that do not change while the process runs: files of pages and the document. */
const keptTags = new WeakMap<Uint8Array, string>();
const keptCompressed = new WeakMap<Uint8Array, Partial<Record<Encoding, Promise<Uint8Array>>>>();

function tagOf(body: Whole): string {
  const kept = body instanceof Uint8Array ? keptTags.get(body) : undefined;
  if (kept !== undefined) return kept;
  const tag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  if (body instanceof Uint8Array) keptTags.set(body, tag);
  return tag;
}

function compressedBy(encoding: Encoding, body: Whole): Promise<Uint8Array> {
  if (typeof body === 'string') return compress[encoding](Buffer.from(body));
  const kept = keptCompressed.get(body) ?? {};
  keptCompressed.set(body, kept);
  kept[encoding] ??= compress[encoding](body);
  return kept[encoding];
}

const isNamed = (ifNoneMatch: string | null, etag: string): boolean =>
  ifNoneMatch
    ?.split(',')
    .map((each) => each.trim())
    .some((each) => each === '*' || each === etag || `W/${each}` === etag) === true;

/** The encoding that a caller prefers (RFC 9110, 12.5.3), brotli of two that are equal. Null: none of both. */
export function acceptedEncoding(header: string | null): Encoding | null {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const best: Encoding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}
