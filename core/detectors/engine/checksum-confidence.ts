/** Digits that no amount and no measurement has: a spreadsheet keeps fifteen of a number. */
const LONG = 15;

type Form = {
  /** Other values of the form that one meets, without a word for them, for each that is what is sought. */
  readonly rivals: number;
  /** What a value proves at most, however few random ones pass. */
  readonly most: number;
};

/** Numbers of a table are alike: where one begins as a date does, all do. So a number alone is less likely than not. */
const DIGITS: Form = { rivals: 300, most: 0.4 };
const LONG_DIGITS: Form = { rivals: 50, most: 0.9 };
const WRITTEN: Form = { rivals: 30, most: 0.9 };
const LONG_WRITTEN: Form = { rivals: 5, most: 0.9 };
/** Near a word for it, or under one, a value is as likely what the word says as not. */
const IN_CONTEXT: Form = { rivals: 1, most: 0.98 };

/**
 * How sure a match is whose check digits agree: one true value among as many others as pass with it. Of the rivals that
 * stand where one true value stands, `randomMatch` of them pass too.
 * @param randomMatch the share of random values of the form that pass
 */
export function checksumConfidence(randomMatch: number, match: string, inContext: boolean): number {
  const { rivals, most } = inContext ? IN_CONTEXT : formOf(match);
  return Math.min(most, 1 / (1 + rivals * randomMatch));
}

/**
 * Two characters beside the digits, or a letter among them, are a form of writing that few numbers have. One hyphen or one
 * letter at the edge has many a part number, a dot may be a decimal point, and amounts are written in groups of three.
 */
function formOf(match: string): Form {
  const digits = match.replace(/\D/g, '').length;
  const isWritten =
    (match.length - digits >= 2 || /\d[A-Za-z]\d/.test(match)) &&
    !/^\d{1,3}(?:([ .\u00a0])\d{3})(?:\1\d{3})*$/.test(match);
  if (digits < LONG) return isWritten ? WRITTEN : DIGITS;
  return isWritten ? LONG_WRITTEN : LONG_DIGITS;
}
