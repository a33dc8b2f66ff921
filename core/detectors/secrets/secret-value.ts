import { UNSPACED } from '../checks/token.ts';
import { bitsOf } from './letter-model.ts';

/** Shannon entropy in bits per character. It distinguishes a random key from a word. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Placeholders: `<password>`, `${SECRET}`, `%PWD%`, `your_key_here`, `****`. */
const PLACEHOLDER =
  /^(?:[<{[]|\$[({]?\w*[)}]?$|%\w*%?$|@\w+@$|#\{|[*x.\-_]+$|(?:null|none|nil|true|false|undefined|pass|pwd?)\b)|your|example|placeholder|change_?me|changeit|redacted|dummy|passw|secret|token|insert|replace|\*{4}|x{5}|\.{3}/i;
/** No key is a sequence. Passwords are. */
const SEQUENCE = /0123456789|1234567890|abcdefgh/i;

const isMarked = (value: string): boolean => PLACEHOLDER.test(value);

export const isSequence = (value: string): boolean => SEQUENCE.test(value);

/** Whether a value in the place of a key stands for a key. */
export const isPlaceholder = (value: string): boolean => isMarked(value) || isSequence(value);

/** Source code that reads the value from elsewhere: a member, a call or an index. */
const EXPRESSION =
  /^&?[A-Za-z_]\w{0,60}(?:(?:\.|::|->|\?\.)[A-Za-z_]\w{0,60}){1,6}[;,)]{0,3}$|^[\w.]{1,80}[([]/;

export const isExpression = (value: string): boolean => EXPRESSION.test(value);

/** Bits for each character from which on a text is not made of words: letters alone, with digits, and hexadecimal digits. */
const RANDOM = { letters: 5.4, mixed: 4.2, hexadecimal: 3.7 };
/** Of shorter values it is less sure that they are keys. */
const LONG = 16;
/** Bits of the shortest keys, and of those without a digit. */
const LEAST_BITS = { mixed: 45, letters: 85 };

/**
 * Whether a value is made of random characters and not of words: its letters do not follow each other as in words. It is
 * neither a path nor source code.
 */
export function looksRandom(value: string): boolean {
  if (!/[A-Za-z]/.test(value) || entropy(value) < 2.8 || PATH.test(value)) return false;
  if (isPlaceholder(value) || isExpression(value)) return false;
  // A name in a program has one number, such as `base64Decode`.
  if (value.length < LONG && (value.match(/\d{1,16}/g) ?? []).length < 2) return false;
  const kind = !/\d/.test(value)
    ? 'letters'
    : /^[a-f\d-]+$|^[A-F\d-]+$/.test(value)
      ? 'hexadecimal'
      : 'mixed';
  const bits = bitsOf(value);
  return bits >= RANDOM[kind] * value.length && bits >= LEAST_BITS[kind === 'letters' ? 'letters' : 'mixed'];
}

const PATH = /^[.~]{0,2}\/[a-z]{1,20}\//;

/** Pairs of marks around a value: quotation marks, brackets, and emphasis in Markdown. */
const WRAPPED =
  /^(["'`]|\*{1,3}|_{1,3}|~~|\||\\["'])(?=.{1,500}\1$)|^\((?=.{1,500}\)$)|^\[(?=.{1,500}\]$)|^\{(?=.{1,500}\}$)/s;
/** Words and punctuation that no password has: those of scripts without spaces, and punctuation beyond ASCII. */
const FOREIGN = `(?:[${UNSPACED}]|(?![£€§\\x00-\\x7f])[\\p{P}\\p{S}\\p{Z}\\p{Cf}])`;
const FOREIGN_BEFORE = new RegExp(`^${FOREIGN}{1,40}(?=[\\x21-\\x7e])`, 'u');
const FOREIGN_AFTER = new RegExp(`(?<=[\\x21-\\x7e])${FOREIGN}.{0,500}$`, 'su');
const ENTITY = '&(?:gt|lt|quot|apos|nbsp|#\\d{2,5});';
const ENTITY_BEFORE = new RegExp(`^${ENTITY}`);
/** The end of a sentence, and an entity of HTML. */
const ENDING = new RegExp(`[.,:;]{1,3}$|${ENTITY}?$|\\\\$`);

/**
 * A secret without what stands beside it. No rule says which characters a secret has, so ASCII characters belong to it
 * unless they come in pairs or end a sentence.
 */
export function aloneIn(match: string): string {
  const value = match
    .trim()
    .replace(ENTITY_BEFORE, '')
    .replace(FOREIGN_BEFORE, '')
    .replace(FOREIGN_AFTER, '')
    .replace(ENDING, '');
  const [mark = ''] = WRAPPED.exec(value) ?? [];
  if (value === '') return match;
  return mark === '' ? value : aloneIn(value.slice(mark.length, -mark.length));
}

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
    !isMarked(value) &&
    !isExpression(value)
  );
}

/** Words in quotation marks that say something about a password. */
const ABOUT = /^(?:change|enter|forgot|hide|invalid|missing|new|no|not|old|reset|show|too|un|weak|wrong)/i;

/** Whether words that a program assigns as a password can be one: `"horse-battery"`. */
export const mayBeWords = (value: string): boolean =>
  /^[a-z]{3,12}(?:[-_.][a-z]{3,12}){1,5}$/i.test(value) && !ABOUT.test(value) && !isMarked(value);
