const SCRIPTS_WITHOUT_SPACES = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul'],
  ...['Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan'],
];
/**
 * Letters of scripts that need no space between words, as a part of a character class. A word of them may touch a value.
 */
export const UNSPACED = SCRIPTS_WITHOUT_SPACES.map((script) => `\\p{sc=${script}}`).join('');

const FIRST_BEYOND_ASCII = 0x80;
/** Beyond are punctuation, symbols and scripts without spaces, but for rare ones. */
const LAST_LETTER = 0x1fff;

/**
 * Letters and digits of the scripts that separate words with spaces, as a part of a character class. A word of them that
 * touches a value is another word. Punctuation, as in `«` and `؟`, is not.
 */
export const LETTERS_BEYOND_ASCII = rangesOf(
  new RegExp(`^(?![${UNSPACED}\u00aa\u00ba])[\\p{L}\\p{M}\\p{Nd}]$`, 'u'),
);

function rangesOf(letter: RegExp): string {
  const ranges: [first: number, last: number][] = [];
  for (let code = FIRST_BEYOND_ASCII; code <= LAST_LETTER; code++) {
    if (!letter.test(String.fromCharCode(code))) continue;
    const range = ranges.at(-1);
    if (range?.[1] === code - 1) range[1] = code;
    else ranges.push([code, code]);
  }
  const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
  return ranges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('');
}

const LETTER_OR_DIGIT = `A-Za-z0-9_${LETTERS_BEYOND_ASCII}`;
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
