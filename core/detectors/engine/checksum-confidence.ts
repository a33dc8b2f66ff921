/** A spreadsheet keeps 15 digits of a number, so amounts and measurements are shorter. */
const LONG = 15;

type Form = {
  /** How many other values of this format occur for each true one, where no context word is near. */
  readonly rivals: number;
  /** The highest confidence, however small the random match is. */
  readonly most: number;
};

/** The numbers in a table resemble each other: if one begins like a date, all do. Bare digits therefore stay below 0.5. */
const DIGITS: Form = { rivals: 300, most: 0.4 };
const LONG_DIGITS: Form = { rivals: 50, most: 0.9 };
const WRITTEN: Form = { rivals: 30, most: 0.9 };
const LONG_WRITTEN: Form = { rivals: 5, most: 0.9 };
/** With a context word, the value is as likely to be what the word says as not. */
const IN_CONTEXT: Form = { rivals: 1, most: 0.98 };

/**
 * The confidence of a match whose check digits are correct. Of the rivals of one true value, the share `randomMatch`
 * passes the check by chance.
 * @param randomMatch share of random values of the format that pass, 0 to 1
 * @returns 0 to 0.98
 */
export function checksumConfidence(randomMatch: number, match: string, inContext: boolean): number {
  const { rivals, most } = inContext ? IN_CONTEXT : formOf(match);
  return Math.min(most, 1 / (1 + rivals * randomMatch));
}

/**
 * Few numbers are written with two separators or letters, or with a letter between digits. Part numbers often have
 * one hyphen or one letter at the edge, a single dot may be a decimal point, and amounts have groups of three digits.
 */
function formOf(match: string): Form {
  const digits = match.replace(/\D/g, '').length;
  const isWritten =
    (match.length - digits >= 2 || /\d[A-Za-z]\d/.test(match)) &&
    !/^\d{1,3}(?:([ .\u00a0])\d{3})(?:\1\d{3})*$/.test(match);
  if (digits < LONG) return isWritten ? WRITTEN : DIGITS;
  return isWritten ? LONG_WRITTEN : LONG_DIGITS;
}
