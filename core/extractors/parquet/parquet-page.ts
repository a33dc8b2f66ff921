import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { DecodedArray, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { InflatedBound } from '../archive/zip.ts';
import { byLibrarySync, Damaged } from '../damage.ts';
import type { ExtractionBudget } from '../extractor.ts';
import { unsnapped } from '../iwork/snappy.ts';
import { bitRuns } from './bit-runs.ts';
import type { ParquetColumn } from './parquet-columns.ts';

/** Writers make pages of some thousand values. */
const MAX_PAGE_VALUES = 4_194_304;
/** What a value takes in memory besides its bytes. */
const VALUE_BYTES = 16;
const LENGTH_BYTES = 4;

/** Values that a page or the whole column has in a form that is not read. */
export class UnknownForm extends Error {}

/** The values of a page, and for each place the level that says whether there is one and where its row begins. */
type Page = { rows: Uint32Array; levels: Uint32Array; values: DecodedArray };

const UNPACK: Readonly<Record<string, (packed: Uint8Array, size: number) => Uint8Array>> = {
  UNCOMPRESSED: (packed) => packed,
  SNAPPY: (packed) => unsnapped(Buffer.from(packed)).bytes,
  GZIP: (packed, size) => gunzipSync(packed, { maxOutputLength: size }),
  BROTLI: (packed, size) => brotliDecompressSync(packed, { maxOutputLength: size }),
  ZSTD: (packed, size) => zstdDecompressSync(packed, { maxOutputLength: size }),
};

/** The data pages of one column in one group of rows, in order. */
export function* pagesOf(chunk: Buffer, column: ParquetColumn, codec: string, budget: ExtractionBudget) {
  const unpack = UNPACK[codec];
  if (unpack === undefined) throw new UnknownForm();
  const inflate = (packed: Buffer, size: number): Buffer => {
    if (size === 0) return Buffer.alloc(0);
    const bytes = byLibrarySync(() => unpack(packed, size));
    if (bytes.length !== size) throw new Damaged('page_size');
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };
  const reader = { view: viewOf(chunk), offset: 0 };
  let dictionary: DecodedArray | null = null;
  while (reader.offset < chunk.length - 1) {
    const header = byLibrarySync(() => parquetHeader(reader));
    const end = reader.offset + header.compressed_page_size;
    if (!(header.compressed_page_size >= 0 && end <= chunk.length)) throw new Damaged('page_breaks_off');
    const packed = chunk.subarray(reader.offset, end);
    reader.offset = end;
    charge(header, budget);
    const size = header.uncompressed_page_size;
    if (header.dictionary_page_header !== undefined) {
      const { num_values } = header.dictionary_page_header;
      dictionary = plain(inflate(packed, size), column, num_values);
    } else if (header.data_page_header !== undefined) {
      yield pageOf(inflate(packed, size), header.data_page_header, column, dictionary);
    } else if (header.data_page_header_v2 !== undefined) {
      yield pageOfSecondVersion(packed, header, column, dictionary, inflate);
    }
  }
}

function charge(header: PageHeader, budget: ExtractionBudget): void {
  const { data_page_header, data_page_header_v2, dictionary_page_header } = header;
  const { num_values = 0 } = data_page_header ?? data_page_header_v2 ?? dictionary_page_header ?? {};
  const isCount = num_values >= 0 && num_values <= MAX_PAGE_VALUES;
  if (!isCount || !(header.uncompressed_page_size >= 0)) throw new Damaged('page_header');
  budget.inflatedBytes -= header.uncompressed_page_size + num_values * VALUE_BYTES;
  if (budget.inflatedBytes < 0) throw new InflatedBound();
}

/** Levels are behind their length. */
function pageOf(
  bytes: Buffer,
  { num_values, encoding }: NonNullable<PageHeader['data_page_header']>,
  column: ParquetColumn,
  dictionary: DecodedArray | null,
): Page {
  let at = 0;
  const levels = (most: number): Uint32Array => {
    if (most === 0) return new Uint32Array(num_values);
    const length = bytes.readUInt32LE(at);
    const start = at + LENGTH_BYTES;
    at = start + length;
    return bitRuns(bytes.subarray(start, at), bitsOf(most), num_values);
  };
  const rows = levels(column.mostRepetitions);
  const defined = levels(column.mostDefined);
  return {
    ...{ rows, levels: defined },
    values: valuesOf(bytes.subarray(at), encoding, column, countOf(defined, column), dictionary),
  };
}

/** Levels come before the packed values, and the header has their lengths. */
function pageOfSecondVersion(
  packed: Buffer,
  { data_page_header_v2: head, uncompressed_page_size }: PageHeader,
  column: ParquetColumn,
  dictionary: DecodedArray | null,
  inflate: (packed: Buffer, size: number) => Buffer,
): Page {
  if (head === undefined) throw new Damaged('page_header');
  const { num_values, repetition_levels_byte_length: first, definition_levels_byte_length: second } = head;
  const levels = (bytes: Buffer, most: number): Uint32Array =>
    most === 0 ? new Uint32Array(num_values) : bitRuns(bytes, bitsOf(most), num_values);
  const rows = levels(packed.subarray(0, first), column.mostRepetitions);
  const defined = levels(packed.subarray(first, first + second), column.mostDefined);
  const rest = packed.subarray(first + second);
  const bytes = head.is_compressed ? inflate(rest, uncompressed_page_size - first - second) : rest;
  return {
    ...{ rows, levels: defined },
    values: valuesOf(bytes, head.encoding, column, countOf(defined, column), dictionary),
  };
}

const bitsOf = (most: number): number => 32 - Math.clz32(most);

const countOf = (levels: Uint32Array, { mostDefined }: ParquetColumn): number =>
  levels.reduce((count, level) => count + (level === mostDefined ? 1 : 0), 0);

function plain(bytes: Buffer, { type, typeLength }: ParquetColumn, count: number): DecodedArray {
  // The library makes views of values, so an odd offset costs a copy of the page.
  return byLibrarySync(() => readPlain({ view: viewOf(bytes), offset: 0 }, type, count, typeLength));
}

function valuesOf(
  bytes: Buffer,
  encoding: string,
  column: ParquetColumn,
  count: number,
  dictionary: DecodedArray | null,
): DecodedArray {
  const reader = { view: viewOf(bytes), offset: 0 };
  switch (encoding) {
    case 'PLAIN':
      return plain(bytes, column, count);
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY': {
      const indexes = count === 0 ? [] : bitRuns(bytes.subarray(1), bytes.readUInt8(0), count);
      return Array.from(indexes, (index) => {
        const value = dictionary?.[index];
        if (value === undefined) throw new Damaged('dictionary_index');
        return value;
      });
    }
    case 'RLE':
      return Array.from(bitRuns(bytes.subarray(LENGTH_BYTES), 1, count), (bit) => bit === 1);
    case 'DELTA_BINARY_PACKED': {
      const numbers = column.type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      if (count > 0) byLibrarySync(() => deltaBinaryUnpack(reader, count, numbers));
      return numbers;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY': {
      const texts = new Array<Uint8Array>(count);
      const read = encoding === 'DELTA_BYTE_ARRAY' ? deltaByteArray : deltaLengthByteArray;
      if (count > 0) byLibrarySync(() => read(reader, count, texts));
      return texts;
    }
    case 'BYTE_STREAM_SPLIT':
      return byLibrarySync(() => byteStreamSplit(reader, count, column.type, column.typeLength));
    default:
      throw new UnknownForm();
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
