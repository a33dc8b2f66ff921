import { isUtf8 } from 'node:buffer';
import type { BoundedText, Shortfall } from '../bounded-text.ts';
import { hold } from '../embedded.ts';
import type { ExtractionContext } from '../extractor.ts';
import { guessEncoding } from '../text/guess-encoding.ts';
import { isUnreadBinary } from '../unread.ts';
import { shortfallOf } from './zip.ts';

/** A file in an archive. `packedBytes`: its size there, or that of the archive if files share their packed bytes. */
export type Member = { name: string; packedBytes: number; chunks: AsyncGenerator<Uint8Array> };

/** Appends the name of a member and its text. Returns why it was not read to its end, if so. */
export async function readMember(
  { name, packedBytes, chunks }: Member,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const first = await chunks.next().catch(shortfallOf);
  if (typeof first === 'string' || first.done === true) {
    text.besides(name);
    if (typeof first !== 'string') return null;
    context.unread(first === 'damaged' ? first : 'member_bound');
    return first;
  }
  // A film, for example, is not inflated if nothing reads its format.
  if (isUnreadBinary(first.value, context.ocr !== null)) {
    await chunks.return(undefined);
    await context.unreadFile({ name, mimeType: null, bytes: first.value }, text);
    return null;
  }
  const { bytes, shortfall } = await hold(resumed(first.value, chunks), packedBytes);
  await context.embedded({ name, mimeType: null, bytes, shortfall }, text);
  return shortfall;
}

async function* resumed(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/**
 * Decodes a name. One that is not UTF-8 has an unknown code page, which is guessed.
 * @param sample what to guess from, if more of the same code page is known
 */
export const decodedName = (raw: Uint8Array, sample = raw): string =>
  isUtf8(raw) ? Buffer.from(raw).toString() : new TextDecoder(guessEncoding(sample).encoding).decode(raw);
