import type { ColumnMetaData, FileMetaData, RowGroup } from 'hyparquet';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import { shortfallOf } from '../archive/zip.ts';
import { BoundedText, type Shortfall } from '../bounded-text.ts';
import { byLibrarySync, Damaged } from '../damage.ts';
import type { ExtractionContext, Extractor } from '../extractor.ts';
import { sniffEncoding } from '../text/text-encoding.ts';
import { textOutcome } from '../text-outcome.ts';
import { columnsOf, type ParquetColumn } from './parquet-columns.ts';
import { pagesOf, UnknownForm } from './parquet-page.ts';
import { shownOf } from './parquet-value.ts';

const MAGIC = Buffer.from('PAR1');
/** The file is encrypted as a whole, its list of columns too. */
const SEALED_MAGIC = Buffer.from('PARE');
/** The length of the list of columns and groups, and the magic again. */
const TAIL_BYTES = 8;
const MAX_FOOTER_BYTES = 16_777_216;
const MAX_COLUMNS = 1_000;
const BREAKS = /[\s\0]+/g;
const beginsWith = (bytes: Uint8Array, magic: Buffer): boolean =>
  magic.equals(bytes.subarray(0, magic.length));

/** Text can begin with the same letters. */
const isWhole = (bytes: Uint8Array, magic: Buffer): boolean =>
  beginsWith(bytes, magic) && magic.equals(bytes.subarray(-magic.length));
const isCut = (bytes: Uint8Array): boolean => beginsWith(bytes, MAGIC) && sniffEncoding(bytes) === null;

type Unread = Map<ParquetColumn, 'encrypted' | 'unknown_format'>;

/** Parquet: a line of the names of the columns, and a line for each row. Group by group and page by page, as text has room. */
export const parquet: Extractor = {
  format: 'parquet',
  version: 1,
  claims: ({ bytes }) => isWhole(bytes, MAGIC) || isWhole(bytes, SEALED_MAGIC) || isCut(bytes),
  async extract({ bytes }, context) {
    if (beginsWith(bytes, SEALED_MAGIC))
      return { state: 'unsupported', format: 'parquet', reason: 'encrypted' };
    const text = new BoundedText(context.maxCharacters);
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let shortfall: Shortfall | null = null;
    try {
      shortfall = writeTable(data, text, context);
    } catch (error) {
      shortfall = shortfallOf(error);
    }
    return textOutcome('parquet', text, shortfall);
  },
};

function writeTable(data: Buffer, text: BoundedText, context: ExtractionContext): Shortfall | null {
  const metadata = metadataOf(data);
  const all = [...columnsOf(byLibrarySync(() => parquetSchema(metadata)))];
  const columns = all.slice(0, MAX_COLUMNS);
  if (all.length > columns.length) context.unread('member_bound', all.length - columns.length);
  text.besides(columns.map(({ name }) => name.replace(BREAKS, ' ')).join('\t'));
  const unread: Unread = new Map();
  try {
    for (const group of metadata.row_groups) {
      if (text.full) break;
      if (context.budget.members-- <= 0) return 'member_bound';
      writeGroup(data, group, columns, text, context, unread);
    }
  } finally {
    for (const reason of unread.values()) context.unread(reason);
  }
  return null;
}

function metadataOf(data: Buffer): FileMetaData {
  if (data.length < TAIL_BYTES || !data.subarray(-MAGIC.length).equals(MAGIC)) throw new Damaged('no_footer');
  const length = data.readUInt32LE(data.length - TAIL_BYTES);
  if (length > Math.min(MAX_FOOTER_BYTES, data.length - TAIL_BYTES)) throw new Damaged('footer_length');
  return byLibrarySync(() => parquetMetadata(data.subarray(-(length + TAIL_BYTES)), { geoparquet: false }));
}

function writeGroup(
  data: Buffer,
  group: RowGroup,
  columns: readonly ParquetColumn[],
  text: BoundedText,
  { budget }: ExtractionContext,
  unread: Unread,
): void {
  const chunks = new Map(group.columns.map((chunk) => [chunk.meta_data?.path_in_schema.join('.'), chunk]));
  const cells = columns.map((column) => {
    const chunk = chunks.get(column.path);
    const isSealed = chunk?.crypto_metadata !== undefined || chunk?.encrypted_column_metadata !== undefined;
    if (isSealed) unread.set(column, 'encrypted');
    if (isSealed || chunk?.meta_data === undefined) return null;
    return cellsOf(bytesOf(data, chunk.meta_data), column, chunk.meta_data.codec, budget, unread);
  });
  for (let row = 0n; row < group.num_rows && !text.full; row++) {
    const values = cells.map((column) => column?.next());
    if (values.every((value) => value === undefined || value.done === true)) return;
    text.line(values.map((value) => (value?.done === false ? value.value : '')).join('\t'));
  }
}

/** The pages of one column. The dictionary comes first if there is one. */
function bytesOf(data: Buffer, chunk: ColumnMetaData): Buffer {
  const offsets = [chunk.dictionary_page_offset, chunk.data_page_offset].map(Number);
  const start = Math.min(...offsets.filter((offset) => offset > 0));
  const end = start + Number(chunk.total_compressed_size);
  if (!(end >= start && end <= data.length)) throw new Damaged('chunk_beyond_the_end');
  return data.subarray(start, end);
}

/** The text of each row. Values of a list are joined. A column in an unknown form ends where it begins. */
function* cellsOf(
  chunk: Buffer,
  column: ParquetColumn,
  codec: string,
  budget: ExtractionContext['budget'],
  unread: Unread,
): Generator<string> {
  let cell: string[] | null = null;
  try {
    for (const { rows, levels, values } of pagesOf(chunk, column, codec, budget)) {
      let next = 0;
      for (const [at, level] of levels.entries()) {
        if (rows[at] === 0 && cell !== null) yield cell.join(' ');
        if (rows[at] === 0 || cell === null) cell = [];
        if (level !== column.mostDefined) continue;
        if (next >= values.length) throw new Damaged('no_value');
        const shown = shownOf(values[next++], column.element);
        if (shown === null) unread.set(column, 'unknown_format');
        else cell.push(shown);
      }
    }
  } catch (error) {
    if (!(error instanceof UnknownForm)) throw error;
    unread.set(column, 'unknown_format');
  }
  if (cell !== null) yield cell.join(' ');
}
