import { sumsTo } from '../checks/judge-by.ts';
import { compact, token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

type Rule = (number: string) => boolean;

/** The check digit completes the sum to a multiple of 11. North Rhine-Westphalia uses the remainder instead. */
const byEleven = (...weights: readonly number[]): Rule => sumsTo([...weights, 1], 11);
const byElevenDown: Rule = sumsTo([0, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, -1], 11);
const bavarian = byEleven(0, 5, 4, 3, 0, 2, 7, 6, 5, 4, 3, 2);
const hanseatic = byEleven(0, 0, 4, 3, 0, 2, 7, 6, 5, 4, 3, 2);
const lowerSaxon = byEleven(0, 0, 2, 9, 0, 8, 7, 6, 5, 4, 3, 2);
const olderBerlin = byEleven(0, 0, 0, 0, 0, 7, 6, 5, 8, 4, 3, 2);

/** The digit sum of each product, repeated until one digit is left. */
const root = (product: number) => (product === 0 ? 0 : 1 + ((product - 1) % 9));
const sumOf = (number: string, figure: (digit: number, place: number) => number): number =>
  [...number].reduce((sum, digit, place) => sum + figure(Number(digit), place), 0);
const byPowersOfTwo: Rule = (number) => {
  const added = [0, 0, 9, 8, 0, 7, 6, 5, 4, 3, 2, 1];
  const factors = [0, 0, 512, 256, 0, 128, 64, 32, 16, 8, 4, 2];
  const figure = (digit: number, place: number) =>
    place === 12 ? digit : root(((digit + (added[place] ?? 0)) % 10) * (factors[place] ?? 0));
  return sumOf(number, figure) % 10 === 0;
};
const palatine: Rule = (number) => {
  const factors = [0, 0, 1, 2, 0, 1, 2, 1, 2, 1, 2, 1, 1];
  return sumOf(number, (digit, place) => root(digit * (factors[place] ?? 0))) % 10 === 0;
};

/** By the first digits of the tax office, as published by the tax administration (ELSTER). */
const RULES: Readonly<Record<string, Rule>> = {
  5: byElevenDown,
  9: bavarian,
  10: bavarian,
  11: (number) => olderBerlin(number) || lowerSaxon(number),
  21: byPowersOfTwo,
  22: hanseatic,
  23: lowerSaxon,
  24: hanseatic,
  26: byPowersOfTwo,
  27: palatine,
  28: byPowersOfTwo,
  30: bavarian,
  31: bavarian,
  32: bavarian,
  40: bavarian,
  41: bavarian,
};
const OFFICE = `(?:${Object.keys(RULES)
  .map((prefix) => prefix + '\\d'.repeat(4 - prefix.length))
  .join('|')})`;

/** Thirteen digits: the office (4), a zero, district and number (7), and the check digit. */
function passes(number: string): boolean {
  const rule = RULES[number.slice(0, 1)] ?? RULES[number.slice(0, 2)];
  return rule?.(number) ?? false;
}

/**
 * The formats of most states do not identify the state, so no check applies. Only Baden-Württemberg and North
 * Rhine-Westphalia group the digits in a way of their own. The federal format begins with the state.
 */
function judge(match: string): Verdict {
  const number = compact(match);
  const groups = match.split(/\D+/).map(({ length }) => length);
  if (number.length === 12) return passes(`${number.slice(0, 4)}0${number.slice(4)}`) ? 'checksum' : 'no';
  const federal =
    number.length === 13
      ? number
      : groups.join() === '5,5'
        ? `28${number.slice(0, 2)}0${number.slice(2)}`
        : groups.join() === '3,4,4'
          ? `5${number.slice(0, 3)}0${number.slice(3)}`
          : null;
  return federal !== null && passes(federal) ? 'checksum' : 'shape';
}

export const deTaxNumber = defineDetector({
  id: 'de_tax_number',
  version: 2,
  family: 'tax_id',
  countries: ['DE'],
  title: 'German tax number (Steuernummer)',
  randomMatch: 1 / 10,
  gate: { kind: 'digits', least: 9, reach: 20 },
  patterns: [
    { regex: token('(?<!/)\\d{2,3}/\\d{3}/\\d{4,5}(?!/)'), context: 'optional' },
    { regex: token('(?<!/)\\d{3}/\\d{4}/\\d{4}(?!/)|(?<!/)\\d{5}/\\d{5}(?!/)'), context: 'required' },
    // With spaces, hyphens, or slashes between spaces. Bremen and Hesse officially use spaces.
    { regex: token('\\d{2,3}(?: / |[ -])\\d{3}(?: / |[ -])\\d{4,5}'), context: 'required' },
    { regex: token('\\d{3}( / |[ -])\\d{4}\\1\\d{4}|\\d{5}(?: / |[ -])\\d{5}'), context: 'required' },
    { regex: token('\\d{10,11}'), context: 'required' },
    // The federal format, used with ELSTER and within the administration.
    { regex: token(`${OFFICE}0?\\d{8}`), context: 'required' },
  ],
  context: [
    ...['steuernummer', 'steuer nr', 'steuernr', 'st nr', 'stnr', 'finanzamt', 'tax number', 'tax no'],
    ...[
      'umsatzsteuer',
      'elster',
      'steuernummern',
      'numero fiscal',
      'steuer nummer',
      'ust nr',
      'einkommensteuer',
    ],
    ...['gewerbesteuer', 'korperschaftsteuer', 'steuerbescheid', 'elster steuernummer', 'tax office'],
  ],
  judge,
  confidence: { pattern: 0.35, context: 0.85 },
  examples: {
    hits: [
      '123/456/78901',
      'Steuernummer 133/8150/8159',
      'St.-Nr. 21/815/08150',
      'Finanzamt Köln, 5133081508159',
      'Steuernummer 204/4719/1240',
      'Steuernummer 64371/91239',
      'St.-Nr. 64 / 371 / 91230',
      'Steuernummer 013 471 91230',
      'St.Nr. 204 4719 1240',
      'Steuernummer 5204047191240',
      'Elster 520447191273',
      'Finanzamt: 2638047191236',
    ],
    misses: [
      '5133081508159',
      '/123/456/78901',
      '123/456/78901/2',
      '2024/123/4567',
      'Steuernummer 123/45/6789',
      'Steuernummer 520447191274',
      'Steuernummer 1704047191240',
      '520447191273',
      '204/4719/1240',
    ],
  },
});
