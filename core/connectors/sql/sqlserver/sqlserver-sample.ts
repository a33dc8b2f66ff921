import type { TableSample } from '../../../kernel/table-sample.ts';
import { SAMPLE_MS, type SampleBounds } from '../engine.ts';
import { cut, rowsInTable } from '../sample-content.ts';
import {
  type ColumnRow,
  hasDatabaseRight,
  mayUnmask,
  type Reading,
  type RightAnswer,
  rowsOf,
  type SampledTable,
} from './sqlserver.sql.ts';
import type { SqlServerConnection, Value } from './sqlserver-connection.ts';
import { sqlServerError, takesNoSample } from './sqlserver-failure.ts';
import { type Described, typeOf } from './sqlserver-table.ts';

type Rows = TableSample['rows'];
/** `toEnd`: no row comes after them. */
type RowsRead = { rows: Rows; toEnd: boolean };

export async function readSample(
  connection: SqlServerConnection,
  database: string,
  described: Described,
  bounds: SampleBounds,
): Promise<TableSample> {
  const { object, columns, keys, comments, figures } = described;
  const { schema_name: schema, table_name: table } = object;
  const isView = object.type.trim() === 'V';
  const isMasked = await maskedOf(connection, described);
  const rowCount = figures === null ? null : Number(figures.row_count);
  const allRowsVisible = isView ? null : await areAllVisible(connection, described);
  const sampled = {
    schema,
    name: table,
    columns: columns.map((each) => ({ name: each.name, reading: readingOf(each) })),
  };
  const { rows, toEnd } = await readRows(connection, sampled, isView ? null : rowCount, bounds);
  return {
    database,
    schema,
    table,
    kind: isView ? 'view' : 'table',
    comment: commentOn(comments, 0),
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(column),
      comment: commentOn(comments, column.column_id),
      key: keyRole(keys.filter(({ column_id: id }) => id === column.column_id)),
      masked: isMasked(column),
    })),
    rows,
    estimatedRows: rowsInTable({ rows: rows.length, toEnd, allRowsVisible }, isView ? null : rowCount),
    allRowsVisible,
  };
}

const commentOn = (comments: Described['comments'], columnId: number) =>
  comments.find(({ column_id: id }) => id === columnId)?.comment ?? null;

function keyRole(keys: Described['keys']): 'primary' | 'foreign' | null {
  if (keys.some(({ is_primary: primary }) => primary === 1)) return 'primary';
  return keys.length > 0 ? 'foreign' : null;
}

const isGranted = async (connection: SqlServerConnection, statement: Parameters<typeof connection.rows>[0]) =>
  (await connection.rows<RightAnswer>(statement))[0]?.granted === 1;

/** What the mask of a column hides, or what is encrypted with a key that the server does not have. */
async function maskedOf(
  connection: SqlServerConnection,
  { object, columns }: Described,
): Promise<(column: ColumnRow) => boolean> {
  const isUnmasked =
    columns.some(({ is_masked: masked }) => masked === 1) &&
    ((await isGranted(connection, hasDatabaseRight('UNMASK'))) ||
      (await isGranted(connection, mayUnmask(object.schema_name, object.table_name))));
  return (column) => column.is_encrypted === 1 || (column.is_masked === 1 && !isUnmasked);
}

/** A policy is hidden from a login that may not view definitions. */
async function areAllVisible(
  connection: SqlServerConnection,
  { predicates }: Described,
): Promise<boolean | null> {
  if (predicates.some(({ is_filter: filters }) => filters === 1)) return false;
  return (await isGranted(connection, hasDatabaseRight('VIEW DEFINITION'))) ? true : null;
}

/** A sample of blocks may have no row at all, so it is only taken of a table that has many times more rows. */
const LARGE_FACTOR = 10;
/** How much of the wanted rows is expected: what is cut off is always the end of the table. */
const FILL = 0.8;

async function readRows(
  connection: SqlServerConnection,
  table: SampledTable,
  rowCount: number | null,
  bounds: SampleBounds,
): Promise<RowsRead> {
  const limit = bounds.maxRows;
  if (rowCount !== null && rowCount > limit * LARGE_FACTOR) {
    const perMillion = Math.ceil((FILL * limit * 1_000_000) / rowCount);
    const blocks = { perMillion, seed: ((bounds.seed >>> 0) % 2_147_483_647) + 1 };
    const rows = await sampleOfBlocks(connection, table, { limit, blocks }, bounds);
    if (rows.length > 0) return { rows, toEnd: false };
  }
  // One row more is asked for than is taken, to know whether there are more.
  const { rows, seen } = await collect(connection, table, { limit: limit + 1 }, bounds);
  return { rows: rows.slice(0, limit), toEnd: seen <= limit && rows.length === seen };
}

type Part = Parameters<typeof rowsOf>[1];

async function sampleOfBlocks(
  connection: SqlServerConnection,
  table: SampledTable,
  part: Part,
  bounds: SampleBounds,
): Promise<Rows> {
  try {
    return (await collect(connection, table, part, bounds)).rows;
  } catch (error) {
    const known = sqlServerError(error);
    if (known !== null && takesNoSample(known)) return [];
    throw error;
  }
}

/** Rows as texts until there are enough characters. What comes after them is dropped as it arrives, and counted. */
async function collect(
  connection: SqlServerConnection,
  table: SampledTable,
  part: Part,
  { maxBytes }: SampleBounds,
): Promise<{ rows: Rows; seen: number }> {
  const rows: Rows = [];
  let [size, seen] = [0, 0];
  await connection.each(rowsOf(table, part), SAMPLE_MS, (row) => {
    seen += 1;
    if (size > maxBytes) return;
    const texts = row.map(textOf);
    rows.push(texts);
    size += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  });
  return { rows, seen };
}

const textOf = (value: Value) => (value === null ? null : cut(String(value)));

const TEXTS = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'text', 'ntext', 'xml', 'json']);
const TIMES = new Set(['date', 'time', 'datetime', 'datetime2', 'smalldatetime', 'datetimeoffset']);
const VALUES = new Set([
  'bit',
  'tinyint',
  'smallint',
  'int',
  'bigint',
  'decimal',
  'numeric',
  'money',
  'smallmoney',
  'float',
  'real',
  'uniqueidentifier',
]);

/** Not read: bytes, shapes, `sql_variant`, `rowversion`, types of assemblies, and what is encrypted. */
function readingOf({ type_name: type, base_type: base, is_encrypted: encrypted }: ColumnRow): Reading {
  const of = base ?? type;
  if (encrypted === 1) return null;
  if (TEXTS.has(of)) return 'text';
  if (TIMES.has(of)) return 'iso';
  return VALUES.has(of) ? 'cast' : null;
}
