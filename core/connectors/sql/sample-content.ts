import { TableSample } from '../../kernel/table-sample.ts';
import type { ContentRead } from '../connector.ts';
import { MAX_VALUE } from './engine.ts';

const MAX_NAME = 512;
const MAX_COMMENT = 4_096;

/** At most so many characters, and no half of a pair. */
export const cut = (text: string, max = MAX_VALUE): string =>
  text.length <= max
    ? text
    : text
        .slice(0, max)
        .toWellFormed()
        .replace(/\uFFFD$/u, '');

/** A sample as content of at most `maxBytes`: the first rows for which there is room. */
export function contentOf(sample: TableSample, maxBytes: number): ContentRead {
  const bounded = TableSample.parse(withBoundedNames(sample));
  const encoder = new TextEncoder();
  const frame = encoder.encode(JSON.stringify({ ...bounded, rows: [] }));
  if (frame.length > maxBytes) return { state: 'too_large', sizeBytes: frame.length };
  // No comma precedes the first row.
  let size = frame.length - 1;
  const rows = bounded.rows.filter((row) => {
    // Once a row does not fit, none after it is taken: what is read is a beginning.
    size += encoder.encode(JSON.stringify(row)).length + 1;
    return size <= maxBytes;
  });
  return { state: 'available', bytes: encoder.encode(JSON.stringify({ ...bounded, rows })) };
}

/**
 * How many rows a table has: those that were read, if its last row was and none is hidden. Else what the database
 * estimates, unless more were read than that: an old estimate does not make a part the whole.
 */
export function rowsInTable(
  read: { rows: number; toEnd: boolean; allRowsVisible: boolean | null },
  estimate: number | null,
): number | null {
  if (read.toEnd && read.allRowsVisible === true) return read.rows;
  if (estimate !== null && estimate > read.rows) return estimate;
  return read.toEnd && read.allRowsVisible === null ? read.rows : null;
}

const withBoundedNames = (sample: TableSample): TableSample => ({
  ...sample,
  database: cut(sample.database, MAX_NAME),
  schema: cut(sample.schema, MAX_NAME),
  table: cut(sample.table, MAX_NAME),
  comment: commentOf(sample.comment),
  columns: sample.columns.map((column) => ({
    ...column,
    name: cut(column.name, MAX_NAME),
    type: cut(column.type, MAX_NAME),
    comment: commentOf(column.comment),
  })),
});

const commentOf = (comment: string | null) => (comment === null ? null : cut(comment, MAX_COMMENT));
