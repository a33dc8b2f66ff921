import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conceptTerms } from '../../../core/ai/knowledge/concept-terms.ts';
import { CONCEPTS } from '../../../core/ai/knowledge/concepts.ts';
import { contentTerms } from '../../../core/ai/terms.ts';
import { fold, isStopWord, words } from '../../../core/kernel/words.ts';

const lines = CONCEPTS.trim()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split('|').map((list) => list.split(',').flatMap((word) => fold(word.trim()) || [])));
const termsOf = (text: string) => contentTerms(words(text));

describe('the glossary of concepts', () => {
  it('has a term and three other languages on each line', () => {
    expect(lines.length).toBeGreaterThan(200);
    for (const lists of lines) {
      expect(lists).toHaveLength(4);
      expect(lists[0]?.length).toBeGreaterThan(0);
    }
  });

  it('has each word in one line only', () => {
    const linesWith = Map.groupBy(
      lines.flatMap((lists, line) => [...new Set(lists.flat())].map((word) => ({ word, line }))),
      ({ word }) => word,
    );
    expect([...linesWith].filter(([, found]) => found.length > 1).map(([word]) => word)).toEqual([]);
  });

  it('has no function word, and no word of two words in another language', () => {
    const found = lines.flatMap(([, ...others]) => others.flat());
    expect(found.filter((word) => isStopWord(word) || !/^-?[a-z]+$/.test(word))).toEqual([]);
  });
});

describe('conceptTerms', () => {
  it.each([
    ['Rechnungen', 'invoices'],
    ['factures', 'invoice'],
    ['facturas', 'Invoice'],
    ['Verträge', 'contract'],
    ['Mitarbeiterinnen', 'staff'],
    ['employés', 'employees'],
    ['contraseñas', 'passwords'],
    ['Krankmeldung', 'sick leave'],
  ])('gives %s and %s the same terms', (word, other) => {
    expect(termsOf(word)).toEqual(termsOf(other));
  });

  it.each([
    ['Lieferantenrechnungen', ['supplier', 'invoice']],
    ['Arbeitsverträge', ['employment', 'contract']],
    ['Sicherheitsvorfälle', ['security', 'incident']],
    ['Personalkosten', ['employee', 'cost']],
    ['Stornorechnung', ['storno', 'invoice']],
    ['Gehaltserhöhung', ['salary', 'erhohung']],
    ['Umsatzsteuervoranmeldung', ['value', 'added', 'tax', 'voran', 'report']],
  ])('splits %s', (word, terms) => {
    expect(conceptTerms(fold(word))).toEqual(terms);
  });

  it.each(['personal', 'transportation', 'marketing', 'personalized', 'interpersonal', 'station', 'private'])(
    'leaves the English %s alone',
    (word) => {
      expect(conceptTerms(word)).toEqual([word]);
    },
  );

  it('knows one plural of German nouns that the glossary does not have', () => {
    expect(conceptTerms('informationen')).toEqual(['information']);
    expect(conceptTerms('anmerkungen')).toEqual(conceptTerms('anmerkung'));
  });

  it('gives any word at least one term that is not empty', () => {
    const part = fc.constantFrom(...lines.flatMap(([, german = []]) => german), 's', 'n', 'xyz', 'qu');
    const compound = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(compound, fc.stringMatching(/^[a-z]{1,32}$/)), (word) => {
        const terms = conceptTerms(word);
        expect(terms.length).toBeGreaterThan(0);
        for (const term of terms) expect(term).not.toBe('');
      }),
    );
  });
});
