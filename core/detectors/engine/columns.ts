import { codeUnits } from './code-units.ts';

/** In order of precedence: the first of these that occurs in a line divides it. */
const DELIMITERS = ['\t', ';', '|', ','] as const;
const CODES = DELIMITERS.map((delimiter) => delimiter.charCodeAt(0));
const QUOTE = 34;
const NEWLINE = 10;
/** By code unit: the index of the delimiter plus 1, `QUOTES` for a quote, and 0 for all others. */
const MARKS = new Uint8Array(1 << 16);
const QUOTES = DELIMITERS.length + 1;
CODES.forEach((code, i) => {
  MARKS[code] = i + 1;
});
MARKS[QUOTE] = QUOTES;
const MAX_LINE_CHARACTERS = 1_000;
const MAX_HEADER_CHARACTERS = 40;
/** Longer than a row may be, so a line that fills a region is not a row. */
const REGION = 1_024;
const NOTHING: Region = { tables: [], table: null, above: null };
const NO_REMARKS: readonly string[] = [];

export type Table = {
  /** Start of the first line after the header, and end of the last line. */
  readonly start: number;
  readonly end: number;
  readonly header: readonly string[];
  /** By column: what is said of it besides its name. Empty if nothing is. */
  readonly remarks: readonly string[];
  /** The cells in lines that have a character of [from, to). */
  readonly cellsIn: (from: number, to: number) => Iterable<CellSpan>;
};

type GuessedTable = Table & { end: number; readonly delimiter: number };

/** A place in a table: its line is [lineStart, lineEnd). */
export type Cell = { table: Table; column: number; lineStart: number; lineEnd: number };

type Span = { readonly start: number; readonly end: number };
export type CellSpan = Span & { readonly column: number };
type Line = Span & { readonly counts: readonly number[] };

/** The lines that start in one region of a text. */
type Region = {
  /** Tables with a line in this region, ascending. */
  readonly tables: readonly GuessedTable[];
  /** The table that continues after the last line of the region. `above` is that line. */
  readonly table: GuessedTable | null;
  readonly above: Line | null;
};

export type TableReader = {
  /**
   * The cell that contains an offset, or null outside of tables. Offsets may come in any order; ascending is fastest.
   */
  readonly cellAt: (offset: number) => Cell | null;
  /** All tables that have a line with a character of [from, to), and possibly a few more. */
  readonly tablesIn: (from: number, to: number) => Set<Table>;
};

/**
 * Finds tables, because in a table the context word of a value is in the header of its column and not beside it. A
 * table is a header of short names followed by lines with the same number of cells.
 * The text is read by regions, on demand and once each. Reading goes upwards only while lines have as many cells as
 * the next one.
 */
export function tableReader(text: string, codes = codeUnits(text)): TableReader {
  const regions: (Region | undefined)[] = [];
  const regionAt = (index: number): Region => {
    let first = index;
    while (regions[first] === undefined && mayBeRow(codes, firstLineOf(codes, first) ?? 0)) first -= 1;
    for (; first <= index; first++) regions[first] ??= readRegion(text, codes, first, regions[first - 1]);
    return regions[index] ?? NOTHING;
  };

  let line = { start: 0, end: -1 };
  let cell: (Cell & { table: GuessedTable }) | null = null;
  /** How far the line of `cell` has been read, and whether that place is within quotes. */
  let readTo = 0;
  let quoted = false;
  const cellAt = (offset: number) => {
    if (offset < Math.max(line.start, cell === null ? 0 : readTo) || offset > line.end) {
      line = lineAround(codes, offset);
      const { start: lineStart, end: lineEnd } = line;
      const region = regionOf(lineStart);
      const isIn = regions[region] !== undefined || mayBeRow(codes, lineStart);
      const table = isIn ? tableAt(regionAt(region).tables, offset) : undefined;
      cell = table === undefined ? null : { table, column: 0, lineStart, lineEnd };
      readTo = lineStart;
      quoted = false;
    }
    if (cell !== null && readTo < offset) {
      const { delimiter } = cell.table;
      let { column } = cell;
      let isInQuotes = quoted;
      for (let i = readTo; i < offset; i++) {
        const code = codes[i];
        if (code === QUOTE) isInQuotes = !isInQuotes;
        else if (!isInQuotes && code === delimiter) column += 1;
      }
      cell.column = column;
      quoted = isInQuotes;
      readTo = offset;
    }
    return cell;
  };

  const tablesIn = (from: number, to: number) => {
    const tables = new Set<Table>();
    for (let i = regionOf(Math.max(0, from - MAX_LINE_CHARACTERS)); i * REGION < to; i++) {
      for (const table of regionAt(i).tables) tables.add(table);
    }
    return tables;
  };
  return { cellAt, tablesIn };
}

/** Lines with another number of cells than the header are left out. */
function* cellsOfLines(
  text: string,
  { start, end, header, delimiter }: GuessedTable,
  from: number,
  to: number,
): Generator<CellSpan> {
  let lineStart = Math.max(start, text.lastIndexOf('\n', from) + 1);
  while (lineStart < Math.min(end, to)) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const cells = text.slice(lineStart, lineEnd).split(String.fromCharCode(delimiter));
    let cellStart = lineStart;
    for (const [column, cell] of cells.length === header.length ? cells.entries() : []) {
      yield { column, start: cellStart, end: cellStart + cell.length };
      cellStart += cell.length + 1;
    }
    lineStart = lineEnd + 1;
  }
}

const regionOf = (offset: number) => Math.floor(offset / REGION);

/** The line at an offset. Of a line that is longer than a region, it returns a part that is too long for a row. */
function lineAround(codes: Uint16Array, offset: number): Span {
  const least = Math.max(0, offset - REGION);
  let start = offset;
  while (start > least && codes[start - 1] !== NEWLINE) start -= 1;
  return { start, end: lineEndFrom(codes, offset) };
}

/** The end of the line at an offset, at most one region further. */
function lineEndFrom(codes: Uint16Array, offset: number): number {
  const most = Math.min(codes.length, offset + REGION);
  let end = offset;
  while (end < most && codes[end] !== NEWLINE) end += 1;
  return end;
}

/** The start of the first line that starts in a region, or null if one line covers the region. */
function firstLineOf(codes: Uint16Array, region: number): number | null {
  if (region === 0) return 0;
  const newline = lineEndFrom(codes, region * REGION - 1);
  return codes[newline] === NEWLINE && newline < (region + 1) * REGION - 1 ? newline + 1 : null;
}

/** Whether the line that starts here can be a row: it has as many cells as the line above. */
function mayBeRow(codes: Uint16Array, start: number): boolean {
  if (start === 0 || start >= codes.length) return false;
  const { counts } = readLine(codes, lineAround(codes, start));
  if (counts.every((count) => count === 0)) return false;
  const above = readLine(codes, lineAround(codes, start - 1));
  return counts.some((count, i) => count > 0 && count === above.counts[i]);
}

function readRegion(text: string, codes: Uint16Array, region: number, before: Region | undefined): Region {
  let { table, above } = before ?? NOTHING;
  const tables: GuessedTable[] = table === null ? [] : [table];
  const end = Math.min(codes.length, (region + 1) * REGION);
  let start = firstLineOf(codes, region) ?? end;
  while (start < end) {
    const line = readLine(codes, lineAround(codes, start));
    if (table !== null && line.counts[CODES.indexOf(table.delimiter)] === table.header.length - 1) {
      table.end = line.end;
    } else {
      table = above === null ? null : tableUnder(text, above, line);
      if (table !== null) tables.push(table);
    }
    above = line;
    start = line.end + 1;
  }
  return { tables, table, above };
}

/** The table that begins with a line if the line above is a header with as many cells, otherwise null. */
function tableUnder(text: string, above: Line, { start, end, counts }: Line): GuessedTable | null {
  const dividing = above.counts.findIndex((count) => count > 0);
  const delimiter = CODES[dividing];
  if (delimiter === undefined || counts[dividing] !== above.counts[dividing]) return null;
  const written = text.slice(above.start, above.end);
  if (SEPARATOR_LINE.test(written)) return null;
  const groups = cellsOf(written, DELIMITERS[dividing] ?? '');
  if (!groups.every(isName)) return null;
  const names = cellsOf(text.slice(start, end), DELIMITERS[dividing] ?? '');
  const areTwo =
    names.length >= LEAST_GROUPED && isGrouped(groups) && names.every(isName) && !isGrouped(names);
  const header = areTwo ? names.map((name, i) => `${groups[i]} ${name}`) : groups;
  const cellsIn = (from: number, to: number) => cellsOfLines(text, table, from, to);
  const table: GuessedTable = {
    start: areTwo ? end + 1 : start,
    end,
    delimiter,
    header,
    remarks: NO_REMARKS,
    cellsIn,
  };
  return table;
}

/** A first line for spreadsheets that names the delimiter. */
const SEPARATOR_LINE = /^\ufeff?sep=[\t;|,]\r?$/i;

/** Two cells and a comma at the end of a line are prose. */
const LEAST_GROUPED = 3;

/** Whether a line of a header names groups of columns: one name is over several columns, and may be written once. */
const isGrouped = (names: readonly string[]): boolean => {
  const written = names.map((name) => name.trim().toLowerCase());
  return written.includes('') || new Set(written).size < written.length;
};

const isName = (cell: string) =>
  cell.length <= MAX_HEADER_CHARACTERS && (cell.trim() === '' || /\p{L}/u.test(cell)) && !/\d{4}/.test(cell);

/**
 * A line with the count of each delimiter. Delimiters within double quotes do not count, and a line that is too long
 * has none.
 */
function readLine(codes: Uint16Array, { start, end }: Span): Line {
  const counts = [0, 0, 0, 0];
  let quoted = false;
  for (let i = start; i < end && end - start <= MAX_LINE_CHARACTERS; i++) {
    const mark = MARKS[codes[i] ?? 0] ?? 0;
    if (mark === 0) continue;
    if (mark === QUOTES) quoted = !quoted;
    else if (!quoted) counts[mark - 1] = (counts[mark - 1] ?? 0) + 1;
  }
  return { start, end, counts };
}

function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cellStart = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '"') quoted = !quoted;
    else if (!quoted && line[i] === delimiter) {
      cells.push(line.slice(cellStart, i));
      cellStart = i + 1;
    }
  }
  cells.push(line.slice(cellStart));
  return cells;
}

function tableAt(tables: readonly GuessedTable[], offset: number): GuessedTable | undefined {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tables[middle]?.end ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const table = tables[low];
  return table !== undefined && table.start <= offset ? table : undefined;
}
