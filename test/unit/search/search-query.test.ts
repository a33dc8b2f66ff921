import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { searchTag } from '../../../core/kernel/search-words.ts';
import { holdsPhrase, isAmong, parseQuery, wordQuery } from '../../../core/search/search-query.ts';

const TENANT = 'ten_one' as TenantId;
const queries = (q: string, { tenantId = TENANT, texts = true } = {}) =>
  parseQuery(q).words.map((word) => wordQuery(tenantId, word, { names: true, kinds: true, texts }));
const query = (...sought: Parameters<typeof queries>) => queries(...sought).join(' & ');
const foldedOf = (q: string) => parseQuery(q).words.map(({ folded }) => folded);
const spellings = (q: string) => parseQuery(q).words.flatMap((word) => word.spellings);

describe('the words that are sought', () => {
  test.each([
    ['salary AND report', ['salary', 'and', 'report']],
    ['salary OR NOT report', ['salary', 'or', 'not', 'report']],
    ['salary NEAR/5 report', ['salary', 'near', '5', 'report']],
    ['"annual report" -draft', ['annual', 'report', 'draft']],
    ['name:plan* (a|b) & !c <-> d', ['name', 'plan', 'a', 'b', 'c', 'd']],
    ['Échéancier échéancier', ['echeancier']],
    ['InvoiceRegister', ['invoice', 'register']],
    [`'; drop table assets; --`, ['drop', 'table', 'assets']],
    ['%_\\*"', []],
    ['', []],
  ])('%s', (q, expected) => {
    expect(foldedOf(q)).toEqual(expected);
  });

  test('the last one alone may be unfinished, where it is long enough', () => {
    const prefixes = (q: string) => parseQuery(q).words.map(({ prefix }) => prefix);
    expect(prefixes('annual report')).toEqual([false, true]);
    expect(prefixes('annual re')).toEqual([false, false]);
    expect(prefixes('"annual report"')).toEqual([false, false]);
  });
});

test('names match singular and plural, and the unfinished word by its beginning', () => {
  expect(spellings('policies')).toEqual(expect.arrayContaining(['policies', 'policy']));
  expect(spellings('policy')).toEqual(expect.arrayContaining(['policies', 'policy']));
  expect(spellings('contract').sort()).toEqual(['contract', 'contracts']);
  expect(spellings('box')).toEqual(expect.arrayContaining(['box', 'boxes']));
  expect(spellings('bonus').sort()).toEqual(['bonus', 'bonuses']);
  const [last] = parseQuery('invoi').words;
  const [whole] = parseQuery('invoi x').words;
  if (last === undefined || whole === undefined) throw new Error('No word was found');
  expect(isAmong(last, ['invoices'])).toBe(true);
  expect(isAmong(whole, ['invoices'])).toBe(false);
});

test('the unfinished word is sought by its beginning, the others as they are', () => {
  const tag = searchTag(TENANT);
  const [whole, last] = queries('amber invoi', { texts: false });
  expect(whole).toBe(`('${tag}amber' | '${tag}ambers' | '~${tag}amber')`);
  expect(last).toContain(`'${tag}invoi':*`);
});

test('words in quotes are a phrase, one word in quotes is a word', () => {
  expect(parseQuery('"annual report" of "x" "Über-Sicht 2024').phrases).toEqual([['annual', 'report']]);
  expect(holdsPhrase('Final_AnnualReport 2.docx', ['annual', 'report'])).toBe(true);
  expect(holdsPhrase('annual final report', ['annual', 'report'])).toBe(false);
  expect(holdsPhrase('biannual reports', ['annual', 'report'])).toBe(false);
});

test('umlauts are met with and without their transcription', () => {
  expect(spellings('Süd')).toEqual(expect.arrayContaining(['sud', 'sued']));
  expect(spellings('Sued')).toEqual(expect.arrayContaining(['sud', 'sued']));
  expect(spellings('Größe')).toEqual(expect.arrayContaining(['grosse', 'groesse']));
});

test('text words are hashes that differ between tenants, and absent where not searched', () => {
  const inText = /'#([0-9a-z]{1,7})'/;
  const mine = inText.exec(query('merger'))?.[1];
  const theirs = inText.exec(query('merger', { tenantId: 'ten_two' as TenantId }))?.[1];
  expect(mine).toBeDefined();
  expect(theirs).toBeDefined();
  expect(theirs).not.toBe(mine);
  expect(query('merger', { texts: false })).not.toMatch(inText);
});

test('nothing of what was typed is more than letters and digits between quotes', () => {
  const tag = searchTag(TENANT);
  const lexeme = new RegExp(`'(?:~?${tag}[\\p{L}\\p{N}]{1,66}|#[0-9a-z]{1,7})'(?::\\*)?`, 'gu');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (q) => {
      expect(query(q).replace(lexeme, 'L')).toMatch(/^(?:\(L(?: \| L)*\)(?: & (?!$))?)*$/);
    }),
  );
});
