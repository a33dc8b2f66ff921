import { words } from '../kernel/words.ts';
import { columnHeaders } from './columns.ts';

const REACH = 60;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The words around a hit, folded, as ` word word word `. */
type Surroundings = string;

/**
 * Reads the words that stand around a hit: within 60 characters on either side; in a table the header of its column
 * and, within the reach, its own line, since the lines above and below speak of something else.
 */
export function contextReader(text: string): (start: number, end: number) => Surroundings {
  let headerAbove: ((offset: number) => string) | null = null;
  return (start, end) => {
    headerAbove ??= columnHeaders(text);
    const header = headerAbove(start);
    let before = wordsBefore(text, start);
    let after = wordsAfter(text, end);
    if (header !== '') {
      before = before.slice(before.lastIndexOf('\n') + 1);
      after = after.split('\n', 1)[0] ?? '';
    }
    return ` ${[before, after, header].map((part) => words(part).join(' ')).join('  ')} `;
  };
}

/** True when one of the words or phrases stands there whole: `lic` is not in `public`. */
export const hasContext = (around: Surroundings, context: readonly string[]): boolean =>
  context.some((phrase) => around.includes(` ${phrase} `));

/** Up to `REACH` characters; a word that the reach cuts is no word. */
function wordsBefore(text: string, end: number): string {
  let start = Math.max(0, end - REACH);
  if (start > 0 && LETTER_OR_DIGIT.test(text.charAt(start - 1))) {
    while (start < end && LETTER_OR_DIGIT.test(text.charAt(start))) start += 1;
  }
  return text.slice(start, end);
}

function wordsAfter(text: string, start: number): string {
  let end = Math.min(text.length, start + REACH);
  if (LETTER_OR_DIGIT.test(text.charAt(end))) {
    while (end > start && LETTER_OR_DIGIT.test(text.charAt(end - 1))) end -= 1;
  }
  return text.slice(start, end);
}
