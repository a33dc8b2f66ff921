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

/** The characters of the basic plane beyond ASCII. Others keep their length of two. */
const BASIC = charactersOf(0x80, 0xd800) + charactersOf(0xe000, 1 << 16);
/** The digits of other scripts, as a part of a character class. Those in full width are of the class above. */
const NATIVE_DIGITS = (BASIC.match(/\p{Nd}/gu) ?? []).filter((digit) => digit < '\uff00').join('');

const ALIKE = new RegExp(`[${FULL_WIDTH}${NATIVE_DIGITS}]`, 'g');
const HIDDEN = new RegExp(`[${INVISIBLE}]`, 'g');
/** Between digits, and between a digit and a letter that is alone. The dash comes first, because it is rarest. */
const DASH = new RegExp(
  `[${DASHES}](?:(?<=\\d.)(?=\\d|[A-Z](?![A-Za-z]))|(?<=(?<![A-Za-z])[A-Z].)(?=\\d))`,
  'g',
);
/** Between digits and capitals, as in the groups of an IBAN. */
const SPACE = new RegExp(`[${SPACES}](?<=[\\dA-Z].)(?=[\\dA-Z])`, 'g');

/** By UTF-16 code unit: the kind of character that may have to be replaced, as a bit, or 0. */
const KINDS = new Uint8Array(1 << 16);
const KIND = { alike: 1, hidden: 2, dash: 4, space: 8 };
const CLASSES = { alike: FULL_WIDTH + NATIVE_DIGITS, hidden: INVISIBLE, dash: DASHES, space: SPACES };
for (const [kind, bit] of Object.entries(KIND)) {
  // One search of all characters: a test of each takes a tenth of a second of every start.
  for (const [character] of BASIC.matchAll(new RegExp(`[${CLASSES[kind as keyof typeof KIND]}]`, 'g')))
    KINDS[character.charCodeAt(0)] = bit;
}

/** The kinds of characters that occur, as bits. */
function kindsIn(text: string): number {
  let kinds = 0;
  for (let i = 0; i < text.length; i++) kinds |= KINDS[text.charCodeAt(i)] ?? 0;
  return kinds;
}

function charactersOf(from: number, end: number): string {
  const codes = new Uint16Array(end - from);
  for (let at = 0; at < codes.length; at++) codes[at] = from + at;
  return Buffer.from(codes.buffer).toString('utf16le');
}

/**
 * A text in which the characters of numbers are those of ASCII: digits of all scripts, full-width capitals, and dashes and
 * spaces within numbers. Soft hyphens and word joiners are left out.
 */
export function plainText(written: string): PlainText {
  const kinds = kindsIn(written);
  if (kinds === 0) return { text: written, toWritten: same, toPlain: same };
  let text = written;
  if ((kinds & KIND.alike) !== 0) text = text.replace(ALIKE, asciiOf);
  if ((kinds & KIND.hidden) !== 0) text = text.replace(HIDDEN, '');
  if ((kinds & KIND.dash) !== 0) text = text.replace(DASH, '-');
  if ((kinds & KIND.space) !== 0) text = text.replace(SPACE, ' ');
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

function asciiOf(character: string): string {
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
