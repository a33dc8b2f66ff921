/**
 * Paths of Windows, whose separators are no escapes; escapes of white space and of ASCII punctuation in string literals,
 * as in JSON and logs. A backslash may itself be escaped.
 */
const ESCAPE =
  /(?<![A-Za-z\d])[A-Za-z]:\\{1,2}[^\s"'`<>|]{1,250}|\\{1,4}(?:[nrt]|u00(?:[01][\da-fA-F]|2[0-9a-cA-CfF]|3[a-fA-F]|40|5[b-fB-F]|60|7[b-eB-E]|[aA]0))/g;
/** White space that divides neither cells nor lines nor the groups of a number. */
const BLANK = '\v';

/**
 * A text in which blanks stand for escapes: `\n4111…` begins with a number, and not with an `n`. Of equal length, so that
 * offsets are those of the text itself.
 */
export const withoutEscapes = (text: string): string =>
  text.includes('\\')
    ? text.replace(ESCAPE, (match) => (match.startsWith('\\') ? BLANK.repeat(match.length) : match))
    : text;
