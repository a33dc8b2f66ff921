import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLuhn } from '../../../../core/detectors/checks/luhn.ts';
import { detect } from '../../../../core/detectors/engine/detect.ts';
import { confidenceInMany } from '../../../../core/detectors/engine/prove-many.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';

const PEOPLE = 42;
/** The digit that makes a number pass Luhn. */
const luhn = (number: string): string =>
  [...'0123456789'].map((digit) => number + digit).find(isLuhn) ?? number;
/** Different numbers of 15 digits that a large card scheme begins. */
const cardStem = (nth: number): string => `53${String(8_074_231_912_377 + nth * 913_217_333).slice(0, 13)}`;
const cards = Array.from({ length: PEOPLE }, (_, nth) => luhn(cardStem(nth)));
/** As many of the same form, of which about one in ten passes. */
const others = Array.from({ length: PEOPLE }, (_, nth) => `${cardStem(nth)}${nth % 10}`);

const signalOf = (text: string, id: string) =>
  detect(text, DETECTORS).find(({ detectorId }) => detectorId === id) ?? null;
const table = (header: string | null, column: readonly string[], delimiter = ',') =>
  [
    ...(header === null ? [] : [['a', header, 'c'].join(delimiter)]),
    ...column.map((value, nth) => [`Row ${nth}`, value, 'yes'].join(delimiter)),
  ].join('\n');

describe('many values that pass a check are evidence by themselves', () => {
  test.each([
    ['under a header that names nothing', table('d', cards)],
    ['without a header', table(null, cards)],
    ['divided by tabs', table('field_3', cards, '\t')],
    [
      'in quotes',
      table(
        'value',
        cards.map((card) => `"${card}"`),
      ),
    ],
    ['of lines with one value each', cards.join('\n')],
    ['in rows of SQL', cards.map((card, nth) => `(${nth}, '${card}', 'x'),`).join('\n')],
    ['with one value in ten of another kind', table('d', [...cards.slice(4), ...others.slice(0, 4)])],
    [
      'with cells that say that there is none',
      table('d', [...cards, 'NULL', '-', 'n/a', 'NULL', 'none', '-']),
    ],
    ['beside a column of the same format', cards.map((card, nth) => `${others[nth]},${card}`).join('\n')],
    ['beside cells of two lines', cards.map((card) => `"Street 1\nTown","${card}","x"`).join('\n')],
    ['in one line', cards.join(', ')],
    ['in JSON', JSON.stringify(cards.map((value, id) => ({ id, value })))],
    [
      'in a statement of one line',
      `insert into t values ${cards.map((card) => `('${card}', 'x')`).join(', ')};`,
    ],
  ])('%s', (_, text) => {
    const signal = signalOf(text, 'credit_card');
    expect(signal?.confidence).toBeGreaterThanOrEqual(0.8);
    expect(signal?.tiers.checksum_of_many).toBeGreaterThanOrEqual(PEOPLE - 4);
  });

  test.each<[string, string[]]>([
    ['numbers of which some pass by chance', others],
    ['a column of which a third passes', [...cards.slice(0, 12), ...others.slice(0, 30)]],
    ['one value again and again', cards.map(() => cards[0] ?? '')],
    ['few values', cards.slice(0, 4)],
  ])('not %s', (_, column) => {
    const signal = signalOf(table('d', column), 'credit_card');
    expect(signal?.tiers.checksum_of_many).toBeUndefined();
    expect(signal?.confidence ?? 0).toBeLessThan(0.8);
  });
});

test('a header that names the kind counts as before', () => {
  expect(signalOf(table('card', cards), 'credit_card')?.tiers).toEqual({ checksum_and_context: PEOPLE });
});

describe('the confidence in many values', () => {
  const counts = fc
    .integer({ min: 5, max: 5_000 })
    .chain((values) => fc.tuple(fc.integer({ min: 1, max: values }), fc.constant(values)));
  const chance = fc.double({ min: 1e-6, max: 0.5, noNaN: true });
  /** What logarithms of nearly equal chances lose in floating point. */
  const ROUNDING = 1e-9;

  test('grows with the values that pass, and never with the chance that they do', () => {
    fc.assert(
      fc.property(counts, chance, chance, ([passing, values], one, two) => {
        const [less, more] = [Math.min(one, two), Math.max(one, two)];
        const confidence = confidenceInMany(passing, values, less);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(0.9);
        const atMost = confidence + ROUNDING;
        expect(confidenceInMany(passing, values, more)).toBeLessThanOrEqual(atMost);
        expect(confidenceInMany(passing - 1, values, less)).toBeLessThanOrEqual(atMost);
      }),
    );
  });
  test('is nothing where no more pass than by chance', () => {
    expect(confidenceInMany(10, 100, 0.1)).toBe(0);
    expect(confidenceInMany(0, 100, 0.1)).toBe(0);
  });
});
