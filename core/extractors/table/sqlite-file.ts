import { InflatedBound } from '../archive/zip.ts';
import { Damaged } from '../damage.ts';
import type { ExtractionBudget } from '../extractor.ts';

/** The file format of SQLite 3 (sqlite.org/fileformat2.html). */
export const SQLITE_MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;
const SCHEMA_PAGE = 1;
const LOGGED = 2;
const MAX_PAGE_BYTES = 65_536;
const MIN_USABLE_BYTES = 480;
/** Types of pages of tables. Other pages are of indexes. */
const INTERIOR = 0x05;
const LEAF = 0x0d;
const INTERIOR_HEAD = 12;
const LEAF_HEAD = 8;
const ENCODINGS: Readonly<Record<number, string>> = { 1: 'utf-8', 2: 'utf-16le', 3: 'utf-16be' };
/** Sizes of whole numbers by their serial type. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];
const FLOAT = 7;
const ZERO = 8;
const ONE = 9;
const FIRST_BLOB = 12;

export type SqliteValue = string | number | bigint | Buffer | null;
export type SqliteRow = { rowid: bigint; values: SqliteValue[] };

/** The tables of a database file. Pages are read where they are, each at most once for all tables. */
export class SqliteFile {
  readonly #data: Buffer;
  readonly #budget: ExtractionBudget;
  readonly #pageBytes: number;
  /** Bytes of a page without those that extensions reserve at its end. */
  readonly #usable: number;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  /** A page belongs to one table, at one place. */
  readonly #visited = new Set<number>();

  /** Throws `Damaged` if the header is broken. Content in pages beyond those of a row counts toward the budget. */
  constructor(bytes: Uint8Array, budget: ExtractionBudget) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = data.readUInt16BE(16);
    this.#data = data;
    this.#budget = budget;
    this.#pageBytes = size === 1 ? MAX_PAGE_BYTES : size;
    this.#usable = this.#pageBytes - data.readUInt8(20);
    const isPower = (this.#pageBytes & (this.#pageBytes - 1)) === 0;
    if (!isPower || this.#usable < MIN_USABLE_BYTES) throw new Damaged('page_size');
    this.#decoder = new TextDecoder(ENCODINGS[data.readUInt32BE(56)] ?? 'utf-8');
  }

  /** Whether changes are written to a log first, which is a file of its own (`-wal`). Rows may be only there. */
  get hasLog(): boolean {
    return this.#data.readUInt8(18) === LOGGED || this.#data.readUInt8(19) === LOGGED;
  }

  /** The list of tables, which is a table itself. */
  schema(): Generator<SqliteRow> {
    return this.rows(SCHEMA_PAGE);
  }

  /** The rows of the table whose tree begins at a page, in order. Throws what `isDamage` knows where it is broken. */
  *rows(root: number): Generator<SqliteRow> {
    const pages = [root];
    for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
      if (this.#visited.has(page)) throw new Damaged('page_twice');
      this.#visited.add(page);
      const start = this.#startOf(page);
      const head = page === SCHEMA_PAGE ? start + HEADER_BYTES : start;
      const type = this.#data.readUInt8(head);
      if (type !== LEAF && type !== INTERIOR) throw new Damaged('no_table_page');
      const count = this.#data.readUInt16BE(head + 3);
      const list = head + (type === LEAF ? LEAF_HEAD : INTERIOR_HEAD);
      if (list + count * 2 > start + this.#usable) throw new Damaged('too_many_cells');
      const cellAt = (index: number) => start + this.#data.readUInt16BE(list + index * 2);
      if (type === LEAF) {
        for (let index = 0; index < count; index++) yield this.#row(cellAt(index), start);
      } else {
        pages.push(this.#data.readUInt32BE(head + 8));
        for (let index = count - 1; index >= 0; index--) pages.push(this.#data.readUInt32BE(cellAt(index)));
      }
    }
  }

  #startOf(page: number): number {
    const start = (page - 1) * this.#pageBytes;
    if (page < 1 || start + this.#pageBytes > this.#data.length) throw new Damaged('no_page');
    return start;
  }

  #row(cell: number, pageStart: number): SqliteRow {
    const size = varint(this.#data, cell);
    const rowid = varint(this.#data, size.end);
    const payload = this.#payload(toLength(size.value, this.#data.length), rowid.end, pageStart);
    const values: SqliteValue[] = [];
    const head = varint(payload, 0);
    let at = toLength(head.value, payload.length);
    for (let typeAt = head.end; typeAt < Number(head.value); ) {
      const type = varint(payload, typeAt);
      const length = lengthOf(type.value, payload.length);
      if (at + length > payload.length) throw new Damaged('value_breaks_off');
      values.push(this.#value(Number(type.value), payload.subarray(at, at + length)));
      at += length;
      typeAt = type.end;
    }
    return { rowid: BigInt.asIntN(64, rowid.value), values };
  }

  /** The part of a row in its page, and the pages in which it goes on. */
  #payload(size: number, at: number, pageStart: number): Buffer {
    const largest = this.#usable - 35;
    const smallest = Math.floor(((this.#usable - 12) * 32) / 255) - 23;
    const filling = smallest + ((size - smallest) % (this.#usable - 4));
    const local = size <= largest ? size : filling <= largest ? filling : smallest;
    if (at + local > pageStart + this.#usable) throw new Damaged('cell_breaks_off');
    const first = this.#data.subarray(at, at + local);
    if (local === size) return first;
    this.#budget.inflatedBytes -= size;
    if (this.#budget.inflatedBytes < 0) throw new InflatedBound();
    const pieces = [first];
    let next = this.#data.readUInt32BE(at + local);
    for (let left = size - local; left > 0; ) {
      const start = this.#startOf(next);
      const length = Math.min(left, this.#usable - 4);
      pieces.push(this.#data.subarray(start + 4, start + 4 + length));
      next = this.#data.readUInt32BE(start);
      left -= length;
    }
    return Buffer.concat(pieces);
  }

  #value(type: number, bytes: Buffer): SqliteValue {
    if (type === 0) return null;
    if (type === ZERO || type === ONE) return type - ZERO;
    if (type === FLOAT) return bytes.readDoubleBE(0);
    if (type < FLOAT) return bytes.length === 8 ? bytes.readBigInt64BE(0) : bytes.readIntBE(0, bytes.length);
    return type % 2 === 0 ? bytes : this.#decoder.decode(bytes);
  }
}

/** A number of one to nine bytes. The first eight give seven bits, the ninth all of its bits. */
function varint(data: Buffer, start: number): { value: bigint; end: number } {
  let value = 0n;
  for (let at = start; at < start + 8; at++) {
    const byte = data.readUInt8(at);
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return { value: (value << 8n) | BigInt(data.readUInt8(start + 8)), end: start + 9 };
}

function toLength(value: bigint, most: number): number {
  if (value > BigInt(most)) throw new Damaged('length_beyond_the_end');
  return Number(value);
}

/** The length of a value by its serial type. */
function lengthOf(type: bigint, most: number): number {
  if (type < INTEGER_BYTES.length) return INTEGER_BYTES[Number(type)] ?? 0;
  if (type === BigInt(FLOAT)) return 8;
  if (type < FIRST_BLOB) return 0;
  return toLength((type - BigInt(FIRST_BLOB)) / 2n, most);
}
