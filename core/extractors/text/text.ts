import { BoundedText } from '../bounded-text.ts';
import type { Extractor, FileHead } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { doubtOf } from './guess-encoding.ts';
import { decodeChunks, sniffEncoding, sniffGuess } from './text-encoding.ts';

/** The extension in lower case without the dot. Empty if there is none. */
export function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,16})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Converts decoded text to the text that a reader sees. Called with consecutive pieces. */
type Rewrite = () => (piece: string) => string;

/** Zeros pad fields and preallocated files. In exports of Hive, the next codes separate fields. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these codes are what is looked for
const PADDING = /[\0-\x03]+/g;

const asItIs: Rewrite = () => (piece) => piece;

/** A format whose bytes are text. It claims files by name if their bytes are text. */
const textFormat = (
  format: string,
  version: number,
  named: (file: FileHead) => boolean,
  rewrite: Rewrite,
): Extractor => ({
  format,
  version,
  claims: (file) => named(file) && sniffEncoding(file.bytes) !== null,
  async extract(file, context) {
    const guess = sniffGuess(file.bytes);
    if (guess === null) return { state: 'unsupported', format, reason: 'unknown_format' };
    const text = new BoundedText(context.maxCharacters);
    const rewritten = rewrite();
    for (const piece of decodeChunks(file.bytes, guess.encoding)) {
      text.write(rewritten(piece.replace(PADDING, '\t')));
      if (text.full) break;
    }
    return textOutcome(format, text, doubtOf(guess));
  },
});

const byExtension =
  (...extensions: string[]) =>
  (file: FileHead) =>
    extensions.includes(extensionOf(file.name));

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t', b: ' ', f: '\n' };

/**
 * Resolves escapes, which hide words (`Jos\u00e9`, `\nName`). An escape that is split between pieces stays as it is.
 */
const unescapeJson: Rewrite = () => (piece) =>
  piece.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (_, hex: string | undefined, char: string) =>
    hex === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/**
 * Converts delimiters to tabs, removes quotes around fields, and converts line ends within fields to spaces. A quote
 * counts only at the start of a field, so that a stray one (`5" pipe`) does not affect the rest of the file.
 */
const cells: Rewrite = () => {
  let delimiter: string | null = null;
  let quoted = false;
  let fieldStart = true;
  /** After a quote inside a quoted field. A second one means a literal quote. Otherwise the field has ended. */
  let pendingQuote = false;
  return (piece) => {
    delimiter ??= delimiterOf(piece);
    let out = '';
    for (const char of piece) {
      if (pendingQuote) {
        pendingQuote = false;
        quoted = char === '"';
        if (quoted) {
          out += '"';
          continue;
        }
      }
      if (quoted) {
        if (char === '"') pendingQuote = true;
        else out += char === '\n' || char === '\r' ? ' ' : char;
        continue;
      }
      if (char === '"' && fieldStart) quoted = true;
      else out += char === delimiter ? '\t' : char;
      fieldStart = char === delimiter || char === '\n' || char === '\r';
    }
    return out;
  };
};

/** The candidate that occurs most often in the first line. */
function delimiterOf(piece: string): string {
  const firstLine = piece.slice(0, 4096).split(/[\r\n]/, 1)[0] ?? '';
  const counts = ['\t', ';', '|', ','].map((char) => ({ char, count: firstLine.split(char).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).char;
}

const FOLD = /\r?\n[ \t]/g;
/** A property of vCard 2.1 in quoted-printable, over several lines. */
const QUOTED = /^([^:\r\n]*QUOTED-PRINTABLE[^:\r\n]*:)((?:[^\r\n]*=\r?\n)*[^\r\n]*)/gim;
const QUOTED_BYTES = /(?:=[0-9a-f]{2})+/gi;

/** Joins folded lines (RFC 5545, 3.1; RFC 6350, 3.2), and resolves quoted-printable. */
const unfold: Rewrite = () => (piece) =>
  piece
    .replace(QUOTED, (_, name: string, value: string) => {
      const joined = value.replace(/=\r?\n/g, '');
      return (
        name +
        joined.replace(QUOTED_BYTES, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
      );
    })
    .replace(FOLD, '');

export const calendar = textFormat('calendar', 2, byExtension('ics', 'ifb', 'vcf', 'vcard', 'vcs'), unfold);
export const csv = textFormat(
  'csv',
  4,
  (file) => byExtension('csv', 'tsv', 'tab')(file) || file.mimeType === 'text/csv',
  cells,
);
export const json = textFormat(
  'json',
  4,
  byExtension('json', 'jsonl', 'ndjson', 'geojson', 'ipynb', 'boxnote'),
  unescapeJson,
);
export const markdown = textFormat('markdown', 4, byExtension('md', 'markdown'), asItIs);
export const plainText = textFormat('text', 4, () => true, asItIs);
