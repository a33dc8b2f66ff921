import { createInflate } from 'node:zlib';
import { charged } from '../archive/zip.ts';
import type { ExtractionBudget } from '../extractor.ts';

/**
 * A stream object of a PDF file (ISO 32000-1, 7.3.8) as it lies in the bytes. Streams are never inside one another
 * or inside compressed objects, so that a walk over the bytes meets all of them, those of older revisions too.
 */
export type PdfStream = {
  /** The number of its object; 0 when the file does not tell. */
  object: number;
  /** The dictionary before it, from at most `MAX_DICTIONARY_BYTES` back, as Latin-1. */
  dictionary: string;
  start: number;
  end: number;
};

const KEYWORD = Buffer.from('stream');
const END = Buffer.from('endstream');
/** What stands before ` obj`: number and generation. */
const NUMBER = /(\d{1,10}) \d{1,5}$/;
const MAX_DICTIONARY_BYTES = 2_048;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export function* pdfStreams(data: Buffer): Generator<PdfStream> {
  for (let at = data.indexOf(KEYWORD); at >= 0; at = data.indexOf(KEYWORD, at)) {
    const keyword = at;
    at += KEYWORD.length;
    // A line end must follow; after `endstream` one does too, so that what precedes decides.
    if (data[at] === CARRIAGE_RETURN) at++;
    if (data[at] === LINE_FEED) at++;
    if (at === keyword + KEYWORD.length) continue;
    const before = data.toString('latin1', Math.max(0, keyword - MAX_DICTIONARY_BYTES), keyword);
    const opened = Math.max(0, before.lastIndexOf(' obj'));
    const dictionary = before.slice(opened);
    if (!dictionary.trimEnd().endsWith('>>')) continue;
    const found = data.indexOf(END, at);
    const end = found < 0 ? data.length : found;
    yield { object: Number(NUMBER.exec(before.slice(0, opened))?.[1] ?? 0), dictionary, start: at, end };
    at = end + END.length;
  }
}

const isDeflated = (dictionary: string) => /\/Fl(?:ateDecode)?\b/.test(dictionary);
const isFiltered = (dictionary: string) => /\/F(?:ilter)?\s{0,9}[[/]/.test(dictionary);

/** What a stream holds, as far as it is plain or deflated; nothing of one in another coding. */
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

/** A line end parts the bytes from the keyword after them, and is none of them. */
function withoutEndOfLine(bytes: Buffer): Buffer {
  const feed = bytes.at(-1) === LINE_FEED ? 1 : 0;
  const end = feed + (bytes.at(-1 - feed) === CARRIAGE_RETURN ? 1 : 0);
  return bytes.subarray(0, bytes.length - end);
}

/** Pictures are never decoded here, and may honestly be larger than any text. */
const isPicture = (dictionary: string) => /\/Subtype\s{0,9}\/Image\b/.test(dictionary);

/** What a page, a font or a list of objects may inflate to: the reader holds it whole, and goes through all of it. */
const MAX_STREAM_BYTES = 16_000_000;
/** Less when it is small in the file: so much in any case, and past that so many times what it takes there. */
const FREE_STREAM_BYTES = 4_000_000;
const LIKELY_RATIO = 64;
/** No deflated stream inflates to more than this many times its size. */
const MAX_DEFLATE_RATIO = 1_032;

/**
 * Spoils the streams that would inflate past what a reader may hold, so that it meets an error instead of them.
 * Encrypted ones cannot be told; the bounds of the worker are there for those.
 * @returns whether there was one
 */
export async function spoilBombs(data: Buffer): Promise<boolean> {
  let found = false;
  for (const { dictionary, start, end } of pdfStreams(data)) {
    if (!isDeflated(dictionary) || isPicture(dictionary)) continue;
    // Nobody deflates twice but to hide how much there is.
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
  } catch {
    // A stream that breaks off is the reader's concern.
  }
  return false;
}
