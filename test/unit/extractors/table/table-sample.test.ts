import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { TABLE_SAMPLE_TYPE } from '../../../../core/kernel/table-sample.ts';
import { bytesOf, type ColumnSpec, customers, tableOf } from '../../../support/table-samples.ts';

const BOUNDS = { maxCharacters: 2_000_000, maxMembers: 100, maxInflatedBytes: 1_000, maxDepth: 3 };

const read = (bytes: Uint8Array, maxCharacters = BOUNDS.maxCharacters) =>
  extract(
    { name: 'customers', mimeType: TABLE_SAMPLE_TYPE, bytes, isTable: true },
    { ...BOUNDS, maxCharacters },
  );

const wholeOf = async (sample: unknown, maxCharacters?: number) => {
  const outcome = await read(bytesOf(sample), maxCharacters);
  if (!('text' in outcome) || outcome.table === undefined) throw new Error(`not read: ${outcome.reason}`);
  return { ...outcome, table: outcome.table };
};

const shownIn = async (columns: readonly ColumnSpec[], rows: readonly (string | null)[][]) => {
  const { text, table } = await wholeOf(tableOf(columns, rows));
  return Object.fromEntries(
    table.columns.map(({ name, start, end }) => [name, text.slice(start, end).split('\n')]),
  );
};

test('a table gives its structure, then its values column by column', async () => {
  const sample = tableOf(
    ['name', { name: 'c1', comment: 'account of the customer' }],
    [
      ['Anna', '17'],
      ['Ben', null],
      ['Cleo', '18'],
    ],
    { comment: 'who buys' },
  );
  const outcome = await wholeOf(sample);
  expect(outcome).toMatchObject({ state: 'available', reason: null, format: 'table', title: 'customers' });
  expect(outcome.text).toBe(
    'customers\nwho buys\nc1\taccount of the customer\nname\n17\n18\nAnna\nBen\nCleo',
  );
  expect(await shownIn(sample.columns, sample.rows)).toEqual({
    c1: ['17', '18'],
    name: ['Anna', 'Ben', 'Cleo'],
  });
});

test('names and comments keep no character that cannot be stored', async () => {
  const columns = [{ name: 'i\0d\ud800', comment: 'key\0s' }];
  const { text, title, table } = await wholeOf(
    tableOf(columns, [['17']], { table: 'cust\0', comment: 'who\0buys\ud800' }),
  );
  expect([title, table.columns[0]?.name, table.columns[0]?.comment]).toEqual(['cust', 'id\ufffd', 'keys']);
  expect(text.split('\n')[1]).toBe('who buys\ufffd');
  expect(text.slice(table.columns[0]?.start, table.columns[0]?.end)).toBe('17');
});

test('the order of columns in the database makes no difference', async () => {
  const rows = customers(5);
  const one = await wholeOf(tableOf(['id', 'name', 'iban', 'email'], rows));
  const turned = await wholeOf(
    tableOf(
      ['email', 'iban', 'name', 'id'],
      rows.map((row) => row.toReversed()),
    ),
  );
  const withoutNumbers = ({ table, ...outcome }: typeof one) => ({
    ...outcome,
    columns: table.columns.map(({ number: _, ...column }) => column),
  });
  expect(withoutNumbers(turned)).toEqual(withoutNumbers(one));
});

test('a value is one line, whatever it holds', async () => {
  expect(await shownIn(['note'], [['a\nb\tc\0d'], ['\r\n'], ['e']])).toEqual({ note: ['a b c d', 'e'] });
});

test('bytes are shown as the text that they are, or not at all', async () => {
  const hex = (text: string) => `\\x${Buffer.from(text).toString('hex')}`;
  const columns = [
    { name: 'a', type: 'bytea' },
    { name: 'b', type: 'varbinary(80)' },
  ];
  const rows = [
    [hex('Grüße an Anna'), '0x89504e470d0a1a0a'],
    [`${hex('halb ü').slice(0, -3)}`, '0x00ff'],
  ];
  expect(await shownIn(columns, rows)).toEqual({ a: ['Grüße an Anna', 'halb'], b: [''] });
  expect(await wholeOf(tableOf(columns, rows))).toMatchObject({
    state: 'partial',
    reason: 'unknown_format',
    unreadParts: 1,
    table: { read: { binaryColumns: 1 } },
  });
});

test.each([
  ['all rows', {}, 'available', null],
  ['rows of a larger table', { estimatedRows: 2_000_000 }, 'partial', 'sampled'],
  ['an unknown share of them', { estimatedRows: null }, 'partial', 'sampled'],
  ['what row security shows', { allRowsVisible: false }, 'partial', 'partly_visible'],
  [
    'a part of what row security shows',
    { allRowsVisible: false, estimatedRows: 9 },
    'partial',
    'partly_visible',
  ],
  ['rows, and nothing of row security', { allRowsVisible: null }, 'available', null],
] as const)('%s: the state says what was read', async (_, more, state, reason) => {
  expect(await wholeOf(tableOf(['a'], [['x'], ['y']], more))).toMatchObject({ state, reason });
});

test('a masked column has no values, and the table is partly visible', async () => {
  const { text, ...outcome } = await wholeOf(tableOf(['a', { name: 'iban', masked: true }], [['x', 'XXXX']]));
  expect(outcome).toMatchObject({ state: 'partial', reason: 'partly_visible', unreadParts: 1 });
  expect(text).toBe('customers\na\niban\nx');
});

test('an empty table is its structure', async () => {
  const outcome = await wholeOf(tableOf(['id', 'iban'], []));
  expect(outcome).toMatchObject({ state: 'available', reason: null, text: 'customers\niban\nid' });
});

test('of a text that would be too long, whole rows are left out and not counted', async () => {
  const rows = customers(10_000);
  const outcome = await wholeOf(tableOf(['id', 'name', 'iban', 'email'], rows), 100_000);
  const { table, text } = outcome;
  expect(outcome).toMatchObject({ state: 'partial', reason: 'sampled' });
  expect(text.length).toBeLessThanOrEqual(100_000);
  expect(text.length).toBeGreaterThan(99_000);
  expect(new Set(table.columns.map(({ values }) => values))).toEqual(new Set([table.read.rows]));
});

test('of 4,000 columns, each is read', async () => {
  const names = Array.from({ length: 4_000 }, (_, i) => `column_${i}`);
  const row = names.map((_, i) => `value ${i} ${'x'.repeat(1_000)}`);
  const { table, text } = await wholeOf(tableOf(names, [row, row], { estimatedRows: 2 }));
  expect(table.columns).toHaveLength(4_000);
  expect(table.columns.every(({ values }) => values >= 1)).toBe(true);
  expect(text.length).toBeLessThanOrEqual(BOUNDS.maxCharacters);
});

test.each([
  ['no JSON', new TextEncoder().encode('{"database":')],
  ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ['another shape', bytesOf({ rows: [] })],
  ['a field too many', bytesOf({ ...tableOf([], []), password: 'x' })],
  ['a row that is too short', bytesOf(tableOf(['a', 'b'], [['x']]))],
  ['deep JSON', new TextEncoder().encode('['.repeat(200_000) + ']'.repeat(200_000))],
  [
    'too many rows',
    bytesOf(
      tableOf(
        ['a'],
        Array.from({ length: 10_001 }, () => ['x']),
      ),
    ),
  ],
])('%s is corrupt', async (_, bytes) => {
  expect(await read(bytes)).toEqual({ state: 'failed', format: 'table', reason: 'corrupt' });
});

test('a file that claims the media type of a table is a file', async () => {
  const bytes = bytesOf(tableOf(['a'], [['Anna Keller']]));
  const outcome = await extract({ name: 'a.json', mimeType: TABLE_SAMPLE_TYPE, bytes }, BOUNDS);
  expect(outcome).toMatchObject({ state: 'available', format: 'json' });
});
