import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_VALUE } from '../../../../core/connectors/sql/engine.ts';
import { partsOf } from '../../../../core/connectors/sql/postgres/sample-part.ts';
import { contentOf, cut, rowsInTable } from '../../../../core/connectors/sql/sample-content.ts';
import { TableSample } from '../../../../core/kernel/table-sample.ts';

const column = { name: 'words', type: 'text', comment: null, key: null, masked: false } as const;
const sampleOf = (rows: TableSample['rows']): TableSample => ({
  database: 'd',
  schema: 's',
  table: 't',
  kind: 'table',
  comment: null,
  columns: [column],
  rows,
  estimatedRows: null,
  allRowsVisible: true,
});
const parsed = (bytes: Uint8Array) => TableSample.parse(JSON.parse(new TextDecoder().decode(bytes)));

describe('the content of a table', () => {
  test('is the first rows for which there is room, and never more bytes', () => {
    const rows = fc.array(fc.tuple(fc.option(fc.string({ unit: 'binary', maxLength: 40 }))), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(rows, fc.integer({ min: 200, max: 2_000 }), (given, maxBytes) => {
        const read = contentOf(sampleOf(given), maxBytes);
        if (read.state !== 'available') {
          expect(read.state === 'too_large' && read.sizeBytes).toBeGreaterThan(maxBytes);
          return;
        }
        expect(read.bytes.length).toBeLessThanOrEqual(maxBytes);
        const taken = parsed(read.bytes).rows;
        expect(taken).toEqual(given.slice(0, taken.length));
        const next = given.slice(0, taken.length + 1);
        // One row more would not have fit.
        if (next.length > taken.length)
          expect(new TextEncoder().encode(JSON.stringify(sampleOf(next))).length).toBeGreaterThan(maxBytes);
      }),
    );
  });

  test('has names and comments that fit, whatever the database allows', () => {
    const long = '\u{1F5C2}'.repeat(4_000);
    const read = contentOf(
      { ...sampleOf([]), comment: long, columns: [{ ...column, name: long, type: long, comment: long }] },
      1_000_000,
    );
    if (read.state !== 'available') return expect.unreachable(read.state);
    const { comment, columns } = parsed(read.bytes);
    expect([comment?.length, columns[0]?.name.length]).toEqual([4_096, 512]);
  });

  test('a value is cut between letters, never inside one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.integer({ min: 1, max: 20 }),
        (text, max) => {
          fc.pre(text.isWellFormed());
          const short = cut(text, max);
          expect(short.isWellFormed()).toBe(true);
          expect(text.startsWith(short)).toBe(true);
          expect(short.length).toBeLessThanOrEqual(max);
          expect(short.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1);
        },
      ),
    );
    expect(cut('x'.repeat(9_999))).toHaveLength(MAX_VALUE);
  });
});

test.each([
  ['all were read, more than the estimate', 12, true, true, 10, 12],
  ['all were read, of more that were estimated', 12, true, true, 4_000, 12],
  ['all were read, and nobody estimated', 0, true, true, null, 0],
  ['a part was read', 12, false, true, 4_000, 4_000],
  ['a part was read that is more than the estimate', 12, false, true, 10, null],
  ['a part was read, and nobody estimated', 12, false, true, null, null],
  ['rows are hidden', 12, true, false, null, null],
  ['rows are hidden, and estimated', 12, true, false, 40, 40],
  ['rows of a view', 12, true, null, null, 12],
  ['rows may be hidden, since more are counted', 12, true, null, 40, 40],
  ['rows may be hidden, and none is missing', 12, true, null, 12, 12],
])('the number of rows where %s', (_, rows, toEnd, allRowsVisible, estimate, expected) => {
  expect(rowsInTable({ rows, toEnd, allRowsVisible }, estimate)).toBe(expected);
});

describe('the part of a table of Postgres that is read', () => {
  const blocksOf = (blocks: number, estimatedRows: number | null, kind: 'r' | 'v' = 'r') =>
    partsOf(
      { kind, blocks: String(blocks), estimatedRows: estimatedRows === null ? null : String(estimatedRows) },
      1_000,
      7,
    );

  test('is a sample of blocks, below one in a hundred of a large table', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12_800, max: 2 ** 32 }),
        fc.option(fc.integer({ min: 0, max: 10 ** 12 })),
        (blocks, rows) => {
          for (const part of blocksOf(blocks, rows)) {
            if (part.method !== 'system') return expect.unreachable(part.method);
            expect((part.percent * blocks) / 100).toBeLessThanOrEqual(Math.min(1_024, blocks * 0.005) + 1e-6);
          }
        },
      ),
    );
    // 10,000,000 rows of 100 bytes: about 73 in a block.
    const [first] = blocksOf(137_000, 10_000_000);
    expect(first).toMatchObject({ method: 'system', seed: 7 });
    if (first?.method !== 'system') return;
    expect((first.percent * 137_000) / 100).toBeCloseTo(16, 0);
  });

  test('is all of a small table, and its first rows if there are too many', () => {
    expect(blocksOf(0, null)).toEqual([{ method: 'first' }]);
    expect(blocksOf(64, 1_000)).toEqual([{ method: 'first' }]);
    expect(blocksOf(64, 8_000)).toEqual([{ method: 'bernoulli', percent: 10, seed: 7 }, { method: 'first' }]);
  });

  test('is the first rows of a view', () => {
    expect(blocksOf(0, null, 'v')).toEqual([{ method: 'first' }]);
  });
});
