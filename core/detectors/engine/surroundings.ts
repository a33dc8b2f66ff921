import { isMoney, isNumberOfThing } from './other-numbers.ts';

/** How many characters of the number before a decimal comma, and of an address or a key before a number, are looked at. */
const MAX_DIGITS = 24;
/** A spreadsheet shows no more of a number. */
const MAX_DECIMAL_DIGITS = 17;
const MAX_ADDRESS = 400;
const MAX_NEAR = 9;
/** A run of so many digits is as long as grouped numbers get: what follows is another one, such as a CVV. */
const LONG_RUN = 13;

/**
 * `part`: a piece of another number, an amount, or the number of an order or another thing, which is no identifier
 * whatever stands near. `joined`: a piece of a code, of a web address or of a longer run of groups, or a number with a
 * sign; only a word for it says otherwise.
 */
export type Standing = 'alone' | 'joined' | 'part';

/** How a number stands in its text: a value of digits, with at most one letter. Anything else stands alone. */
export function standingOf(text: string, start: number, end: number): Standing {
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

/** What divides cells and lines: beyond it nothing belongs to the number, which in a table is most often so. */
const isBorder = (text: string, at: number): boolean =>
  at < 0 || at >= text.length || '\n\t,;|"\r'.includes(text.charAt(at));

/** An amount with its currency or a percentage, the fraction of `.5`, or a telephone number with its `+`. */
const isPiece = (before: string, after: string): boolean =>
  /[$€£¥₹][ \u00a0]?$|(?:^|[\s,;|(])[-+]?\.$|\+$/.test(before) || /^[ \u00a0]?[$€£¥₹%‰]/.test(after);

/** Behind a letter or digit and a hyphen, a slash or their like; behind `#`; or behind a minus of its own. */
const JOINED_BEFORE = /[A-Za-z0-9][-_/\\.~]$|#$|(?:^|[\s,;|(])[-−]$/;
const JOINED_AFTER = /^[-_/\\.~][A-Za-z0-9]/;

/**
 * `12345,678` where commas do not divide the line: the number with its comma has no comma beside it, and on one side
 * something other than the edge of the line. What is a line of two numbers by itself may as well be two cells.
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

/** Of `12.50,206987064` and `206987064,12.50`, where a comma divides cells. `1.234,5678` has a comma behind a thousand. */
const isBesideDecimalPoint = (text: string, from: number, to: number): boolean =>
  /^\.\d/.test(text.slice(to, to + 2)) ||
  (/\d\.$/.test(text.slice(Math.max(0, from - 2), from)) && !/^\d{3},/.test(text.slice(from, from + 4)));

function isPartOfNumber(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 48 && code <= 57) || code === 44;
}

const isLineEdge = (character: string | undefined): boolean =>
  character === undefined || /[\r\n]/.test(character);

/** In an address with its scheme or `www.`, or the value of a parameter. What follows a blank or a comma is in none. */
function isInWebAddress(text: string, start: number, end: number): boolean {
  if (!/[/=&?%#.:~+@-]/.test(text.charAt(start - 1))) return false;
  let from = start;
  while (from > 0 && start - from < MAX_ADDRESS && !/[\s"'<>]/.test(text.charAt(from - 1))) from -= 1;
  const address = text.slice(from, start);
  return /:\/\/|^www\.|[?&][^\s=&]{1,60}=$/.test(address) || (address.endsWith('=') && text[end] === '&');
}

/** `65 929 970 489` holds `929 970 489`, which is no number of its own. */
function isInLongerRun(match: string, before: string, after: string): boolean {
  const [separator] = match.match(/(?<=\d)[ \u00a0.]/) ?? [];
  if (separator === undefined || match.replace(/\D/g, '').length >= LONG_RUN) return false;
  return (
    (before.endsWith(separator) && /(?<![\d.,/:-])\d{1,4}$/.test(before.slice(0, -1))) ||
    (after.startsWith(separator) && /^\d{1,4}(?![\d/:-])/.test(after.slice(1)))
  );
}
