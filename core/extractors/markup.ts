import { TextDecoder } from 'node:util';
import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** A walk over the elements of one part, by local name: the prefix of a namespace is the writer's choice. */
export type MarkupHandler = {
  open(name: string, tag: SaxesTagPlain): void;
  text(text: string): void;
  close(name: string): void;
};

const MAX_DEPTH = 512;
/** A text or tag longer than this would pile up in the parser; no writer makes one. */
const MAX_TOKEN_CHARACTERS = 4_000_000;
/** Past so many faults a part is not read on: each one costs the making of an error. */
const MAX_FAULTS = 100;

export const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** The value of the attribute with this local name. */
export function attribute(tag: SaxesTagPlain, local: string): string | undefined {
  for (const name in tag.attributes) if (localName(name) === local) return tag.attributes[name];
  return undefined;
}

/**
 * Feeds `handler` with one XML part. The parser knows no entities but XML's own five, and fetches nothing.
 * Answers `damaged` when the part is not well formed (what could be read was), and stops when `enough` says so.
 */
export async function readMarkup(
  chunks: AsyncIterable<Uint8Array>,
  handler: MarkupHandler,
  enough: () => boolean,
): Promise<'whole' | 'damaged'> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let faults = 0;
  let depth = 0;
  let sinceToken = 0;
  parser.on('error', () => {
    faults++;
  });
  parser.on('opentag', (tag) => {
    depth++;
    sinceToken = 0;
    handler.open(localName(tag.name), tag);
  });
  parser.on('closetag', (tag) => {
    depth--;
    sinceToken = 0;
    handler.close(localName(tag.name));
  });
  const onText = (text: string) => {
    sinceToken = 0;
    handler.text(text);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);

  let decoder: TextDecoder | null = null;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    const piece = decoder.decode(chunk, { stream: true });
    sinceToken += piece.length;
    parser.write(piece);
    if (enough()) return 'whole';
    if (depth > MAX_DEPTH || sinceToken > MAX_TOKEN_CHARACTERS || faults > MAX_FAULTS) return 'damaged';
  }
  parser.close();
  return faults > 0 ? 'damaged' : 'whole';
}

/** OOXML allows UTF-8 and UTF-16 only; the latter starts with its mark, or with a `<` of two bytes. */
function encodingOf(chunk: Uint8Array): string {
  if ((chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0x3c && chunk[1] === 0)) return 'utf-16le';
  if ((chunk[0] === 0xfe && chunk[1] === 0xff) || (chunk[0] === 0 && chunk[1] === 0x3c)) return 'utf-16be';
  return 'utf-8';
}
