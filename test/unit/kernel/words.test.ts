import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fold, stem, words, writtenWords } from '../../../core/kernel/words.ts';
import { propertyRuns } from '../../support/property-runs.ts';

describe('words', () => {
  it('folds case, accents and the letters that do not decompose', () => {
    expect(fold('Straße Łódź ŒUVRE Ærø naïve ﬁ')).toBe('strasse lodz oeuvre aero naive fi');
  });

  it('divides names as programs and tables write them', () => {
    expect(words('dateOfBirth date_of_birth IBAN-Code Zürich8001')).toEqual([
      'date',
      'of',
      'birth',
      'date',
      'of',
      'birth',
      'iban',
      'code',
      'zurich8001',
    ]);
    expect(words('')).toEqual([]);
  });

  it('takes the plural off and leaves what only ends like one', () => {
    expect(['invoices', 'policies', 'boxes', 'branches', 'classes'].map(stem)).toEqual([
      'invoice',
      'policy',
      'box',
      'branch',
      'class',
    ]);
    expect(['cookies', 'cookie', 'ads', 'ids'].map(stem)).toEqual(['cooky', 'cooky', 'ad', 'id']);
    expect(['status', 'analysis', 'access', 'gas', 'rechnung'].map(stem)).toEqual([
      'status',
      'analysis',
      'access',
      'gas',
      'rechnung',
    ]);
  });
});

describe('written words', () => {
  it('are the words, each beside how it is written', () => {
    expect(writtenWords('MÜNCHEN Acme™ dateOfÜbergabe')).toEqual([
      { folded: 'munchen', written: 'MÜNCHEN' },
      { folded: 'acmetm', written: 'AcmeTM' },
      { folded: 'date', written: 'date' },
      { folded: 'of', written: 'Of' },
      { folded: 'ubergabe', written: 'Übergabe' },
    ]);
  });

  it('fold to the words of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(writtenWords(text).map(({ folded }) => folded)).toEqual(words(text));
      }),
      { numRuns: propertyRuns(2_000) },
    );
    const long = `${'ü'.repeat(130)}Ａ½ſΣ. Σ`;
    expect(writtenWords(long).map(({ folded }) => folded)).toEqual(words(long));
  });
});

test('the lower case of a letter does not depend on what follows it', () => {
  expect(words('ΟΔΟΣ ΟΔΟΣ.TXT')).toEqual(['οδοσ', 'οδοσ', 'txt']);
});
