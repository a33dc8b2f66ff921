import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const MAX_CHARACTERS = 80;
const folder = path.resolve(import.meta.dirname, '..');

/** The title of `test('…', …)`, `describe('…', …)` and `test.each(…)('…', …)`. */
const TITLE =
  /(?:^\s*(?:test|it|describe)(?:\.\w+)*\(|\)\(|`\()\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1\s*,\s*(?:async\s*)?(?:\(|\w+ =>|\{)/gm;

const titlesOf = (source: string): string[] => [...source.matchAll(TITLE)].map(([, , title = '']) => title);

test('a title of a test has at most 80 characters', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const titles = files.flatMap((file) =>
    titlesOf(readFileSync(path.join(folder, file), 'utf8')).map((title) => ({ file, title })),
  );
  expect(titles.length).toBeGreaterThan(1_000);
  expect(titles.filter(({ title }) => title.length > MAX_CHARACTERS)).toEqual([]);
});

test('titles of tests, of groups and of tables of cases are found', () => {
  expect(
    titlesOf(`test('a', () => {});\n  describe('b', () => {\ntest.each([1])('c %s', async (n) => {});`),
  ).toEqual(['a', 'b', 'c %s']);
});
