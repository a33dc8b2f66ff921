import { DELIMITERS, type Line, MAX_LINE_CHARACTERS, readLine } from './columns.ts';

/** A column with fewer values proves little. */
const LEAST_VALUES = 5;
/** Columns of one text that are looked at. */
const MAX_COLUMNS = 64;
/** Longer cells hold no identifier alone. */
const MAX_CELL_CHARACTERS = 48;
/** Lines that are read to see whether a block of lines has such a column. */
const SAMPLED_LINES = 12;
/** Nearly all values: one in ten may be of another kind. */
export const NEARLY_ALL = 0.9;
/** What stands around a value in its cell: blanks, quotes, and the brackets of a row in SQL. */
const AROUND_VALUE = new Set(' \t\r\u00a0"\'`()[]{};');

/** A value alone in its cell, as [start, end) of the text. */
export type Value = { readonly start: number; readonly end: number };

/** `header` is null if the first line of the column is a value. */
export type ValueColumn = { readonly header: string | null; readonly values: readonly Value[] };

/**
 * Finds columns in which nearly all cells are short and have several digits: consecutive lines with the same number of
 * cells, with or without a header, or lines of one value each. Lists the non-empty cells of each column.
 */
export function valueColumns(text: string, codes: Uint16Array): ValueColumn[] {
  const columns: ValueColumn[] = [];
  let block: Line[] = [];
  const take = () => {
    if (block.length >= LEAST_VALUES) columns.push(...columnsOf(text, block));
    block = [];
  };
  for (let start = 0; start < text.length && columns.length < MAX_COLUMNS; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const mayBeRow = end > start && end - start <= MAX_LINE_CHARACTERS;
    const line = readLine(codes, { start, end });
    const [first] = block;
    if (!mayBeRow || (first !== undefined && !hasAsManyCells(first, line))) take();
    if (mayBeRow) block.push(line);
    start = end + 1;
  }
  take();
  return columns.slice(0, MAX_COLUMNS);
}

const dividing = ({ counts }: Line): number => counts.findIndex((count) => count > 0);

function hasAsManyCells(first: Line, line: Line): boolean {
  const by = dividing(first);
  return by === -1 ? dividing(line) === -1 : first.counts[by] === line.counts[by];
}

function columnsOf(text: string, lines: readonly Line[]): ValueColumn[] {
  const [first] = lines;
  const delimiter = first === undefined ? undefined : DELIMITERS[dividing(first)];
  // Most tables have no such column, and reading a few lines tells.
  const sample = lines.filter((_, nth) => nth % Math.ceil(lines.length / SAMPLED_LINES) === 0);
  if (!sample.some((line) => cellsOf(text, line, delimiter).some((cell) => isLikeValue(text, cell))))
    return [];
  const rows = lines.map((line) => cellsOf(text, line, delimiter));
  return (rows[0] ?? []).flatMap((_, nth): ValueColumn[] => {
    const cells = rows.flatMap((row) => row[nth] ?? []).filter(({ start, end }) => end > start);
    const [top] = cells;
    const hasHeader = top !== undefined && !isLikeValue(text, top);
    const values = hasHeader ? cells.slice(1) : cells;
    const like = values.filter((cell) => isLikeValue(text, cell)).length;
    if (like < LEAST_VALUES || like < NEARLY_ALL * values.length) return [];
    return [{ header: hasHeader ? text.slice(top.start, top.end) : null, values }];
  });
}

const isLikeValue = (text: string, { start, end }: Value): boolean =>
  end - start <= MAX_CELL_CHARACTERS && /(?:\d\D*){5}/.test(text.slice(start, end));

/** The cells of a line, without what stands around their values. Delimiters within double quotes do not count. */
function cellsOf(text: string, { start, end }: Line, delimiter: string | undefined): Value[] {
  const cells: Value[] = [];
  const take = (cellStart: number, cellEnd: number) => {
    let [from, to] = [cellStart, cellEnd];
    while (from < to && AROUND_VALUE.has(text.charAt(from))) from += 1;
    while (to > from && AROUND_VALUE.has(text.charAt(to - 1))) to -= 1;
    cells.push({ start: from, end: to });
  };
  let cellStart = start;
  let quoted = false;
  for (let i = start; i < end; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (!quoted && text[i] === delimiter) {
      take(cellStart, i);
      cellStart = i + 1;
    }
  }
  take(cellStart, end);
  return cells;
}
