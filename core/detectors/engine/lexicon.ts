import { fold } from '../../kernel/words.ts';
import { UNSPACED } from '../checks/token.ts';
import type { Detector } from '../detector.ts';

const BUCKETS = 1 << 16;
const NOT_A_WORD = 0;
const WORD = 1;
const CAPITAL = 2;
const UNKNOWN = 3;
const WORD_BEYOND_ASCII = /[\p{L}\p{M}\p{N}]/u;
/** Letters of scripts that need no space between words, with their marks, and the long vowel sign, which is of two scripts. */
const UNSPACED_LETTER = `[${UNSPACED}\\p{M}ー]`;
const UNSPACED_RUN = new RegExp(`${UNSPACED_LETTER}{1,64}`, 'gu');
const IS_UNSPACED = new RegExp(`^${UNSPACED_LETTER}+$`, 'u');

/** By code unit: its role in a word. Characters beyond ASCII are classified when they first occur. */
const KIND = new Uint8Array(BUCKETS).fill(UNKNOWN);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  KIND[code] = /[A-Z]/.test(character) ? CAPITAL : /[a-z0-9]/.test(character) ? WORD : NOT_A_WORD;
}

type Phrase = { readonly number: number; readonly words: readonly string[] };

/** The context words of a list of detectors, indexed for the search in a text. */
export type Lexicon = {
  /** By the low 16 bits of a hash: whether the first word of some phrase has this hash. */
  readonly mayBegin: Uint8Array;
  readonly byFirstWord: ReadonlyMap<string, readonly Phrase[]>;
  /** Phrases of scripts without spaces by their first character, with their words joined and composed. */
  readonly unspaced: ReadonlyMap<string, readonly { readonly number: number; readonly letters: string }[]>;
  /** The number of detectors. */
  readonly detectors: number;
  /** By phrase: the indexes of the detectors that have it. */
  readonly detectorsOf: readonly (readonly number[])[];
  /** Whether a phrase, by number, belongs to a detector, by index. */
  readonly speaksOf: (phrase: number, detector: number) => boolean;
};

export function lexiconOf(detectors: readonly Detector[]): Lexicon {
  const phrases = [...new Set(detectors.flatMap(({ context }) => context))];
  const numberOf = new Map(phrases.map((phrase, number) => [phrase, number]));
  const speaks = new Uint8Array(phrases.length * detectors.length);
  const detectorsOf = phrases.map((): number[] => []);
  detectors.forEach(({ context }, detector) => {
    for (const phrase of context) {
      const number = numberOf.get(phrase) ?? 0;
      speaks[number * detectors.length + detector] = 1;
      detectorsOf[number]?.push(detector);
    }
  });
  const mayBegin = new Uint8Array(BUCKETS);
  const byFirstWord = new Map<string, Phrase[]>();
  for (const [number, phrase] of phrases.entries()) {
    const words = fold(phrase).split(' ');
    const [first = ''] = words;
    byFirstWord.set(first, [...(byFirstWord.get(first) ?? []), { number, words }]);
    mayBegin[hashOf(first)] = 1;
  }
  const unspaced = phrases.flatMap((phrase, number) =>
    IS_UNSPACED.test(phrase) ? [{ number, letters: phrase.normalize('NFC') }] : [],
  );
  return {
    mayBegin,
    byFirstWord,
    unspaced: Map.groupBy(unspaced, ({ letters }) => letters.charAt(0)),
    detectors: detectors.length,
    detectorsOf,
    speaksOf: (phrase, detector) => speaks[phrase * detectors.length + detector] === 1,
  };
}

/**
 * Finds the phrases that begin in [from, to). Compares whole folded words and ignores what separates them.
 * `dateOfBirth` and `date_of_birth` are three words each.
 * @returns start, end, phrase number, start, end, phrase number, …
 */
export function findPhrases(
  text: string,
  codes: Uint16Array,
  from: number,
  to: number,
  lexicon: Lexicon,
): readonly number[] {
  const found: number[] = [];
  let at = from > 0 && !beginsWord(codes, from) ? endOfWord(codes, from) : from;
  let kind = kindAt(codes, at);
  while (at < to) {
    if (kind === NOT_A_WORD) {
      at += 1;
      kind = kindAt(codes, at);
      continue;
    }
    const start = at;
    let before: number;
    let hash = 0;
    let isAscii = true;
    do {
      const code = codes[at] ?? 0;
      isAscii &&= code < 128;
      hash = (Math.imul(hash, 31) + (code | 0x20)) & (BUCKETS - 1);
      at += 1;
      before = kind;
      kind = kindAt(codes, at);
    } while (kind !== NOT_A_WORD && (before !== WORD || kind !== CAPITAL));
    if (isAscii && lexicon.mayBegin[hash] === 0) continue;
    if (!isAscii) noteUnspaced(text, start, at, lexicon, found);
    for (const { number, words } of lexicon.byFirstWord.get(fold(text.slice(start, at))) ?? []) {
      const end = endOfPhrase(text, codes, at, words);
      if (end !== -1) found.push(start, end, number);
    }
  }
  return found.length === 0 ? NONE : found;
}

/**
 * Adds the phrases within the letters of scripts without spaces, as in `联系电话13912345678`, which is one word. What
 * `byFirstWord` finds is left out.
 */
function noteUnspaced(
  text: string,
  start: number,
  end: number,
  { unspaced }: Lexicon,
  found: number[],
): void {
  for (const run of text.slice(start, end).matchAll(UNSPACED_RUN)) {
    const letters = run[0].normalize('NFC');
    // Composed syllables would have other offsets. Only old files have decomposed ones.
    if (letters.length !== run[0].length) continue;
    for (let i = 0; i < letters.length; i++) {
      for (const phrase of unspaced.get(letters.charAt(i)) ?? []) {
        const from = start + run.index + i;
        const to = from + phrase.letters.length;
        if (letters.startsWith(phrase.letters, i) && (from > start || to < end))
          found.push(from, to, phrase.number);
      }
    }
  }
}

const NONE: readonly number[] = [];
/** Most characters between two words of a phrase. */
const MAX_BETWEEN = 16;

/** The end of the phrase whose first word ends at `at`, or -1. */
function endOfPhrase(text: string, codes: Uint16Array, at: number, words: readonly string[]): number {
  let end = at;
  for (const word of words.slice(1)) {
    let start = end;
    while (start < codes.length && kindAt(codes, start) === NOT_A_WORD && start - end < MAX_BETWEEN)
      start += 1;
    end = endOfWord(codes, start);
    if (fold(text.slice(start, end)) !== word) return -1;
  }
  return end;
}

function endOfWord(codes: Uint16Array, start: number): number {
  let end = start;
  while (
    end < codes.length &&
    kindAt(codes, end) !== NOT_A_WORD &&
    (end === start || !beginsWord(codes, end))
  )
    end += 1;
  return end;
}

/** A word begins after a character that belongs to no word, and at a capital after a small letter or a digit. */
function beginsWord(codes: Uint16Array, at: number): boolean {
  const before = kindAt(codes, at - 1);
  return before === NOT_A_WORD || (before === WORD && kindAt(codes, at) === CAPITAL);
}

/** There is no word after the end of the text. */
function kindAt(codes: Uint16Array, at: number): number {
  if (at >= codes.length) return NOT_A_WORD;
  const code = codes[at] ?? 0;
  const kind = KIND[code];
  if (kind !== UNKNOWN) return kind ?? NOT_A_WORD;
  const found = WORD_BEYOND_ASCII.test(String.fromCharCode(code)) ? WORD : NOT_A_WORD;
  KIND[code] = found;
  return found;
}

function hashOf(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i++) {
    hash = (Math.imul(hash, 31) + (word.charCodeAt(i) | 0x20)) & (BUCKETS - 1);
  }
  return hash;
}
