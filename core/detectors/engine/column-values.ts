import type { Reading } from '../detector.ts';
import type { Table } from './columns.ts';

/** Most characters from the name in a table header to the first row. */
const LONGEST_HEADER = 1_000;

/**
 * The matches of `cell` in columns whose name or remark `isOfKind`, for values that have their label nowhere else. What
 * cannot be read is noted as doubtful.
 * @param windows the stretches that hold the words of headers
 */
export function* valuesInColumns(
  { text, tables, doubtful }: Reading,
  windows: readonly number[],
  isOfKind: (said: string) => boolean,
  cell: RegExp,
): Generator<{ readonly start: number; readonly value: string }> {
  const found = new Set<Table>();
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const [from = 0, to = 0] = windows.slice(i, i + 2);
    for (const table of tables.tablesIn(from, to + LONGEST_HEADER)) found.add(table);
  }
  for (const table of found) {
    const columns = new Set(
      table.header.flatMap((name, i) =>
        isOfKind(name.trim()) || isOfKind((table.remarks[i] ?? '').trim()) ? [i] : [],
      ),
    );
    if (columns.size === 0) continue;
    for (const match of text.slice(table.start).matchAll(cell)) {
      const start = table.start + match.index;
      const place = tables.cellAt(start);
      if (place?.table !== table) {
        // A row may be too long to be read, and so are the rows after it.
        if (lineLength(text, start) > LONGEST_HEADER) doubtful(start, text.length);
        break;
      }
      if (columns.has(place.column)) yield { start, value: match[0] };
    }
  }
}

/** Up to more than `LONGEST_HEADER` characters. */
const lineLength = (text: string, start: number): number =>
  text.slice(start, start + LONGEST_HEADER + 1).split('\n', 1)[0]?.length ?? 0;
