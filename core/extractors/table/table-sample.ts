import { TableSample } from '../../kernel/table-sample.ts';
import type { ColumnText, TableText } from '../../kernel/table-text.ts';
import { byLibrarySync, Damaged } from '../damage.ts';
import type { Extraction, Extractor } from '../extractor.ts';
import { valuesOf } from './column-values.ts';

const FORMAT = 'table';
/** Characters for the names and comments of columns. Further columns are searched all the same. */
const MAX_STRUCTURE = 200_000;
/** The share of the text for names and comments, if the text is short. */
const STRUCTURE_SHARE = 0.25;
const MAX_COMMENT = 400;
const NUMBER =
  /\b(?:(?:tiny|small|medium|big)?int(?:eger|\d)?|(?:small|big)?serial|numeric|decimal|number|real|float\d?|double|(?:small)?money)\b/i;

type Column = TableSample['columns'][number] & { readonly index: number };

/**
 * A table of a database. The text has its name and comment, then names and comments of all columns, then the values of
 * one column after the other. Columns are ordered by name, so that the order in the database makes no difference.
 */
export const tableSample: Extractor = {
  format: FORMAT,
  version: 1,
  claims: ({ isTable }) => isTable === true,
  extract: async ({ bytes }, { maxCharacters }) => textOf(parsed(bytes), maxCharacters),
};

function parsed(bytes: Uint8Array): TableSample {
  const written = byLibrarySync<unknown>(() =>
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)),
  );
  const { data, success } = TableSample.safeParse(written);
  if (!success || data.rows.some((row) => row.length !== data.columns.length)) {
    throw new Damaged('table_sample');
  }
  return data;
}

function textOf(sample: TableSample, maxCharacters: number): Extraction {
  const columns = sample.columns
    .map((column, index): Column => ({ ...column, index }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = structureOf(sample, columns, Math.min(MAX_STRUCTURE, maxCharacters * STRUCTURE_SHARE));
  const room = maxCharacters - head.length;
  const { cells, rows } = valuesOf(sample.rows, columns, room);
  const lines = [head];
  let at = head.length;
  const placed = columns.map(({ name, index, type, comment, key }, i): ColumnText => {
    const values = (cells[i]?.shown ?? []).filter((value) => value !== '');
    const text = values.join('\n');
    const start = values.length === 0 ? at : at + 1;
    if (values.length > 0) lines.push(text);
    at = start + text.length;
    const about = { isNumber: NUMBER.test(type), isKey: key !== null };
    return { name, number: index + 1, comment, start, end: at, values: values.length, ...about };
  });
  const table: TableText = {
    columns: placed,
    read: {
      kind: sample.kind,
      rows,
      estimatedRows: sample.estimatedRows,
      columns: columns.length,
      maskedColumns: columns.filter(({ masked }) => masked).length,
      binaryColumns: cells.filter(({ isBinary }) => isBinary).length,
      allRowsVisible: sample.allRowsVisible,
    },
  };
  const text = lines.join('\n');
  return { ...outcomeOf(table, sample.rows.length), text, title: sample.table, table };
}

/** Name and comment of the table, and of each column on a line of its own. */
function structureOf(sample: TableSample, columns: readonly Column[], most: number): string {
  const lines = [oneLine(sample.table), sample.comment ?? '', ...columns.map(lineOf)].filter(
    (line) => line !== '',
  );
  return lines.join('\n').slice(0, most);
}

const lineOf = ({ name, comment }: Column): string =>
  comment === null ? oneLine(name) : `${oneLine(name)}\t${oneLine(comment).slice(0, MAX_COMMENT)}`;

const oneLine = (text: string): string => text.replace(/[\s\0]+/g, ' ').trim();

/** What is given as the reason is what a person can do least about by a further scan. */
function outcomeOf(
  { read }: TableText,
  given: number,
): { format: string; unreadParts?: number } & (
  | { state: 'available'; reason: null }
  | { state: 'partial'; reason: 'partly_visible' | 'sampled' | 'unknown_format' }
) {
  const unreadParts = read.maskedColumns + read.binaryColumns;
  const parts = { format: FORMAT, ...(unreadParts > 0 && { unreadParts }) };
  if (read.allRowsVisible === false || read.maskedColumns > 0) {
    return { ...parts, state: 'partial', reason: 'partly_visible' };
  }
  if (read.rows < given || read.estimatedRows === null || read.rows < read.estimatedRows) {
    return { ...parts, state: 'partial', reason: 'sampled' };
  }
  if (read.binaryColumns > 0) return { ...parts, state: 'partial', reason: 'unknown_format' };
  return { ...parts, state: 'available', reason: null };
}
