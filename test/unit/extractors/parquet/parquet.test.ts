import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { CompressionCodec } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { zip } from '../../../support/documents/packages.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

type Options = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>;
type SchemaElement = NonNullable<Options['schema']>[number];

const COMPRESSORS = { GZIP: gzipSync, BROTLI: brotliCompressSync, ZSTD: zstdCompressSync };

const parquet = (columnData: ColumnSource[], options: Options = {}): Buffer =>
  Buffer.from(parquetWriteBuffer({ columnData, compressors: COMPRESSORS, ...options }));

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'a.parquet', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const PEOPLE = parquet([
  { name: 'full name', data: ['Anna Keller', null, 'Größe 給料'], type: 'STRING' },
  { name: 'iban', data: ['DE89370400440532013000', 'a\tb\nc', ''], type: 'STRING' },
  { name: 'age', data: [40, -7, 0], type: 'INT32' },
  { name: 'pay', data: [1234.5, 0.25, -1], type: 'DOUBLE' },
  { name: 'active', data: [true, false, true], type: 'BOOLEAN' },
]);
const ROWS = [
  'full name\tiban\tage\tpay\tactive',
  'Anna Keller\tDE89370400440532013000\t40\t1234.5\ttrue',
  '\ta b c\t-7\t0.25\tfalse',
  'Größe 給料\t\t0\t-1\ttrue',
];

test('a line of the names of the columns, and a line for each row', async () => {
  expect(await read(PEOPLE)).toMatchObject({
    ...{ state: 'available', format: 'parquet', reason: null, text: ROWS.join('\n') },
  });
});

test.each<CompressionCodec>(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD'])(
  'groups of rows and pages compressed with %s',
  async (codec) => {
    const names = Array.from({ length: 5_000 }, (_, i) => `word ${i % 700}`);
    const ids = names.map((_, i) => BigInt(i) * 3n);
    const columns: ColumnSource[] = [
      { name: 'id', data: ids, type: 'INT64' },
      { name: 'w', data: names, type: 'STRING' },
    ];
    const bytes = parquet(columns, { codec, rowGroupSize: 1_500, pageSize: 2_000 });
    const rows = names.map((name, i) => `${i * 3}\t${name}`);
    expect(await read(bytes)).toMatchObject({ state: 'available', text: `id\tw\n${rows.join('\n')}` });
  },
);

test.each<NonNullable<ColumnSource['encoding']>>(['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'])(
  'numbers encoded as %s',
  async (encoding) => {
    const data = Array.from({ length: 300 }, (_, i) => i * i - 77);
    const bytes = parquet([{ name: 'n', data, type: 'INT32', encoding }]);
    expect(await read(bytes)).toMatchObject({ state: 'available', text: ['n', ...data].join('\n') });
  },
);

test.each<NonNullable<ColumnSource['encoding']>>(['DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'])(
  'texts encoded as %s',
  async (encoding) => {
    const data = Array.from({ length: 300 }, (_, i) => `person.${i}@example.com`);
    const bytes = parquet([{ name: 'mail', data, type: 'STRING', encoding }]);
    expect(await read(bytes)).toMatchObject({ state: 'available', text: ['mail', ...data].join('\n') });
  },
);

test('dates, times, decimals, UUIDs and JSON are shown as what they are', async () => {
  const element = (name: string, more: Partial<SchemaElement>): SchemaElement => ({
    ...{ name, repetition_type: 'OPTIONAL', ...more },
  });
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 4 },
    element('born', { type: 'INT32', converted_type: 'DATE' }),
    element('at', { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }),
    element('amount', { type: 'INT64', converted_type: 'DECIMAL', scale: 2, precision: 18 }),
    element('count', { type: 'INT32', converted_type: 'UINT_32' }),
  ];
  const bytes = parquet(
    [
      { name: 'born', data: [new Date('1984-02-29T00:00:00Z')] },
      { name: 'at', data: [new Date('2026-11-28T16:00:00.125Z')] },
      { name: 'amount', data: [-1.05] },
      { name: 'count', data: [7] },
    ],
    { schema },
  );
  expect(await read(bytes)).toMatchObject({
    state: 'available',
    text: 'born\tat\tamount\tcount\n1984-02-29\t2026-11-28T16:00:00.125Z\t-1.05\t7',
  });
  const others = parquet([
    { name: 'key', data: ['8c5b9f3e-7d1a-4c2e-9b0f-1a2b3c4d5e6f'], type: 'UUID' },
    { name: 'doc', data: [{ name: 'Anna' }], type: 'JSON' },
  ]);
  expect(await read(others)).toMatchObject({
    text: 'key\tdoc\n8c5b9f3e-7d1a-4c2e-9b0f-1a2b3c4d5e6f\t{"name":"Anna"}',
  });
});

test('values of lists are in one cell, and parts of a value in columns of their own', async () => {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 2 },
    { name: 'tags', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    { name: 'address', repetition_type: 'OPTIONAL', num_children: 2 },
    { name: 'city', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    { name: 'zip', repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ];
  const tags = [['a', 'b'], null, [], [null, 'c']];
  const address = [
    { city: 'Bern', zip: '3000' },
    null,
    { city: null, zip: '9' },
    { city: 'Chur', zip: null },
  ];
  const bytes = parquet(
    [
      { name: 'tags', data: tags },
      { name: 'address', data: address },
    ],
    { schema },
  );
  expect(await read(bytes)).toMatchObject({
    state: 'available',
    text: 'tags\taddress.city\taddress.zip\na b\tBern\t3000\n\t\t\n\t\t9\nc\tChur\t',
  });
});

test('bytes that are no text are not read, and counted', async () => {
  const photo = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0, 0xfe);
  const bytes = parquet([
    { name: 'photo', data: [photo, photo], type: 'BYTE_ARRAY' },
    { name: 'note', data: ['kept', 'too'], type: 'STRING' },
  ]);
  expect(await read(bytes)).toMatchObject({
    ...{ state: 'partial', reason: 'unknown_format', unreadParts: 1, text: 'photo\tnote\n\tkept\n\ttoo' },
  });
});

test('a compression that is not read leaves the other columns', async () => {
  const identity = (bytes: Uint8Array) => bytes;
  const bytes = parquet(
    [
      { name: 'a', data: ['one', 'two'], type: 'STRING', codec: 'LZO' },
      { name: 'b', data: ['x', 'y'], type: 'STRING' },
    ],
    { compressors: { LZO: identity } },
  );
  expect(await read(bytes)).toMatchObject({
    ...{ state: 'partial', reason: 'unknown_format', unreadParts: 1, text: 'a\tb\n\tx\n\ty' },
  });
});

test('an encrypted file is known by its first and last letters', async () => {
  const sealed = Buffer.concat([Buffer.from('PARE'), Buffer.alloc(40, 7), Buffer.from('PARE')]);
  expect(await read(sealed)).toMatchObject({ state: 'unsupported', format: 'parquet', reason: 'encrypted' });
  const text = Buffer.from('PARENTAL CONSENT of Anna Keller');
  expect(await read(text)).toMatchObject({ state: 'available', text: 'PARENTAL CONSENT of Anna Keller' });
});

test('a file in an archive is read within its budget', async () => {
  expect(await read(zip({ 'in/a.parquet': PEOPLE }))).toMatchObject({
    ...{ state: 'available', inside: [{ path: 'in/a.parquet' }] },
  });
  expect(await read(PEOPLE, { maxMembers: 0 })).toMatchObject({ reason: 'member_bound' });
  expect(await read(PEOPLE, { maxInflatedBytes: 100 })).toMatchObject({ reason: 'member_bound' });
  expect(await read(PEOPLE, { maxCharacters: 60 })).toMatchObject({
    ...{ state: 'partial', reason: 'output_bound' },
  });
});

test('a page that claims more than it holds ends at its budget', async () => {
  const zeros = parquet([{ name: 'z', data: new Array(2_000_000).fill(0), type: 'INT32' }], {
    ...{ codec: 'GZIP', rowGroupSize: 2_000_000, pageSize: 16_000_000 },
  });
  expect(zeros.length).toBeLessThan(100_000);
  expect(await read(zeros, { maxInflatedBytes: 1_000_000 })).toMatchObject({ reason: 'member_bound' });
});

test('a file that is cut is corrupt: what it holds is listed at its end', async () => {
  expect(await read(PEOPLE.subarray(0, PEOPLE.length - 20))).toMatchObject({
    ...{ state: 'failed', format: 'parquet', reason: 'corrupt' },
  });
});

test('no change of the bytes crashes or hangs', { timeout: 120_000 }, async () => {
  const at = fc.nat(PEOPLE.length - 1);
  const changes = fc.array(fc.tuple(at, fc.nat(255)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(changes, fc.option(at), async (places, end) => {
      const changed = Buffer.from(PEOPLE.subarray(0, end ?? PEOPLE.length));
      for (const [place, byte] of places) if (place < changed.length) changed[place] = byte;
      const { state, reason } = await read(changed);
      expect(`${state} ${reason}`).toMatch(
        /^(available null|partial (member_bound|damaged|unknown_format|encrypted|unknown_encoding)|unsupported (unknown_format|encrypted)|failed (corrupt|size_bound))$/,
      );
    }),
    { numRuns: propertyRuns(600) },
  );
});
