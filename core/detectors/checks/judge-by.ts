import type { Verdict } from '../detector.ts';
import { compact } from './token.ts';

/** What a validator of the `stdnum` package answers, as far as a detector reads it. */
type Validate = (value: string) => { readonly isValid: boolean };
type Judge = (match: string) => Verdict;

const ZERO = 48;

/** Sum of digits, each times its weight. Digits without a weight do not count. */
export function weigh(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (digits.charCodeAt(i) - ZERO);
  return sum;
}

/** True of digits whose weighted sum leaves one of the remainders. */
export const sumsTo =
  (weights: readonly number[], modulus: number, remainders: readonly number[] = [0]) =>
  (digits: string): boolean =>
    remainders.includes(((weigh(digits, weights) % modulus) + modulus) % modulus);

const isOneCharacter = (number: string): boolean => number === number.charAt(0).repeat(number.length);
const always = (_: string) => true;

/**
 * Judges the letters and digits of a match by a validator; `0000…` passes many a check digit and is no number.
 * The validators of the package make an `Error` with its stack for what they refuse, which a table of numbers would pay
 * for every cell and detector: `may` says in less what cannot pass, and leaves the rest to the validator.
 */
export const judgeBy =
  (validate: Validate, may: (number: string) => boolean = always): Judge =>
  (match) => {
    const number = compact(match);
    return may(number) && !isOneCharacter(number) && validate(number).isValid ? 'checksum' : 'no';
  };

/** Like `judgeBy`, for identifiers whose check digit is newer or rarer than the format: failing it only says less. */
export const judgeSoftlyBy = (validate: Validate, may = always): Judge => {
  const judge = judgeBy(validate, may);
  return (match) => (judge(match) === 'checksum' ? 'checksum' : 'shape');
};

/** For a shape that part numbers and order numbers share. */
export const COMMON_SHAPE = { pattern: 0.15, context: 0.75 };
