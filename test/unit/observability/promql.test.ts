import { describe, expect, test } from 'vitest';
import { evaluate, parsePromql, type Scrape } from '../../support/promql.ts';

describe('the PromQL of the tests', () => {
  const at = (minute: number) => minute * 60;
  const series = (values: (number | null)[], labels: Record<string, string> = {}): Scrape[] =>
    values.map((value, minute) => ({
      ...{ at: at(minute), target: { job: 'j', instance: 'i' } },
      samples: value === null ? null : [{ name: 'x_total', labels, value }],
    }));

  test.each([
    ['a steady counter', [10, 20, 30, 40, 50], 50],
    ['a counter that began at nothing', [0, 10, 20, 30, 40], 40],
    ['a restart', [100, 110, 5, 15, 25], 43.75],
    ['a counter that has just begun', [0, 0, 0, 0, 3], 3],
    ['one sample', [null, null, null, null, 7], undefined],
  ])('increases as Prometheus does: %s', (_, values, expected) => {
    const [element] = evaluate('increase(x_total[5m])', series(values), at(4));
    expect(element?.value).toEqual(expected);
  });

  test('a series ends with the scrape that lacks it, or five minutes without one', () => {
    const scrapes = series([1, 1, null]);
    expect(evaluate('x_total', scrapes, at(1))).toHaveLength(1);
    expect(evaluate('x_total', scrapes, at(2))).toEqual([]);
    expect(evaluate('x_total', scrapes.slice(0, 2), at(5))).toHaveLength(1);
    expect(evaluate('x_total', scrapes.slice(0, 2), at(6))).toEqual([]);
  });

  test.each(['x >', 'sum by (', 'x{a=}', 'x[5m'])('refuses what is no PromQL: %s', (query) => {
    expect(() => parsePromql(query)).toThrow('No PromQL');
  });

  test.each(['avg by (job) (x)', 'x{a=~"b"}', 'rate(x[5m])', 'x < 1', 'x + on (job) y', '-x'])(
    'refuses what it does not evaluate: %s',
    (query) => expect(() => evaluate(query, series([1]), 0)).toThrow('do not evaluate'),
  );
});
