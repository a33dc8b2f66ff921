import type { ColumnText } from '../../kernel/table-text.ts';
import { fold } from '../../kernel/words.ts';
import { UNSPACED } from '../checks/token.ts';
import type { Span } from './spans.ts';
import { NO_WORD, type Shape, type Word, wordOf } from './word.ts';

/** Characters read from the start of a text. After that, slices spread over the rest are read. */
const HEAD = 8_192;
const SLICE = 1_024;
const SLICES = 8;
/** Characters read of a column of a table. Of a table with more columns than fit, some are not read. */
const LEAST_OF_COLUMN = 256;
/** Characters at an edge of a slice: about six words. */
const EDGE_WORDS = 64;

/**
 * Letters of scripts without spaces are a word of their own. The apostrophe may be escaped, as in a text that was a string
 * literal.
 */
const WORD = new RegExp(
  `[${UNSPACED}][${UNSPACED}\\p{M}]{0,39}|\\p{L}(?:(?![${UNSPACED}])[\\p{L}\\p{M}]|\\\\?['’-](?=\\p{L})){0,39}`,
  'uy',
);
/** A string literal with a prefix, such as `N'…'` of SQL. */
const LITERAL = /\p{L}'[^'\n]{1,64}'(?!\p{L})/uy;
const LONGEST_WORD = 40;
const LETTER = /\p{L}/uy;
const ASCII = 128;
/** Characters that make a word part of a path, an address, an identifier, a tag or code. */
const GLUE_BEFORE = new RegExp(
  `(?![${UNSPACED}])[\\p{L}\\p{N}@/\\\\_$#~%&=+-]$|(?![${UNSPACED}])[\\p{L}\\p{N}][.:]$`,
  'u',
);
const GLUE_AFTER = /^(?:[\p{N}@/_$~%=+([-]|\\(?!["'])|[.:][\p{L}\p{N}/]|:\\(?!["'])|::| =)/u;
/** By ASCII code: characters that need no test with a regular expression. */
const ENDS_WORD = asciiWithout(/[A-Za-z\\'-]/);
const FREE_BEFORE = asciiWithout(/[\p{L}\p{N}@/\\_$#~%&=+.:-]/u);
const FREE_AFTER = asciiWithout(/[\p{N}@/_$~%=+([\\.: -]/u);
const MAIL_NAME = /[\p{L}._-]+$/u;
const SPACE = 32;
const EQUALS = 61;
const NOTHING: ReadonlySet<string> = new Set();
const LONGEST_MAIL_NAME = 64;
const LEAST_MAIL_PART = 3;
const SENTENCE_END = /[.!?:;"“”„«»>•*|]|\n/;

/** One word of the text. Offsets are UTF-16 code units and exclude a possessive `'s`. */
export type Token = {
  readonly start: number;
  readonly end: number;
  readonly word: Word;
  /** The shape of the word, or `code` if other characters are attached. */
  readonly shape: Shape;
  /** The text between the previous word and this one, at most its last 32 characters. */
  readonly gap: string;
  /** Whether it is the first word of a line or sentence, where every word has a capital. */
  readonly opens: boolean;
};

/** A part of a text that is read at once. */
export type Slice = {
  /** The whole text, to which offsets refer. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The lists of phrases (as bits) of which some word of the slice is the last word. */
  readonly ends: number;
  /** No word has a capital, so capitals are not a sign. */
  readonly caseless: boolean;
  /** The folded words that occur without a capital. Computed on first use. */
  readonly lowerCase: () => ReadonlySet<string>;
  /** The folded parts of the local parts of e-mail addresses: `anna` and `nowak` of `anna.nowak@`. */
  readonly mailNames: ReadonlySet<string>;
  /** Words without a capital are all ASCII. Other letters are then a sign of a foreign name. Computed on first use. */
  readonly isPlain: () => boolean;
};

/**
 * Splits a text into words, slice by slice. Reads at most 16 kB: the head of the text and eight slices spread over
 * the rest, cut at white space where possible. Of a table, it reads the beginning of each column.
 * @param columns those of the table that the text is of; null if it is of none
 */
export const tokenize = (text: string, columns: readonly ColumnText[] | null = null): Slice[] =>
  partsOf(text, columns).map(([from, to]) => {
    const tokens = tokensOf(text, from, to);
    return {
      text,
      tokens,
      ends: tokens.reduce((ends, { word }) => ends | word.ends, 0),
      caseless: tokens.every(({ shape }) => shape === 'lower' || shape === 'code'),
      mailNames: mailNamesIn(text, from, to),
      lowerCase: once(() => new Set(lowerOf(tokens).map(({ word }) => word.folded))),
      isPlain: once(() => lowerOf(tokens).every(({ word }) => word.isAscii)),
    };
  });

/** The stretches between the slices, with the words at the edges, to which words that were not read may belong. */
export const betweenSlices = (text: string, columns: readonly ColumnText[] | null = null): Span[] => {
  const parts = partsOf(text, columns);
  return [...parts, [text.length, text.length] as const].flatMap(([from], i) => {
    const read = parts[i - 1]?.[1] ?? 0;
    return from > read ? [{ start: Math.max(0, read - EDGE_WORDS), end: from + EDGE_WORDS }] : [];
  });
};

/** What precedes the first word and follows the last. */
const EDGE: Token = { start: 0, end: 0, word: NO_WORD, shape: 'code', gap: '', opens: true };

/** Word number `at`, or `EDGE` outside of the slice. */
export const tokenAt = ({ tokens }: Slice, at: number): Token => (at < 0 ? EDGE : (tokens[at] ?? EDGE));

export const wordAt = (slice: Slice, at: number): Word => tokenAt(slice, at).word;

const lowerOf = (tokens: readonly Token[]) => tokens.filter(({ shape }) => shape === 'lower');

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function mailNamesIn(text: string, from: number, to: number): ReadonlySet<string> {
  const first = text.indexOf('@', from);
  if (first === -1) return NOTHING;
  const names = new Set<string>();
  for (let at = first; at !== -1 && at < to; at = text.indexOf('@', at + 1)) {
    const local = MAIL_NAME.exec(text.slice(Math.max(from, at - LONGEST_MAIL_NAME), at))?.[0] ?? '';
    const parts = fold(local).split(/[._-]/);
    // `anna@` can be anybody, and `contoso@` is not a person. `a.nowak@` belongs to a person named Nowak.
    if (parts.length > 1) for (const part of parts) if (part.length >= LEAST_MAIL_PART) names.add(part);
  }
  return names;
}

function partsOf(text: string, columns: readonly ColumnText[] | null): [from: number, to: number][] {
  if (columns !== null) return partsOfColumns(text, columns);
  if (text.length <= HEAD + SLICE * SLICES) return [[0, text.length]];
  const parts: [number, number][] = [[0, boundary(text, HEAD)]];
  const step = (text.length - HEAD) / SLICES;
  for (let i = 1; i <= SLICES; i++) {
    const to = Math.floor(HEAD + step * i);
    parts.push([boundary(text, to - SLICE), i === SLICES ? text.length : boundary(text, to)]);
  }
  return parts;
}

function partsOfColumns(text: string, columns: readonly ColumnText[]): [from: number, to: number][] {
  const filled = columns.filter(({ values }) => values > 0);
  const share = Math.max(LEAST_OF_COLUMN, Math.floor((HEAD + SLICE * SLICES) / Math.max(1, filled.length)));
  return filled
    .slice(0, Math.floor((HEAD + SLICE * SLICES) / share))
    .map(({ start, end }) => [start, Math.min(end, boundary(text, start + share))]);
}

/** The next white space within 64 characters, or `at` itself. */
function boundary(text: string, at: number): number {
  const space = text.slice(at, at + 64).search(/\s/);
  return space === -1 ? at : at + space;
}

function tokensOf(text: string, from: number, to: number): Token[] {
  const tokens: Token[] = [];
  const slice = text.slice(from, to);
  let last = 0;
  for (let start = nextWord(slice, 0); start !== -1; start = nextWord(slice, last)) {
    const wordEnd = endOfWord(slice, start);
    const word = wordOf(slice.slice(start, wordEnd));
    const isSpace = start - last === 1 && slice.charCodeAt(last) === SPACE;
    const gap = isSpace ? ' ' : slice.slice(Math.max(last, start - 32), start);
    tokens.push({
      start: from + start,
      end: from + start + word.length,
      word,
      shape: isGlued(slice, start, wordEnd) ? 'code' : word.shape,
      gap,
      opens: tokens.length === 0 || (!isSpace && SENTENCE_END.test(gap)),
    });
    last = wordEnd;
  }
  return isGerman(tokens)
    ? tokens.map((token) => (token.word.inGerman === null ? token : { ...token, word: token.word.inGerman }))
    : tokens;
}

/** Whether at least half of the function words are German. A text without any may be. */
const isGerman = (tokens: readonly Token[]): boolean =>
  tokens.reduce((sum, { word }) => sum + (word.isGermanStopWord ? 1 : word.isStopWord ? -1 : 0), 0) >= 0;

/** The start of the next word, or -1. */
function nextWord(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isAsciiLetter(code)) return at;
    if (code < ASCII) continue;
    LETTER.lastIndex = at;
    if (LETTER.test(text)) return at;
  }
  return -1;
}

/** Most words consist of ASCII letters only and need no regular expression. */
function endOfWord(text: string, start: number): number {
  const most = Math.min(text.length, start + LONGEST_WORD);
  let end = start;
  while (end < most && isAsciiLetter(text.charCodeAt(end))) end += 1;
  if (end === most || ENDS_WORD[text.charCodeAt(end)] === 1) return end;
  LITERAL.lastIndex = start;
  if (text[start + 1] === "'" && LITERAL.test(text)) return start + 1;
  WORD.lastIndex = start;
  WORD.test(text);
  return WORD.lastIndex;
}

const isAsciiLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** By ASCII code: 0 if the character matches, otherwise 1. */
function asciiWithout(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: ASCII }, (_, code) =>
    characters.test(String.fromCharCode(code)) ? 0 : 1,
  );
}

/** Whether a word is part of something longer, such as a path. */
function isGlued(text: string, start: number, end: number): boolean {
  if (start > 0 && FREE_BEFORE[text.charCodeAt(start - 1)] !== 1) {
    if (GLUE_BEFORE.test(text.slice(Math.max(0, start - 2), start))) return true;
  }
  if (end === text.length || FREE_AFTER[text.charCodeAt(end)] === 1) return false;
  if (text.charCodeAt(end) === SPACE) return text.charCodeAt(end + 1) === EQUALS;
  return GLUE_AFTER.test(text.slice(end, end + 3));
}
