import { distance } from 'fastest-levenshtein';
import { stem } from '../kernel/words.ts';
import { LEXICON } from './lexicon.ts';
import type { Meaning } from './meaning.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Alias, aliasesOf, type NameKind, type Vocabulary } from './vocabulary.ts';

export type NameReference = { kind: NameKind; id: string };

/** What a phrase means: by the lexicon, as a name, or both. */
export type Phrase = { meaning: Meaning | null; names: readonly NameReference[]; length: number };

type Indexed = { words: readonly string[]; meaning: Meaning | null; alias: Alias | null };

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
  readonly #fillers = new Set<string>();
  readonly #besides: Phrases | null;

  /** @param besides further phrases, which are not copied */
  private constructor(entries: readonly Indexed[], besides: Phrases | null) {
    this.#besides = besides;
    for (const entry of entries) {
      const [first = ''] = entry.words;
      const same = this.#byFirst.get(first);
      if (same === undefined) this.#byFirst.set(first, [entry]);
      else same.push(entry);
      for (const word of entry.words) this.#words.add(word);
      if (entry.meaning?.kind === 'filler') for (const word of entry.words) this.#fillers.add(word);
    }
  }

  static ofLexicon(): Phrases {
    return new Phrases(
      LEXICON.flatMap(([phrases, meaning]) =>
        phrases
          .split('|')
          .map((phrase) => ({ words: wordsOf(tokensOf(phrase.trim())), meaning, alias: null })),
      ),
      null,
    );
  }

  with(vocabulary: Vocabulary): Phrases {
    return new Phrases(
      aliasesOf(vocabulary).map((alias) => ({ words: wordsOf(alias.tokens), meaning: null, alias })),
      this,
    );
  }

  isKnown(token: Token): boolean {
    return this.#words.has(compared(token)) || this.#besides?.isKnown(token) === true;
  }

  #startingWith(word: string): readonly Indexed[] {
    const own = this.#byFirst.get(word) ?? [];
    const others = this.#besides === null ? [] : this.#besides.#startingWith(word);
    return own.length === 0 ? others : [...others, ...own];
  }

  isFiller(word: string): boolean {
    return this.#fillers.has(word) || this.#besides?.isFiller(word) === true;
  }

  *#everyWord(): Generator<string> {
    yield* this.#words;
    if (this.#besides !== null) yield* this.#besides.#everyWord();
  }

  /** The longest phrase that begins at a token. Articles inside it do not count. Null if none does. */
  at(tokens: readonly Token[], start: number): Phrase | null {
    const first = tokens[start];
    if (first === undefined) return null;
    let longest = 0;
    let found: Indexed[] = [];
    for (const entry of this.#startingWith(compared(first))) {
      const length = lengthOfMatch(entry, tokens, start);
      if (length === 0 || length < longest) continue;
      if (length > longest) found = [];
      longest = length;
      found.push(entry);
    }
    if (longest === 0) return null;
    const names = found.flatMap(({ alias }) => (alias === null ? [] : [{ kind: alias.kind, id: alias.id }]));
    const meaning = found.find((entry) => entry.meaning !== null)?.meaning ?? null;
    if (meaning?.kind !== 'filler' || names.length === 0) return { meaning, names, length: longest };
    // A function word that is also a name is the name if it is written as one.
    return /\p{Lu}/u.test(first.written)
      ? { meaning: null, names, length: longest }
      : { meaning, names: [], length: longest };
  }

  /** The only known word that the writer of an unknown one can have meant by a slip or two, or null. */
  correction({ kind, text }: Token): string | null {
    if (kind !== 'word' || text.length < LETTERS_OF_A_SLIP || /\p{N}/u.test(text)) return null;
    const wanted = stem(text);
    const most = text.length >= LETTERS_OF_TWO_SLIPS ? 2 : 1;
    let best = most + 1;
    let nearest: string[] = [];
    for (const word of this.#everyWord()) {
      if (Math.abs(word.length - wanted.length) > most || word.length < LETTERS_OF_A_SLIP) continue;
      if (word[0] !== wanted[0] || nearest.includes(word)) continue;
      const areSwapped = isSwapped(word, wanted);
      const slips = areSwapped ? 1 : distance(word, wanted);
      if (slips > most || slips > best || isDerived(wanted, word)) continue;
      if (!areSwapped && this.isFiller(word)) continue;
      if (slips < best) nearest = [];
      best = slips;
      nearest.push(word);
    }
    return nearest.length === 1 ? (nearest[0] ?? null) : null;
  }
}

const wordsOf = (tokens: readonly Token[]): string[] => {
  const words = tokens.filter(({ text }, i) => i === 0 || !ARTICLES.has(text)).map(compared);
  return tokens.length > 1 && ARTICLES.has(tokens[0]?.text ?? '') && words.length > 1
    ? words.slice(1)
    : words;
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

/** Whether a word is another with an ending, as `internally` is, and no slip of it. */
const isDerived = (word: string, of: string): boolean => word.length > of.length + 1 && word.startsWith(of);

/** Whether two neighbouring letters have changed places. */
function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  const at = [...one].findIndex((letter, i) => letter !== other[i]);
  return (
    at >= 0 &&
    one[at] === other[at + 1] &&
    one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
  );
}
