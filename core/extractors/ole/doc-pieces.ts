import type { FileInformation } from './doc-fib.ts';

const PROPERTIES = 1;
const PIECE_TABLE = 2;
const PIECE_BYTES = 8;
/** A document that was saved quickly for long has thousands. */
const MAX_PIECES = 500_000;
const IS_COMPRESSED = 0x4000_0000;

/** A run of characters that lie together, `bytesEach` of one or two, and belong to one story. */
export type Piece = { start: number; count: number; bytesEach: 1 | 2; story: number };

/**
 * Where the text lies, in the order in which it is read ([MS-DOC] 2.4.1), cut at the ends of the stories. Null when the
 * table of pieces is broken, or longer than any.
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
    // Positions only rise; where they do not, the table is broken from there on.
    if (end < first) return null;
    const place = plan.readUInt32LE((count + 1) * 4 + index * PIECE_BYTES + 2);
    found.push(...inStories({ ...placeOf(place, tableStream === null), count: end - first }, first, stories));
  }
  return found;
}

/** Before Word 97 all text is in bytes. Since then it is in UTF-16, or in bytes at half the offset given. */
function placeOf(place: number, isOld: boolean): { start: number; bytesEach: 1 | 2 } {
  if (isOld) return { start: place, bytesEach: 1 };
  return (place & IS_COMPRESSED) === 0
    ? { start: place, bytesEach: 2 }
    : { start: (place & (IS_COMPRESSED - 1)) >>> 1, bytesEach: 1 };
}

/** The table comes after any number of lists of formatting. */
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

/** One piece may hold the end of a story and the start of the next. */
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
