import { z } from 'zod';
import { BYTE_ORDER_MARK, type Cell, csvLine } from './csv.ts';

export const ExportFormatSchema = z.enum(['csv', 'ndjson']);
export type ExportFormat = z.infer<typeof ExportFormatSchema>;

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** How rows are in a table: the names of its columns, and the cells of a row in their order. */
export type Table<Row> = { columns: readonly string[]; cells: (row: Row) => readonly Cell[] };

/** Rows as CSV for spreadsheets, a page a piece: a byte order mark, the names of the columns, the rows. */
export async function* csvText<Row>(pages: AsyncIterable<Row[]>, table: Table<Row>): AsyncGenerator<string> {
  let head = BYTE_ORDER_MARK + csvLine(table.columns);
  for await (const page of pages) {
    yield head + page.map((row) => csvLine(table.cells(row))).join('');
    head = '';
  }
  yield head;
}

/**
 * Rows as NDJSON for programs, a page a piece: each row as it is in the list, and in the end `{"end":true,"count":N}`.
 * Without that line the export is not whole.
 */
async function* ndjsonText(pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  let count = 0;
  for await (const page of pages) {
    count += page.length;
    yield page.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
  yield `${JSON.stringify({ end: true, count })}\n`;
}

/** Rows in the format that was asked for. */
export const rowsText = <Row extends object>(
  format: ExportFormat,
  pages: AsyncIterable<Row[]>,
  table: Table<Row>,
): AsyncGenerator<string> => (format === 'csv' ? csvText(pages, table) : ndjsonText(pages));
