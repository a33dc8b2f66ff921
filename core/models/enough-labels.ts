/**
 * Labels of each kind that are enough. Recall is a share of the positive examples, and how often the model asks for
 * nothing is a share of the counterexamples. The 95 % interval (Wilson) of a share of 15 reaches at most 0.23 to either
 * side; with fewer of one kind, chance decides more than the model, however many there are of the other.
 */
export const LEAST_OF_EACH = 15;

export type LabelCounts = { positiveExamples: number; counterexamples: number };

export const LABEL_KINDS = ['positive_examples', 'counterexamples'] as const;
type LabelKind = (typeof LABEL_KINDS)[number];

/** The kinds of labels of which there are too few: to evaluate a release, to learn from, or to rely on a figure. */
export const fewOf = ({ positiveExamples, counterexamples }: LabelCounts): LabelKind[] => {
  const counts = { positive_examples: positiveExamples, counterexamples };
  return LABEL_KINDS.filter((kind) => counts[kind] < LEAST_OF_EACH);
};

export function countsOf(labels: readonly { isPositive: boolean }[]): LabelCounts {
  const positiveExamples = labels.filter(({ isPositive }) => isPositive).length;
  return { positiveExamples, counterexamples: labels.length - positiveExamples };
}

/** Why weights are not learned from these labels of the training side. */
export const tooFewToLearnFrom = ({ positiveExamples, counterexamples }: LabelCounts): string =>
  `Weights are learned from ${LEAST_OF_EACH} positive examples and ${LEAST_OF_EACH} counterexamples or more. ` +
  `On the training side of this snapshot, ${positiveExamples} and ${counterexamples} can be used. ` +
  'Approve more labels and take another snapshot.';
