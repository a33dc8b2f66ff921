import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** Words that this house once used in a sense of its own. The message says what to write instead. */
const WORDS: { word: RegExp; instead: string }[] = [
  { word: /\b(?:tells?|told|telling|untold)\b/gi, instead: 'report, show, say, name, list' },
  { word: /\b(?:stands?|stood)\b/gi, instead: 'is, remains, is in force' },
  { word: /\banew\b/gi, instead: 'again' },
  { word: /\bby what\b/gi, instead: 'from which, by the …' },
  { word: /\bof which\b/gi, instead: 'whose, with, … of them' },
];

/** Normal English that holds such a word. */
const ALLOWED = [
  'stands for',
  'stand-in',
  'tell the difference',
  'tell apart',
  'tells apart',
  'told apart',
  'tell kinds of plain text apart',
];

const FILES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/*.md', 'docs/adr/*.md'];

/** Where a word of the list is in a text: the line and what to write instead. */
function wordsIn(text: string): string[] {
  return text.split('\n').flatMap((line, i) => {
    const rest = ALLOWED.reduce((left, phrase) => left.replaceAll(phrase, ''), line);
    return WORDS.flatMap(({ word, instead }) =>
      (rest.match(word) ?? []).map((found) => `${i + 1}: ${found} (${instead})`),
    );
  });
}

test('documents use the words of the field', () => {
  const files = globSync(FILES, { cwd: root });
  expect(files.length).toBeGreaterThan(30);
  const found = files.flatMap((file) =>
    wordsIn(readFileSync(path.join(root, file), 'utf8')).map((at) => `${file}:${at}`),
  );
  expect(found).toEqual([]);
});

/** Comments of code may also say where a character or a word is. `of which` and `by what` are often plain English there. */
const ALLOWED_IN_COMMENTS =
  /\bstands? (?:for|beside|directly|before|between|alone|apart|side by side|in the way)\b|\btells?\b[^.]*?\b(?:apart|from)\b|\btold apart\b/gi;
const WORDS_OF_COMMENTS = /\b(?:tells?|told|telling|stands?|stood|anew)\b/gi;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** Words of the list in the comments of a file. Names in backticks are the code's. */
const wordsInComments = (text: string): string[] =>
  [...text.matchAll(COMMENT)].flatMap(([comment]) => {
    const prose = comment.replaceAll(/`[^`]*`/g, '').replaceAll(/\s+(?:\*|\/\/)?\s*/g, ' ');
    return prose.replaceAll(ALLOWED_IN_COMMENTS, '').match(WORDS_OF_COMMENTS) ?? [];
  });

test('comments of core use the words of the field', () => {
  const files = globSync('core/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    wordsInComments(readFileSync(path.join(root, file), 'utf8')).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

const CODE = [
  'core/**/*.ts',
  'functions/**/*.ts',
  'infra/**/*.ts',
  'bench/**/*.ts',
  'client/*.ts',
  'docs/*.ts',
];
const WORD_OF_NAME = /^(?:tells?|told|telling|untold|stands?|standing|stood|anew)$/i;
/** Released: a field of the API, a column and an index. */
const ALLOWED_NAMES = ['stands', 'standing_revision', 'dataset_candidates_standing'];
/** Normal English. */
const STAND_IN = /stand[-_]?ins?/gi;
const NOT_CODE = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm;
const DECLARED = /\b(?:const|let|function|class|type)\s+(\w+)/g;
const OF_SEVERAL_WORDS = /\b(?:[A-Za-z0-9]+_\w+|[A-Za-z0-9]*[a-z0-9][A-Z]\w*)/g;

/** Names in code that hold a word of the list: those that are declared, and all of several words. */
function namesIn(code: string): string[] {
  const text = code.replaceAll(NOT_CODE, ' ');
  const names = [
    ...[...text.matchAll(DECLARED)].map(([, name = '']) => name),
    ...(text.match(OF_SEVERAL_WORDS) ?? []),
  ];
  return [...new Set(names)].filter(
    (name) =>
      !ALLOWED_NAMES.includes(name) &&
      name
        .replaceAll(STAND_IN, '')
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
        .split('_')
        .some((word) => WORD_OF_NAME.test(word)),
  );
}

test('names in code and of files use the words of the field', () => {
  const files = globSync(CODE, { cwd: root });
  expect(files.length).toBeGreaterThan(800);
  const found = files.flatMap((file) => [
    ...namesIn(readFileSync(path.join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
    ...(path
      .basename(file)
      .replaceAll(STAND_IN, '')
      .split(/[-.]/)
      .some((word) => WORD_OF_NAME.test(word))
      ? [file]
      : []),
  ]);
  expect(found).toEqual([]);
});

test('a name is found in code, and not in a text or a comment', () => {
  expect(
    namesIn(
      "const told = isTold('what stands');\n// standingOf\nsql`read_anew, k.standing_revision`;\ntype Outstanding = 1;",
    ),
  ).toEqual(['told', 'isTold', 'read_anew']);
});

test('a word of a comment is found, and a place or a name is not', () => {
  expect(wordsInComments('/** The answer\n * stands. */\nconst told = 1;\n  // It tells more.')).toEqual([
    'stands',
    'tells',
  ]);
  expect(
    wordsInComments('// `told`: it stands for a word,\n/* which stands\n * before a number. */'),
  ).toEqual([]);
});

test('a word is found as a whole word, and not in an allowed phrase', () => {
  expect(
    wordsIn('It tells what stands.\nOutstanding: X stands for Y.\nA file of which a part is new.'),
  ).toEqual([
    '1: tells (report, show, say, name, list)',
    '1: stands (is, remains, is in force)',
    '3: of which (whose, with, … of them)',
  ]);
});
