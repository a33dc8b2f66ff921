/** Shannon entropy in bits per character. It distinguishes a random key from a word. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Placeholders: `<password>`, `${SECRET}`, `%PWD%`, `your_key_here`, `****`, `0123456789abcdef`. */
const PLACEHOLDER =
  /^(?:[<{[]|\$[({]?\w*[)}]?$|%\w*%?$|@\w+@$|#\{|[*x.\-_]+$|(?:null|none|nil|true|false|undefined|pass|pwd?)\b)|your|example|placeholder|change_?me|changeit|redacted|dummy|passw|secret|token|insert|replace|\*{4}|x{5}|\.{3}|0123456789|1234567890|abcdefgh/i;

export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value);

/** Source code that reads the value from elsewhere: a member, a call or an index. */
const EXPRESSION =
  /^&?[A-Za-z_]\w{0,60}(?:(?:\.|::|->|\?\.)[A-Za-z_]\w{0,60}){1,6}[;,)]{0,3}$|^[\w.]{1,80}[([]/;

export const isExpression = (value: string): boolean => EXPRESSION.test(value);

/** A name made of words consists mostly of runs of small letters. */
function isMadeOfWords(value: string): boolean {
  const words = value.match(/[a-z]{3,128}/g)?.join('') ?? '';
  return words.length > 0.65 * value.length;
}

/** Whether a value looks randomly generated: it has letters and digits, and is neither a name nor a path. */
export const looksRandom = (value: string): boolean =>
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  entropy(value) >= 3.2 &&
  !isMadeOfWords(value) &&
  !/^[.~]{0,2}\/[a-z]{1,20}\//.test(value) &&
  !isPlaceholder(value) &&
  !isExpression(value);

/** A date, an amount, a range. */
const FIGURE = /^[\d.,:/\u2013-]{1,40}%?$/;
const ADDRESS = /^(?:\w{2,10}:\/\/|[.~]{0,2}\/)/;

/**
 * Whether a value in the place of a password can be one. It needs at least five characters and a digit or special
 * character. A number needs at least six digits.
 */
export function mayBePassword(written: string): boolean {
  const value = written.replace(/[).:!?]{1,3}$/, '');
  return (
    value.length >= 5 &&
    /[\d!@#$%^&*+=?~|§€£]/.test(written) &&
    (/^\d{6,}$/.test(value) || !FIGURE.test(value)) &&
    !ADDRESS.test(value) &&
    !isPlaceholder(value) &&
    !isExpression(value)
  );
}
