import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import type { Cell, Table } from './tds-packets.ts';
import { Refused, type Request } from './tds-server.ts';

/**
 * Evaluates the few forms of T-SQL that the service sends, on SQLite: each construct that SQLite lacks is translated, and
 * anything else is an error of syntax. So joins, conditions and orders are evaluated and not believed. What T-SQL itself
 * makes of a statement is not proved by it.
 */
export type TSql = {
  /** Runs DDL and changes of the owner of the data, in SQLite's own words. */
  own(sql: string, ...values: readonly SQLInputValue[]): void;
  query(request: Request): Table;
  close(): void;
};

/** Rows of a table that are in one block. */
export const ROWS_IN_BLOCK = 100;

type Functions = Readonly<Record<string, (...values: readonly SQLOutputValue[]) => Cell>>;

export function openTSql(schemas: readonly string[], functions: Functions): TSql {
  const database = new DatabaseSync(':memory:');
  for (const schema of schemas) database.exec(`ATTACH DATABASE ':memory:' AS "${schema}"`);
  const all: Functions = {
    as_text: (value) => (value === null ? null : String(value)),
    left_text: (value, count) => (value === null ? null : String(value).slice(0, Number(count))),
    QUOTENAME: (name) => `[${String(name).replaceAll(']', ']]')}]`,
    is_in_sample: (row, percent, seed) =>
      chance(Math.floor(Number(row) / ROWS_IN_BLOCK), Number(seed)) * 100 < Number(percent) ? 1 : 0,
    ...functions,
  };
  for (const [name, run] of Object.entries(all))
    database.function(name, { varargs: true }, (...values) => run(...values));

  return {
    own: (sql, ...values) => void database.prepare(sql).run(...values),
    query: ({ sql, parameters }) => {
      try {
        const statement = database.prepare(translated(sql));
        const columns = statement.columns().map(({ name }) => name);
        const rows = statement.all(parameters as Record<string, SQLInputValue>);
        return { columns, rows: rows.map((row) => columns.map((column) => row[column] as Cell)) };
      } catch (error) {
        throw refusalOf(error);
      }
    },
    close: () => database.close(),
  };
}

/** A number from 0 to 1 that looks like chance. */
function chance(block: number, seed: number): number {
  let mixed = Math.imul(block + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  if (/no such table/.test(error.message)) return new Refused(208, 'Invalid object name.', 16);
  if (/no such column/.test(error.message)) return new Refused(207, 'Invalid column name.', 16);
  return new Refused(102, `Incorrect syntax: ${error.message}`, 15);
}

/** Words that T-SQL takes for no alias without brackets. From the page Reserved Keywords (Transact-SQL). */
const RESERVED = new Set(
  (
    'add all alter and any as asc authorization begin between by case check close column commit constraint contains ' +
    'create cross current database default delete deny desc distinct double drop else end exists external file for ' +
    'foreign from full function grant group having identity in index inner insert intersect into is join key kill left ' +
    'like merge national not null of off on open option or order outer over percent plan precision primary proc ' +
    'procedure public read references restore restrict return revert revoke right rollback rowcount rule save schema ' +
    'select session_user set some statistics system_user table then to top tran transaction trigger truncate union ' +
    'unique update use user values view when where while with'
  ).split(' '),
);

/** Of T-SQL, in the words of SQLite. */
function translated(sql: string): string {
  const kept: string[] = [];
  const keep = (text: string) => `§${kept.push(text) - 1}§`;
  // What is in quotes or brackets stays out of the translation.
  let text = sql
    .replace(/'(?:[^']|'')*'/g, keep)
    .replace(/\[((?:[^\]]|\]\])*)\]/g, (_, name: string) =>
      keep(`"${name.replaceAll(']]', ']').replaceAll('"', '""')}"`),
    );
  for (const [, alias = ''] of text.matchAll(/\bAS (\w+)/g))
    if (RESERVED.has(alias.toLowerCase())) throw new Refused(156, 'Incorrect syntax near the keyword.', 15);
  let limit = '';
  text = text
    .replace(/^\s*SELECT TOP \((\d+)\) /, (_, count: string) => {
      limit = ` LIMIT ${count}`;
      return 'SELECT ';
    })
    .replace(/\bCONVERT\(nvarchar\((?:\d+|max)\), ([^(),]+)(?:, \d+)?\)/g, 'as_text($1)')
    .replace(/\bLEFT\(/g, 'left_text(')
    .replace(/\bDATEPART\(tzoffset, SYSDATETIMEOFFSET\(\)\)/g, 'offset_of_server()')
    .replace(
      /\bfn_my_permissions\(NULL, (\S+)\)/g,
      (_, kind: string) =>
        `sys.my_permissions_on_${kept[Number(kind.replaceAll('§', ''))]?.replaceAll("'", '').toLowerCase()}`,
    )
    .replace(
      /(FROM )(\S+) TABLESAMPLE SYSTEM \(([\d.]+) PERCENT\) REPEATABLE \((\d+)\)/,
      '$1(SELECT * FROM $2 WHERE is_in_sample(rowid, $3, $4))',
    );
  if (/[[\]`"]|\b(?:LIMIT|OFFSET|rowid)\b(?!,)/.test(text.replace(/is_in_sample\(rowid/, '')))
    throw new Refused(102, 'Incorrect syntax.', 15);
  return (text + limit).replace(/§(\d+)§/g, (_, at: string) => kept[Number(at)] as string);
}
