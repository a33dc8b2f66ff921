import type { ColumnText } from '../../kernel/table-text.ts';
import type { ColumnsOfSignal, Detector, Hit } from '../detector.ts';
import { columnsOf, type Weighed, weighColumns } from './column-evidence.ts';
import type { TableReader } from './columns.ts';
import type { ContextReader, Speaker } from './context.ts';
import { columnAt } from './known-table.ts';
import type { Span } from './prove-many.ts';

/** A search in the text of a table whose columns are known. Detectors are identified by their index in the list. */
export type TableSearch = {
  /** As `weighColumns`. */
  readonly weigh: (
    place: number,
    detector: Detector,
    hits: readonly Hit[],
    refused: readonly Span[],
  ) => Weighed;
  /** The columns of hits that count. */
  readonly evidence: (place: number, hits: readonly Hit[]) => ColumnsOfSignal;
  /** The value at an offset, with the name of its column. Null outside of values. */
  readonly valueAt: (offset: number) => (Span & { readonly column: string }) | null;
};

type Parts = {
  text: string;
  columns: readonly ColumnText[];
  tables: TableReader;
  context: ContextReader;
  holdsIdentifier: (name: string) => boolean;
};

export function tableSearch({ text, columns, tables, context, holdsIdentifier }: Parts): TableSearch {
  const speakerOf =
    (place: number) =>
    (column: number): Speaker | null => {
      const cell = tables.cellAt(columns[column]?.start ?? 0);
      return cell && context.saidBy(cell, place);
    };
  const names = new Map<number, string>();
  const nameOf = (column: number): string => {
    const { name = '', number = 0 } = columns[column] ?? {};
    const shown = names.get(column) ?? (holdsIdentifier(name) ? `#${number}` : name);
    names.set(column, shown);
    return shown;
  };
  return {
    weigh: (place, detector, hits, refused) =>
      weighColumns(text, detector, hits, refused, columns, speakerOf(place)),
    evidence: (place, hits) => columnsOf(text, hits, columns, speakerOf(place), nameOf),
    valueAt: (offset) => {
      const cell = tables.cellAt(offset);
      return cell && { start: cell.lineStart, end: cell.lineEnd, column: nameOf(columnAt(columns, offset)) };
    },
  };
}
