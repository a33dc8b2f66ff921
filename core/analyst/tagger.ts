import { stem } from '../kernel/words.ts';
import type { Fragment } from './fragment.ts';
import { LEXICON } from './lexicon.ts';
import { momentAt, numberAt, type Read, type Window } from './moments.ts';
import { type Phrase, Phrases } from './phrases.ts';
import type { Condition } from './plan.ts';
import { MAX_TOKENS, type Token, tokensOf } from './tokens.ts';
import { translations } from './translate.ts';
import type { NameKind, Vocabulary } from './vocabulary.ts';
import { windowAt } from './windows.ts';

/** A part of a question: one letter for what it is (lexicon.ts), what it brings into a plan, and its tokens. */
export type Item = Omit<Fragment, 'readings'> & {
  tag: string;
  from: number;
  to: number;
  readings?: readonly Condition[];
  window?: Window;
  number?: number;
  text?: string;
  bounds?: { min?: number; max?: number };
  /** A preposition before it, so that it does not describe what follows. */
  apart?: true;
  negated?: true;
  genitive?: true;
  plural?: true;
};

export type Correction = { from: string; to: string };
export type Tagged = {
  tokens: readonly Token[];
  items: Item[];
  corrections: Correction[];
  /** The same question without some of its tokens. */
  without: (item: Pick<Item, 'from' | 'to'>) => Tagged;
};

const PHRASES = Phrases.of(LEXICON);
const known = new WeakMap<Vocabulary, Phrases>();
function phrasesOf(vocabulary: Vocabulary): Phrases {
  const phrases = known.get(vocabulary) ?? PHRASES.with(vocabulary);
  known.set(vocabulary, phrases);
  return phrases;
}
const MAX_WORDS_LENGTH = 200;
/** Words of dates and units are no slips of other words. */
const OF_TIME = new Set(
  `january february march april may june july august september october november december sunday monday tuesday
   wednesday thursday friday saturday hour day week month quarter year since before after until till during ago
   yesterday today older newer younger longer beginning start previous current this last past between from within`.split(
    /\s+/,
  ),
);
/** Words that ask for rows, where none asks for a number. */
const OF_ROWS = new Set(['list', 'which', 'what']);
const TAGS: Readonly<Record<NameKind, string>> = {
  domain: 'D',
  type: 'T',
  scope: 'S',
  person: 'P',
  identifier: 'I',
  label: 'L',
};

/** The parts of a question as each language reads it, English first: at each place the longest phrase, name or time. */
export function* tagged(question: string, vocabulary: Vocabulary, now: number): Generator<Tagged> {
  const phrases = phrasesOf(vocabulary);
  const { tokens, corrections } = corrected(tokensOf(question), phrases);
  const read = (of: readonly Token[]) => itemsOf(of, phrases, now);
  const taggedAs = (of: readonly Token[], slips: Correction[]): Tagged => ({
    tokens: of,
    items: read(of),
    corrections: slips,
    without: ({ from, to }) => taggedAs([...of.slice(0, from), ...of.slice(to)], slips),
  });
  yield taggedAs(tokens, corrections);
  const nameAt = (of: readonly Token[], at: number) => {
    const phrase = phrases.at(of, at);
    return phrase !== null && phrase.names.length > 0 ? phrase.length : 0;
  };
  for (const translated of translations(question, nameAt)) yield taggedAs(translated, []);
}

function itemsOf(tokens: readonly Token[], phrases: Phrases, now: number): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < tokens.length; ) {
    const item = itemAt(tokens, at, phrases, now, items);
    at = item.to;
    if (item.tag !== '') items.push(item);
  }
  // More is not read, so the question is not known as a whole.
  return tokens.length === MAX_TOKENS
    ? [...items, { tag: '_', from: MAX_TOKENS - 1, to: MAX_TOKENS }]
    : items;
}

function itemAt(
  tokens: readonly Token[],
  from: number,
  phrases: Phrases,
  now: number,
  items: readonly Item[],
): Item {
  const token = tokens[from] as Token;
  if (token.kind === 'address') return { tag: 'j', from, to: from + 1, text: token.text };
  if (token.kind === 'quoted') return quoted(token, from, phrases, items);
  const phrase = phrases.at(tokens, from);
  const window = isThan(items.at(-1)) ? dayAt(tokens, from, now, items) : windowAt(tokens, from, now);
  if (window !== null && window.length >= (phrase?.length ?? 0))
    return { tag: 'W', from, to: from + window.length, window: window.value };
  if (phrase !== null) {
    const after = phrases.at(tokens, from + phrase.length);
    const to = from + phrase.length;
    const isGenitive = /['’]s?$/.test(tokens[to - 1]?.written ?? '');
    return {
      from,
      to,
      ...meaningOf(phrase, token, items, after),
      ...(isGenitive && { genitive: true }),
      ...(/s$/.test(tokens[to - 1]?.text ?? '') && { plural: true }),
    };
  }
  const number = numberAt(tokens, from);
  return number === null
    ? { tag: '_', from, to: from + 1 }
    : { tag: '#', from, to: from + number.length, number: number.value };
}

const isThan = (item: Item | undefined): boolean =>
  item?.tag === '0' || (item?.tag === 'M' && item.compared === true);

/** The day, or time that is over, with which a number is compared: `a month ago`, `last week`. Null if rows are asked for. */
function dayAt(
  tokens: readonly Token[],
  at: number,
  now: number,
  items: readonly Item[],
): Read<Window> | null {
  if (!items.some(({ tag }) => tag === 'Q') && tokens.some(({ text }) => OF_ROWS.has(text))) return null;
  const moment = momentAt(tokens, at, now);
  // `more than 2025` is a number.
  const isNumber = items.at(-1)?.tag === 'M' && moment?.bare === false;
  return moment === null || moment.value.to > now || isNumber ? null : moment;
}

/** What a phrase means beside others, if it is a word and a name, or the name of several things. */
function meaningOf(
  { said, names }: Phrase,
  { written }: Token,
  items: readonly Item[],
  after: Phrase | null,
): Pick<Item, 'tag'> & Partial<Item> {
  const isAfter = (...tags: string[]) => tags.includes(items.at(-1)?.tag ?? '');
  // What a list belongs to: `labelled Public or General`, `labelled anything but Public`.
  const head = items.findLast(
    ({ tag }, i) => !'&/,~nxa'.includes(tag) && !(tag === 'N' && items[i - 1]?.tag === 'G'),
  );
  const isOf = (kind: NameKind) => names.some((name) => name.kind === kind);
  const expected = [
    ...(head !== undefined && 'GlL'.includes(head.tag) ? ['label' as const] : []),
    ...(head?.names ? [head.names] : []),
    ...(after?.said?.fragment.names ? [after.said.fragment.names] : []),
    ...(isAfter('i') && /^\p{Lu}/u.test(written) ? ['domain' as const] : []),
    ...(isAfter('k') ? ['identifier' as const] : []),
  ];
  const isName = said === null || (said.tag === '' && /\p{Lu}/u.test(written) && written.length > 1);
  const kind = expected.find(isOf) ?? (isName ? names[0]?.kind : undefined);
  // `with emails`: messages, or addresses.
  if (said !== null && isAfter('w') && isOf('identifier')) return { tag: '_' };
  if (kind === undefined) return { tag: said?.tag ?? '_', ...said?.fragment };
  // A scope with a name of one word is one only as a place.
  const isPlace = /\p{Lu}/u.test(written) || isAfter('i', 'o', 'r', 'X', '&', '/', 'n');
  if (kind === 'scope' && !isPlace && expected.length === 0) return { tag: '_' };
  return {
    tag: TAGS[kind],
    ids: [...new Set(names.filter((name) => name.kind === kind).map(({ id }) => id))],
  };
}

/** A quoted name is that name. All other quoted text is searched for, after what says so. */
function quoted({ text }: Token, from: number, phrases: Phrases, items: readonly Item[]): Item {
  const inner = tokensOf(text);
  const phrase = items.at(-1)?.tag === 'm' ? null : phrases.at(inner, 0);
  if (phrase !== null && phrase.names.length > 0 && phrase.length === inner.length) {
    const named = meaningOf(
      { ...phrase, said: null },
      { kind: 'word', text, written: text.toUpperCase() },
      items,
      null,
    );
    return { from, to: from + 1, ...named };
  }
  return { tag: inner.length === 0 ? '_' : '"', from, to: from + 1, text: text.slice(0, MAX_WORDS_LENGTH) };
}

/** Replaces unknown words by what was probably meant. */
function corrected(
  tokens: readonly Token[],
  phrases: Phrases,
): { tokens: Token[]; corrections: Correction[] } {
  const corrections: Correction[] = [];
  const read = tokens.map((token, at): Token => {
    const isOfTime = OF_TIME.has(token.text) || OF_TIME.has(stem(token.text));
    if (phrases.isKnown(token) || isOfTime || numberAt(tokens, at) !== null) return token;
    const to = phrases.correction(token);
    if (to === null) return token;
    corrections.push({ from: token.written, to });
    return { ...token, text: to };
  });
  return { tokens: read, corrections };
}
