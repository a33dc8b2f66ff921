import { isDeepStrictEqual } from 'node:util';
import { compose } from './compose.ts';
import { type Plan, PlanSchema } from './plan.ts';
import { joinedItems } from './rules.ts';
import { withShare } from './share.ts';
import { type Correction, type Item, type Tagged, tagged } from './tagger.ts';
import type { Token } from './tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * What the grammar makes of a question. `whole`: every word is explained, and the plan is what was asked. `partly`: some
 * words are not, so the plan answers another question and must not be run. `none`: nothing is understood.
 */
export type Understanding = {
  state: 'whole' | 'partly' | 'none';
  plan: Plan;
  /** The parts of the question without any of which the plan is another, or none, as they are written. */
  used: string[];
  /** Words that are not explained, as they are written. */
  ignored: string[];
  /** Words that were read as others. */
  corrections: Correction[];
};

/** How a language reads a question. */
export type Reading = Pick<Tagged, 'tokens' | 'items'> & {
  state: Understanding['state'];
  plan: Plan;
  taken: Item[];
  left: Item[];
};

/** Reads a question by the grammar. Pure: the same question, names and time (milliseconds) give the same plan. */
export function understand(question: string, vocabulary: Vocabulary, now: number): Understanding {
  const { read, reading } = readQuestion(question, vocabulary, now);
  const { state, plan, taken, left } = reading;
  const written = writtenIn(read.tokens);
  const wordsOf = (items: readonly Item[]) => [...new Set(items.map(written))].filter((each) => each !== '');
  const isUsed = (item: Item): boolean => {
    const without = readingOf(read.without(item));
    return without.state !== 'whole' || !isDeepStrictEqual(without.plan, plan);
  };
  const used = state === 'whole' ? taken.filter(isUsed) : taken;
  return { state, plan, used: wordsOf(used), ignored: wordsOf(left), corrections: read.corrections };
}

/** The reading of the first language that explains every word, or else of the one that explains the most. */
export function readQuestion(
  question: string,
  vocabulary: Vocabulary,
  now: number,
): { read: Tagged; reading: Reading } {
  let best: { read: Tagged; reading: Reading } | null = null;
  for (const read of tagged(question, vocabulary, now)) {
    const reading = readingOf(read);
    if (reading.state === 'whole') return { read, reading };
    if (best === null || reading.left.length < best.reading.left.length) best = { read, reading };
  }
  if (best === null) throw new Error('A question has no reading');
  return best;
}

/** The words of a part as they are written. A word of another language is that of the first of its English tokens. */
const writtenIn =
  (tokens: readonly Token[]) =>
  ({ from, to }: Pick<Item, 'from' | 'to'>): string =>
    tokens
      .slice(from, to)
      .flatMap(({ written }) => (written === '' ? [] : [written]))
      .join(' ');

function readingOf({ tokens, items }: Tagged): Reading {
  const written = writtenIn(tokens);
  const joined = joinedItems(items);
  const { plan: asked, left } = compose(joined, written);
  const share = items.find(({ show }) => show === 'share');
  const shared = share === undefined ? asked : withShare(asked, items, tokens, written);
  const plan = shared ?? asked;
  const unread = shared === null && share !== undefined && left.length === 0 ? [share] : left;
  const taken = joined.filter((item) => !unread.includes(item) && written(item) !== '');
  const isWhole = taken.length > 0 && unread.length === 0 && PlanSchema.safeParse(plan).success;
  const state = isWhole ? 'whole' : taken.length === 0 ? 'none' : 'partly';
  return { tokens, items, state, plan, taken, left: unread };
}
