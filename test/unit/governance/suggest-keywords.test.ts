import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distinctiveWords } from '../../../core/governance/suggest-keywords.ts';

const OTHERS = [
  'Minutes of the board.docx',
  'Holiday plan.xlsx',
  'Offer Miller.pdf',
  'Plan of the office.pdf',
];
const keywords = (names: string[], others = OTHERS, approved = ['Payroll', 'Salaries of employees']) =>
  distinctiveWords(names, others, approved).map(({ keyword }) => keyword);

describe('words that distinguish names', () => {
  test('are those that three names share and others lack, as they are spelled', () => {
    const names = ['Lohnjournal März.pdf', 'Lohnjournal April.pdf', 'lohnjournal_Mai.pdf', 'Plan.pdf'];
    expect(distinctiveWords(names, OTHERS, [])).toEqual([
      { keyword: 'lohnjournal', documents: 3, others: 0 },
    ]);
  });

  test('are none of two names only, of the type itself, of numbers or of function words', () => {
    expect(keywords(['Lohnjournal März.pdf', 'Lohnjournal April.pdf'])).toEqual([]);
    expect(keywords(['Payroll 1.pdf', 'Payroll 2.pdf', 'Payroll 3.pdf'])).toEqual([]);
    expect(keywords(['2024 the A.pdf', '2024 the B.pdf', '2024 the C.pdf'])).toEqual([]);
  });

  test('are none that other names have as often', () => {
    expect(keywords(['Plan a.pdf', 'Plan b.pdf', 'Plan c.pdf'])).toEqual([]);
  });

  test('keep their accents, and are one however they are written', () => {
    expect(keywords(['Übersicht a.pdf', 'ÜBERSICHT b.pdf', 'Ubersicht c.pdf'])).toEqual(['übersicht']);
  });

  test('are words of the names, at most ten, whatever the names are', () => {
    const names = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(names, names, (mine, others) => {
        const found = distinctiveWords(mine, others, []);
        expect(found.length).toBeLessThanOrEqual(10);
        for (const { documents } of found) expect(documents).toBeGreaterThanOrEqual(3);
      }),
    );
  });
});
