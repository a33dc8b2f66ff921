import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { titledIn } from '../support/test-titles.ts';

const MAX_CHARACTERS = 80;
const folder = path.resolve(import.meta.dirname, '..');

test('a title of a test has at most 80 characters', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const titles = files.flatMap((file) =>
    titledIn(readFileSync(path.join(folder, file), 'utf8')).map(({ title }) => ({ file, title })),
  );
  expect(titles.length).toBeGreaterThan(1_000);
  expect(titles.filter(({ title }) => title.length > MAX_CHARACTERS)).toEqual([]);
});

test('titles of tests, of groups and of tables of cases are found', () => {
  const source = `test('a', () => {});\n  describe('b', () => {\ntest.each([1])('c %s', async (n) => {});`;
  expect(titledIn(source).map(({ title }) => title)).toEqual(['a', 'b', 'c %s']);
});
