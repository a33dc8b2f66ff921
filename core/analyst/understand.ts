import { compose } from './compose.ts';
import { type Plan, PlanSchema } from './plan.ts';
import { joinedItems } from './rules.ts';
import { type Correction, type Item, type Tagged, tagged } from './tagger.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * What the grammar makes of a question. `whole`: every word is explained, and the plan is what was asked. `partly`: some
 * words are not, so the plan answers another question and must not be run. `none`: nothing is understood.
 */
export type Understanding = {
  state: 'whole' | 'partly' | 'none';
  plan: Plan;
  /** The parts of the question that make the plan, as they are written. */
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

function understandingOf({ tokens, items, corrections }: Tagged): Understanding {
  const written = ({ from, to }: Item) =>
    tokens
      .slice(from, to)
      .flatMap((each) => (each.written === '' ? [] : [each.written]))
      .join(' ');
  const joined = joinedItems(items);
  const { plan, left } = compose(joined, written);
  const ignored = [...new Set(left.map(written))].filter((each) => each !== '');
  const used = [...new Set(joined.filter((item) => !left.includes(item)).map(written))].filter(
    (each) => each !== '',
  );
  const isWhole = used.length > 0 && ignored.length === 0 && PlanSchema.safeParse(plan).success;
  const state = isWhole ? 'whole' : used.length === 0 ? 'none' : 'partly';
  return { state, plan, used, ignored, corrections };
}
