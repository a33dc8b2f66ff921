import type { BoundedText } from '../bounded-text.ts';
import { isDamage } from '../damage.ts';
import { type IwaObject, messageOf } from './iwa.ts';
import { type CellContent, cellContent } from './iwork-cell.ts';
import { bytesIn, messageIn, numberIn, textIn } from './protobuf.ts';

/** Fields of `TST.TableModelArchive`. */
const DATA_STORE = 4;
const TABLE_NAME = 8;
/** Fields of its `TST.DataStore`. */
const TILES = 3;
const STRINGS = 4;
const RICH_TEXTS = 17;
/** Fields of `TST.TableDataList` and its segments. */
const ENTRIES = 3;
const SEGMENTS = 4;
/** Fields of their entries. */
const KEY = 1;
const STRING = 3;
const RICH_TEXT = 9;
/** Fields of `TST.TileStorage`, its tiles, `TST.Tile` and its rows. */
const TILE_REFERENCES = 1;
const TILE = 2;
const ROWS = 5;
const ROW_INDEX = 1;
const OLD_CELLS = 3;
/** The field after this one has the offsets of the cells. */
const CELLS = 6;
const HAS_WIDE_OFFSETS = 8;

const NOTHING = Buffer.alloc(0);
const NO_CELL = 0xffff;
const WIDE = 4;

/** How a table resolves its references. */
export type TableSurroundings = {
  /** Returns a tile or list, which belongs to one table and is read once. Undefined if it is missing or was read before. */
  take(id: number): IwaObject | undefined;
  /** Writes the text of the `TST.RichTextPayloadArchive` with this id. */
  writeRich(id: number): void;
};

/** The identifier in a `TSP.Reference`. */
const referenceIn = (message: Buffer, field: number): number | null => {
  const reference = messageIn(message, field);
  return reference === null ? null : numberIn(reference, 1);
};

/** Writes a table: its name, then its rows with tabs between cells. Returns whether all of it could be read. */
export function writeTable(model: Buffer, text: BoundedText, surroundings: TableSurroundings): boolean {
  text.line(textIn(model, TABLE_NAME));
  const store = messageIn(model, DATA_STORE);
  if (store === null) return true;
  const lists = new TableLists(store, text.room, surroundings.take);
  const write = (content: CellContent) => {
    if (content.kind === 'shown') text.write(content.text);
    if (content.kind === 'string') text.write(lists.string(content.key));
    if (content.kind === 'rich') surroundings.writeRich(lists.rich(content.key));
  };
  let whole = lists.whole;
  for (const tile of bytesIn(messageIn(store, TILES) ?? NOTHING, TILE_REFERENCES)) {
    const object = surroundings.take(referenceIn(tile, TILE) ?? 0);
    const read = object === undefined || writeTile(messageOf(object), text, write);
    whole &&= read;
  }
  return whole;
}

/** A broken row affects no other row. */
function writeTile(tile: Buffer, text: BoundedText, write: (content: CellContent) => void): boolean {
  const rows: { row: Buffer; index: number }[] = [];
  let whole = attempt(() => {
    for (const row of bytesIn(tile, ROWS)) rows.push({ row, index: numberIn(row, ROW_INDEX) ?? 0 });
  });
  for (const { row } of rows.sort((a, b) => a.index - b.index)) {
    if (text.full) return whole;
    const read = attempt(() => {
      for (const record of cellsOf(row)) {
        const before = text.length;
        write(cellContent(record));
        if (text.length > before) text.separate('\t');
      }
    });
    whole &&= read;
    text.separate('\n');
  }
  return whole;
}

/** Returns false if the bytes are damaged. */
export function attempt(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** The cell records of a row. A row can contain its cells twice, once for older readers. */
function* cellsOf(row: Buffer): Generator<Buffer> {
  const field = messageIn(row, CELLS + 1) === null ? OLD_CELLS : CELLS;
  const records = messageIn(row, field);
  const offsets = messageIn(row, field + 1);
  if (records === null || offsets === null) return;
  const unit = field === CELLS && numberIn(row, HAS_WIDE_OFFSETS) === 1 ? WIDE : 1;
  for (let at = 0; at + 2 <= offsets.length; at += 2) {
    const offset = offsets.readUInt16LE(at);
    if (offset !== NO_CELL) yield records.subarray(offset * unit);
  }
}

/** The lists of values to which cells of a table refer by key. */
class TableLists {
  readonly #strings = new Map<number, string>();
  readonly #rich = new Map<number, number>();
  readonly #take: TableSurroundings['take'];
  readonly whole: boolean;
  #room: number;

  /** @param room characters beyond which strings are dropped, because the rows that show them fill the text before */
  constructor(store: Buffer, room: number, take: TableSurroundings['take']) {
    this.#take = take;
    this.#room = room;
    this.whole = attempt(() => {
      for (const entry of this.#entries(store, RICH_TEXTS)) {
        const id = referenceIn(entry, RICH_TEXT);
        if (id !== null) this.#rich.set(numberIn(entry, KEY) ?? 0, id);
      }
      for (const entry of this.#entries(store, STRINGS)) {
        const string = textIn(entry, STRING);
        this.#room -= string.length + 1;
        this.#strings.set(numberIn(entry, KEY) ?? 0, string);
        if (this.#room < 0) break;
      }
    });
  }

  string(key: number): string {
    return this.#strings.get(key) ?? '';
  }

  rich(key: number): number {
    return this.#rich.get(key) ?? 0;
  }

  /** A long list is split into segments. */
  *#entries(store: Buffer, field: number): Generator<Buffer> {
    const list = this.#take(referenceIn(store, field) ?? 0);
    if (list === undefined) return;
    const message = messageOf(list);
    yield* bytesIn(message, ENTRIES);
    for (const segment of bytesIn(message, SEGMENTS)) {
      const object = this.#take(numberIn(segment, 1) ?? 0);
      if (object !== undefined) yield* bytesIn(messageOf(object), ENTRIES);
    }
  }
}
