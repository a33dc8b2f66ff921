import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeyValue, keyPoints } from '../../../../core/connectors/sql/mysql/key-points.ts';

const COUNT = 8;

test('places are one in each part of a range of whole numbers', () => {
  fc.assert(
    fc.property(
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 9n),
      fc.bigInt(8n, 2n ** 60n),
      fc.integer(),
      (min, span, seed) => {
        const points = keyPoints('integer', { min: `${min}`, max: `${min + span}` }, COUNT, seed).map((at) =>
          BigInt(String(at)),
        );
        expect(points[0]).toBe(min);
        for (const [at, point] of points.entries()) {
          expect(point).toBeGreaterThanOrEqual(min);
          expect(point).toBeLessThan(min + span);
          if (at > 0) expect(point).toBeGreaterThan(points[at - 1] as bigint);
        }
        if (span >= 1_000n) {
          const parts = points.map((point) => ((point - min) * BigInt(COUNT)) / span);
          // Rounding may put a place that is at the edge of its part into the part before.
          expect(points).toHaveLength(COUNT);
          for (const [at, part] of parts.entries()) expect([at - 1, at]).toContain(Number(part));
        }
      },
    ),
  );
});

test('the same seed gives the same places, another one other places', () => {
  const range = { min: '1', max: '1000000' };
  const places = keyPoints('integer', range, COUNT, 7);
  expect(keyPoints('integer', range, COUNT, 7)).toEqual(places);
  expect(keyPoints('integer', range, COUNT, 8)).not.toEqual(places);
});

const comparable = (value: KeyValue) => (typeof value === 'string' ? Buffer.from(value) : value);

test('places of texts and bytes ascend, from the smallest key', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'0129abcxyz'), maxLength: 12 });
  const bytes = fc.uint8Array({ maxLength: 16 }).map((all) => Buffer.from(all));
  const expectAscending = (kind: 'text' | 'bytes', one: KeyValue, other: KeyValue, seed: number) => {
    const isLess = Buffer.compare(comparable(one), comparable(other)) <= 0;
    const [min, max] = isLess ? [one, other] : [other, one];
    const points = keyPoints(kind, { min, max }, COUNT, seed);
    expect(points[0]).toBe(min);
    expect(points.length).toBeLessThanOrEqual(COUNT);
    for (let at = 2; at < points.length; at++)
      expect(Buffer.compare(comparable(points[at - 1] ?? ''), comparable(points[at] ?? ''))).toBe(-1);
  };
  fc.assert(
    fc.property(texts, texts, fc.integer(), (one, other, seed) => expectAscending('text', one, other, seed)),
  );
  fc.assert(
    fc.property(bytes, bytes, fc.integer(), (one, other, seed) => expectAscending('bytes', one, other, seed)),
  );
});

test('texts of capitals have places between capitals', () => {
  const points = keyPoints('text', { min: '01HABC', max: '01HZZZ' }, COUNT, 1);
  expect(points).toHaveLength(COUNT);
  for (const point of points) expect(point).toMatch(/^01H[0-9A-Z]+$/);
});

test('places of times are times', () => {
  const days = keyPoints('time', { min: '2020-01-01', max: '2026-11-27' }, COUNT, 3);
  expect(days).toHaveLength(COUNT);
  for (const day of days) expect(day).toMatch(/^202[0-6]-\d{2}-\d{2}$/);
  const [first, second] = keyPoints(
    'time',
    { min: '2020-01-01 00:00:00.000', max: '2026-11-27 08:09:10' },
    2,
    3,
  );
  expect(first).toBe('2020-01-01 00:00:00.000');
  expect(second).toMatch(/^202[3-6]-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
});

test.each([
  ['integer', '5', '5'],
  ['integer', '1e3', '2e3'],
  ['time', '0000-00-00', '2026-01-01'],
  ['text', 'Ärger', 'Zorn'],
] as const)('a range of %s from %s to %s has no places but its beginning', (kind, min, max) => {
  expect(keyPoints(kind, { min, max }, COUNT, 1)).toEqual([min]);
});
