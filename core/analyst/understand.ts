import { isDeepStrictEqual } from 'node:util';
import { type Plan, PlanSchema } from './plan.ts';
import { readPlan } from './read-plan.ts';
import type { Span } from './shape-of.ts';
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
export type Reading = {
  tokens: readonly Token[];
  items: readonly Item[];
  state: Understanding['state'];
  plan: Plan;
  taken: readonly Span[];
  left: readonly Span[];
};

/** Reads a question by the grammar. Pure: the same question, names and time (milliseconds) give the same plan. */
export const understand = (question: string, vocabulary: Vocabulary, now: number): Understanding =>
  understandingOf(readQuestion(question, vocabulary, now));

export function understandingOf({ read, reading }: Read): Understanding {
  const { tokens, state, plan, taken, left } = reading;
  const isUsed = (span: Span): boolean => {
    const without = readingOf(read.without(span));
    return without.state !== 'whole' || !isDeepStrictEqual(without.plan, plan);
  };
  const used = state === 'whole' ? taken.filter(isUsed) : taken;
  const wordsOf = (spans: readonly Span[]) =>
    [...new Set(spans.map((span) => writtenAt(tokens, span)))].filter((each) => each !== '');
  return { state, plan, used: wordsOf(used), ignored: wordsOf(left), corrections: read.corrections };
}

export type Read = { read: Tagged; reading: Reading };

/** The reading of the first language that explains every word, or else of the one that explains the most. */
export function readQuestion(question: string, vocabulary: Vocabulary, now: number): Read {
  let best: Read | null = null;
  for (const read of tagged(question, vocabulary, now)) {
    const reading = readingOf(read);
    if (reading.state === 'whole') return { read, reading };
    if (best === null || reading.left.length < best.reading.left.length) best = { read, reading };
  }
  if (best === null) throw new Error('A question has no reading');
  return best;
}

/** Some words as they are written. Of a word of another language, all is at the first of its English tokens. */
const writtenAt = (tokens: readonly Token[], { from, to }: Span): string =>
  tokens
    .slice(from, to)
    .flatMap(({ written }) => (written === '' ? [] : [written]))
    .join(' ');

function readingOf({ tokens, items }: Tagged): Reading {
  const asked = readPlan(items);
  const share = items.find(({ show }) => show === 'share');
  const shared = share === undefined ? asked.plan : withShare(asked.plan, items, tokens);
  const left = shared === null && share !== undefined ? [...asked.left, share] : asked.left;
  const plan = shared ?? asked.plan;
  const taken = asked.taken.filter(
    (span) => writtenAt(tokens, span) !== '' && !left.some(({ from }) => from === span.from),
  );
  const isWhole = taken.length > 0 && left.length === 0 && PlanSchema.safeParse(plan).success;
  const state = isWhole ? 'whole' : taken.length === 0 ? 'none' : 'partly';
  return { tokens, items, state, plan, taken, left };
}
