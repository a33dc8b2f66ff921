import { BoundedText } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import { htmlparser2 } from '../on-demand.ts';
import { doubtOf } from '../text/guess-encoding.ts';
import { extensionOf } from '../text/text.ts';
import { decodeChunks, decodeHead, sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { htmlEncoding } from './html.ts';
import { isData, type XmlHandler, xmlData } from './xml-data.ts';
import { XmlForm } from './xml-form.ts';
import { localName } from './xml-tag.ts';

/** Deeper than real documents. An unmatched end tag is searched for through the whole depth. */
const MAX_DEPTH = 512;
/** The beginning of a document that decides whether it is text or data, in characters. */
const SAMPLE_CHARACTERS = 262_144;

/** Formats in which some elements are invisible. In other documents the same names can mean anything. */
const PAGES = new Set(['svg', 'html']);
const UNSEEN = new Set(['script', 'style']);

/** Attributes of documents that describe markup: numbers of parts, their kind and their look. */
const MARKUP_ATTRIBUTE =
  /^(?:id|.*[-_]?id|rid|ids?ref|idrefs|linkend|class|style|type|.*-type|lang|dir|role|space|version|.*version|align|valign|width|height|(?:col|row)span|rel|position|orientation|d|x|y|x[12]|y[12]|c[xy]|r[xy]?|viewbox|transform|points|fill.*|stroke.*|font-.*|mimetype|.*-?format|encoding|units|offset|opacity)$/i;

const EXTENSIONS = new Set(
  'xml svg rss atom xsd xsl xslt nxml plist config wsdl resx csproj props targets pom dita dbk docbook tei jats xlf xliff kml gpx opml xmp'.split(
    ' ',
  ),
);
const ROOT =
  /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?(?:<!DOCTYPE\s[^>[]{1,500}>\s*)?<([A-Za-z_][\w:.-]{0,100})(?:\s[^<>]*)?>/;
const TAIL_BYTES = 256;

/** A document without a prologue begins with a tag, and ends with that of the same element. */
function isUnannounced(bytes: Uint8Array, head: string): boolean {
  const name = ROOT.exec(head)?.[1];
  const tail = Buffer.from(bytes.subarray(-TAIL_BYTES)).toString('latin1').trimEnd();
  return name !== undefined && tail.endsWith(`</${name}>`);
}

/**
 * Any XML document. Data is read as lines of names and values, a document as text.
 * The parser is lenient, because a broken feed or configuration file still contains text. It knows only the
 * predefined entities, so nothing can expand.
 */
export const xml: Extractor = {
  format: 'xml',
  version: 5,
  claims(file) {
    const encoding = sniffEncoding(file.bytes);
    if (encoding === null) return false;
    if (EXTENSIONS.has(extensionOf(file.name))) return true;
    const head = decodeHead(file.bytes, encoding, 4096);
    return head.trimStart().startsWith('<?xml') || isUnannounced(file.bytes, head);
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const guess = htmlEncoding(file.bytes);
    const pieces = () => decodeChunks(file.bytes, guess.encoding);
    const handler = isDocument(pieces()) ? xmlDocument(text) : xmlData(text);
    const isTooDeep = walk(pieces(), handler, () => text.full);
    handler.end();
    return textOutcome('xml', text, isTooDeep ? 'damaged' : doubtOf(guess));
  },
};

function isDocument(pieces: Iterable<string>): boolean {
  const form = new XmlForm();
  let [isPage, characters]: [boolean | null, number] = [null, 0];
  const open = (name: string) => {
    isPage ??= PAGES.has(localName(name).toLowerCase());
    form.open();
  };
  const sampled = function* () {
    for (const piece of pieces) {
      characters += piece.length;
      yield piece;
    }
  };
  walk(
    sampled(),
    { open, text: (data) => form.text(data), close: () => form.close(), end() {} },
    () => isPage === true || characters > SAMPLE_CHARACTERS,
  );
  return isPage === true || form.isDocument();
}

/** @returns whether the document is nested too deep. The rest of it is not read. */
function walk(pieces: Iterable<string>, handler: XmlHandler, isEnough: () => boolean): boolean {
  let depth = 0;
  const { Parser } = htmlparser2();
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++;
        handler.open(name, attributes);
      },
      onclosetag(name) {
        depth--;
        handler.close(name);
      },
      ontext: (data) => handler.text(data),
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (const piece of pieces) {
    parser.write(piece);
    if (depth > MAX_DEPTH) return true;
    if (isEnough()) return false;
  }
  // `parser.end()` is not needed, because the parser passes on text with each piece.
  return false;
}

/** Texts, and attributes that are not of the markup. An element beside text is within its line. */
function xmlDocument(text: BoundedText): XmlHandler {
  let isPage: boolean | null = null;
  let unseen = 0;
  /** For each open element, whether it is within a line, and whether text came before in it. */
  const open: { isInline: boolean; hasText: boolean }[] = [];
  /** An element ended. The text that follows decides whether it was within a line. */
  let isAfterEnd = false;
  const hides = (name: string) => isPage === true && UNSEEN.has(localName(name).toLowerCase());
  return {
    open(name, attributes) {
      isPage ??= PAGES.has(localName(name).toLowerCase());
      if (hides(name)) unseen++;
      const isInline = open.at(-1)?.hasText === true;
      open.push({ isInline, hasText: false });
      if (unseen > 0) return;
      if (!isInline) text.separate('\n');
      isAfterEnd = false;
      for (const [attribute, value] of Object.entries(attributes)) {
        if (!isData(attribute) || MARKUP_ATTRIBUTE.test(attribute) || value.trim() === '') continue;
        if (isInline) text.separateWeakly(' ');
        text.write(value);
        text.separate(isInline ? ' ' : '\n');
      }
    },
    text(data) {
      if (unseen > 0) return;
      const words = data.replace(/\s+/g, ' ');
      const parent = open.at(-1);
      if (words.trim() === '') {
        text.separateWeakly(' ');
        return;
      }
      if (isAfterEnd) text.separate(words.startsWith(' ') ? ' ' : '');
      else if (words.startsWith(' ')) text.separateWeakly(' ');
      isAfterEnd = false;
      if (parent !== undefined) parent.hasText = true;
      text.write(words.trim());
      if (words.endsWith(' ')) text.separateWeakly(' ');
    },
    close(name) {
      if (hides(name)) unseen--;
      const isInline = open.pop()?.isInline === true;
      if (unseen > 0 || isInline) return;
      text.separate('\n');
      isAfterEnd = true;
    },
    end() {},
  };
}
