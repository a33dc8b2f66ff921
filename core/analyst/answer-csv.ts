import { BYTE_ORDER_MARK, type Cell, csvLine } from '../exports/csv.ts';
import type { Result } from './answer-schema.ts';

/** The table of an answer as CSV: its groups, or else its rows. Without rows, the number alone. */
export function answerCsv({ groups, rows, count, sizeBytes }: Result): string {
  if (groups !== null) {
    return table(
      [...groups.dimensions, 'count', 'sizeBytes'],
      groups.items.map((group) => [...group.keys, group.count, group.sizeBytes]),
    );
  }
  const [first] = rows;
  if (first === undefined) return table(['count', 'sizeBytes'], [[count, sizeBytes]]);
  const columns = Object.keys(first);
  return table(
    columns,
    rows.map((row) => columns.map((column) => (row as Readonly<Record<string, Cell>>)[column] ?? null)),
  );
}

const table = (columns: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  BYTE_ORDER_MARK + [columns, ...rows].map(csvLine).join('');
