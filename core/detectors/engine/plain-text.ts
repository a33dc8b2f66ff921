/** A text as the detectors read it. Offsets are UTF-16 code units. */
export type PlainText = {
  readonly text: string;
  /** The offset in the written text of the character at an offset of `text`. */
  readonly toWritten: (offset: number) => number;
  /** The offset in `text` of the character at an offset of the written text, or of the next one that is in `text`. */
  readonly toPlain: (offset: number) => number;
};

/** Characters without a width that may be anywhere in a word: the soft hyphen and the word joiner. */
const INVISIBLE = '\\u00ad\\u2060';
/** Dashes and minus signs, small and full-width ones, and the long vowel sign of Japanese, which looks like a dash. */
const DASHES = '\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\u30fc';
/** Spaces of Unicode besides those of ASCII. */
const SPACES = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000';
/** `+`, `-`, `.`, digits, `@`, capitals and `_` in full width. Small letters are in no number. */
const FULL_WIDTH = '\\uff0b\\uff0d\\uff0e\\uff10-\\uff19\\uff20-\\uff3a\\uff3f';
const FULL_WIDTH_OFFSET = 0xfee0;

/** Whether a text has a character that may have to be replaced. */
const MAY_DIFFER = new RegExp(`[${INVISIBLE}${DASHES}${SPACES}${FULL_WIDTH}]|(?![0-9])\\p{Nd}`, 'u');
const ALIKE = new RegExp(`[${FULL_WIDTH}]|(?![0-9])\\p{Nd}`, 'gu');
const HIDDEN = new RegExp(`[${INVISIBLE}]`, 'g');
/** Between digits, and between a digit and a letter that is alone. */
const DASH = new RegExp(
  `(?<=\\d)[${DASHES}](?=\\d|[A-Z](?![A-Za-z]))|(?<=(?<![A-Za-z])[A-Z])[${DASHES}](?=\\d)`,
  'g',
);
/** Between digits and capitals, as in the groups of an IBAN. */
const SPACE = new RegExp(`(?<=[\\dA-Z])[${SPACES}](?=[\\dA-Z])`, 'g');

/**
 * A text in which the characters of numbers are those of ASCII: digits of all scripts, full-width capitals, and dashes and
 * spaces within numbers. Soft hyphens and word joiners are left out.
 */
export function plainText(written: string): PlainText {
  if (!MAY_DIFFER.test(written)) return { text: written, toWritten: same, toPlain: same };
  const text = written.replace(ALIKE, asciiOf).replace(HIDDEN, '').replace(DASH, '-').replace(SPACE, ' ');
  if (text.length === written.length) return { text, toWritten: same, toPlain: same };
  const hidden = Array.from(written.matchAll(HIDDEN), ({ index }) => index);
  return {
    text,
    // Of the hidden characters, as many are before the one at `offset` as are at most that many places after it.
    toWritten: (offset) => offset + countUpTo(hidden, (at, before) => at - before <= offset),
    toPlain: (offset) => offset - countUpTo(hidden, (at) => at < offset),
  };
}

const same = (offset: number): number => offset;

/** Characters outside of the basic plane keep their length, so they stay as they are. */
function asciiOf(character: string): string {
  if (character.length > 1) return character;
  const code = character.charCodeAt(0);
  if (code >= 0xff01) return String.fromCharCode(code - FULL_WIDTH_OFFSET);
  return String(digitOf(code));
}

/** Unicode assigns the digits of a script consecutive codes, from zero to nine. */
function digitOf(code: number): number {
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCharCode(zero - 1))) zero -= 1;
  return code - zero;
}

/** How many of the first elements are `within`. They are ascending, so the others follow. */
function countUpTo(offsets: readonly number[], within: (offset: number, index: number) => boolean): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (within(offsets[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
