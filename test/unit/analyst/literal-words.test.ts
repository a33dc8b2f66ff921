import fc from 'fast-check';
import { expect, test } from 'vitest';
import { literalWords } from '../../../core/analyst/answer.ts';
import { parseQuery } from '../../../core/search/search-query.ts';

const OPERATORS = [
  'AND',
  'OR',
  'NOT',
  'NEAR',
  '"',
  '&',
  '|',
  '!',
  ':*',
  '<->',
  '(',
  ')',
  "'",
  '*',
  '-',
  '+',
  '~',
];

test('operators and quotes in words to search for are words or nothing', () => {
  const part = fc.oneof(fc.constantFrom(...OPERATORS), fc.stringMatching(/^[a-z]{1,8}$/));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const { words, phrases } = parseQuery(literalWords(parts.join(' ')));
      expect(phrases).toEqual([]);
      const plain = parts.filter((each) => /[a-z]/i.test(each)).map((each) => each.toLowerCase());
      expect(new Set(words.map(({ folded }) => folded)).size).toBeLessThanOrEqual(new Set(plain).size);
      for (const { folded } of words) expect(plain).toContain(folded);
    }),
  );
});
