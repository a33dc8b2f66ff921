import { distance } from 'fastest-levenshtein';
import { stem } from '../kernel/words.ts';
import type { Entry, Fragment } from './fragment.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Alias, aliasesOf, type NameKind, type Vocabulary } from './vocabulary.ts';

/** What a phrase may be: by the lexicon, and as a name. */
export type Phrase = {
  said: { tag: string; fragment: Fragment } | null;
  names: readonly { kind: NameKind; id: string }[];
  length: number;
};

type Indexed = { words: readonly string[]; said: Phrase['said']; alias: Alias | null };

const ARTICLES = new Set(['a', 'an', 'the']);
/** Letters from which one slip is corrected, and two. */
const LETTERS_OF_A_SLIP = 4;
const LETTERS_OF_TWO_SLIPS = 9;

const compared = (token: Token): string => (token.kind === 'word' ? stem(token.text) : token.text);

/** All phrases that have a meaning, by their first word: those of the lexicon, and the names of a vocabulary. */
export class Phrases {
  readonly #byFirst = new Map<string, Indexed[]>();
  readonly #words = new Set<string>();
  /** Function words. Other words differ from them by a letter, as `same` from `some`. */
  readonly #empty = new Set<string>();
  readonly #besides: Phrases | null;

  /** @param besides further phrases, which are not copied */
  private constructor(entries: readonly Indexed[], besides: Phrases | null) {
    this.#besides = besides;
    for (const entry of entries) {
      const [first = ''] = entry.words;
      const same = this.#byFirst.get(first);
      if (same === undefined) this.#byFirst.set(first, [entry]);
      else same.push(entry);
      for (const word of entry.words) {
        this.#words.add(word);
        if (entry.said?.tag === '') this.#empty.add(word);
      }
    }
  }

  static of(lexicon: readonly Entry[]): Phrases {
    const entries = lexicon.flatMap(([phrases, tag, fragment]) =>
      phrases.map((phrase) => ({ words: wordsOf(tokensOf(phrase)), said: { tag, fragment }, alias: null })),
    );
    return new Phrases(entries, null);
  }

  with(vocabulary: Vocabulary): Phrases {
    const entries = aliasesOf(vocabulary).map((alias) => ({
      words: wordsOf(alias.tokens),
      said: null,
      alias,
    }));
    return new Phrases(entries, this);
  }

  isKnown(token: Token): boolean {
    return this.#words.has(compared(token)) || this.#besides?.isKnown(token) === true;
  }

  *#startingWith(word: string): Generator<Indexed> {
    if (this.#besides !== null) yield* this.#besides.#startingWith(word);
    yield* this.#byFirst.get(word) ?? [];
  }

  *#everyWord(): Generator<string> {
    yield* this.#words;
    if (this.#besides !== null) yield* this.#besides.#everyWord();
  }

  isFunctionWord(word: string): boolean {
    return this.#empty.has(word) || this.#besides?.isFunctionWord(word) === true;
  }

  /** The longest phrase that begins at a token. Articles inside it do not count. Null if none does. */
  at(tokens: readonly Token[], start: number): Phrase | null {
    const first = tokens[start];
    if (first === undefined) return null;
    let length = 0;
    let found: Indexed[] = [];
    for (const entry of this.#startingWith(compared(first))) {
      const taken = lengthOfMatch(entry, tokens, start);
      if (taken === 0 || taken < length) continue;
      if (taken > length) found = [];
      length = taken;
      found.push(entry);
    }
    if (length === 0) return null;
    const names = found.flatMap(({ alias }) => (alias === null ? [] : [{ kind: alias.kind, id: alias.id }]));
    return { said: found.find(({ said }) => said !== null)?.said ?? null, names, length };
  }

  /** The only known word that the writer of an unknown one can have meant by a slip or two, or null. */
  correction({ kind, text }: Token): string | null {
    if (kind !== 'word' || text.length < LETTERS_OF_A_SLIP || /\p{N}/u.test(text)) return null;
    const wanted = stem(text);
    const most = text.length >= LETTERS_OF_TWO_SLIPS ? 2 : 1;
    let best = most + 1;
    let nearest = new Set<string>();
    for (const word of this.#everyWord()) {
      if (Math.abs(word.length - wanted.length) > most || word.length < LETTERS_OF_A_SLIP) continue;
      if (word[0] !== wanted[0]) continue;
      const areSwapped = isSwapped(word, wanted);
      const slips = areSwapped ? 1 : distance(word, wanted);
      // A word with an ending, as `internally`, is no slip of the one without.
      if (slips > Math.min(most, best) || (wanted.length > word.length + 1 && wanted.startsWith(word)))
        continue;
      if (!areSwapped && this.isFunctionWord(word)) continue;
      if (slips < best) nearest = new Set();
      best = slips;
      nearest.add(word);
    }
    return nearest.size === 1 ? ([...nearest][0] ?? null) : null;
  }
}

const wordsOf = (tokens: readonly Token[]): string[] => {
  const words = tokens.filter(({ text }, i) => i === 0 || !ARTICLES.has(text)).map(compared);
  return ARTICLES.has(tokens[0]?.text ?? '') && words.length > 1 ? words.slice(1) : words;
};

/** How many tokens the phrase takes, or 0. */
function lengthOfMatch({ words, alias }: Indexed, tokens: readonly Token[], start: number): number {
  let at = start;
  for (const [i, word] of words.entries()) {
    while (i > 0 && ARTICLES.has(tokens[at]?.text ?? '') && word !== tokens[at]?.text) at++;
    const token = tokens[at];
    if (token === undefined || compared(token) !== word) return 0;
    if (alias?.capitals === true && token.written !== token.written.toUpperCase()) return 0;
    at++;
  }
  return at - start;
}

/** Whether two neighbouring letters have changed places. */
function isSwapped(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, i) => letter !== other[i]);
  return (
    one.length === other.length &&
    at >= 0 &&
    one[at] === other[at + 1] &&
    one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
  );
}
