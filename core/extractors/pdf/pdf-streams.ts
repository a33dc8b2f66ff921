import { createInflate } from 'node:zlib';
import { charged } from '../archive/zip.ts';
import { isDamage } from '../damage.ts';
import type { ExtractionBudget } from '../extractor.ts';

/**
 * A stream object in the bytes of a PDF file (ISO 32000-1, 7.3.8). Streams are never nested or inside compressed
 * objects, so a walk over the bytes finds all of them, including those of older revisions.
 */
export type PdfStream = {
  /** The object number. 0 if the file does not state it. */
  object: number;
  /** The dictionary before the stream, at most `MAX_DICTIONARY_BYTES`, as Latin-1. */
  dictionary: string;
  start: number;
  end: number;
};

const KEYWORD = Buffer.from('stream');
const END = Buffer.from('endstream');
/** The head of an object: its number, its generation and the keyword, in some files each on a line. */
const HEAD = /(?:(\d{1,10})\s{1,9}\d{1,5})?\s{1,9}obj\b/g;
const OBJECT = Buffer.from('obj');
const MAX_DICTIONARY_BYTES = 2_048;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Whether there is an object at all. */
export function hasObject(data: Buffer): boolean {
  for (let at = data.indexOf(OBJECT); at >= 0; at = data.indexOf(OBJECT, at + 1)) {
    if ((data[at - 1] ?? 0xff) <= SPACE) return true;
  }
  return false;
}

export function* pdfStreams(data: Buffer): Generator<PdfStream> {
  for (let at = data.indexOf(KEYWORD); at >= 0; at = data.indexOf(KEYWORD, at)) {
    const keyword = at;
    at += KEYWORD.length;
    // A line end follows `stream`. One also follows `endstream`, so the preceding text decides.
    if (data[at] === CARRIAGE_RETURN) at++;
    if (data[at] === LINE_FEED) at++;
    if (at === keyword + KEYWORD.length) continue;
    const before = data.toString('latin1', Math.max(0, keyword - MAX_DICTIONARY_BYTES), keyword);
    const head = [...before.matchAll(HEAD)].at(-1);
    const dictionary = before.slice(head?.index ?? 0);
    if (!dictionary.trimEnd().endsWith('>>')) continue;
    const found = data.indexOf(END, at);
    const end = found < 0 ? data.length : found;
    yield { object: Number(head?.[1] ?? 0), dictionary, start: at, end };
    at = end + END.length;
  }
}

const isDeflated = (dictionary: string) => /\/Fl(?:ateDecode)?\b/.test(dictionary);
const isFiltered = (dictionary: string) => /\/F(?:ilter)?\s{0,9}[[/]/.test(dictionary);

/** The content of a plain or deflated stream. Yields nothing for other filters. */
export async function* streamContent(
  data: Buffer,
  { dictionary, start, end }: PdfStream,
  budget: ExtractionBudget,
): AsyncGenerator<Uint8Array> {
  const stored = data.subarray(start, end);
  if (isDeflated(dictionary)) {
    const inflate = createInflate();
    inflate.end(stored);
    yield* charged(inflate, budget);
  } else if (!isFiltered(dictionary)) {
    yield withoutEndOfLine(stored);
  }
}

/** The line end before the keyword is not part of the content. */
function withoutEndOfLine(bytes: Buffer): Buffer {
  const feed = bytes.at(-1) === LINE_FEED ? 1 : 0;
  const end = feed + (bytes.at(-1 - feed) === CARRIAGE_RETURN ? 1 : 0);
  return bytes.subarray(0, bytes.length - end);
}

/** Pictures are not decoded here, and can be larger than any text. */
const isPicture = (dictionary: string) => /\/Subtype\s{0,9}\/Image\b/.test(dictionary);

/** The most that a page, a font or a list of objects may inflate to, because the reader holds and reads all of it. */
const MAX_STREAM_BYTES = 16_000_000;
/** Small streams have a lower limit: this, or this many times their size in the file, whichever is larger. */
const FREE_STREAM_BYTES = 4_000_000;
const LIKELY_RATIO = 64;
/** The highest ratio of deflate. */
const MAX_DEFLATE_RATIO = 1_032;

/**
 * Overwrites the streams that would inflate beyond the limit, so that the reader meets an error instead. It does not
 * recognise encrypted streams. The bounds of the worker limit those.
 * @returns whether there was one
 */
export async function spoilBombs(data: Buffer): Promise<boolean> {
  let found = false;
  for (const { dictionary, start, end } of pdfStreams(data)) {
    if (!isDeflated(dictionary) || isPicture(dictionary)) continue;
    // Deflating twice serves only to hide the size.
    const twice = (dictionary.match(/\/Fl(?:ateDecode)?\b/g) ?? []).length > 1;
    const most = mostInflated(end - start);
    const suspect = (end - start) * MAX_DEFLATE_RATIO > most;
    if (!twice && !(suspect && (await inflatesPast(data.subarray(start, end), most)))) continue;
    data.fill(0xff, start, Math.min(start + 2, end));
    found = true;
  }
  return found;
}

const mostInflated = (packedBytes: number) =>
  Math.min(MAX_STREAM_BYTES, Math.max(FREE_STREAM_BYTES, packedBytes * LIKELY_RATIO));

async function inflatesPast(packed: Buffer, most: number): Promise<boolean> {
  const inflate = createInflate();
  inflate.end(packed);
  let size = 0;
  try {
    for await (const chunk of inflate) {
      size += chunk.length;
      if (size > most) return true;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    // A truncated stream is left to the reader.
  }
  return false;
}
