const LETTER_OR_DIGIT = 'A-Za-z0-9_\\u00aa-\\u1fff';
const BEFORE = `(?<![${LETTER_OR_DIGIT}])(?<!\\d[.-])`;
const AFTER = `(?![${LETTER_OR_DIGIT}])(?![.-]\\d)`;

/**
 * A global pattern whose matches are whole tokens: never the inside of a longer word, number or decimal.
 * A comma does not make a decimal here, since it separates the cells of a CSV line more often.
 */
export const token = (source: string, flags = ''): RegExp =>
  new RegExp(`${BEFORE}(?:${source})${AFTER}`, `g${flags}`);

/** The letters and digits of a match, upper case: what a checksum is computed over. */
export function compact(match: string): string {
  for (let i = 0; i < match.length; i++) {
    const code = match.charCodeAt(i);
    const isKept = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
    if (!isKept) return match.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
  }
  return match;
}
