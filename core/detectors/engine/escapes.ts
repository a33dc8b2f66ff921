import { LETTERS_BEYOND_ASCII } from '../checks/token.ts';

const LETTER = `A-Za-z${LETTERS_BEYOND_ASCII}`;

/** What a path of Windows consists of after its root. Its separators are no escapes. */
const PATH = '[^\\s"\'`<>|]{1,250}';
const DRIVE = `(?<![A-Za-z\\d])[A-Za-z]:\\\\{1,2}${PATH}`;
/** `\\host\share`, or the same in a string literal. */
const NETWORK_SHARE = `(?<![\\w\\\\])(\\\\{1,2})\\1\\w[\\w.-]{1,62}\\1(?!\\\\)${PATH}`;

/** Between words, as in `DOMAIN\nina` and `~\nina`, a backslash may also separate names. */
const BETWEEN_WORDS = `(?<=[${LETTER}\\d]|(?<!\\S)~)(\\\\{1,4})[nrt](?=[${LETTER}])`;
/** White space and ASCII punctuation in string literals, as in JSON and logs. A backslash may itself be escaped. */
const ESCAPES =
  '((?:\\\\{1,4}(?:[nrt]|u00(?:[01][\\da-fA-F]|2[0-9a-cA-CfF]|3[a-fA-F]|40|5[b-fB-F]|60|7[b-eB-E]|[aA]0)))+)';

const TOKEN = new RegExp(`${DRIVE}|${NETWORK_SHARE}|${BETWEEN_WORDS}|${ESCAPES}`, 'g');
/** White space that divides neither cells nor lines nor the groups of a number. */
const BLANK = '\v';
const NOT_QUOTED = -1;

/**
 * A text in which blanks stand for escapes: `\n4111…` begins with a number, and not with an `n`. Of equal length, so that
 * offsets are those of the text itself. Between words only the escapes of a string in double quotation marks count: they
 * have one backslash more than its opening mark, since strings in strings have escaped marks.
 */
export function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  const openingAt = openingMarks(text);
  return text.replace(
    TOKEN,
    (match, _root, between: string | undefined, escapes: string | undefined, offset: number) => {
      const isEscape =
        escapes !== undefined || (between !== undefined && between.length === openingAt(offset) + 1);
      return isEscape ? BLANK.repeat(match.length) : match;
    },
  );
}

/**
 * The backslashes of the mark that opens the innermost string around an offset, or `NOT_QUOTED`. A string ends with its
 * line at the latest. Offsets ascend.
 */
function openingMarks(text: string): (offset: number) => number {
  let at = 0;
  let opening = NOT_QUOTED;
  let backslashes = 0;
  return (offset) => {
    for (; at < offset; at++) {
      const character = text[at];
      if (character === '"') opening = afterMark(opening, backslashes);
      else if (character === '\n' || character === '\r') opening = NOT_QUOTED;
      backslashes = character === '\\' ? backslashes + 1 : 0;
    }
    return opening;
  };
}

/** An even number of backslashes before a mark escapes themselves, and not the mark. */
function afterMark(opening: number, backslashes: number): number {
  const own = backslashes % 2 === 0 ? 0 : backslashes;
  return own > opening ? own : Math.floor((own - 1) / 2);
}
