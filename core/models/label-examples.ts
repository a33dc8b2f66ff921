import type { Inference } from '../inference/inference.ts';
import { HAND_SET_WEIGHTS, WEIGHTED_NAMES, type WeightedName } from '../inference/weights.ts';

/** Types of other domains that a positive example is compared with. */
const RIVALS = 5;

/** The scores of a type's evidence in a document, -1 to 1, and the log-odds of decisions on copies. */
export type Scores = {
  informationTypeId: string;
  domainId: string;
  scores: ReadonlyMap<string, number>;
  copied: number;
};

/** A label with the scores of its type. */
export type Example = Scores & {
  isPositive: boolean;
  /** Near-duplicates have one `cluster`. `terms` is packed as in the features. */
  document: { cluster: string; terms: string };
  /** Of a positive example: the most likely types of other domains. */
  rivals: readonly Scores[];
};

const scoresOf = ({ informationTypeId, domainId, contributions }: Inference): Scores => ({
  informationTypeId,
  domainId,
  scores: new Map(contributions.map(({ name, score }) => [name, score])),
  copied: contributions.reduce(
    (sum, { name, value }) =>
      name === 'confirmed_copies' || name === 'confirmed_near_copies' ? sum + value : sum,
    0,
  ),
});

/**
 * An example out of the scored types of a document, under the hand-set weights. Null if the type is not among them.
 */
export function exampleOf(
  scored: readonly Inference[],
  { informationTypeId, isPositive }: { informationTypeId: string; isPositive: boolean },
  document: Example['document'],
): Example | null {
  const own = scored.find((each) => each.informationTypeId === informationTypeId);
  if (own === undefined) return null;
  const others = isPositive ? scored.filter(({ domainId }) => domainId !== own.domainId) : [];
  // By what the fit sees: second opinions have no say in who is a rival.
  const rivals = others
    .map(scoresOf)
    .sort((a, b) => evidenceOf(b) - evidenceOf(a))
    .slice(0, RIVALS);
  return { ...scoresOf(own), isPositive, document, rivals };
}

/** The log-odds of the evidence, without the starting point. */
export const evidenceOf = (
  { scores, copied }: Pick<Scores, 'scores' | 'copied'>,
  factors?: ReadonlyMap<WeightedName, number>,
): number =>
  WEIGHTED_NAMES.reduce(
    (sum, name) => sum + (factors?.get(name) ?? 1) * HAND_SET_WEIGHTS[name] * (scores.get(name) ?? 0),
    copied,
  );

/** An order that depends on what the examples are alone. */
export function compareExamples(a: Example, b: Example): number {
  if (a.informationTypeId !== b.informationTypeId) return a.informationTypeId < b.informationTypeId ? -1 : 1;
  if (a.isPositive !== b.isPositive) return a.isPositive ? -1 : 1;
  for (const name of WEIGHTED_NAMES) {
    const difference = (a.scores.get(name) ?? 0) - (b.scores.get(name) ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.copied !== b.copied) return a.copied - b.copied;
  const [own, other] = [a, b].map(({ document }) => `${document.cluster} ${document.terms}`);
  return own === other ? 0 : (own ?? '') < (other ?? '') ? -1 : 1;
}
