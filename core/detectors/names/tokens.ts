import { fold } from '../../kernel/words.ts';

/** Characters that are read from the start of every text, and then in slices spread over the rest. */
const HEAD = 8_192;
const SLICE = 1_024;
const SLICES = 8;

/** An apostrophe may be escaped, as in text that was once a string literal. */
const WORD = /\p{L}(?:[\p{L}\p{M}]|\\?['’-](?=\p{L})){0,39}/gu;
const APOSTROPHE = /['’]/;
const APOSTROPHES = /\\?['’]/g;
const POSSESSIVE = /\\?['’]s$/i;
/** What makes a word part of a path, an address, an identifier, a tag, or code. */
const GLUE_BEFORE = /[\p{L}\p{N}@/\\_$#~%&=+-]$|[\p{L}\p{N}][.:]$/u;
const GLUE_AFTER = /^(?:[\p{N}@/_$~%=+([-]|\\(?!["'])|[.:][\p{L}\p{N}/]|:\\(?!["'])|::| =)/u;
const CAMEL_CASE = /\p{Ll}\p{Lu}/u;
const CAMEL_NAME = /^(?:(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz)\p{Lu}\p{Ll}{1,30}|GmbH|KGaA|SpA|SaRL)$/u;
export const BEYOND_ASCII = /[\u0080-\uffff]/;
const MAIL_NAME = /[\p{L}._-]+$/u;
const SPACE = 32;
const EQUALS = 61;
const NOTHING: ReadonlySet<string> = new Set();
const LONGEST_MAIL_NAME = 64;
const LEAST_MAIL_PART = 3;
/** `al-Zahrani`: a name for all its small letter. */
const ARTICLE = /^(?:al|el|ul|ad|ar|as|at|az|ash)-\p{Lu}\p{Ll}/u;
const SENTENCE_END = /[.!?:;"“”„«»>•*|]|\n/;

/**
 * `title`: Capital first. `capitals`: two or more, all capital. `initial`: one capital. `lower`: no capital.
 * `code`: camel case, or glued to digits, slashes, underscores: never part of a name.
 */
export type Shape = 'title' | 'capitals' | 'initial' | 'lower' | 'code';

/** One word of the text. Offsets are UTF-16 code units; a possessive `'s` is outside. */
export type Token = {
  readonly start: number;
  readonly end: number;
  /** Lower case without accents. */
  readonly folded: string;
  readonly shape: Shape;
  readonly possessive: boolean;
  /** What stands between the word before and this one; at most its last 32 characters. */
  readonly gap: string;
  /** First of a line or sentence, where every word has a capital. */
  readonly opens: boolean;
};

/** A part of a text that is read in one go. */
export type Slice = {
  /** The whole text, which offsets refer to. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The folded words of `tokens`. */
  readonly folded: readonly string[];
  /** Nothing in it has a capital, so that capitals say nothing. */
  readonly caseless: boolean;
  /** The folded words that stand in it without a capital; made when first asked for. */
  readonly lowerCase: () => ReadonlySet<string>;
  /** The folded parts of the names before its `@`s: `anna` and `nowak` of `anna.nowak@`. */
  readonly mailNames: ReadonlySet<string>;
  /** Its words without capitals are plain ASCII, so that a letter beyond is a sign of a foreign name. */
  readonly isPlain: () => boolean;
};

/**
 * The words of a text, slice by slice. Reads at most 16 kB whatever the length: the head of the text and eight slices
 * spread over the rest, each from a line or word boundary to another.
 */
export const tokenize = (text: string): Slice[] =>
  partsOf(text).map(([from, to]) => {
    const tokens = tokensOf(text, from, to);
    const caseless = tokens.every(({ shape }) => shape === 'lower' || shape === 'code');
    const lower = () => tokens.filter(({ shape }) => shape === 'lower');
    return {
      text,
      tokens,
      folded: tokens.map(({ folded }) => folded),
      caseless,
      mailNames: mailNamesIn(text, from, to),
      lowerCase: once(() => new Set(lower().map(({ folded }) => folded))),
      isPlain: once(() => lower().every(({ start, end }) => !BEYOND_ASCII.test(text.slice(start, end)))),
    };
  });

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
    // `anna@` may be anybody and `contoso@` no person; `a.nowak@` is Nowak's.
    if (parts.length > 1) for (const part of parts) if (part.length >= LEAST_MAIL_PART) names.add(part);
  }
  return names;
}

function partsOf(text: string): [from: number, to: number][] {
  if (text.length <= HEAD + SLICE * SLICES) return [[0, text.length]];
  const parts: [number, number][] = [[0, boundary(text, HEAD)]];
  const step = (text.length - HEAD) / SLICES;
  for (let i = 1; i <= SLICES; i++) {
    const to = Math.floor(HEAD + step * i);
    parts.push([boundary(text, to - SLICE), i === SLICES ? text.length : boundary(text, to)]);
  }
  return parts;
}

/** The next white space within 64 characters, or the place itself. */
function boundary(text: string, at: number): number {
  const space = text.slice(at, at + 64).search(/\s/);
  return space === -1 ? at : at + space;
}

function tokensOf(text: string, from: number, to: number): Token[] {
  const tokens: Token[] = [];
  const slice = text.slice(from, to);
  let last = 0;
  for (const match of slice.matchAll(WORD)) {
    const start = match.index;
    const matchEnd = start + match[0].length;
    const hasApostrophe = APOSTROPHE.test(match[0]);
    const word = hasApostrophe ? match[0].replace(POSSESSIVE, '') : match[0];
    const gap = slice.slice(Math.max(last, start - 32), start);
    const folded = fold(word);
    tokens.push({
      start: from + start,
      end: from + start + word.length,
      folded: hasApostrophe ? folded.replace(APOSTROPHES, "'") : folded,
      shape: isGlued(slice, start, matchEnd) ? 'code' : shapeOf(word, folded),
      possessive: word.length < match[0].length,
      gap,
      opens: tokens.length === 0 || (gap !== ' ' && SENTENCE_END.test(gap)),
    });
    last = matchEnd;
  }
  return tokens;
}

/** Whether a word is a part of something that is longer than a word. */
function isGlued(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start - 1) !== SPACE && GLUE_BEFORE.test(text.slice(Math.max(0, start - 2), start)))
    return true;
  const isFree = text.charCodeAt(end) === SPACE && text.charCodeAt(end + 1) !== EQUALS;
  return !isFree && GLUE_AFTER.test(text.slice(end, end + 3));
}

function shapeOf(word: string, folded: string): Shape {
  if (word === folded) return 'lower';
  const first = word.charAt(0);
  if (ARTICLE.test(word)) return 'title';
  if (first === first.toLowerCase()) return CAMEL_CASE.test(word) ? 'code' : 'lower';
  if (word.length === 1) return 'initial';
  if (word === word.toUpperCase()) return 'capitals';
  return CAMEL_CASE.test(word) && !CAMEL_NAME.test(word) ? 'code' : 'title';
}
