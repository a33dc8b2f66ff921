import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { searchTag } from '../../../core/kernel/search-words.ts';
import { words } from '../../../core/kernel/words.ts';
import { holdsPhrase, isAmong, parseQuery, wordQuery } from '../../../core/search/search-query.ts';

const TENANT = 'ten_one' as TenantId;
const queries = (q: string, { tenantId = TENANT, texts = true } = {}) =>
  parseQuery(q).words.map((word) => wordQuery(tenantId, word, { names: true, kinds: true, texts }));
const query = (...sought: Parameters<typeof queries>) => queries(...sought).join(' & ');
const foldedOf = (q: string) => parseQuery(q).words.map(({ folded }) => folded);
const phrasesOf = (q: string) => parseQuery(q).phrases.map((phrase) => phrase.map(({ folded }) => folded));
const spellings = (q: string) => parseQuery(q).words.flatMap((word) => word.spellings);

describe('the words that are sought', () => {
  test.each([
    ['salary AND report', ['salary', 'and', 'report']],
    ['salary OR NOT report', ['salary', 'or', 'not', 'report']],
    ['salary NEAR/5 report', ['salary', 'near', '5', 'report']],
    ['"annual report" -draft', ['draft']],
    ['annual "report" "" draft', ['annual', 'report', 'draft']],
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
    const unfinished = (q: string) => parseQuery(q).words.map(({ beginnings }) => beginnings.length > 0);
    expect(unfinished('annual report')).toEqual([false, true]);
    expect(unfinished('annual re')).toEqual([false, false]);
    expect(unfinished('annual "report".')).toEqual([false, false]);
    expect(unfinished('final "annual report".')).toEqual([false]);
    expect(unfinished('"annual report" final')).toEqual([true]);
    expect(
      parseQuery('"annual report"')
        .phrases.flat()
        .flatMap(({ beginnings }) => beginnings),
    ).toEqual([]);
  });
});

test('names match singular and plural, and the unfinished word by its beginning', () => {
  expect(spellings('policies')).toEqual(expect.arrayContaining(['policies', 'policy']));
  expect(spellings('policy')).toEqual(expect.arrayContaining(['policies', 'policy']));
  expect(spellings('contract').sort()).toEqual(['contract', 'contracts']);
  expect(spellings('box')).toEqual(expect.arrayContaining(['box', 'boxes']));
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
  expect(phrasesOf('"annual report" of "x" "Über-Sicht 2024')).toEqual([['annual', 'report']]);
  expect(phrasesOf('"annual report" "net"profit "gross profit"')).toEqual([
    ['annual', 'report'],
    ['gross', 'profit'],
  ]);
});

test.each([
  ['annual report', 'Final_AnnualReport 2.docx', true],
  ['annual report', 'annual final report', false],
  ['annual report', 'biannual reports', false],
  ['annual report', 'Annual Reports.txt', true],
  ['annual reports', 'report of the annual report', true],
  ['Sued Bericht', 'Süd Bericht.txt', true],
  ['SÜD bericht', 'sued_berichte.txt', false],
  ['policy of Köln', 'Policies of Koeln', true],
  ['report annual', 'report', false],
])('the words of "%s" in "%s": %s', (phrase, name, expected) => {
  expect(parseQuery(`"${phrase}"`).phrases.map((each) => holdsPhrase(words(name), each))).toEqual([expected]);
});

test('each word has its own spellings, whatever stands before it', () => {
  const before = fc.constantFrom(
    'MÜNCHEN',
    'ÖLPREISÄnderung',
    'x'.repeat(70),
    `${'x'.repeat(63)}ü`,
    '½ Ⅷ™',
    'Ａ',
  );
  const word = fc.constantFrom('Süd', 'Sued', 'SÜD', 'Su\u0308d', 'Berichte', 'ΟΔΟΣ');
  fc.assert(
    fc.property(fc.array(before, { maxLength: 3 }), word, (others, last) => {
      const [alone] = parseQuery(last).words;
      expect(parseQuery([...others, last].join(' ')).words.at(-1)).toEqual(alone);
    }),
  );
  expect(spellings('MÜNCHEN Sud')).toEqual(expect.arrayContaining(['munchen', 'muenchen', 'sud']));
  expect(spellings('MÜNCHEN Sud')).not.toContain('sued');
});

test('an unfinished word may begin in each of its transcriptions', () => {
  const beginnings = (q: string) => parseQuery(q).words.flatMap((word) => word.beginnings);
  expect(beginnings('Prüf')).toEqual(expect.arrayContaining(['pruf', 'pruef']));
  expect(beginnings('Pruef')).toEqual(expect.arrayContaining(['pruf', 'pruef']));
  expect(beginnings('cookie')).toContain('cookie');
  // `ful` would begin `full`, and `ad` would begin `address`.
  expect(beginnings('fuel')).toEqual(['fuel']);
  expect(beginnings('ads')).toEqual(['ads']);
  expect(beginnings('cars')).toEqual(['cars']);
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
  const lexeme = new RegExp(`'(?:~?${tag}[\\p{L}\\p{N}]{1,70}|#[0-9a-z]{1,7})'(?::\\*)?`, 'gu');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (q) => {
      expect(query(q).replace(lexeme, 'L')).toMatch(/^(?:\(L(?: \| L)*\)(?: & (?!$))?)*$/);
    }),
  );
});
