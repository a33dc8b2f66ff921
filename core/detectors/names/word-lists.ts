const MAX_LISTS = 31;

/** A list of words as one bit, so that one look-up shows which lists contain a word. `|` joins lists. */
export type WordList = number;

/** Phrases of folded words, indexed by last and first word. Most words are neither, which makes most look-ups cheap. */
export type Phrases = {
  /** The bit of this list in the `ends` and `begins` of words. */
  readonly bit: number;
  readonly all: ReadonlySet<string>;
  readonly byLast: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
};

/** The lists that contain a word, and the lists with phrases that end or begin with it, as bits. */
export type Membership = { readonly lists: WordList; readonly ends: number; readonly begins: number };

const NONE: Membership = { lists: 0, ends: 0, begins: 0 };
const memberships = new Map<string, Membership>();
let lists = 0;
let listsOfPhrases = 0;

/** Folded words, separated by commas and white space. */
export function wordList(list: string): WordList {
  const bit = bitOf(lists++);
  for (const word of list.trim().split(/[\s,]+/)) join(word, { lists: bit });
  return bit;
}

/** Phrases of folded words, separated by commas and line ends. */
export function phrases(list: string): Phrases {
  const bit = bitOf(listsOfPhrases++);
  const all = new Set(list.trim().split(/\s*[,\n]\s*/));
  const split = [...all].map((phrase) => phrase.split(' '));
  const byLast = Map.groupBy(split, (words) => words.at(-1) ?? '');
  const byFirst = Map.groupBy(split, (words) => words[0] ?? '');
  for (const word of byLast.keys()) join(word, { ends: bit });
  for (const word of byFirst.keys()) join(word, { begins: bit });
  return { bit, all, byLast, byFirst };
}

export const membershipOf = (folded: string): Membership => memberships.get(folded) ?? NONE;

function bitOf(index: number): number {
  if (index >= MAX_LISTS) throw new RangeError(`There are bits for ${MAX_LISTS} lists`);
  return 1 << index;
}

function join(word: string, { lists, ends, begins }: Partial<Membership>): void {
  const known = membershipOf(word);
  memberships.set(word, {
    lists: known.lists | (lists ?? 0),
    ends: known.ends | (ends ?? 0),
    begins: known.begins | (begins ?? 0),
  });
}
