import type { TableSample } from '../../kernel/table-sample.ts';

type Row = TableSample['rows'][number];
type Column = Pick<TableSample['columns'][number], 'masked' | 'type'> & { readonly index: number };

/** The text of a value of each row, '' for none. `isBinary`: it has bytes that are no text. */
type ColumnCells = { readonly shown: readonly string[]; readonly isBinary: boolean };

/** A longer value is cut in any case. */
const MAX_CELL = 4_096;
const BINARY = /bytea|blob|binary|\bimage\b|\braw\b/i;
/** Of a value that was cut, half a byte or a part of a character may be left. */
const HEX = /^(?:\\x|0x)?((?:[0-9a-f]{2})+)[0-9a-f]?$/i;
const CUT = /\ufffd{1,3}$/;
/** Characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they show that bytes are no text
const CONTROL = /[\0-\x08\x0e-\x1f\x7f]/;
const BREAKS = /[\s\0]+/g;

/**
 * The values of the first rows, as many as fit into `room` characters with a line end each, by column. A masked column
 * has none. Bytes that are UTF-8 are shown as their text. If not even one row fits, values are cut.
 */
export function valuesOf(
  rows: readonly Row[],
  columns: readonly Column[],
  room: number,
): { cells: readonly ColumnCells[]; rows: number } {
  const widest = Math.min(MAX_CELL, Math.floor(room / Math.max(1, columns.length)) - 1);
  const cells = columns.map((column) => ({ column, isBinary: false, shown: [] as string[] }));
  if (widest < 1) return { cells, rows: 0 };
  let left = room;
  for (const [read, row] of rows.entries()) {
    const shown = cells.map(
      ({ column }) => shownOf(row[column.index] ?? null, column)?.slice(0, widest) ?? null,
    );
    left -= shown.reduce((sum, value) => sum + (value === null || value === '' ? 0 : value.length + 1), 0);
    if (left < 0) return { cells, rows: read };
    shown.forEach((value, i) => {
      const cell = cells[i];
      if (cell === undefined) return;
      cell.shown.push(value ?? '');
      if (value === null) cell.isBinary = true;
    });
  }
  return { cells, rows: rows.length };
}

/** Null for bytes that are no text. */
function shownOf(value: string | null, { masked, type }: Column): string | null {
  if (value === null || masked) return '';
  const text = BINARY.test(type) ? decoded(value) : value;
  return text?.replace(BREAKS, ' ').trim() ?? null;
}

function decoded(value: string): string | null {
  const hex = HEX.exec(value)?.[1];
  if (hex === undefined) return value;
  const text = Buffer.from(hex, 'hex').toString('utf8').replace(CUT, '');
  return CONTROL.test(text) || text.includes('\ufffd') ? null : text;
}
