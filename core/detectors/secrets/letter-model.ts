import { STOP_WORDS } from '../../kernel/stop-words.ts';
import { GIVEN_NAMES } from '../names/given-names.ts';
import { ORDINARY_WORDS } from '../names/ordinary-words.ts';

/** Lower-case letters, and the edge of a word. */
const SYMBOLS = 27;
const EDGE = 26;
const SEEN_BEFORE = 0.5;
const BITS_OF_DIGIT = Math.log2(10);
/** That after a character of one kind one of another kind follows: a digit after a letter, a capital after a small letter. */
const BITS_OF_CHANGE = 2;

/** By letter and next letter: the bits of information of the next letter. Built on first use. */
let table: Float64Array | null = null;

/** Learns which letters follow each other in words of the languages that the product knows. */
function learn(): Float64Array {
  const counts = new Float64Array(SYMBOLS * SYMBOLS).fill(SEEN_BEFORE);
  for (const word of [...Object.values(STOP_WORDS).flat(), ...GIVEN_NAMES, ...ORDINARY_WORDS]) {
    let before = EDGE;
    for (const letter of `${word} `) {
      const next = symbolOf(letter.charCodeAt(0));
      const at = before * SYMBOLS + next;
      counts[at] = (counts[at] ?? 0) + 1;
      before = next;
    }
  }
  return counts.map((count, at) => {
    const row = at - (at % SYMBOLS);
    const all = counts.subarray(row, row + SYMBOLS).reduce((sum, each) => sum + each, 0);
    return -Math.log2(count / all);
  });
}

const symbolOf = (code: number): number => (code >= 97 && code <= 122 ? code - 97 : EDGE);

/**
 * The information of a text in bits, if its letters follow each other as in words. Words have few bits, random characters
 * have many. Characters that are no ASCII letters or digits have none.
 */
export function bitsOf(text: string): number {
  table ??= learn();
  let bits = 0;
  let before = EDGE;
  let kind = '';
  for (const character of text) {
    const isDigit = character >= '0' && character <= '9';
    const small = character.toLowerCase();
    const symbol = isDigit ? EDGE : symbolOf(small.charCodeAt(0));
    const own = isDigit ? '0' : symbol === EDGE ? '' : small === character ? 'a' : 'A';
    const isChange = kind !== '' && own !== '' && own !== kind;
    if (isChange) bits += BITS_OF_CHANGE;
    if (isDigit) bits += BITS_OF_DIGIT;
    // A word may begin with a capital, and begins with one in camel case.
    else if (own !== '') bits += table[(isChange && own === 'A' ? EDGE : before) * SYMBOLS + symbol] ?? 0;
    before = symbol;
    kind = own;
  }
  return bits;
}
