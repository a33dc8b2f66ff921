import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHAPTERS } from '../../docs/conformance/chapters.ts';
import { OUTLINE } from '../../docs/conformance/outline.ts';
import { proofOf, requirementsOf, unlisted } from '../../docs/conformance-page.ts';
import { besideRepository } from '../support/beside-repository.ts';
import { type Titled, titledIn } from '../support/test-titles.ts';
import { isNightly } from '../tiers.ts';

const root = path.resolve(import.meta.dirname, '../..');
const all = requirementsOf(CHAPTERS);

const sources = new Map<string, Titled[]>();
function titledAt(file: string): Titled[] {
  const known = sources.get(file) ?? titledIn(readFileSync(path.join(root, file), 'utf8'));
  sources.set(file, known);
  return known;
}

describe('a requirement', () => {
  test('has proof, or says why there is none', () => {
    expect(all.length).toBeGreaterThan(250);
    expect(all.filter(({ proof, unproved }) => proof.length === 0 && unproved === undefined)).toEqual([]);
  });

  test('names each of at most three tests once', () => {
    for (const { id, proof } of all) {
      expect(proof.length, id).toBeLessThanOrEqual(3);
      expect(new Set(proof).size, id).toBe(proof.length);
    }
  });

  test('is in its section once', () => {
    for (const { title, requirements } of CHAPTERS.flatMap(({ sections }) => sections)) {
      const ids = requirements.map(({ id }) => id);
      expect(new Set(ids).size, title).toBe(ids.length);
    }
  });
});

/** The specification. It lies beside the repository, and not everywhere. */
const SPECIFICATION = besideRepository('spec/interface-specification.md');

/** The numbers of rules, and the beginnings of rows, as `docs/conformance/outline.ts` names them. */
function entriesOf(text: string): string[] {
  const lines = text.split('\n');
  const isLine = (line = '') => /^\|[\s:|-]+\|$/.test(line);
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
  let head: string[] = [];
  return lines.flatMap((line, at) => {
    const number = /^(\d+)\. /.exec(line)?.[1];
    if (number !== undefined) return [number];
    if (!line.startsWith('|') || isLine(line)) return [];
    if (isLine(lines[at + 1])) head = cellsOf(line);
    if (isLine(lines[at + 1])) return [];
    const [first = '', second = ''] = cellsOf(line);
    if (/^[A-Z]+$/.test(first)) return [`${first} ${second.replace(/\?.*/, '')}`];
    return [head.includes('Trigger') ? `${first}: ${second}` : first.replace(/ \(.*/, '') || first];
  });
}

describe('the outline of the specification', () => {
  test('has a requirement for each rule, row, limit and transition', () => {
    expect(unlisted(CHAPTERS)).toEqual([]);
    const [first, ...rest] = CHAPTERS;
    expect(first?.sections[0]?.requirements[0]?.id).toBe('1');
    expect(unlisted(rest)).toContain('Core behaviours: 1');
  });

  test.skipIf(!existsSync(SPECIFICATION))('is that of the specification, in its order', () => {
    const listed = Object.values(OUTLINE).flat();
    expect(listed.map((entry) => (typeof entry === 'string' ? entry : entry[0]))).toEqual(
      entriesOf(readFileSync(SPECIFICATION, 'utf8')),
    );
  });
});

test('a proof is one test that is there, and always runs', () => {
  const wanting = all.flatMap(({ id, proof }) =>
    proof.flatMap((each) => {
      const { file, title } = proofOf(each);
      const found = titledAt(file).filter((titled) => titled.kind === 'test' && titled.title === title);
      const problem = found.length !== 1 ? `${found.length} tests` : found[0]?.skipped ? 'skipped' : null;
      return problem === null ? [] : [`${id}: ${each} (${problem})`];
    }),
  );
  expect(wanting).toEqual([]);
});

test('what is proved has a proof that CI runs', () => {
  const unproved = all.filter(
    ({ proof }) => proof.length > 0 && proof.every((each) => isNightly(proofOf(each).file)),
  );
  expect(unproved.map(({ id }) => id)).toEqual([]);
});

test('no group around a proof is skipped', () => {
  const files = new Set(all.flatMap(({ proof }) => proof.map((each) => proofOf(each).file)));
  const skipped = [...files].filter((file) =>
    titledAt(file).some((titled) => titled.kind === 'group' && titled.skipped),
  );
  expect(skipped).toEqual([]);
});

test('tests that do not always run are found', () => {
  const source = `describe('a', () => {
  test('b', () => {});
  test.skip('c', () => {});
  test.skipIf(true)('d', () => {});
  test.each([1])('e %s', (n, { skip }) => { skip(); });
});
describe.todo('f', () => {});`;
  expect(
    titledIn(source).map(({ title, kind, skipped }) => `${kind} ${title}${skipped ? ' -' : ''}`),
  ).toEqual(['group a', 'test b', 'test c -', 'test d -', 'test e %s -', 'group f -']);
});
