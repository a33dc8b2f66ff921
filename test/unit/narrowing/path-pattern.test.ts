import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInside, matchesPath, parsePattern } from '../../../core/narrowing/path-pattern.ts';

const matches = (pattern: string, path: string): boolean => {
  const parsed = parsePattern(pattern);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return matchesPath(parsed, path);
};

describe('what a pattern matches', () => {
  test.each([
    // Without a slash: in every folder, as file or folder.
    ['node_modules', 'node_modules/left-pad/index.js', true],
    ['node_modules', 'app/web/node_modules/a.js', true],
    ['node_modules', 'app/my_node_modules/a.js', false],
    ['*.bak', 'plans/2026.bak', true],
    ['*.bak', 'plans/2026.bak.txt', false],
    ['~$*', 'plans/~$plan.docx', true],
    ['b?ckup', 'x/backup/a.txt', true],
    ['b?ckup', 'x/bckup/a.txt', false],
    // With `**` on both sides, as people write it elsewhere.
    ['**/node_modules/**', 'node_modules/a.js', true],
    ['**/node_modules/**', 'app/node_modules/b/c.js', true],
    ['**/node_modules/**', 'app/node_modules', false],
    // A slash at the end: what is in a folder, and not a file of that name.
    ['backup/', 'backup/a.txt', true],
    ['backup/', 'x/backup/a.txt', true],
    ['backup/', 'x/backup', false],
    // A slash within: from the top of the scope.
    ['/archive', 'archive/a.txt', true],
    ['/archive', 'x/archive/a.txt', false],
    ['hr/old', 'hr/old/a.txt', true],
    ['hr/old', 'x/hr/old/a.txt', false],
    ['hr/**', 'hr/old/a.txt', true],
    ['hr/**', 'x/hr/a.txt', false],
    ['hr/*/drafts', 'hr/2026/drafts/a.txt', true],
    ['hr/*/drafts', 'hr/2026/q1/drafts/a.txt', false],
    ['hr/**/drafts', 'hr/2026/q1/drafts/a.txt', true],
    ['hr/**/drafts', 'hr/drafts/a.txt', true],
    ['hr/**/*.tmp', 'hr/2026/a.tmp', true],
    // Without case, and however an accent is written.
    ['Backup', 'x/BACKUP/a.txt', true],
    ['caf\u{E9}', 'cafe\u{301}/a.txt', true],
    // `?` is one character, also outside of the basic plane.
    ['?.txt', '\u{1F4C4}.txt', true],
    ['?.txt', '.txt', false],
  ])('%s and %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  test('agrees with a regular expression of the same meaning', () => {
    const name = fc.stringMatching(/^[ab.]{1,5}$/).filter((text) => text !== '.' && text !== '..');
    const step = fc
      .stringMatching(/^[ab.?*]{1,5}$/)
      .filter((text) => !text.includes('**') && !/^\.{1,2}$/.test(text));
    const steps = fc.array(fc.oneof({ weight: 3, arbitrary: step }, fc.constant('**')), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(steps, fc.array(name, { minLength: 1, maxLength: 6 }), (wanted, path) => {
        const parsed = parsePattern(wanted.join('/'));
        if ('problem' in parsed) return;
        const last = wanted.at(-1) === '**';
        const inner = (last ? wanted.slice(0, -1) : wanted)
          .map((one) =>
            one === '**'
              ? '(?:[^/]+/)*'
              : `${one.replaceAll('.', '\\.').replaceAll('?', '[^/]').replaceAll('*', '[^/]*')}/`,
          )
          .join('');
        const oracle = new RegExp(`^${inner}${last ? '[^/]+/' : ''}`);
        expect(matchesPath(parsed, path.join('/'))).toBe(oracle.test(`${path.join('/')}/`));
      }),
    );
  });

  test('a hostile pattern and path take no more steps than their lengths allow', () => {
    const parsed = parsePattern(`${'*a'.repeat(90)}b`);
    if ('problem' in parsed) throw new Error(parsed.problem);
    // A matcher that tries all ways does not end before the heat death.
    expect(matchesPath(parsed, `${'a'.repeat(1_000)}`)).toBe(false);
    expect(matches('**/a/**/a/**/a/**/a/**/a/**/a/**/b', Array(500).fill('a').join('/'))).toBe(false);
  });
});

describe('what is no pattern', () => {
  test.each([
    ['*'],
    ['**'],
    ['/**'],
    ['**/*'],
    ['*/**'],
    ['/'],
    ['a//b'],
    ['../b'],
    ['a/./b'],
    ['a**'],
    ['*.{bak,tmp}'],
    ['[ab]'],
    ['!keep'],
    ['a\\b'],
    ['a'.repeat(201)],
    [Array(21).fill('a').join('/')],
  ])('%s', (pattern) => {
    expect(parsePattern(pattern)).toEqual({ problem: expect.stringMatching(/^[A-Z*].+\.$/) });
  });
});

test('a folder has what is below it, whatever characters its name has', () => {
  expect(isInside('HR/2026*', 'hr/2026*/a.txt')).toBe(true);
  expect(isInside('/hr/', 'hr/a.txt')).toBe(true);
  expect(isInside('hr', 'hr2/a.txt')).toBe(false);
  expect(isInside('hr', 'hr')).toBe(false);
  expect(isInside('2026*', '2026-05/a.txt')).toBe(false);
});
