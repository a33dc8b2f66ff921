import { expect, test } from 'vitest';
import { StatementTimes } from '../../../core/db/statement-times.ts';

test('statements are added up by fingerprint, those that took longest in all first', () => {
  const times = new StatementTimes(10);
  times.add('a', 'select 1', 40);
  times.add('b', 'select\n   2', 10);
  times.add('b', 'select\n   2', 35);
  times.add('c', null, 1);
  expect(times.slowest(2)).toEqual([
    { fingerprint: 'b', statement: 'select 2', calls: 2, totalMs: 45, maxMs: 35 },
    { fingerprint: 'a', statement: 'select 1', calls: 1, totalMs: 40, maxMs: 40 },
  ]);
  expect(times.slowest(9)[2]).toMatchObject({ statement: null });
});

test('a long statement is cut, and the one that took least makes room', () => {
  const times = new StatementTimes(3);
  for (const [index, ms] of [5, 1, 9, 2].entries()) times.add(`s${index}`, 'x'.repeat(5_000), ms);
  expect(times.slowest(9).map(({ fingerprint }) => fingerprint)).toEqual(['s2', 's0', 's3']);
  expect(times.slowest(1)[0]?.statement).toHaveLength(300);
});
