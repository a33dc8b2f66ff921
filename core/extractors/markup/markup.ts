import { TextDecoder } from 'node:util';
import { type MarkupHandler, XmlReader } from './xml-reader.ts';

/**
 * Feeds `handler` with one XML part. The reader knows no entities but XML's own five, and fetches nothing.
 * Answers `damaged` when the part is not well-formed (what could be read was), and stops when `enough` says so.
 */
export async function readMarkup(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  handler: MarkupHandler,
  enough: () => boolean,
): Promise<'whole' | 'damaged'> {
  const reader = new XmlReader(handler);
  let decoder: TextDecoder | null = null;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    reader.write(decoder.decode(chunk, { stream: true }));
    if (enough()) return 'whole';
    if (reader.spoiled) return 'damaged';
  }
  reader.end();
  return reader.faults > 0 ? 'damaged' : 'whole';
}

/** OOXML allows UTF-8 and UTF-16 only; the latter starts with its mark, or with a `<` of two bytes. */
function encodingOf(chunk: Uint8Array): string {
  if ((chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0x3c && chunk[1] === 0)) return 'utf-16le';
  if ((chunk[0] === 0xfe && chunk[1] === 0xff) || (chunk[0] === 0 && chunk[1] === 0x3c)) return 'utf-16be';
  return 'utf-8';
}
