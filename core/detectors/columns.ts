/** In the order in which the first that a line holds is taken to divide it. */
const DELIMITERS = ['\t', ';', '|', ','] as const;
const CODES = DELIMITERS.map((delimiter) => delimiter.charCodeAt(0));
const QUOTE = 34;
const MOST_LINE_CHARACTERS = 1_000;
const MOST_HEADER_CHARACTERS = 40;
/** Longer than a row may be, so that a line that covers a region is none. */
const REGION = 1_024;
const NOTHING: Region = { tables: [], table: null, above: null };

export type Table = {
  /** Where its first line after the header starts, and where its last line ends. */
  readonly start: number;
  end: number;
  readonly delimiter: number;
  readonly header: readonly string[];
};

/** A place in a table: its line is [lineStart, lineEnd). */
export type Cell = { table: Table; column: number; lineStart: number; lineEnd: number };

type Span = { readonly start: number; readonly end: number };
type Line = Span & { readonly counts: readonly number[] };

/** The lines that start in one region of a text, once they are read. */
type Region = {
  /** That hold a line of it, ascending. */
  readonly tables: readonly Table[];
  /** The one that goes on behind its last line, which is `above` the next region. */
  readonly table: Table | null;
  readonly above: Line | null;
};

export type TableReader = {
  /** The cell that holds an offset, or null where that is in no table. Any order; fastest in ascending order. */
  readonly cellAt: (offset: number) => Cell | null;
  /** At least the tables that have a line with a character of [from, to). */
  readonly tablesIn: (from: number, to: number) => Set<Table>;
};

/**
 * In a table the word that explains a value stands at the top of its column, not beside it. A table is lines that follow
 * each other with the same number of cells, the first of which holds short names. A text is read where it is asked about,
 * by regions, each once: upwards only as long as lines have as many cells as the next.
 */
export function tableReader(text: string): TableReader {
  const regions: (Region | undefined)[] = [];
  const regionAt = (index: number): Region => {
    let first = index;
    while (regions[first] === undefined && mayBeRow(text, firstLineOf(text, first) ?? 0)) first -= 1;
    for (; first <= index; first++) regions[first] ??= readRegion(text, first, regions[first - 1]);
    return regions[index] ?? NOTHING;
  };

  let line = { start: 0, end: -1 };
  let cell: Cell | null = null;
  /** Up to where the line of `cell` was read, and whether that is between quotes. */
  let readTo = 0;
  let quoted = false;
  const cellAt = (offset: number) => {
    if (offset < Math.max(line.start, cell === null ? 0 : readTo) || offset > line.end) {
      line = lineAround(text, offset);
      const { start: lineStart, end: lineEnd } = line;
      const region = regionOf(lineStart);
      const isIn = regions[region] !== undefined || mayBeRow(text, lineStart);
      const table = isIn ? tableAt(regionAt(region).tables, offset) : undefined;
      cell = table === undefined ? null : { table, column: 0, lineStart, lineEnd };
      readTo = lineStart;
      quoted = false;
    }
    for (; cell !== null && readTo < offset; readTo++) {
      const code = text.charCodeAt(readTo);
      if (code === QUOTE) quoted = !quoted;
      else if (!quoted && code === cell.table.delimiter) cell.column += 1;
    }
    return cell;
  };

  const tablesIn = (from: number, to: number) => {
    const tables = new Set<Table>();
    for (let i = regionOf(Math.max(0, from - MOST_LINE_CHARACTERS)); i * REGION < to; i++) {
      for (const table of regionAt(i).tables) tables.add(table);
    }
    return tables;
  };
  return { cellAt, tablesIn };
}

const regionOf = (offset: number) => Math.floor(offset / REGION);

/** Of a line that is longer than a region, the part around the offset that is known to be too long for a row. */
function lineAround(text: string, offset: number): Span {
  const from = Math.max(0, offset - REGION);
  const start = from + text.slice(from, offset).lastIndexOf('\n') + 1;
  const ahead = text.slice(offset, offset + REGION);
  const newline = ahead.indexOf('\n');
  return { start, end: offset + (newline === -1 ? ahead.length : newline) };
}

/** Where the first line starts that starts in a region; null where one line covers it. */
function firstLineOf(text: string, region: number): number | null {
  if (region === 0) return 0;
  const from = region * REGION - 1;
  const newline = text.slice(from, from + REGION).indexOf('\n');
  return newline === -1 ? null : from + newline + 1;
}

/** Whether the line that starts here may be in a table below its header: it has as many cells as the line above. */
function mayBeRow(text: string, start: number): boolean {
  if (start === 0 || start >= text.length) return false;
  const { counts } = readLine(text, lineAround(text, start));
  if (counts.every((count) => count === 0)) return false;
  const above = readLine(text, lineAround(text, start - 1));
  return counts.some((count, i) => count > 0 && count === above.counts[i]);
}

function readRegion(text: string, region: number, before: Region | undefined): Region {
  let { table, above } = before ?? NOTHING;
  const tables: Table[] = table === null ? [] : [table];
  const end = Math.min(text.length, (region + 1) * REGION);
  let start = firstLineOf(text, region) ?? end;
  while (start < end) {
    const line = readLine(text, lineAround(text, start));
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

/** The table that begins with a line, where the line above it is a header of as many cells. */
function tableUnder(text: string, above: Line, { start, end, counts }: Line): Table | null {
  const dividing = above.counts.findIndex((count) => count > 0);
  const delimiter = CODES[dividing];
  if (delimiter === undefined || counts[dividing] !== above.counts[dividing]) return null;
  const header = cellsOf(text.slice(above.start, above.end), DELIMITERS[dividing] ?? '');
  return header.every(isName) ? { start, end, delimiter, header } : null;
}

const isName = (cell: string) =>
  cell.length <= MOST_HEADER_CHARACTERS && (cell.trim() === '' || /\p{L}/u.test(cell)) && !/\d{4}/.test(cell);

/** A line with how often each delimiter divides it: between double quotes none does, and in a long line none. */
function readLine(text: string, { start, end }: Span): Line {
  const counts = [0, 0, 0, 0];
  let quoted = false;
  for (let i = start; i < end && end - start <= MOST_LINE_CHARACTERS; i++) {
    const code = text.charCodeAt(i);
    if (code > 59 && code !== 124) continue;
    if (code === QUOTE) quoted = !quoted;
    else if (!quoted) {
      const delimiter = CODES.indexOf(code);
      if (delimiter !== -1) counts[delimiter] = (counts[delimiter] ?? 0) + 1;
    }
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

function tableAt(tables: readonly Table[], offset: number): Table | undefined {
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
