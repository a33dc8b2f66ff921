const LETTER_OR_DIGIT = 'A-Za-z0-9_\\u00aa-\\u1fff';
const BEFORE = `(?<![${LETTER_OR_DIGIT}])(?<!\\d[.-])`;
const AFTER = `(?![${LETTER_OR_DIGIT}])(?![.-]\\d)`;

/**
 * A global pattern that matches whole tokens only, never the inside of a longer word, number or decimal. A comma does
 * not count as a decimal separator here, because it usually separates the cells of a CSV line.
 */
export const token = (source: string, flags = ''): RegExp =>
  new RegExp(`${BEFORE}(?:${source})${AFTER}`, `g${flags}`);

/** The letters and digits of a match in upper case, as checksums need them. */
export function compact(match: string): string {
  for (let i = 0; i < match.length; i++) {
    const code = match.charCodeAt(i);
    const isKept = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
    if (!isKept) return match.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
  }
  return match;
}
