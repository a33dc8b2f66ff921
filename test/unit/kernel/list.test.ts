import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bounded, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';

const LIMITS = Array.from({ length: 200 }, (_, n) => n + 1);

describe('the limit of a list', () => {
  const query = z.strictObject({ limit: limitUpTo(200) });

  test('is a whole number up to the most, which it is where nothing is said', () => {
    for (const limit of LIMITS) expect(query.parse({ limit: String(limit) })).toEqual({ limit });
    expect(query.parse({})).toEqual({ limit: 200 });
  });

  test.each([
    'abc',
    '0',
    '-0',
    '-1',
    '201',
    '1.5',
    '5.0',
    '',
    ' ',
    ' 5',
    '5 ',
    '+5',
    '05',
    '1e2',
    '0x10',
    '٣',
    'NaN',
    'Infinity',
    '1e+21',
    '9'.repeat(5_000),
  ])('is not %j', (limit) => {
    expect(query.safeParse({ limit }).success).toBe(false);
  });

  test('is said once, and is described as a number', () => {
    expect(query.safeParse({ limit: ['5', '6'] }).success).toBe(false);
    expect(z.toJSONSchema(query, { io: 'input' }).properties).toEqual({
      limit: { type: 'integer', minimum: 1, maximum: 200 },
    });
  });
});

describe('the rows that are read for it', () => {
  test('tell whether there are more, little more than that, and few numbers in all', () => {
    for (const limit of LIMITS) {
      expect(rowsToRead(limit)).toBeGreaterThan(limit);
      expect(rowsToRead(limit)).toBeLessThanOrEqual(limit + 50);
    }
    expect([...new Set(LIMITS.map(rowsToRead))]).toEqual([51, 101, 151, 201]);
  });

  test.each([
    [49, 50, false],
    [50, 50, false],
    [51, 50, true],
    [51, 1, true],
  ])('%i of them are a list of %i, with more behind it: %s', (count, limit, truncated) => {
    const rows = LIMITS.slice(0, count);
    expect(bounded(rows, limit)).toEqual({ items: rows.slice(0, limit), truncated });
  });
});
