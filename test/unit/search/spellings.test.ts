import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stem, words, writtenWords } from '../../../core/kernel/words.ts';
import { inBothNumbers, transcriptionsOf } from '../../../core/search/spellings.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const spelled = (text: string) => writtenWords(text).flatMap(({ written }) => transcriptionsOf(written));

describe('umlauts', () => {
  test.each([
    ['Süd', 'Sued'],
    ['Größe', 'GROESSE'],
    ['Abenteuerführung', 'Abenteuerfuehrung'],
    ['ängström', 'Aengström'],
    ['ÜBERPRÜFUNG', 'Ueberpruefung'],
    ['U\u0308bersicht', 'Uebersicht'],
  ])('%s and %s find each other', (one, other) => {
    expect(spelled(one)).toEqual(expect.arrayContaining(words(other)));
    expect(spelled(other)).toEqual(expect.arrayContaining(words(one)));
  });

  test('words of three umlauts find each other, however each of them is written', () => {
    const ways = fc.constantFrom(['ä', 'ae'], ['ö', 'oe'], ['ü', 'ue']);
    const piece = fc.record({ ways, one: fc.nat(1), other: fc.nat(1), next: fc.constantFrom('', 'b', 'st') });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 3 }), (pieces) => {
        const one = pieces.map(({ ways, one, next }) => ways[one] + next).join('');
        const other = pieces.map(({ ways, other, next }) => ways[other] + next).join('');
        expect(spelled(one)).toEqual(expect.arrayContaining(words(other)));
      }),
    );
  });

  test('a vowel alone is not taken for a transcription', () => {
    expect(transcriptionsOf('Sud')).toEqual(['sud']);
    expect(transcriptionsOf('constructor')).toEqual(['constructor']);
  });

  test('the first is the folded word, of a bounded number', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('ä', 'ue', 'Σ', 'ß', 'e', 'Œ', 'x'), maxLength: 40 }),
        (text) => {
          for (const { folded, written } of writtenWords(text)) {
            expect(transcriptionsOf(written)[0]).toBe(folded);
            expect(transcriptionsOf(written).length).toBeLessThanOrEqual(8);
          }
        },
      ),
    );
  });
});

test.each([
  ['ΟΔΟΣ', 'οδος'],
  ['οδοσ', 'οδος'],
])('%s and %s find each other', (one, other) => {
  expect(transcriptionsOf(one)).toEqual(expect.arrayContaining(['οδοσ', 'οδος']));
  expect(transcriptionsOf(other)).toEqual(expect.arrayContaining(['οδοσ', 'οδος']));
});

describe('singular and plural', () => {
  test.each([
    ['invoice', 'invoices'],
    ['policy', 'policies'],
    ['cookie', 'cookies'],
    ['movie', 'movies'],
    ['tie', 'ties'],
    ['cache', 'caches'],
    ['axe', 'axes'],
    ['axis', 'axes'],
    ['branch', 'branches'],
    ['epoch', 'epochs'],
    ['crash', 'crashes'],
    ['box', 'boxes'],
    ['class', 'classes'],
    ['process', 'processes'],
    ['bonus', 'bonuses'],
    ['menu', 'menus'],
    ['taxi', 'taxis'],
    ['alias', 'aliases'],
    ['gas', 'gases'],
    ['lens', 'lenses'],
    ['case', 'cases'],
    ['purchase', 'purchases'],
    ['analysis', 'analyses'],
    ['hero', 'heroes'],
    ['photo', 'photos'],
    ['waltz', 'waltzes'],
    ['size', 'sizes'],
    ['day', 'days'],
    ['id', 'ids'],
  ])('%s and %s find each other', (singular, plural) => {
    expect(inBothNumbers(singular)).toContain(plural);
    expect(inBothNumbers(plural)).toContain(singular);
    // Words of texts are stored without their plural.
    expect(inBothNumbers(singular).map(stem)).toContain(stem(plural));
    expect(inBothNumbers(plural).map(stem)).toContain(stem(singular));
  });

  test('what finds a word is found by it', () => {
    const ending = fc.constantFrom(
      '',
      's',
      'es',
      'ies',
      'y',
      'ie',
      'is',
      'us',
      'ss',
      'ches',
      'xes',
      'oes',
      'zes',
      'ses',
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 's', 'e', 'x'), maxLength: 5 }),
        ending,
        (begin, end) => {
          const word = begin + end;
          for (const other of inBothNumbers(word)) expect(inBothNumbers(other)).toContain(word);
        },
      ),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test.each([
    ['class', 'clas'],
    ['gas', 'ga'],
    ['is', 'i'],
    ['s', ''],
    ['does', 'do'],
    ['uses', 'us'],
    ['rechnung', 'rechnunges'],
  ])('%s does not find %s', (word, other) => {
    expect(inBothNumbers(word)).not.toContain(other);
  });
});
