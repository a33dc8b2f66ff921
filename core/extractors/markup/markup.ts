import { TextDecoder } from 'node:util';
import { type MarkupHandler, XmlReader } from './xml-reader.ts';

/**
 * Parses one XML part and passes it to `handler`. Knows only the five predefined entities and fetches nothing.
 * Returns `damaged` if the part is not well-formed, after reading what it could. Stops when `enough` returns true.
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

/** OOXML allows only UTF-8 and UTF-16. UTF-16 begins with a byte-order mark or with a two-byte `<`. */
function encodingOf(chunk: Uint8Array): string {
  if ((chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0x3c && chunk[1] === 0)) return 'utf-16le';
  if ((chunk[0] === 0xfe && chunk[1] === 0xff) || (chunk[0] === 0 && chunk[1] === 0x3c)) return 'utf-16be';
  return 'utf-8';
}
