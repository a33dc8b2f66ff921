import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../../core/detectors/detector.ts';
import { extract } from '../../../core/extractors/extract.ts';
import { highestLevel, levelOfSignal, provenSignals } from '../../../core/findings/sensitivity.ts';
import { TABLE_SAMPLE_TYPE, type TableSample } from '../../../core/kernel/table-sample.ts';
import { type Analysis, analyse } from '../../../core/scan/analyse.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { bytesOf, customers, iban, pesel, randomNumbers, tableOf } from '../../support/table-samples.ts';

const BOUNDS = { maxCharacters: 2_000_000, maxMembers: 100, maxInflatedBytes: 1_000, maxDepth: 3 };

/** What a scan keeps of a table. */
async function analysisOf(sample: TableSample): Promise<Analysis> {
  const { table: name } = sample;
  const file = { name, mimeType: TABLE_SAMPLE_TYPE, bytes: bytesOf(sample), isTable: true };
  const outcome = await extract(file, BOUNDS);
  if (!('text' in outcome) || outcome.table === undefined) throw new Error(`not read: ${outcome.reason}`);
  return analyse(
    outcome.text,
    {
      name,
      path: `public/${name}`,
      contentHash: null,
      excerpts: { max: 10, width: 240 },
      detectors: [],
      homes: [],
      fingerprintKey: null,
      vocabulary: null,
      forOpinion: true,
    },
    outcome,
  );
}

const signalsOf = async (sample: TableSample) => (await analysisOf(sample)).features.signals;
const found = async (sample: TableSample) =>
  Object.fromEntries((await signalsOf(sample)).map((signal) => [signal.detectorId, signal]));
/** The columns of each kind that is sure. */
const placesOf = async (sample: TableSample) =>
  Object.fromEntries(
    (await signalsOf(sample))
      .filter((signal) => levelOfSignal(signal) !== null)
      .map(({ detectorId, columns }) => [detectorId, columns?.items.map(({ column }) => column)]),
  );
const rowsOf = (count: number, value: (i: number) => (string | null)[]) =>
  Array.from({ length: count }, (_, i) => value(i));

describe('a column is one piece of evidence', () => {
  test.each([
    ['English', ['id', 'name', 'iban', 'email']],
    ['German', ['kunden_nr', 'kunde', 'bankverbindung', 'e_mail']],
  ])('customers with %s names', async (_, names) => {
    const [key = '', name = '', account, mail] = names;
    const sample = tableOf([{ name: key, type: 'bigint', key: 'primary' }, ...names.slice(1)], customers(40));
    const { iban: accounts, email_address, person_name, ...others } = await found(sample);
    expect(accounts).toMatchObject({
      count: 40,
      columns: { items: [{ column: account, saidBy: 'name', passing: 40, values: 40 }], truncated: false },
    });
    expect(accounts?.confidence).toBeGreaterThan(0.9);
    expect(email_address?.columns?.items).toMatchObject([{ column: mail, passing: 40, values: 40 }]);
    expect(person_name?.columns?.items).toMatchObject([{ column: name }]);
    expect(Object.keys(others)).toEqual([]);
  });

  test('cryptic names: enough values prove themselves', async () => {
    const random = randomNumbers(3);
    const sample = tableOf(
      ['c1', 'c2', 'c3'],
      rowsOf(30, (i) => [pesel(random), iban(random), `text ${i}`]),
    );
    expect(await placesOf(sample)).toEqual({ iban: ['c2'], pl_pesel: ['c1'] });
    expect((await found(sample)).pl_pesel?.columns?.items[0]?.saidBy).toBeNull();
  });

  test('a comment explains a cryptic name', async () => {
    const random = randomNumbers(5);
    const sample = tableOf(
      [{ name: 'c1', comment: 'Numer PESEL klienta' }, 'c2'],
      rowsOf(2, () => [pesel(random), 'x']),
    );
    expect((await found(sample)).pl_pesel?.columns?.items).toEqual([
      { column: 'c1', saidBy: 'comment', passing: 2, values: 2 },
    ]);
    expect(await placesOf(sample)).toEqual({ pl_pesel: ['c1'] });
  });

  test('a comment is no value, whatever it holds', async () => {
    const comment = 'for example DE89370400440532013000 or anna.keller@post.example.org';
    const { features, excerpts, opinionExcerpts } = await analysisOf(
      tableOf(
        [{ name: 'c1', comment }],
        rowsOf(9, (i) => [`text ${i}`]),
        { comment },
      ),
    );
    expect(features.signals).toEqual([]);
    expect(excerpts).toEqual([]);
    for (const value of ['DE89370400440532013000', '0532013000', 'anna.keller']) {
      expect(opinionExcerpts.join('\n')).not.toContain(value);
    }
  });

  test('a name that says a kind is none where its values say otherwise', async () => {
    const random = randomNumbers(11);
    const sample = tableOf(
      [{ name: 'imei', type: 'bigint' }],
      rowsOf(500, () => [`35${String(random(1_000_000_000)).padStart(13, '0')}`]),
    );
    expect(await placesOf(sample)).toEqual({});
    expect((await found(sample)).imei).toBeUndefined();
  });

  test('identifiers in JSON are found by their keys', async () => {
    const random = randomNumbers(13);
    const sample = tableOf(
      [{ name: 'data', type: 'jsonb' }],
      rowsOf(12, (i) => [JSON.stringify({ id: i, pesel: pesel(random), order: 4_000_000 + i })]),
    );
    expect(await placesOf(sample)).toEqual({ pl_pesel: ['data'] });
  });

  test('a value of one row and one of the next are no number', async () => {
    const sample = tableOf(['card number'], [['4539'], ['1488'], ['0343'], ['6467']]);
    expect(await signalsOf(sample)).toEqual([]);
  });

  test('a name of a column that holds an identifier is not shown', async () => {
    const sample = tableOf(
      ['DE89370400440532013000', 'iban'],
      customers(9).map((row) => [row[2] ?? '', row[2] ?? '']),
    );
    expect((await found(sample)).iban?.columns?.items.map(({ column }) => column).sort()).toEqual([
      '#1',
      'iban',
    ]);
  });

  test('excerpts name the column, show one value and no identifier', async () => {
    const rows = customers(20);
    const { excerpts } = await analysisOf(tableOf(['id', 'name', 'iban', 'email'], rows));
    expect(excerpts.find(({ detectorId }) => detectorId === 'iban')).toMatchObject({ column: 'iban' });
    for (const { text } of excerpts) {
      for (const [, name = '', account = '', mail = ''] of rows) {
        expect(text).not.toContain(account);
        expect(text).not.toContain(mail);
        expect(text).not.toContain(name);
      }
    }
  });
});

describe('what is no identifier', () => {
  const keys = (first: bigint, step: bigint) => rowsOf(2_000, (i) => [String(first + BigInt(i) * step)]);

  test.each([
    [1n, 1n],
    [100_000_000n, 1n],
    [1_000_000_001n, 7n],
    [44_051_401_300n, 11n],
    [202_601_010_001n, 97n],
    [4_539_148_803_436_000n, 1n],
    [1_790_000_000_000_000_000n, 4_194_304n],
  ])('a primary key that counts from %d by %d', async (first, step) => {
    for (const name of ['id', 'customer_id', 'Kundennummer', 'c1']) {
      const sample = tableOf([{ name, type: 'bigint', key: 'primary' }], keys(first, step));
      expect(await signalsOf(sample)).toEqual([]);
    }
  });

  test('a key that refers to such a key', async () => {
    const sample = tableOf(
      [{ name: 'person_id', type: 'numeric', key: 'foreign', comment: 'the person' }],
      keys(840_512_000n, 3n),
    );
    expect(await signalsOf(sample)).toEqual([]);
  });

  test('prices, dates, times and counts', async () => {
    const random = randomNumbers(17);
    const sample = tableOf(
      [
        { name: 'price', type: 'numeric(12,2)' },
        { name: 'amount', type: 'integer' },
        { name: 'created', type: 'timestamp' },
        { name: 'day', type: 'date' },
        { name: 'c5', type: 'bigint' },
      ],
      rowsOf(800, (i) => [
        `${random(1_000_000)}.${String(random(100)).padStart(2, '0')}`,
        String(random(2_000_000_000)),
        `2026-0${1 + random(9)}-1${random(10)} 0${random(10)}:15:${10 + random(50)}.${random(1_000_000)}`,
        `19${60 + random(40)}-0${1 + random(9)}-1${random(10)}`,
        String(1_700_000_000_000 + i * 977),
      ]),
    );
    expect(await signalsOf(sample)).toEqual([]);
  });

  test('a date of birth is one where the column says so', async () => {
    const dates = rowsOf(20, (i) => [`19${60 + i}-03-1${i % 10}`]);
    const places = async (name: string, comment: string | null) =>
      (await found(tableOf([{ name, comment, type: 'date' }], dates))).date_of_birth?.columns?.items[0]
        ?.saidBy;
    expect(await places('geburtsdatum', null)).toBe('name');
    expect(await places('d1', 'Geburtsdatum des Kunden')).toBe('comment');
    expect(await places('d1', null)).toBeUndefined();
  });

  test.each([
    ['hashes', 'bytea', (i: number) => `\\x${i.toString(16).padStart(4, '0').repeat(16)}`],
    [
      'hexadecimal digits',
      'text',
      (i: number) => (i * 2_654_435_761).toString(16).padStart(16, '0').repeat(4),
    ],
    ['UUIDs', 'uuid', (i: number) => `${i.toString(16).padStart(8, '0')}-4f5c-4a6e-9d3b-8c1f0a2b3c4d`],
  ])('%s', async (_, type, value) => {
    expect(
      await placesOf(
        tableOf(
          [{ name: 'h', type }],
          rowsOf(300, (i) => [value(i)]),
        ),
      ),
    ).toEqual({});
  });

  test('passwords and their hashes, by the name of the column and by its comment', async () => {
    const hashed = rowsOf(20, (i) => [
      `$2b$12$${String(i).padStart(22, 'abcXYZ')}8tkq3rVQ4zqzmqjM3ZkE2Iu7m1pQbS`,
    ]);
    expect(await placesOf(tableOf(['password'], hashed))).toEqual({ password_column: ['password'] });
    const plain = rowsOf(20, (i) => [`Winter${2_000 + i}!`]);
    expect(await placesOf(tableOf(['password'], plain))).toEqual({ password_column: ['password'] });
    expect(await placesOf(tableOf([{ name: 'p', comment: 'Passwort' }], plain))).toEqual({
      password_column: ['p'],
    });
  });

  test('a masked column, an empty one and an empty table', async () => {
    const masked = tableOf(
      [{ name: 'iban', masked: true }, 'x'],
      customers(9).map((row) => [row[2] ?? '', 'y']),
    );
    expect(await signalsOf(masked)).toEqual([]);
    expect(await signalsOf(tableOf(['iban', 'email', 'password'], []))).toEqual([]);
    expect(
      await signalsOf(
        tableOf(
          ['iban'],
          rowsOf(9, () => [null]),
        ),
      ),
    ).toEqual([]);
  });
});

describe('bounds', () => {
  test('of 4,000 columns, those with identifiers are named', { timeout: 60_000 }, async () => {
    const random = randomNumbers(23);
    const names = Array.from({ length: 4_000 }, (_, i) => `c${i}`);
    const sample = tableOf(
      names,
      rowsOf(20, () => names.map((_, i) => (i % 1_000 === 500 ? iban(random) : `v${i}`))),
    );
    expect((await placesOf(sample)).iban?.toSorted()).toEqual(['c1500', 'c2500', 'c3500', 'c500']);
  });

  test('10,000 rows are read in time and memory that a thread has', { timeout: 60_000 }, async () => {
    const sample = tableOf(['id', 'name', 'iban', 'email'], customers(10_000), { estimatedRows: 2_000_000 });
    const started = process.cpuUsage();
    const { iban: accounts } = await found(sample);
    expect(accounts?.columns?.items).toEqual([
      { column: 'iban', saidBy: 'name', passing: 10_000, values: 10_000 },
    ]);
    // A thread has 30 seconds of processor time for a file.
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(15_000_000);
  });
});

/** Kinds of columns, each with a value for a row. */
const KINDS = {
  iban: (random: (below: number) => number) => iban(random),
  pesel: (random: (below: number) => number) => pesel(random),
  email: (random: (below: number) => number) => `p${random(100_000)}@post.example.org`,
  counter: (_: (below: number) => number, i: number) => String(500_000_000 + i),
  words: (random: (below: number) => number) => `note ${random(1_000)}`,
};
const NAMES = { iban: 'iban', pesel: 'pesel', email: 'email', counter: 'id', words: 'note' };
type Kind = keyof typeof KINDS;

const worlds = fc.record({
  kinds: fc.array(fc.constantFrom(...(Object.keys(KINDS) as Kind[])), { minLength: 1, maxLength: 6 }),
  isNamed: fc.boolean(),
  rows: fc.integer({ min: 0, max: 25 }),
  more: fc.integer({ min: 1, max: 25 }),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
});

function world(kinds: readonly Kind[], isNamed: boolean, rows: number, seed: number): TableSample {
  const columns = kinds.map((kind, i) => ({
    name: isNamed ? `${NAMES[kind]}_${'abcdef'[i]}` : `c${i}`,
    ...(kind === 'counter' && { type: 'bigint', key: 'primary' as const }),
  }));
  const made = kinds.map((kind, i) => {
    const random = randomNumbers(seed + 7_919 * i);
    return rowsOf(rows, (row) => [KINDS[kind](random, row)]);
  });
  return tableOf(
    columns,
    rowsOf(rows, (row) => made.map((values) => values[row]?.[0] ?? null)),
  );
}

const severityOf = (signals: readonly Signal[]) => ({
  level: highestLevel(signals.map(levelOfSignal)) ?? -1,
  proven: new Set(provenSignals(signals).map(({ detectorId }) => detectorId)),
});

test('more rows of evidence never lower a severity', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async ({ kinds, isNamed, rows, more, seed }) => {
      const few = severityOf(await signalsOf(world(kinds, isNamed, rows, seed)));
      const many = severityOf(await signalsOf(world(kinds, isNamed, rows + more, seed)));
      expect(many.level).toBeGreaterThanOrEqual(few.level);
      expect([...few.proven].filter((each) => !many.proven.has(each))).toEqual([]);
    }),
    { numRuns: propertyRuns(120) },
  );
});

test('the order of columns makes no difference to what is found', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, fc.nat(), async ({ kinds, isNamed, rows, seed }, turn) => {
      const sample = world(kinds, isNamed, rows, seed);
      const places = sample.columns.map((_, i) => (i + turn) % sample.columns.length);
      const turned = {
        ...sample,
        columns: places.flatMap((at) => sample.columns[at] ?? []),
        rows: sample.rows.map((row) => places.map((at) => row[at] ?? null)),
      };
      expect((await analysisOf(turned)).features).toEqual((await analysisOf(sample)).features);
    }),
    { numRuns: propertyRuns(60) },
  );
});
