import type { FileInformation } from './doc-fib.ts';

const PROPERTIES = 1;
const PIECE_TABLE = 2;
const PIECE_BYTES = 8;
/** A document that was fast-saved many times has thousands. */
const MAX_PIECES = 500_000;
const IS_COMPRESSED = 0x4000_0000;

/** A contiguous run of characters of one story, with `bytesEach` bytes per character. */
export type Piece = { start: number; count: number; bytesEach: 1 | 2; story: number };

/**
 * The pieces of text in reading order ([MS-DOC] 2.4.1), split at the ends of stories. Null if the piece table is
 * broken or too long.
 */
export function readPieces(information: FileInformation, tables: Buffer): Piece[] | null {
  const { pieces, text, stories, tableStream } = information;
  if (pieces.size === 0 && tableStream === null) {
    return [...inStories({ start: text.start, count: text.size, bytesEach: 1 }, 0, stories)];
  }
  const plan = findPieceTable(tables.subarray(pieces.start, pieces.start + pieces.size));
  if (plan === null) return null;
  const count = Math.floor((plan.length - 4) / (4 + PIECE_BYTES));
  if (count > MAX_PIECES) return null;
  const found: Piece[] = [];
  for (let index = 0; index < count; index++) {
    const first = plan.readUInt32LE(index * 4);
    const end = plan.readUInt32LE(index * 4 + 4);
    // Positions must rise. Otherwise the table is broken.
    if (end < first) return null;
    const place = plan.readUInt32LE((count + 1) * 4 + index * PIECE_BYTES + 2);
    found.push(...inStories({ ...placeOf(place, tableStream === null), count: end - first }, first, stories));
  }
  return found;
}

/**
 * Before Word 97 all text has one byte per character. Since then it is UTF-16, or has one byte per character at half
 * the stated offset.
 */
function placeOf(place: number, isOld: boolean): { start: number; bytesEach: 1 | 2 } {
  if (isOld) return { start: place, bytesEach: 1 };
  return (place & IS_COMPRESSED) === 0
    ? { start: place, bytesEach: 2 }
    : { start: (place & (IS_COMPRESSED - 1)) >>> 1, bytesEach: 1 };
}

/** Any number of formatting lists precedes the table. */
function findPieceTable(clx: Buffer): Buffer | null {
  let at = 0;
  while (at + 5 <= clx.length) {
    const kind = clx.readUInt8(at);
    if (kind === PIECE_TABLE) return clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
    if (kind !== PROPERTIES) return null;
    at += 3 + clx.readUInt16LE(at + 1);
  }
  return null;
}

/** A piece can contain the end of a story and the start of the next. */
function* inStories(
  piece: Omit<Piece, 'story'>,
  first: number,
  stories: readonly number[],
): Generator<Piece> {
  let storyEnd = 0;
  let at = first;
  const end = first + piece.count;
  for (const [story, size] of [...stories, Number.POSITIVE_INFINITY].entries()) {
    storyEnd += size;
    if (at >= storyEnd || at >= end) continue;
    const cut = Math.min(end, storyEnd);
    yield { ...piece, start: piece.start + (at - first) * piece.bytesEach, count: cut - at, story };
    at = cut;
  }
}
