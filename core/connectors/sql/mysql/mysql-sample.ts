import type { TableSample } from '../../../kernel/table-sample.ts';
import { SAMPLE_MS, type SampleBounds } from '../engine.ts';
import { cut, rowsInTable } from '../sample-content.ts';
import { type KeyKind, keyPoints } from './key-points.ts';
import {
  type ColumnRow,
  firstRows,
  foreignKeysOf,
  type KeyColumn,
  keyRange,
  primaryKeyOf,
  type Reading,
  rowsFrom,
  type SampleColumn,
  type TableRow,
} from './mysql.sql.ts';
import type { MysqlConnection, Value } from './mysql-connection.ts';

type Rows = TableSample['rows'];
type Described = { database: string; table: TableRow; columns: readonly ColumnRow[] };

/** Places of the key at which rows are read. */
const PLACES = 32;

/**
 * Rows from all parts of a large table, by ranges of its primary key: MySQL has no sample of blocks. The first rows where
 * the table is small, or has no key whose values can be divided. No statement reads more rows than it returns.
 */
export async function readSample(
  connection: MysqlConnection,
  { database, table, columns }: Described,
  bounds: SampleBounds,
): Promise<TableSample> {
  const name = table.TABLE_NAME;
  const keys = (await connection.rows<{ COLUMN_NAME: string }>(primaryKeyOf(database, name))).map(columnName);
  const foreign = (await connection.rows<{ COLUMN_NAME: string }>(foreignKeysOf(database, name))).map(
    columnName,
  );
  const read = columns.map(
    (column): SampleColumn => ({ name: column.COLUMN_NAME, reading: readingOf(column) }),
  );
  const sampled = { database, name, columns: read };
  const key = keyOf(columns, keys[0]);
  const isView = isViewRow(table);

  const first = await collect(bounds, (onRow) =>
    connection.each(firstRows(sampled, bounds.maxRows + 1), onRow),
  );
  const isAll = first.seen <= bounds.maxRows;
  // MySQL has no row security. A view may show each login something else.
  const allRowsVisible = isView ? null : true;
  const estimate = table.TABLE_ROWS === null ? null : Number(table.TABLE_ROWS);
  const spread = isAll || key === null ? [] : await spreadRows(connection, sampled, key, bounds);
  return {
    database,
    schema: '',
    table: name,
    kind: isView ? 'view' : 'table',
    comment: isView || table.TABLE_COMMENT === '' ? null : table.TABLE_COMMENT,
    columns: columns.map((column) => ({
      name: column.COLUMN_NAME,
      type: column.COLUMN_TYPE,
      comment: column.COLUMN_COMMENT || null,
      key: keyRole(column.COLUMN_NAME, keys, foreign),
      // What the login may not read is no value of the table.
      masked: !isReadable(column),
    })),
    // Parts of very unequal size give few rows.
    rows: spread.length * 2 > first.rows.length ? spread : first.rows,
    // Rows for which there was no room are counted.
    estimatedRows: rowsInTable({ rows: first.seen, toEnd: isAll, allRowsVisible }, estimate),
    allRowsVisible,
  };
}

const columnName = (row: { COLUMN_NAME: string }) => row.COLUMN_NAME;
export const isViewRow = ({ TABLE_TYPE }: Pick<TableRow, 'TABLE_TYPE'>) => TABLE_TYPE.endsWith('VIEW');
export const isReadable = ({ PRIVILEGES }: ColumnRow) =>
  PRIVILEGES.toLowerCase().split(',').includes('select');

function keyRole(name: string, primary: readonly string[], foreign: readonly string[]) {
  if (primary.includes(name)) return 'primary';
  return foreign.includes(name) ? 'foreign' : null;
}

type Sampled = { database: string; name: string; columns: readonly SampleColumn[] };
type SplitKey = { column: KeyColumn; kind: KeyKind };

async function spreadRows(
  connection: MysqlConnection,
  sampled: Sampled,
  { column, kind }: SplitKey,
  bounds: SampleBounds,
): Promise<Rows> {
  const deadline = performance.now() + SAMPLE_MS;
  const ends: Value[] = [];
  await connection.each(keyRange(sampled, column), (row) => ends.push(...row));
  const [min = null, max = null] = ends;
  if (min === null || max === null) return [];
  const points = keyPoints(kind, { min, max }, PLACES, bounds.seed);
  // Each place has the same share, so that the first ones do not use up all of it.
  const share = {
    maxRows: Math.ceil(bounds.maxRows / points.length),
    maxBytes: Math.floor(bounds.maxBytes / points.length),
  };
  const rows: Rows = [];
  for (const [at, from] of points.entries()) {
    if (performance.now() > deadline) break;
    const range = rowsFrom(sampled, column, { from, to: points[at + 1], limit: share.maxRows });
    rows.push(...(await collect(share, (onRow) => connection.each(range, onRow))).rows);
  }
  return rows.slice(0, bounds.maxRows);
}

/** Rows as texts until there are enough characters. What comes after them is dropped as it arrives, and counted. */
async function collect(
  { maxRows, maxBytes }: Pick<SampleBounds, 'maxRows' | 'maxBytes'>,
  read: (onRow: (row: readonly Value[]) => void) => Promise<void>,
): Promise<{ rows: Rows; seen: number }> {
  const rows: Rows = [];
  let [size, seen] = [0, 0];
  await read((row) => {
    seen += 1;
    if (size > maxBytes || rows.length === maxRows) return;
    const texts = row.map(textOf);
    rows.push(texts);
    size += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  });
  return { rows, seen };
}

/** Null for bytes that are no text. */
function textOf(value: Value): string | null {
  if (value === null || typeof value === 'string') return value === null ? null : cut(value);
  // A character that the bound on bytes cuts is left out.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const text = decoder.decode(value, { stream: true });
    return /[^\P{Cc}\t\n\v\f\r]/u.test(text) ? null : cut(text);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

const TEXTS = new Set([
  'char',
  'varchar',
  'tinytext',
  'text',
  'mediumtext',
  'longtext',
  'enum',
  'set',
  'json',
]);
const BYTES = new Set(['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob']);
const SHAPES = new Set([
  'geometry',
  'point',
  'linestring',
  'polygon',
  'multipoint',
  'multilinestring',
  'multipolygon',
  'geometrycollection',
  'geomcollection',
  'vector',
]);

function readingOf(column: ColumnRow): Reading {
  const type = column.DATA_TYPE.toLowerCase();
  if (!isReadable(column) || SHAPES.has(type)) return null;
  if (type === 'bit') return 'bits';
  if (BYTES.has(type)) return 'bytes';
  return TEXTS.has(type) ? 'text' : 'cast';
}

const INTEGERS = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);

/** Null if the first column of the key has no order that can be divided. */
function keyOf(columns: readonly ColumnRow[], first: string | undefined): SplitKey | null {
  const column = columns.find(({ COLUMN_NAME }) => COLUMN_NAME === first);
  if (column === undefined || !isReadable(column)) return null;
  const { COLUMN_NAME: name, COLUMN_TYPE } = column;
  const type = column.DATA_TYPE.toLowerCase();
  if (INTEGERS.has(type))
    return { column: { name, as: /unsigned/i.test(COLUMN_TYPE) ? 'UNSIGNED' : 'SIGNED' }, kind: 'integer' };
  if (type === 'date' || type === 'datetime' || type === 'timestamp')
    return { column: { name, as: 'DATETIME' }, kind: 'time' };
  if (type === 'char' || type === 'varchar') return { column: { name, as: null }, kind: 'text' };
  return type === 'binary' || type === 'varbinary' ? { column: { name, as: null }, kind: 'bytes' } : null;
}
