import type { Confusion, Pair } from './evaluation.ts';

/** Figures of the same labels, as an evaluation has them. */
type Figures = Pair<Confusion> & { labels: number; isSmall: boolean };

/**
 * Whether a release judges labels worse than what is in force: fewer of them rightly. It compares whole numbers of the
 * same labels. No labels are not worse, and few labels can be.
 */
export const isWorse = ({ current, candidate }: Pair<Confusion>): boolean =>
  rightOf(candidate) < rightOf(current);

const rightOf = ({ truePositives, trueNegatives }: Confusion): number => truePositives + trueNegatives;

/** In which way a release is worse, and what to do. */
export const warningOf = ({ current, candidate, labels, isSmall }: Figures): string =>
  'By its evaluation, this release is worse than what is in force: ' +
  `it judges ${rightOf(candidate)} of ${labels} labels rightly instead of ${rightOf(current)}. ` +
  (isSmall ? 'There are few labels, so an evaluation on more of them may say otherwise. ' : '') +
  'Reject it and propose another one. To promote it all the same, a person who did not propose it says why in `note`.';

/** Whether a note says something: spaces and punctuation are no reason. */
export const isReason = (note: string): boolean => /[\p{L}\p{N}]/u.test(note);
