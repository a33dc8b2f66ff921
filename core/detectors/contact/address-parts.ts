import { UNSPACED } from '../checks/token.ts';
import { isTopLevel } from './top-level-domains.ts';

/** RFC 5321, section 4.5.3.1: octets of a local part, of a label and of a domain. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;
/** Scripts without spaces between words have no sign where a local part begins. Longer runs are sentences. */
const MAX_UNSPACED = 32;

/** Scripts that are written with others in one word count as one. */
const SCRIPTS: readonly (readonly [name: string, letter: RegExp])[] = [
  ['unspaced', new RegExp(`[${UNSPACED}]`, 'u')],
  ...[
    ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Armenian', 'Georgian'],
    ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
    'Ethiopic',
  ].map((name): [string, RegExp] => [name, new RegExp(`\\p{sc=${name}}`, 'u')]),
];

const LETTER = /[\p{L}\p{M}]/u;
const DIGIT = /\p{Nd}/u;
/**
 * `atext` of RFC 5322 without `/ = ? ^ { | }` and the backtick, which separate an address from what stands before it,
 * as in `?to=`.
 */
const SYMBOLS = "!#$%&'*+-._~";
/** Symbols that begin no local part in practice: marks of lists, quotations and emphasis. */
const NO_BEGINNING = /^[!#$%&'*+.~-]{1,64}/;
/** A delimiter in percent-encoding, such as `%22` or `%3D`. */
const ENCODED_DELIMITER = /%(?:0[9AD]|2[0267-9CF]|3[A-F]|5[B-D]|60|7[B-D])/gi;
const QUOTED = /(?<![\w"\\])"(?:[^"\\\r\n\v]|\\[^\r\n\v]){1,62}"$/u;
const LABEL = /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?/uy;
/** An address literal instead of a domain (RFC 5321, section 4.1.3). */
const LITERAL = /\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[0-9A-Fa-f:.]{2,45})\]/y;
const MAX_LABELS = 8;
const ASCII = 128;
const ASCII_ONLY = /^[\w-]{0,63}$/;

const scriptOf = (character: string): string | null => {
  if (character.charCodeAt(0) < ASCII) return /[a-z]/i.test(character) ? 'Latin' : null;
  return SCRIPTS.find(([, letter]) => letter.test(character))?.[0] ?? null;
};

/** The character that ends at an offset. */
const characterBefore = (text: string, at: number): string =>
  /[\udc00-\udfff]/.test(text.charAt(at - 1)) ? text.slice(Math.max(0, at - 2), at) : text.charAt(at - 1);

/**
 * The start of the local part that ends at `at`, or null if none does. Its letters are of one script (RFC 6531 allows
 * any), so a word of another script that touches it is not a part of it.
 * @param end of the whole address, since a closing quotation mark there shows where the opening one is
 */
export function startOfLocal(text: string, at: number, end: number): number | null {
  if (text[at - 1] === '"') {
    const from = Math.max(0, at - MAX_LOCAL - 1);
    const quoted = QUOTED.exec(text.slice(from, at));
    return quoted === null ? null : from + quoted.index;
  }
  const start = startOfRun(text, at);
  if (start === null || text[at - 1] === '.') return null;
  const run = text.slice(start, at);
  const begins = start + beginningOf(run, text.slice(end, end + 2));
  return begins < at ? begins : null;
}

/** The longest run of one script and symbols before an offset. Null if it is too long for a local part. */
function startOfRun(text: string, at: number): number | null {
  let script: string | null = null;
  let start = at;
  let characters = 0;
  while (start > 0) {
    const character = characterBefore(text, start);
    const own = scriptOf(character);
    if (own === null && !SYMBOLS.includes(character) && !DIGIT.test(character) && !LETTER.test(character))
      break;
    if (own !== null && script !== null && own !== script) break;
    script ??= own;
    characters += 1;
    if (characters > (script === 'unspaced' ? MAX_UNSPACED : MAX_LOCAL)) return null;
    start -= character.length;
  }
  return start;
}

/** Where the local part begins in a run. `after` is what follows the address. */
function beginningOf(run: string, after: string): number {
  const encoded = [...run.matchAll(ENCODED_DELIMITER)].at(-1);
  let begins = Math.max(encoded === undefined ? 0 : encoded.index + 3, run.lastIndexOf('..') + 1);
  const marks = NO_BEGINNING.exec(run.slice(begins))?.[0] ?? '';
  begins += marks.length;
  // `N'ann@example.com'` of SQL, and its like: the quotation marks belong together.
  const opening = run.indexOf("'", begins);
  if (opening >= 0 && !marks.includes("'") && /^'(?!\p{sc=Latin})/u.test(after)) return opening + 1;
  // `_ann@example.com_` is emphasis.
  if (after.startsWith('_')) while (run[begins] === '_') begins += 1;
  return begins;
}

/**
 * The end of the domain that begins at `at`, or null if none does. It ends with a top-level domain. A word of another
 * script, or a sentence, that touches it is not a part of it.
 */
export function endOfDomain(text: string, at: number): number | null {
  if (text[at] === '[') {
    LITERAL.lastIndex = at;
    const literal = LITERAL.exec(text);
    return literal === null ? null : at + literal[0].length;
  }
  const labels = withoutNextSentence(labelsAt(text, at));
  while (labels.length > 1 && !mayBeTopLevel(labels.at(-1) ?? '')) labels.pop();
  if (labels.length < 2) return null;
  const end = at + labels.join('.').length;
  return text[end] === '@' || end - at > MAX_DOMAIN ? null : end;
}

function labelsAt(text: string, at: number): string[] {
  const labels: string[] = [];
  for (let next = at; labels.length < MAX_LABELS; ) {
    LABEL.lastIndex = next;
    const label = LABEL.exec(text)?.[0];
    if (label === undefined) break;
    next += label.length + 1;
    const isLast = text[next - 1] !== '.';
    const name = labels.length === 0 ? label : withoutNextWord(label, isLast);
    const ends = name !== label;
    labels.push(name);
    if (ends || isLast) break;
  }
  return labels;
}

/**
 * A top-level domain without the word that touches it: a word of another script, or of the same one if that has no spaces.
 * Names within a domain may mix scripts. A top-level domain does not.
 */
function withoutNextWord(label: string, isLast: boolean): string {
  const name = label.slice(0, scriptChange(label));
  if (name !== label) return (isLast ? mayBeTopLevel(name) : isTopLevel(name)) ? name : label;
  if (!isLast || scriptOf(label) !== 'unspaced' || isTopLevel(label)) return label;
  const lengths = Array.from({ length: label.length }, (_, shorter) => label.length - shorter);
  return label.slice(
    0,
    lengths.find((length) => isTopLevel(label.slice(0, length))),
  );
}

/** The index of the first letter of another script than the first. */
function scriptChange(label: string): number {
  if (ASCII_ONLY.test(label)) return label.length;
  let script: string | null = null;
  let index = 0;
  for (const character of label) {
    const own = scriptOf(character);
    if (own !== null && script !== null && own !== script) return index;
    script ??= own;
    index += character.length;
  }
  return label.length;
}

/**
 * Ends the labels at a top-level domain that is followed by the first word of a sentence: a capitalised word after a
 * label that is not capitalised, a word of another script, or any word if the last label is no top-level domain.
 */
function withoutNextSentence(labels: string[]): string[] {
  const [last = ''] = labels.slice(-1);
  const ends = labels.flatMap((label, i) =>
    i > 0 && i + 1 < labels.length && isTopLevel(label) ? [i + 1] : [],
  );
  const sentence = ends.find((end) => {
    const [before = '', next = ''] = labels.slice(end - 1, end + 1);
    return (isCapitalised(next) && !isCapitalised(before)) || scriptOf(before) !== scriptOf(next);
  });
  const isDomain = scriptOf(last) !== 'Latin' || isTopLevel(last);
  return labels.slice(0, sentence ?? (isDomain ? labels.length : (ends.at(-1) ?? labels.length)));
}

const isCapitalised = (label: string): boolean => /^\p{Lu}(?!\p{Lu})/u.test(label);

/** Letters of one script, or a name in its DNS form (RFC 5890). */
const mayBeTopLevel = (label: string): boolean =>
  /^(?:xn--[A-Za-z\d-]{2,58}|[\p{L}\p{M}]{2,24})$/u.test(label) && scriptChange(label) === label.length;
