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

/**
 * Reads a question by the grammar. Pure: the same question, names and time give the same plan.
 * @param now milliseconds
 */
export function understand(question: string, vocabulary: Vocabulary, now: number): Understanding {
  let best: Understanding | null = null;
  for (const read of tagged(question, vocabulary, now)) {
    const understanding = understandingOf(read);
    if (understanding.state === 'whole') return understanding;
    if (best === null || understanding.ignored.length < best.ignored.length) best = understanding;
  }
  return best as Understanding;
}

/** The words of a part as they are written. A word of another language is that of the first of its English tokens. */
const writtenIn =
  (tokens: readonly Token[]) =>
  ({ from, to }: Pick<Item, 'from' | 'to'>): string =>
    tokens
      .slice(from, to)
      .flatMap(({ written }) => (written === '' ? [] : [written]))
      .join(' ');

type Reading = { state: Understanding['state']; plan: Plan; taken: Item[]; left: Item[] };

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
  return { state: isWhole ? 'whole' : taken.length === 0 ? 'none' : 'partly', plan, taken, left: unread };
}

function understandingOf(tagged: Tagged): Understanding {
  const { state, plan, taken, left } = readingOf(tagged);
  const written = writtenIn(tagged.tokens);
  const wordsOf = (items: readonly Item[]) => [...new Set(items.map(written))].filter((each) => each !== '');
  const isUsed = (item: Item): boolean => {
    const without = readingOf(tagged.without(item));
    return without.state !== 'whole' || !isDeepStrictEqual(without.plan, plan);
  };
  const used = state === 'whole' ? taken.filter(isUsed) : taken;
  const { corrections } = tagged;
  return { state, plan, used: wordsOf(used), ignored: wordsOf(left), corrections };
}
