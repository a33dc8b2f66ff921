import type { ColumnText } from '../../kernel/table-text.ts';
import type { Cell, CellSpan, Table, TableReader } from './columns.ts';

/** Reads the table that the whole text is of. Its columns are known, so nothing is guessed from the text. */
export function knownTable(text: string, columns: readonly ColumnText[]): TableReader {
  const table: Table = {
    start: columns[0]?.start ?? 0,
    end: columns.at(-1)?.end ?? 0,
    header: columns.map(({ name }) => name),
    remarks: columns.map(({ comment }) => comment ?? ''),
    cellsIn: (from, to) => cellsOfColumns(text, columns, from, to),
  };
  const cellAt = (offset: number): Cell | null => {
    const column = columnAt(columns, offset);
    if (column === -1) return null;
    const { start = 0, end = 0 } = columns[column] ?? {};
    return {
      table,
      column,
      lineStart: Math.max(start, offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1),
      lineEnd: lineEnd(text, offset, end),
    };
  };
  return {
    cellAt,
    // Its names are before it.
    tablesIn: () => new Set([table]),
  };
}

function* cellsOfColumns(
  text: string,
  columns: readonly ColumnText[],
  from: number,
  to: number,
): Generator<CellSpan> {
  for (let column = firstEndingAfter(columns, from); column < columns.length; column++) {
    const { start = 0, end = 0 } = columns[column] ?? {};
    for (let at = start; at < Math.min(end, to); at = lineEnd(text, at, end) + 1) {
      yield { column, start: at, end: lineEnd(text, at, end) };
    }
  }
}

const lineEnd = (text: string, offset: number, most: number): number => {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? most : Math.min(most, newline);
};

/** The index of the column whose values hold an offset, or -1. */
export function columnAt(columns: readonly ColumnText[], offset: number): number {
  const at = firstEndingAfter(columns, offset);
  return (columns[at]?.start ?? Number.POSITIVE_INFINITY) <= offset ? at : -1;
}

function firstEndingAfter(columns: readonly ColumnText[], offset: number): number {
  let low = 0;
  let high = columns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((columns[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
