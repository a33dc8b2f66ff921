import type { Verdict } from '../detector.ts';
import { compact } from './token.ts';

/** The part of a result of a `stdnum` validator that detectors read. */
type Validate = (value: string) => { readonly isValid: boolean };
type Judge = (match: string) => Verdict;

const ZERO = 48;

/** The sum of digits times weights. Digits beyond the weights are ignored. */
export function weigh(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (digits.charCodeAt(i) - ZERO);
  return sum;
}

/** Returns a test whether the weighted sum of digits has one of the remainders. */
export const sumsTo =
  (weights: readonly number[], modulus: number, remainders: readonly number[] = [0]) =>
  (digits: string): boolean =>
    remainders.includes(((weigh(digits, weights) % modulus) + modulus) % modulus);

const isOneCharacter = (number: string): boolean => number === number.charAt(0).repeat(number.length);
const always = (_: string) => true;

/**
 * Judges the letters and digits of a match with a validator. Rejects a repeated character such as `0000…`, which
 * passes many checks.
 * The validators create an `Error` with a stack for each value that they reject, which is slow for large tables.
 * `may` rejects most values cheaply before the validator runs.
 */
export const judgeBy =
  (validate: Validate, may: (number: string) => boolean = always): Judge =>
  (match) => {
    const number = compact(match);
    return may(number) && !isOneCharacter(number) && validate(number).isValid ? 'checksum' : 'no';
  };

/**
 * Like `judgeBy`, for identifiers that may lack a valid check digit because it is recent or rare. A wrong check digit
 * gives `shape`.
 */
export const judgeSoftlyBy = (validate: Validate, may = always): Judge => {
  const judge = judgeBy(validate, may);
  return (match) => (judge(match) === 'checksum' ? 'checksum' : 'shape');
};

/** The confidence for a format that part numbers and order numbers share. */
export const COMMON_SHAPE = { pattern: 0.15, context: 0.75 };
