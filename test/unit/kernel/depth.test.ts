import { expect, test } from 'vitest';
import { isAtMostDeep } from '../../../core/kernel/depth.ts';

const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: [], b: [nested(levels - 2)] });

test.each([
  ['a text', 'x', 0, true],
  ['an empty array', [], 0, false],
  ['an empty array, at one level', [], 1, true],
  ['an object in an array', [{}], 1, false],
  ['an object in an array, at two levels', [{}], 2, true],
  ['null in an object', { a: null }, 1, true],
  ['eight levels in eight', nested(8), 8, true],
  ['ten levels in eight', nested(10), 8, false],
])('%s', (_, value, levels, holds) => {
  expect(isAtMostDeep(value, levels)).toBe(holds);
});

test('a text that is nested beyond the stack is no more than too deep', () => {
  const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
  expect(isAtMostDeep(deep, 16)).toBe(false);
});
