import { isDeepStrictEqual } from 'node:util';
import { type AnswersSoFar, answersSoFar } from '../inference/answers-so-far.ts';
import {
  type Ensemble,
  type InferenceInput,
  isCandidate,
  mostLikely,
  scoreTypes,
} from '../inference/inference.ts';
import { candidateBand, isAsked } from '../review/record-inferences.sql.ts';
import type { Side } from './split.ts';

/** What an asset is scored by, besides the thresholds. */
export type ScoredInput = Omit<InferenceInput, 'ensemble' | 'answers'>;

/** The thresholds in force, and those that a release proposes. */
export type Pair<T> = { current: T; candidate: T };

/**
 * Why a label was not used: its asset holds other content now, has no features of the present version, its type is no
 * longer approved, or there was no time left.
 */
type SkippedBecause = 'contentChanged' | 'featuresMissing' | 'typeNotApproved' | 'notReached';

type QueueChange = 'appear' | 'vanish' | 'toHigh' | 'toReview' | 'unchanged';

export const BINS = 10;

/** Labels by the confidence of the model. `at` counts from 0: the bin begins at `at / BINS`. */
export type Bin = { at: number; labels: number; positives: number; confidenceSum: number };

/** How often the model asked, and whether it was right to. */
export type Confusion = {
  truePositives: number;
  falsePositives: number;
  trueNegatives: number;
  falseNegatives: number;
};

/** How often the model asked, by either thresholds, and labels that only one of the two judges rightly. */
export type Outcomes = { outcomes: Pair<Confusion>; onlyRight: Pair<number> };

/**
 * Everything that an evaluation counts of one information type. Tallies can be added, so readers see sums of their own
 * domains.
 */
export type Tally = {
  informationTypeId: string;
  domainId: string;
  bins: Pair<Bin[]>;
  skipped: Skipped;
  queue: Record<QueueChange, number>;
} & Outcomes;

/** Numbers of labels that were not used, by reason. */
export type Skipped = Record<SkippedBecause, number>;

/** A label that was not used. */
export type SkippedLabel = OfType & { reason: SkippedBecause };

type OfType = { informationTypeId: string; domainId: string };

/** A held-out label as a pair of thresholds judges it. */
export type JudgedLabel = OfType & {
  isPositive: boolean;
  judged: Pair<{ isAsked: boolean; confidence: number }>;
};

/** Labels of one type, side and outcome whose answers were revised since the snapshot. */
export type RevisedLabels = OfType & {
  side: Side;
  isPositive: boolean;
  /** Whether the model asked, as the evaluation counted it. Null if it did not judge them. */
  asked: Pair<boolean> | null;
  labels: number;
};

/** Judges a label: would the model ask about this type, and how sure is it. Null if the taxonomy lacks the type. */
export function judgeLabel(
  input: ScoredInput,
  label: OfType & { isPositive: boolean },
  { current, candidate }: Pair<Ensemble>,
): JudgedLabel | null {
  const judge = (ensemble: Ensemble) => {
    // Without the answers so far, of which the label is one.
    const answers = answersSoFar([], ensemble.learned !== null);
    const scored = scoreTypes({ ...input, ensemble, answers });
    const own = scored.find(({ informationTypeId }) => informationTypeId === label.informationTypeId);
    return (
      own && {
        isAsked: mostLikely(scored).includes(own) && isCandidate(own.confidence, ensemble),
        confidence: own.confidence,
      }
    );
  };
  const judged = { current: judge(current), candidate: judge(candidate) };
  return judged.current === undefined || judged.candidate === undefined
    ? null
    : { ...label, judged: { current: judged.current, candidate: judged.candidate } };
}

/** A type that at least one of two thresholds has owners asked about, and what becomes of the candidate. */
export type ChangedCandidate = OfType & { change: QueueChange };

/** An ensemble, and what answers so far add to it. */
export type Asking = { ensemble: Ensemble; answers: AnswersSoFar };

/**
 * What asks now, and what would ask. Answers so far are about the weights in force: other weights begin without them, until
 * the assets that were answered are scored by them.
 */
export const askingOf = ({ current, candidate }: Pair<Ensemble>, answers: AnswersSoFar): Pair<Asking> => ({
  current: { ensemble: current, answers },
  candidate: {
    ensemble: candidate,
    answers: isDeepStrictEqual(candidate.learned, current.learned)
      ? answers
      : answersSoFar([], candidate.learned !== null),
  },
});

/** What becomes of an asset's candidates. */
export function changesOf(input: ScoredInput, { current, candidate }: Pair<Asking>): ChangedCandidate[] {
  const asked = ({ ensemble, answers }: Asking) =>
    mostLikely(scoreTypes({ ...input, ensemble, answers }))
      .filter((each) => isAsked(each, input.refusedBy, ensemble))
      .map(({ informationTypeId, domainId, confidence }) => ({
        informationTypeId,
        domainId,
        band: candidateBand(confidence, ensemble),
      }));
  const before = new Map(asked(current).map((each) => [each.informationTypeId, each]));
  const after = new Map(asked(candidate).map((each) => [each.informationTypeId, each]));
  return [...new Map([...before, ...after]).values()].map(({ informationTypeId, domainId }) => {
    const [was, is] = [before.get(informationTypeId), after.get(informationTypeId)];
    return { informationTypeId, domainId, change: changeOf(was?.band, is?.band) };
  });
}

function changeOf(was: string | undefined, is: string | undefined): QueueChange {
  if (was === is) return 'unchanged';
  if (was === undefined) return 'appear';
  if (is === undefined) return 'vanish';
  return is === 'high' ? 'toHigh' : 'toReview';
}

/** Counts what was judged, skipped and changed, by information type. */
export function tally(
  labels: readonly JudgedLabel[],
  skipped: readonly SkippedLabel[],
  changes: readonly ChangedCandidate[],
): Tally[] {
  const tallies = new Map<string, Tally>();
  const of = ({ informationTypeId, domainId }: OfType): Tally => {
    const known = tallies.get(informationTypeId) ?? emptyTally(informationTypeId, domainId);
    tallies.set(informationTypeId, known);
    return known;
  };
  for (const label of labels) countLabel(of(label), label);
  for (const each of skipped) of(each).skipped[each.reason]++;
  for (const each of changes) of(each).queue[each.change]++;
  return [...tallies.values()].sort((a, b) => (a.informationTypeId < b.informationTypeId ? -1 : 1));
}

function countLabel(into: Tally, { isPositive, judged: { current, candidate } }: JudgedLabel): void {
  countOutcome(into, isPositive, { current: current.isAsked, candidate: candidate.isAsked }, 1);
  for (const [side, { confidence }] of [['current', current] as const, ['candidate', candidate] as const]) {
    const at = Math.min(BINS - 1, Math.floor(confidence * BINS));
    addBin(into.bins[side], { at, labels: 1, positives: isPositive ? 1 : 0, confidenceSum: confidence });
  }
}

function countOutcome(into: Outcomes, isPositive: boolean, asked: Pair<boolean>, labels: number): void {
  for (const side of ['current', 'candidate'] as const) {
    const right = asked[side] === isPositive;
    into.outcomes[side][`${right ? 'true' : 'false'}${asked[side] ? 'Positives' : 'Negatives'}`] += labels;
    if (right && asked.current !== asked.candidate) into.onlyRight[side] += labels;
  }
}

/** The same outcomes without those of revised labels. */
export function withoutRevised(all: Outcomes, revised: readonly RevisedLabels[]): Outcomes {
  const { outcomes, onlyRight } = structuredClone(all);
  const rest = { outcomes, onlyRight };
  for (const { isPositive, asked, labels } of revised)
    if (asked !== null) countOutcome(rest, isPositive, asked, -labels);
  return rest;
}

/** The sum of tallies. Its ids are those of none. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = emptyTally('', '');
  for (const each of tallies) {
    for (const side of ['current', 'candidate'] as const) {
      for (const bin of each.bins[side]) addBin(sum.bins[side], bin);
      sum.onlyRight[side] += each.onlyRight[side];
      addCounts(sum.outcomes[side], each.outcomes[side]);
    }
    addCounts(sum.skipped, each.skipped);
    addCounts(sum.queue, each.queue);
  }
  return sum;
}

function addCounts<K extends string>(into: Record<K, number>, counts: Readonly<Record<K, number>>): void {
  for (const name of Object.keys(counts) as K[]) into[name] += counts[name];
}

function addBin(bins: Bin[], { at, labels, positives, confidenceSum }: Bin): void {
  const known = bins.find((bin) => bin.at === at);
  if (known === undefined) {
    bins.push({ at, labels, positives, confidenceSum });
    bins.sort((a, b) => a.at - b.at);
    return;
  }
  known.labels += labels;
  known.positives += positives;
  known.confidenceSum += confidenceSum;
}

/** Counts labels that were not used. */
export function countSkipped(labels: readonly SkippedLabel[]): Skipped {
  const counts = noneSkipped();
  for (const { reason } of labels) counts[reason]++;
  return counts;
}

const noneSkipped = (): Skipped => ({
  contentChanged: 0,
  featuresMissing: 0,
  typeNotApproved: 0,
  notReached: 0,
});

const noOutcomes = (): Confusion => ({
  truePositives: 0,
  falsePositives: 0,
  trueNegatives: 0,
  falseNegatives: 0,
});

const emptyTally = (informationTypeId: string, domainId: string): Tally => ({
  informationTypeId,
  domainId,
  outcomes: { current: noOutcomes(), candidate: noOutcomes() },
  bins: { current: [], candidate: [] },
  onlyRight: { current: 0, candidate: 0 },
  skipped: noneSkipped(),
  queue: { appear: 0, vanish: 0, toHigh: 0, toReview: 0, unchanged: 0 },
});
