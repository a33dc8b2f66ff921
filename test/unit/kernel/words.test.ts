import { describe, expect, it } from 'vitest';
import { fold, stem, words } from '../../../core/kernel/words.ts';

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
