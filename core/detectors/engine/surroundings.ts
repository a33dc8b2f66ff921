import { isMoney, isNumberOfThing } from './other-numbers.ts';

/** Most characters read of the number beside a decimal comma. */
const MAX_DIGITS = 24;
/** Most digits of a decimal number in a spreadsheet. */
const MAX_DECIMAL_DIGITS = 17;
const MAX_ADDRESS = 400;
const MAX_NEAR = 9;
/** Grouped numbers have fewer digits. After a run of this many digits, another number follows, such as a CVV. */
const LONG_RUN = 13;

/**
 * `part`: a piece of another number, of an amount, or of the number of a thing such as an order. It is never an
 * identifier.
 * `joined`: a piece of a code, of a web address or of a longer run of groups, or a number with a sign. It counts only
 * with a context word.
 */
export type Isolation = 'alone' | 'joined' | 'part';

/**
 * How a number relates to the text around it. It applies to digits with at most one letter. Everything else is
 * alone.
 */
export function isolationOf(text: string, start: number, end: number): Isolation {
  const match = text.slice(start, end);
  if (/[A-Za-z].*[A-Za-z]/.test(match)) return 'alone';
  if (/^\d+[.,]\d+$/.test(match)) return 'part';
  if (hasDecimalComma(text, start, end)) return 'part';
  if (isBorder(text, start - 1) && isBorder(text, end)) return 'alone';
  const before = text.slice(Math.max(0, start - MAX_NEAR), start);
  const after = text.slice(end, end + MAX_NEAR);
  if (isPiece(before, after) || isMoney(before, after)) return 'part';
  if (/^\d+$/.test(match) && isNumberOfThing(text, start)) return 'part';
  const isJoined =
    JOINED_BEFORE.test(before) ||
    JOINED_AFTER.test(after) ||
    isInWebAddress(text, start, end) ||
    isInLongerRun(match, before, after);
  return isJoined ? 'joined' : 'alone';
}

/**
 * Whether a character divides cells or lines. Nothing beyond it belongs to the number. In tables this is the usual
 * case.
 */
const isBorder = (text: string, at: number): boolean =>
  at < 0 || at >= text.length || '\n\t,;|"\r'.includes(text.charAt(at));

/**
 * Whether it is an amount with its currency, a percentage, the fraction of `.5`, or a telephone number after its `+`.
 */
const isPiece = (before: string, after: string): boolean =>
  /[$€£¥₹][ \u00a0]?$|(?:^|[\s,;|(])[-+]?\.$|\+$/.test(before) || /^[ \u00a0]?[$€£¥₹%‰]/.test(after);

/** After a letter or digit with a hyphen, slash or similar, after `#`, or after a minus sign. */
const JOINED_BEFORE = /[A-Za-z0-9][-_/\\.~]$|#$|(?:^|[\s,;|(])[-−]$/;
const JOINED_AFTER = /^[-_/\\.~][A-Za-z0-9]/;

/**
 * Whether the number is part of a decimal such as `12345,678`, in a line that commas do not divide: there is no
 * further comma beside it, and at least one side is not the edge of the line. A line of two numbers alone may be two
 * cells.
 */
function hasDecimalComma(text: string, start: number, end: number): boolean {
  const isBehind = text[start - 1] === ',';
  if (isBehind === (text[end] === ',')) return false;
  let from = start;
  let to = end;
  if (isBehind) while (start - from < MAX_DIGITS && isPartOfNumber(text, from - 1)) from -= 1;
  else while (to - end < MAX_DIGITS && isPartOfNumber(text, to)) to += 1;
  const isWhole = from < start - 1 || to > end + 1;
  const number = text.slice(from, to);
  if (!isWhole || !/^[\d .]+,[\d .]+$/.test(number)) return false;
  if (number.replace(/\D/g, '').length > MAX_DECIMAL_DIGITS || isBesideDecimalPoint(text, from, to))
    return false;
  if (
    /[A-Za-z0-9][-/:]$/.test(text.slice(Math.max(0, from - 2), from)) ||
    /^[-/:]\d/.test(text.slice(to, to + 2))
  )
    return false;
  return !isLineEdge(text[from - 1]) || !isLineEdge(text[to]);
}

/** In `12.50,206987064` and `206987064,12.50` the comma divides cells. In `1.234,5678` it is a decimal comma. */
const isBesideDecimalPoint = (text: string, from: number, to: number): boolean =>
  /^\.\d/.test(text.slice(to, to + 2)) ||
  (/\d\.$/.test(text.slice(Math.max(0, from - 2), from)) && !/^\d{3},/.test(text.slice(from, from + 4)));

function isPartOfNumber(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 48 && code <= 57) || code === 44;
}

const isLineEdge = (character: string | undefined): boolean =>
  character === undefined || /[\r\n]/.test(character);

/**
 * Whether it is part of a web address with a scheme or `www.`, or the value of a parameter. A blank or a comma ends
 * an address.
 */
function isInWebAddress(text: string, start: number, end: number): boolean {
  if (!/[/=&?%#.:~+@-]/.test(text.charAt(start - 1))) return false;
  let from = start;
  while (from > 0 && start - from < MAX_ADDRESS && !/[\s"'<>]/.test(text.charAt(from - 1))) from -= 1;
  const address = text.slice(from, start);
  return /:\/\/|^www\.|[?&][^\s=&]{1,60}=$/.test(address) || (address.endsWith('=') && text[end] === '&');
}

/** `65 929 970 489` contains `929 970 489`, which is not a number of its own. */
function isInLongerRun(match: string, before: string, after: string): boolean {
  const [separator] = match.match(/(?<=\d)[ \u00a0.]/) ?? [];
  if (separator === undefined || match.replace(/\D/g, '').length >= LONG_RUN) return false;
  return (
    (before.endsWith(separator) && /(?<![\d.,/:-])\d{1,4}$/.test(before.slice(0, -1))) ||
    (after.startsWith(separator) && /^\d{1,4}(?![\d/:-])/.test(after.slice(1)))
  );
}
