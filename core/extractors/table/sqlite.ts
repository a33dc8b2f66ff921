import { shortfallOf } from '../archive/zip.ts';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { columnsOf, type SqliteColumn } from './sqlite-columns.ts';
import { SQLITE_MAGIC, SqliteFile, type SqliteRow, type SqliteValue } from './sqlite-file.ts';

/** Tables that SQLite keeps for itself. */
const INTERNAL = /^sqlite_/;
const MAX_STATEMENT_END = 1_000;
const WITHOUT_ROWID = /\bwithout\s+rowid\b[\s\w,]*$/i;
const BREAKS = /[\s\0]+/g;

type Table = { name: string; root: number; columns: readonly SqliteColumn[]; isWithoutRowid: boolean };

/** A table as the list of tables has it. Null for indexes, views, triggers and tables without pages. */
function tableOf({ values: [type, name, , root, statement] }: SqliteRow): Table | null {
  if (type !== 'table' || typeof name !== 'string' || typeof statement !== 'string') return null;
  const page = Number(root);
  if (INTERNAL.test(name) || !Number.isSafeInteger(page) || page < 1) return null;
  const isWithoutRowid = WITHOUT_ROWID.test(statement.slice(-MAX_STATEMENT_END));
  return { name, root: page, columns: columnsOf(statement), isWithoutRowid };
}

/** Bytes that are text are shown as it. Null for other bytes. */
function shown(value: SqliteValue): string | null {
  if (value === null) return '';
  if (!Buffer.isBuffer(value)) return String(value).replace(BREAKS, ' ');
  return sniffEncoding(value) === 'utf-8' ? value.toString().replace(BREAKS, ' ') : null;
}

/** The name of the table, a line of the names of its columns, and a line for each row. */
function writeTable(file: SqliteFile, table: Table, text: BoundedText, context: ExtractionContext): void {
  const unread = new Set<number>();
  text.besides(table.name);
  text.besides(table.columns.map(({ name }) => name.replace(BREAKS, ' ')).join('\t'));
  try {
    for (const { rowid, values } of file.rows(table.root)) {
      if (text.full) break;
      const cells = values.map((value, index) =>
        shown(value === null && table.columns[index]?.isRowNumber ? rowid : value),
      );
      // A row ends before the columns that were added after it.
      for (const { initial } of table.columns.slice(values.length)) cells.push(initial ?? null);
      for (const [index, cell] of cells.entries()) if (cell === null) unread.add(index);
      text.line(cells.map((cell) => cell ?? '').join('\t'));
    }
  } finally {
    if (unread.size > 0) context.unread('unknown_format', unread.size);
  }
}

/**
 * Databases of SQLite: the rows of every table. Columns of bytes that are no text are not read, nor are changes that are
 * still in the file beside it.
 */
export const sqlite: Extractor = {
  format: 'sqlite',
  version: 2,
  claims: ({ bytes }) => SQLITE_MAGIC.equals(bytes.subarray(0, SQLITE_MAGIC.length)),
  async extract({ bytes }, context) {
    const text = new BoundedText(context.maxCharacters);
    const file = new SqliteFile(bytes, context.budget);
    let shortfall: Shortfall | null = null;
    if (file.hasLog) context.unread('unknown_format');
    const upToFault = (read: () => void) => {
      try {
        read();
      } catch (error) {
        shortfall ??= shortfallOf(error);
      }
    };
    const tables: Table[] = [];
    upToFault(() => {
      for (const row of file.schema()) {
        if (context.budget.members-- <= 0) {
          shortfall = 'member_bound';
          return;
        }
        const table = tableOf(row);
        if (table !== null) tables.push(table);
      }
    });
    for (const table of tables) {
      if (text.full || context.budget.inflatedBytes < 0) break;
      if (table.isWithoutRowid) context.unread('unknown_format');
      else upToFault(() => writeTable(file, table, text, context));
    }
    return textOutcome('sqlite', text, shortfall);
  },
};
