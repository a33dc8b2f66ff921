import type { Handler } from 'htmlparser2';
import { BoundedText, SCANTY_TEXT } from '../bounded-text.ts';
import type { Extractor, FileHead } from '../extractor.ts';
import { pictureHead } from '../image/picture-head.ts';
import { htmlparser2 } from '../on-demand.ts';
import { FractionBars } from '../text/fraction-bars.ts';
import { doubtOf, type Guess, isKnownEncoding } from '../text/guess-encoding.ts';
import { extensionOf } from '../text/text.ts';
import { byteOrderMark, decodeChunks, decodeHead, sniffEncoding, sniffGuess } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { dataUriFile, isInlinePicture } from './data-uri.ts';
import { scriptValues } from './script-values.ts';

const UNSEEN = new Set(['script', 'style', 'noscript', 'template']);
const CELLS = new Set(['td', 'th']);
const INLINE = new Set(
  [
    'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr',
    // Formula elements, except those that lay out a table.
    'math maction menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtext munder munderover none semantics',
  ].flatMap((names) => names.split(' ')),
);
/** Attributes that are shown in place of text, and hidden ones: hints and targets of links and forms. */
const SEEN_ATTRIBUTES = ['alt', 'placeholder'];
const HIDDEN_ATTRIBUTES = ['title', 'href', 'action'];
const META_NAMES = new Set(['author', 'description', 'keywords', 'subject', 'og:title', 'og:description']);

/** The parser's work grows with the square of the depth. The depth is checked once per piece. */
const MAX_DEPTH = 2_000;

/** `srcdoc` contains a whole page, which can contain another one. */
const MAX_FRAMES = 3;

/** The characters of scripts and styles of a page that are searched for values. */
const MAX_SCRIPTS = 1_000_000;

const isTarget = (value: string) => !/^(?:#|(?:java|vb)script:|data:)/i.test(value.trim());

/** The most inline files, and as many pictures, that are read with a page. */
const MAX_INLINE_FILES = 100;
const FILE_ATTRIBUTES = ['src', 'href', 'data'];

/** `files` collects inline files. Null if they are not wanted. `scripts` collects what is not shown. */
type Walk = { depth: number; frame: number; files: FileHead[] | null; scripts: BoundedText };

function handlerFor(text: BoundedText, walk: Walk): Partial<Handler> {
  let unseen = 0;
  /** Written after the block, so that the address of a link does not separate the words of its sentence. */
  const hidden: string[] = [];
  const bars = new FractionBars();
  const endBlock = (name: string) => {
    if (INLINE.has(name)) return;
    for (const value of hidden.splice(0)) text.line(value);
    text.separate(CELLS.has(name) ? '\t' : '\n');
  };
  const attributes = (name: string, given: Record<string, string>) => {
    for (const attribute of SEEN_ATTRIBUTES) {
      const value = given[attribute];
      if (value === undefined || value === '') continue;
      text.separateWeakly(' ');
      text.write(value);
      text.separate(' ');
    }
    for (const attribute of HIDDEN_ATTRIBUTES) {
      const value = given[attribute];
      if (value !== undefined && value !== '' && name !== 'link' && name !== 'base' && isTarget(value))
        hidden.push(value);
    }
    for (const [attribute, value] of Object.entries(given)) {
      if (attribute.startsWith('data-')) walk.scripts.write(`${attribute}="${value}"\n`);
    }
    if (name === 'meta' && META_NAMES.has((given.name ?? given.property ?? '').toLowerCase())) {
      text.line(given.content ?? '');
    }
    if (name === 'input' && given.type !== 'submit') text.write(given.value ?? '');
    const inner = given.srcdoc;
    if (name === 'iframe' && inner !== undefined && walk.frame < MAX_FRAMES) {
      text.separate('\n');
      parse([inner], text, walk.frame + 1, walk.files);
    }
    if (walk.files !== null) keepInline(given, walk.files);
  };
  return {
    onopentag(name, given) {
      walk.depth++;
      if (UNSEEN.has(name)) unseen++;
      if (unseen > 0) return;
      bars.open(name, walk.depth);
      // A paragraph at the start of a cell keeps the tab before it.
      if (!INLINE.has(name) && !CELLS.has(name)) text.separateWeakly('\n');
      attributes(name, given);
    },
    onclosetag(name) {
      if (unseen === 0 && bars.close(walk.depth)) text.write('/');
      walk.depth--;
      if (UNSEEN.has(name)) unseen--;
      else if (unseen === 0) endBlock(name);
    },
    ontext(data) {
      if (unseen === 0) writeCollapsed(text, data);
      else walk.scripts.write(data);
    },
    oncomment(data) {
      // Conditional comments of mail programs and XML declarations are markup. Other comments are text that somebody
      // wrote.
      if (unseen === 0 && !MARKUP.test(data)) hidden.push(data.replace(/\s+/g, ' ').trim());
    },
    onend() {
      endBlock('html');
    },
  };
}

const MARKUP = /^\s*\[|<!\[endif\]|^\[CDATA\[|^\?xml\b/i;

function keepInline(given: Record<string, string>, files: FileHead[]): void {
  for (const attribute of FILE_ATTRIBUTES) {
    const value = given[attribute];
    const file = value === undefined ? null : dataUriFile(value);
    if (file === null) continue;
    const isPicture = isInlinePicture(file);
    if (isPicture && pictureHead(file.bytes) === null) continue;
    const alike = files.filter((one) => isInlinePicture(one) === isPicture);
    if (alike.length < MAX_INLINE_FILES) files.push(file);
  }
}

/** HTML collapses white space to one space, and removes it at the start of a line. */
function writeCollapsed(text: BoundedText, data: string): void {
  const words = data.replace(/[ \t\r\n\f]+/g, ' ');
  if (words === '' || words === ' ') {
    if (words === ' ') text.separateWeakly(' ');
    return;
  }
  if (words.startsWith(' ')) text.separateWeakly(' ');
  text.write(words.trim());
  if (words.endsWith(' ')) text.separateWeakly(' ');
}

function parse(
  pieces: Iterable<string>,
  text: BoundedText,
  frame: number,
  files: FileHead[] | null,
): 'damaged' | null {
  const walk: Walk = { depth: 0, frame, files, scripts: new BoundedText(MAX_SCRIPTS) };
  const { Parser } = htmlparser2();
  const parser = new Parser(handlerFor(text, walk), { decodeEntities: true });
  for (const piece of pieces) {
    parser.write(piece);
    if (text.full) return null;
    if (walk.depth > MAX_DEPTH) return 'damaged';
  }
  parser.end();
  for (const line of scriptValues(walk.scripts.toString())) text.besides(line);
  return null;
}

/**
 * Appends the visible text of a page, and text in attributes and comments. Returns `damaged` if it is nested too
 * deep. Adds inline files to `files`, if given.
 */
export function writeHtml(
  pieces: Iterable<string>,
  text: BoundedText,
  files: FileHead[] | null = null,
): 'damaged' | null {
  return parse(pieces, text, 0, files);
}

const HEAD_BYTES = 4096;

/** The declared encoding of the page, unless a byte-order mark or the shape of UTF-16 contradicts it. */
export function htmlEncoding(bytes: Uint8Array): Guess {
  const sniffed = sniffGuess(bytes) ?? { encoding: 'windows-1252', isSure: true };
  if (byteOrderMark(bytes) !== null || /^utf-(?:16|32)/.test(sniffed.encoding)) return sniffed;
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const declared =
    /<(?:meta\b[^>]{0,200}?|\?xml\b[^>]{0,100}?)(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{1,40})/i;
  const label = declared.exec(head)?.[1]?.toLowerCase();
  // A page whose declaration can be read as ASCII is not in UTF-16, whatever it declares.
  if (label === undefined || label.startsWith('utf-16') || !isKnownEncoding(label)) return sniffed;
  return { encoding: label, isSure: true };
}

const OPENING =
  /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html|head|body)\b/i;

export const html: Extractor = {
  format: 'html',
  version: 7,
  claims(file) {
    const encoding = sniffEncoding(file.bytes);
    if (encoding === null) return false;
    if (['html', 'htm', 'xhtml'].includes(extensionOf(file.name)) || file.mimeType === 'text/html')
      return true;
    return OPENING.test(decodeHead(file.bytes, encoding, HEAD_BYTES));
  },
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const inline: FileHead[] = [];
    const guess = htmlEncoding(file.bytes);
    const shortfall = writeHtml(decodeChunks(file.bytes, guess.encoding), text, inline);
    const isScanty = text.contentLength < SCANTY_TEXT;
    for (const one of inline) if (isScanty || !isInlinePicture(one)) await context.embedded(one, text);
    return textOutcome('html', text, shortfall ?? doubtOf(guess));
  },
};
