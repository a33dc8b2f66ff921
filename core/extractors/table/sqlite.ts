import { shortfallOf } from '../archive/zip.ts';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { SQLITE_MAGIC, SqliteFile, type SqliteRow, type SqliteValue } from './sqlite-file.ts';

/** Tables that SQLite keeps for itself. */
const INTERNAL = /^sqlite_/;
const WITHOUT_ROWID = /\bwithout\s+rowid\b[\s\w,]*$/i;
/** Its values are the numbers of the rows, and none is stored. */
const ROW_NUMBER = /^\S+\s+integer\s+primary\s+key\b(?!\s+desc)/i;
/** What begins a rule of a table and no column. */
const RULE = /^(?:constraint|primary|unique|check|foreign)\b/i;
const QUOTED = /^(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|'((?:[^']|'')*)')/;
/** A part of the list of columns: quoted, a comment, a bracket, a comma, or anything else. */
const PART =
  /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|--[^\n]*|\/\*.*?\*\/|[(),]|[^"`['\-/(),]+|[-/"`['\]]/gs;
const COMMENT = /^(?:--|\/\*)/;
const MAX_STATEMENT = 100_000;
const BREAKS = /[\s\0]+/g;

type Table = { name: string; root: number; columns: readonly string[]; isWithoutRowid: boolean };

/** The definitions of the columns in the statement that made a table. */
function columnsOf(statement: string): string[] {
  const columns: string[] = [];
  let depth = 0;
  let column = '';
  for (const [part] of statement.slice(0, MAX_STATEMENT).matchAll(PART)) {
    if (COMMENT.test(part)) continue;
    const wasInside = depth === 1;
    if (part === '(') depth++;
    else if (part === ')') depth--;
    if (wasInside && (part === ',' || depth === 0)) {
      columns.push(column.trim());
      column = '';
      if (depth === 0) break;
    } else if (wasInside || depth > 1) column += part;
  }
  return columns.filter((each) => each !== '' && !RULE.test(each));
}

function nameOf(column: string): string {
  const quoted = QUOTED.exec(column);
  return quoted?.slice(1).find((each) => each !== undefined) ?? /^\S*/.exec(column)?.[0] ?? '';
}

/** A table as the list of tables has it. Null for indexes, views, triggers and tables without pages. */
function tableOf({ values: [type, name, , root, statement] }: SqliteRow): Table | null {
  if (type !== 'table' || typeof name !== 'string' || typeof statement !== 'string') return null;
  const page = Number(root);
  if (INTERNAL.test(name) || !Number.isSafeInteger(page) || page < 1) return null;
  const isWithoutRowid = WITHOUT_ROWID.test(statement.slice(-MAX_STATEMENT));
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
  const rowNumber = table.columns.findIndex((column) => ROW_NUMBER.test(column));
  const unread = new Set<number>();
  text.besides(table.name);
  text.besides(table.columns.map(nameOf).join('\t'));
  try {
    for (const { rowid, values } of file.rows(table.root)) {
      if (text.full) break;
      const cells = values.map((value, index) => {
        const cell = shown(index === rowNumber && value === null ? rowid : value);
        if (cell === null) unread.add(index);
        return cell ?? '';
      });
      text.line(cells.join('\t'));
    }
  } finally {
    if (unread.size > 0) context.unread('unknown_format', unread.size);
  }
}

/** Databases of SQLite: the rows of every table. Columns of bytes that are no text are not read. */
export const sqlite: Extractor = {
  format: 'sqlite',
  version: 1,
  claims: ({ bytes }) => SQLITE_MAGIC.equals(bytes.subarray(0, SQLITE_MAGIC.length)),
  async extract({ bytes }, context) {
    const text = new BoundedText(context.maxCharacters);
    const file = new SqliteFile(bytes, context.budget);
    let shortfall: Shortfall | null = null;
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
