import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extract } from '../../../../core/extractors/extract.ts';
import { DEFAULT_EXTRACTION } from '../../../../core/extractors/pool/extraction-pool.ts';
import { zip } from '../../../support/documents/packages.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

/** The file of a database after these statements. */
function databaseOf(...statements: string[]): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlite-'));
  try {
    const file = path.join(folder, 'a.db');
    const database = new DatabaseSync(file);
    for (const statement of statements) database.exec(statement);
    database.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const read = (bytes: Uint8Array, bounds = {}) =>
  extract({ name: 'a.db', mimeType: null, bytes }, { ...DEFAULT_EXTRACTION.bounds, ...bounds });

const PEOPLE = databaseOf(
  `create table people ("full name" text, [iban] varchar(34) not null, age int check (age in (1, 2, 40)),
     /* a, b */ \`pay,roll\` real default (1 + 2), primary key ("full name")) -- the end`,
  `insert into people values ('Anna Keller', 'DE89370400440532013000', 40, 1234.5), (null, x'6162', null, -7)`,
);

test('each table: its name, the names of its columns, its rows', async () => {
  expect(await read(PEOPLE)).toMatchObject({
    state: 'available',
    format: 'sqlite',
    reason: null,
    text: 'people\nfull name\tiban\tage\tpay,roll\nAnna Keller\tDE89370400440532013000\t40\t1234.5\n\tab\t\t-7',
  });
});

test.each(['UTF-8', 'UTF-16le', 'UTF-16be'])(
  'a database in %s, with values of every size',
  async (encoding) => {
    const numbers = [0, 1, -1, 127, -32768, 8388607, -2147483648, 2 ** 45, '9223372036854775807'];
    const { text } = (await read(
      databaseOf(
        `pragma encoding = '${encoding}'`,
        'create table t (id integer primary key, n, w)',
        `insert into t values ${numbers.map((n, at) => `(${at * 300 - 5}, ${n}, 'Größe 給料')`).join()}`,
      ),
    )) as { text: string };
    const rows = numbers.map((n, at) => `${at * 300 - 5}\t${n}\tGröße 給料`);
    expect(text).toBe(`t\nid\tn\tw\n${rows.join('\n')}`);
  },
);

test('rows over many pages, and values longer than a page', async () => {
  const bytes = databaseOf(
    'pragma page_size = 512',
    'create table t (n, w)',
    `with recursive s(n) as (select 1 union all select n + 1 from s where n < 3000)
     insert into t select n, 'word ' || n from s`,
    `insert into t values (0, '${'long '.repeat(2_000)}end')`,
    'create index i on t (w)',
  );
  const { text, state } = (await read(bytes)) as { text: string; state: string };
  const lines = text.split('\n');
  expect([state, lines.length, lines[2], lines[3001]]).toEqual([
    'available',
    3003,
    '1\tword 1',
    '3000\tword 3000',
  ]);
  expect(lines[3002]).toBe(`0\t${'long '.repeat(2_000)}end`);
});

test.each([
  '"id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, w',
  'id INTEGER NOT NULL, w varchar(9), PRIMARY KEY (id)',
  '"card number" INTEGER PRIMARY KEY, w',
  'id /* a, (number */ integer -- of it\n constraint "a key" primary key, w',
  "[id] INTEGER, w text default ('primary key, ('), constraint k unique (w) primary key (`ID` desc)",
])('the number of a row is its key: (%s)', async (columns) => {
  const bytes = databaseOf(`create table t (${columns})`, `insert into t values (4711, 'a'), (null, 'b')`);
  expect(await read(bytes)).toMatchObject({
    ...{ state: 'available', text: expect.stringMatching(/^t\n(id|card number)\tw\n4711\ta\n4712\tb$/) },
  });
});

test.each(['id int primary key, w', 'id integer primary key desc, w', 'id integer, w, primary key (id, w)'])(
  'an empty key that is not the number of a row stays empty: (%s)',
  async (columns) => {
    const bytes = databaseOf(`create table t (${columns})`, `insert into t values (null, 'a')`);
    expect(await read(bytes)).toMatchObject({ text: 't\nid\tw\n\ta' });
  },
);

test('a row from before a column was added has the default of the column', async () => {
  const columns = [`a default 'it''s'`, 'b default -7', 'c', `d default ('e')`, 'f default true'];
  const bytes = databaseOf(
    'create table t (w)',
    `insert into t values ('old')`,
    ...columns.map((column) => `alter table t add column ${column}`),
    `insert into t values ('new', 1, 2, 3, 4, 5)`,
  );
  expect(await read(bytes)).toMatchObject({
    ...{ state: 'available' },
    text: "t\nw\ta\tb\tc\td\tf\nold\tit's\t-7\t\te\t1\nnew\t1\t2\t3\t4\t5",
  });
  const other = databaseOf(
    'create table t (w)',
    `insert into t values ('old'), ('older')`,
    `alter table t add column a default x'4142'`,
  );
  expect(await read(other)).toMatchObject({ state: 'partial', reason: 'unknown_format', unreadParts: 1 });
});

test('a computed column is shown only if it is stored', async () => {
  const bytes = databaseOf(
    `create table t (a, b as (a || '!'), c text generated always as (a || '?') stored, d)`,
    `insert into t values ('x', 'y')`,
  );
  expect(await read(bytes)).toMatchObject({ state: 'available', text: 't\na\tc\td\nx\tx?\ty' });
});

test('a database whose last rows may be in a file beside it is partial', async () => {
  const bytes = databaseOf('pragma journal_mode = wal', 'create table t (w)', `insert into t values ('a')`);
  expect(await read(bytes)).toMatchObject({
    ...{ state: 'partial', reason: 'unknown_format', unreadParts: 1, text: 't\nw\na' },
  });
});

test('what is not read is counted: bytes, and tables without row numbers', async () => {
  const bytes = databaseOf(
    'create table t (photo blob, note text)',
    `insert into t values (x'89504e470d0a1a0a00ff', 'kept'), (x'00ff00fe', 'too')`,
    'create table w (a text primary key) without rowid',
  );
  expect(await read(bytes)).toMatchObject({
    ...{ state: 'partial', reason: 'unknown_format', unreadParts: 2 },
    text: 't\nphoto\tnote\n\tkept\n\ttoo',
  });
});

test('a database in an archive is read within its budget', async () => {
  const outcome = await read(zip({ 'in/a.db': PEOPLE }));
  expect(outcome).toMatchObject({ state: 'available', inside: [{ path: 'in/a.db' }] });
  expect(await read(PEOPLE, { maxMembers: 0 })).toMatchObject({ reason: 'member_bound' });
  expect(await read(PEOPLE, { maxCharacters: 30 })).toMatchObject({
    state: 'partial',
    reason: 'output_bound',
  });
});

test('a database that is cut gives what it holds before', async () => {
  const bytes = databaseOf(
    'pragma page_size = 512',
    'create table t (w)',
    `with recursive s(n) as (select 1 union all select n + 1 from s where n < 900) insert into t select 'word ' || n from s`,
  );
  expect(await read(bytes.subarray(0, bytes.length / 2))).toMatchObject({
    ...{ state: 'partial', reason: 'damaged' },
    text: expect.stringMatching(/^t\nw\nword 1\nword 2\n/),
  });
  expect(await read(bytes.subarray(0, 100))).toMatchObject({ state: 'failed', reason: 'corrupt' });
});

/** A page of the tree of tables that only refers to other pages. */
function interior(pageBytes: number, children: readonly number[]): Buffer {
  const page = Buffer.alloc(pageBytes);
  page.writeUInt8(5, 0);
  page.writeUInt16BE(children.length - 1, 3);
  page.writeUInt32BE(children.at(-1) ?? 0, 8);
  for (const [index, child] of children.slice(0, -1).entries()) {
    const at = pageBytes - (index + 1) * 5;
    page.writeUInt16BE(at, 12 + index * 2);
    page.writeUInt32BE(child, at);
  }
  return page;
}

test('pages that refer to themselves or to each other end', async () => {
  for (const children of [[2], [1, 2], [3, 3, 2], [999_999]]) {
    const changed = Buffer.from(PEOPLE);
    interior(4_096, children).copy(changed, 4_096);
    expect(await read(changed)).toMatchObject({ state: 'partial', reason: 'damaged' });
  }
});

test('chains of pages that rows share cost no more than the budget', async () => {
  const bytes = databaseOf(
    'pragma page_size = 512',
    'create table t (w)',
    `insert into t values ('${'x'.repeat(9_000)}')`,
  );
  const leaf = 512;
  // Fifty rows at the place of the one.
  const cell = bytes.readUInt16BE(leaf + 8);
  bytes.writeUInt16BE(50, leaf + 3);
  for (let index = 0; index < 50; index++) bytes.writeUInt16BE(cell, leaf + 8 + index * 2);
  expect(await read(bytes, { maxInflatedBytes: 50_000 })).toMatchObject({
    ...{ state: 'partial', reason: 'member_bound' },
    text: `t\nw\n${Array(5).fill('x'.repeat(9_000)).join('\n')}`,
  });
});

test('no change of the bytes crashes or hangs', { timeout: 120_000 }, async () => {
  const at = fc.nat(PEOPLE.length - 1);
  const nearHeads = fc.oneof(
    at,
    fc.nat(120),
    fc.nat(60).map((near) => 4_096 + near),
  );
  const changes = fc.array(fc.tuple(nearHeads, fc.nat(255)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(changes, fc.option(at), async (places, end) => {
      const changed = Buffer.from(PEOPLE.subarray(0, end ?? PEOPLE.length));
      for (const [place, byte] of places) if (place < changed.length) changed[place] = byte;
      const { state, reason } = await read(changed);
      expect(`${state} ${reason}`).toMatch(
        /^(available null|partial (member_bound|damaged|unknown_format|unknown_encoding)|unsupported unknown_format|failed (corrupt|size_bound))$/,
      );
    }),
    { numRuns: propertyRuns(300) },
  );
});
