import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { searchTag } from '../../../core/kernel/search-words.ts';
import { isAmong, soughtWords, spellings, toTsquery, wordTerms } from '../../../core/search/search-query.ts';

const TENANT = 'ten_one' as TenantId;
const termsOf = (q: string, { tenantId = TENANT, inTexts = true } = {}) =>
  soughtWords(q).map((word) => wordTerms(tenantId, word, { inTexts }));
const query = (...sought: Parameters<typeof termsOf>) => toTsquery(termsOf(...sought));
const foldedOf = (q: string) => soughtWords(q).map(({ folded }) => folded);

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
    const prefixes = (q: string) => soughtWords(q).map(({ prefix }) => prefix);
    expect(prefixes('annual report')).toEqual([false, true]);
    expect(prefixes('annual re')).toEqual([false, false]);
  });
});

test('a word of a name is met in the singular and the plural, and the unfinished one by its beginning', () => {
  expect(spellings('policies')).toEqual(expect.arrayContaining(['policies', 'policy']));
  expect(spellings('policy')).toEqual(expect.arrayContaining(['policies', 'policy']));
  expect(spellings('contract').sort()).toEqual(['contract', 'contracts']);
  expect(spellings('box')).toEqual(expect.arrayContaining(['box', 'boxes']));
  expect(spellings('bonus').sort()).toEqual(['bonus', 'bonuses']);
  const [last] = soughtWords('invoi');
  const [whole] = soughtWords('invoi x');
  if (last === undefined || whole === undefined) throw new Error('No word was found');
  expect(isAmong(last, ['invoices'])).toBe(true);
  expect(isAmong(whole, ['invoices'])).toBe(false);
});

test('the unfinished word stands for all that begins so, the others for what they are', () => {
  const [whole = [], last = []] = termsOf('amber invoices', { inTexts: false });
  const tag = searchTag(TENANT);
  expect(whole).toEqual([
    { from: `${tag}amber`, to: `${tag}amber` },
    { from: `${tag}ambers`, to: `${tag}ambers` },
    { from: `~${tag}amber`, to: `~${tag}amber` },
  ]);
  const stands = (lexeme: string) => last.some(({ from, to }) => from <= lexeme && lexeme <= to);
  const standing = ['invoice', 'invoices', 'invoicesque', 'invoicing', 'invoic', 'invoicf'].filter((word) =>
    stands(tag + word),
  );
  expect(standing).toEqual(['invoice', 'invoices', 'invoicesque']);
});

test('a query holds the words of texts as hashes that differ between tenants, and none where texts are not searched', () => {
  const inText = /'#([0-9a-z]{1,7})'/;
  const mine = inText.exec(query('merger'))?.[1];
  const theirs = inText.exec(query('merger', { tenantId: 'ten_two' as TenantId }))?.[1];
  expect(mine).toBeDefined();
  expect(theirs).toBeDefined();
  expect(theirs).not.toBe(mine);
  expect(query('merger', { inTexts: false })).not.toMatch(inText);
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
