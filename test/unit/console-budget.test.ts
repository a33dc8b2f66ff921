import { expect, test } from 'vitest';
import { overBudget, weightsOf } from '../../infra/console/budget.ts';

const manifest = {
  'index.html': {
    file: 'assets/index.js',
    isEntry: true,
    css: ['assets/index.css'],
    imports: ['_shared.js'],
  },
  '_shared.js': { file: 'assets/shared.js' },
  'review.tsx': {
    file: 'assets/review.js',
    isDynamicEntry: true,
    imports: ['index.html', '_shared.js', '_more.js'],
  },
  '_more.js': { file: 'assets/more.js' },
};
const sizes = new Map([
  ['assets/index.js', 90_000],
  ['assets/index.css', 5_000],
  ['assets/shared.js', 10_000],
  ['assets/review.js', 20_000],
  ['assets/more.js', 65_001],
]);

test('a view weighs what it loads and what the entry has loaded, each file once', () => {
  expect(weightsOf(manifest, sizes)).toEqual({ entry: 105_000, views: new Map([['review.tsx', 190_001]]) });
});

test('what is heavier than its budget is named', () => {
  expect(overBudget({ entry: 120_000, views: new Map([['a.tsx', 190_000]]) })).toEqual([]);
  expect(overBudget({ entry: 120_100, views: new Map([['a.tsx', 190_100]]) })).toEqual([
    'The entry of the console weighs 120.1 kB as gzip, and may weigh 120.0 kB.',
    'The view a.tsx weighs 190.1 kB as gzip, and may weigh 190.0 kB.',
  ]);
});
