import { BoundedText } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import { htmlparser2 } from '../on-demand.ts';
import { extensionOf } from '../text/text.ts';
import { decodeChunks, decodeHead, sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { htmlEncoding } from './html.ts';
import { localName } from './xml-tag.ts';

/** Deeper than real documents. An unmatched end tag is searched for through the whole depth. */
const MAX_DEPTH = 512;

/** Formats in which some elements are invisible. In other documents the same names can mean anything. */
const PAGES = new Set(['svg', 'html']);
const UNSEEN = new Set(['script', 'style']);

/** Attributes in a namespace describe markup (`ss:Type`, `xml:lang`), except links. */
const isData = (name: string) => name !== 'xmlns' && (!name.includes(':') || /:href$/i.test(name));

/**
 * Any XML document: texts and attribute values, each on a line.
 * The parser is lenient, because a broken feed or configuration file still contains text. It knows only the
 * predefined entities, so nothing can expand.
 */
export const xml: Extractor = {
  format: 'xml',
  version: 3,
  claims(file) {
    const encoding = sniffEncoding(file.bytes);
    if (encoding === null) return false;
    if (['xml', 'svg', 'rss', 'xsd', 'xsl'].includes(extensionOf(file.name))) return true;
    return decodeHead(file.bytes, encoding, 64).trimStart().startsWith('<?xml');
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    let depth = 0;
    let isPage: boolean | null = null;
    let unseen = 0;
    const hides = (name: string) => isPage === true && UNSEEN.has(localName(name).toLowerCase());
    const { Parser } = htmlparser2();
    const parser = new Parser(
      {
        onopentag(element, attributes) {
          depth++;
          isPage ??= PAGES.has(localName(element).toLowerCase());
          if (hides(element)) unseen++;
          if (unseen > 0) return;
          text.separate('\n');
          for (const [name, value] of Object.entries(attributes)) {
            if (isData(name)) text.line(value);
          }
        },
        onclosetag(element) {
          depth--;
          if (hides(element)) unseen--;
          text.separate('\n');
        },
        ontext(data) {
          if (unseen > 0) return;
          if (data.trim() === '') text.separateWeakly(' ');
          else text.write(data);
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
    for (const piece of decodeChunks(file.bytes, htmlEncoding(file.bytes))) {
      parser.write(piece);
      if (text.full || depth > MAX_DEPTH) break;
    }
    // `parser.end()` is not needed, because the parser passes on text with each piece.
    return textOutcome('xml', text, depth > MAX_DEPTH ? 'damaged' : null);
  },
};
