import type { BoundedText } from '../bounded-text.ts';
import { decodeCodePage } from '../text/code-page.ts';

/** Records that write text ([MS-EMF] 2.3.5), and records that change the coordinate system. */
const NARROW = 83;
const WIDE = 84;
const SMALL = 108;
const MOVING: ReadonlySet<number> = new Set([9, 10, 11, 12, 35, 36]);

/**
 * Options of a text: glyph indexes instead of characters, distances in two directions, no rectangle, one byte per
 * character.
 */
const GLYPHS = 0x10;
const TWO_DISTANCES = 0x2000;
const NO_RECTANGLE = 0x100;
const ONE_BYTE = 0x200;

const WESTERN = 1252;
/** As a share of the character width. A larger gap separates words. */
const WORD_GAP = 0.3;

/** Where a text begins, and where it ends if the record says so. */
type Run = { words: string; x: number; y: number; width: number | null };

/** Writes the texts of a metafile. Drawings place words or parts of words separately. */
export class EmfText {
  readonly #text: BoundedText;
  #last: Run | null = null;

  constructor(text: BoundedText) {
    this.#text = text;
  }

  read(type: number, record: Buffer): void {
    if (MOVING.has(type)) this.#last = null;
    const run =
      type === SMALL ? smallRun(record) : type === WIDE || type === NARROW ? longRun(type, record) : null;
    if (run === null || run.words === '') return;
    this.#separate(run);
    this.#text.write(run.words);
    this.#last = run;
  }

  #separate(next: Run): void {
    const last = this.#last;
    if (last === null || last.y !== next.y) this.#text.separate('\n');
    else if (
      last.width === null ||
      next.x - last.x - last.width > (WORD_GAP * last.width) / last.words.length
    ) {
      this.#text.separate(' ');
    }
  }
}

/** After bounds and scales: position, count, offset of the characters, options, rectangle, offset of the distances. */
function longRun(type: number, record: Buffer): Run | null {
  if (record.length < 76) return null;
  const count = record.readUInt32LE(44);
  const start = record.readUInt32LE(48);
  const options = record.readUInt32LE(52);
  const end = start + count * (type === WIDE ? 2 : 1);
  if ((options & GLYPHS) !== 0 || end > record.length) return null;
  const characters = record.subarray(start, end);
  return {
    words: type === WIDE ? characters.toString('utf16le') : decodeCodePage(characters, WESTERN),
    x: record.readInt32LE(36),
    y: record.readInt32LE(40),
    width: widthOf(record, record.readUInt32LE(72), count, (options & TWO_DISTANCES) !== 0 ? 8 : 4),
  };
}

/** The sum of the distances between the characters. */
function widthOf(record: Buffer, start: number, count: number, step: number): number | null {
  if (start < 76 || start + count * step > record.length) return null;
  let width = 0;
  for (let index = 0; index < count; index++) width += record.readUInt32LE(start + index * step);
  return width;
}

function smallRun(record: Buffer): Run | null {
  if (record.length < 36) return null;
  const count = record.readUInt32LE(16);
  const options = record.readUInt32LE(20);
  const start = (options & NO_RECTANGLE) !== 0 ? 36 : 52;
  const isNarrow = (options & ONE_BYTE) !== 0;
  const end = start + count * (isNarrow ? 1 : 2);
  if ((options & GLYPHS) !== 0 || end > record.length) return null;
  return {
    words: record.toString(isNarrow ? 'latin1' : 'utf16le', start, end),
    x: record.readInt32LE(8),
    y: record.readInt32LE(12),
    width: null,
  };
}
