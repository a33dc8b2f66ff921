import type { TableSample } from '../../../kernel/table-sample.ts';
import { MAX_VALUE, SAMPLE_MS, type SampleBounds, type SampleRead } from '../engine.ts';
import { cut, rowsInTable } from '../sample-content.ts';
import { stateOf } from './failure.ts';
import type { Asked, Hidden } from './read-only.ts';
import {
  CLOSE_SAMPLE,
  COLUMNS,
  type ColumnRow,
  declareSample,
  fetchSample,
  HEAD,
  type Part,
  type TableHead,
} from './sample.sql.ts';
import { ENOUGH_ROWS, partsOf } from './sample-part.ts';

type Transaction = <T>(hidden: Hidden, use: (asked: Asked) => Promise<T>) => Promise<T>;
type Described = { head: TableHead; columns: ColumnRow[] };
type Rows = TableSample['rows'];
/** `toEnd`: no row comes after them. */
type RowsRead = { rows: Rows; toEnd: boolean };

/** Characters of the values that one answer of the server has at most. */
const BATCH_CHARACTERS = 2_000_000;
const MAX_BATCH = 100;

const INSUFFICIENT_PRIVILEGE = '42501';
const UNDEFINED_TABLE = '42P01';
/** A materialized view that was never filled. */
const NOT_IN_STATE = '55000';
/** An error in what a view or a policy computes, a read of another server, an attempt to write, and a statement that takes too long. */
const FAULT_OF_VIEW = /^(?:2[0-7]|38|39|42|54|57014|F0|HV|P0|XX)/;

/**
 * Reads a part of a table. First with rows that row security hides as an error: only if there are such, what it shows is
 * read, and the sample says so. Throws what the driver throws.
 */
export async function readSample(
  transaction: Transaction,
  { database, id }: { database: string; id: string },
  bounds: SampleBounds,
): Promise<SampleRead> {
  const described = await transaction('left_out', (asked) => describe(asked, id));
  if (described === null) return { state: 'gone' };
  const { head, columns } = described;
  if (columns.length > 0 && !columns.some(({ isReadable }) => isReadable)) return { state: 'denied' };
  const read = (hidden: Hidden) => transaction(hidden, (asked) => rowsOf(asked, described, bounds));
  const found = ({ rows, toEnd }: RowsRead, isAllVisible: boolean): SampleRead => {
    // What another server hides is not known here.
    const allRowsVisible = head.kind === 'f' ? null : isAllVisible;
    const estimate = head.estimatedRows === null ? null : Number(head.estimatedRows);
    const sample = {
      database,
      schema: head.schema,
      table: head.name,
      kind: isView(head) ? ('view' as const) : ('table' as const),
      comment: head.comment,
      columns: columns.map(columnOf),
      rows,
      estimatedRows: rowsInTable({ rows: rows.length, toEnd, allRowsVisible }, estimate),
      allRowsVisible,
    };
    return { state: 'read', sample };
  };
  try {
    return found(await read('refused'), true);
  } catch (error) {
    if (stateOf(error) !== INSUFFICIENT_PRIVILEGE) return refusedBy(error, isView(head));
  }
  try {
    return found(await read('left_out'), false);
  } catch (error) {
    // A policy computes too, such as from a setting that the session of an application has and this one has not.
    return refusedBy(error, true);
  }
}

const isView = ({ kind }: TableHead): boolean => kind === 'v' || kind === 'f';

/** What a refused statement says of the table. Throws what says nothing of it. */
function refusedBy(error: unknown, isComputed: boolean): SampleRead {
  const state = stateOf(error) ?? '';
  if (state === UNDEFINED_TABLE && !isComputed) return { state: 'gone' };
  if (state === INSUFFICIENT_PRIVILEGE || state === NOT_IN_STATE) return { state: 'denied' };
  if (isComputed && FAULT_OF_VIEW.test(state)) return { state: 'denied' };
  throw error;
}

async function describe({ rows }: Asked, id: string): Promise<Described | null> {
  const [head] = await rows<TableHead>(HEAD, [id]);
  return head === undefined ? null : { head, columns: await rows<ColumnRow>(COLUMNS, [id]) };
}

const columnOf = ({ name, type, comment, key, isReadable }: ColumnRow): TableSample['columns'][number] => ({
  name,
  type,
  comment,
  key,
  // A column that the login may not read is shown as if it were empty.
  masked: !isReadable,
});

async function rowsOf(asked: Asked, described: Described, bounds: SampleBounds): Promise<RowsRead> {
  let read: RowsRead = { rows: [], toEnd: false };
  if (described.columns.length === 0) return read;
  for (const part of partsOf(described.head, bounds.maxRows, bounds.seed)) {
    read = await readPart(asked, described, part, bounds);
    if (read.rows.length >= Math.min(ENOUGH_ROWS, bounds.maxRows)) break;
  }
  return read;
}

/**
 * Ends early with what it has, if there are bytes enough or it took the time of a statement. One row more is asked for than
 * is taken, to know whether there are more.
 */
async function readPart(
  asked: Asked,
  { head, columns }: Described,
  part: Part,
  { maxRows, maxBytes }: SampleBounds,
): Promise<RowsRead> {
  const until = performance.now() + SAMPLE_MS;
  const fitting = Math.floor(BATCH_CHARACTERS / (columns.length * MAX_VALUE));
  const batch = Math.max(1, Math.min(MAX_BATCH, fitting));
  const rows: Rows = [];
  let characters = 0;
  let some: Rows;
  await asked.values(declareSample(head, columns, part, maxRows + 1));
  do {
    some = await asked.values(fetchSample(batch));
    for (const row of some) {
      rows.push(row.map((value) => (value === null ? null : cut(value))));
      characters += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    }
  } while (some.length === batch && characters <= maxBytes && performance.now() < until);
  await asked.values(CLOSE_SAMPLE);
  const toEnd = part.method === 'first' && some.length < batch && rows.length <= maxRows;
  return { rows: rows.slice(0, maxRows), toEnd };
}
