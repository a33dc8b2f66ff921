import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { BINS, type Bin, type Confusion, type Skipped, sumOf, type Tally } from './evaluation.ts';
import { FEW_LABELS } from './snapshot-schema.ts';
import { mcNemar, shareOf } from './statistics.ts';

/** A share of labels with its Wilson interval for 95 %. */
const ShareSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** Positive are the labels that the model would have owners asked about. A share of no labels is null. */
const MeasuresSchema = z.object({
  truePositives: z.int(),
  falsePositives: z.int(),
  trueNegatives: z.int(),
  falseNegatives: z.int(),
  precision: ShareSchema.nullable(),
  recall: ShareSchema.nullable(),
  f1: z.number().nullable(),
});

/**
 * Candidates that would come, go, move to the other band, or stay. Those that an owner has answered and those that a
 * person asks are left out. The queue shows all candidates of an asset in a domain as one question.
 */
const QueueSchema = z.object({
  appear: z.int(),
  vanish: z.int(),
  toHigh: z.int(),
  toReview: z.int(),
  unchanged: z.int(),
  /** The numbers are of a part of all assets: there was no time for the others, or there are too many. */
  isSample: z.boolean(),
});

const SkippedSchema = z.object({
  contentChanged: z.int(),
  featuresMissing: z.int(),
  typeNotApproved: z.int(),
  notReached: z.int(),
});

export const EvaluatedGroupSchema = z.object({
  labels: z.int(),
  /** Fewer than 30 labels: chance decides more than the thresholds. */
  isSmall: z.boolean(),
  /**
   * Labels that were not judged: of changed content, without features of this version, of a type that is no longer
   * approved, or beyond the time for it.
   */
  skipped: SkippedSchema,
  current: MeasuresSchema,
  candidate: MeasuresSchema,
  /** Labels that only one of the two judges rightly, and the p-value of the exact McNemar test. */
  difference: z.object({ onlyCurrentRight: z.int(), onlyCandidateRight: z.int(), pValue: z.number() }),
  queue: QueueSchema,
});
type EvaluatedGroup = z.infer<typeof EvaluatedGroupSchema>;

/** The data of a reliability diagram. Bins without labels are left out. */
const ReliabilitySchema = z.object({
  /** The mean distance between confidence and share of positive labels. Null without labels. */
  calibrationError: z.number().nullable(),
  bins: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      labels: z.int(),
      meanConfidence: z.number(),
      positiveExamples: ShareSchema,
    }),
  ),
});

/** What an evaluation says to a reader: of all domains, or of their own. */
export const EvaluationReportSchema = z.object({
  overall: EvaluatedGroupSchema,
  domains: z.array(z.object({ domainId: z.string(), result: EvaluatedGroupSchema })),
  types: z.array(
    z.object({ domainId: z.string(), informationTypeId: z.string(), result: EvaluatedGroupSchema }),
  ),
  reliability: z.object({ current: ReliabilitySchema, candidate: ReliabilitySchema }),
  /**
   * How many assets the numbers of the queue are of. Those without features of this version were not scored, as a
   * rescore skips them. Null for readers of domains.
   */
  queueAssets: z.object({ examined: z.int(), featuresMissing: z.int(), total: z.int() }).nullable(),
  /**
   * Labels of the training side that weights were learned from, and those that were not, as above. Null if none were
   * learned, and for readers of domains.
   */
  training: z.object({ labels: z.int(), skipped: SkippedSchema }).nullable(),
});
type EvaluationReport = z.infer<typeof EvaluationReportSchema>;

/** An evaluation as it is stored. */
export type StoredEvaluation = {
  tallies: readonly Tally[];
  queueAssets: { examined: number; featuresMissing: number; total: number };
  training: Training | null;
};

/** Labels that weights were learned from, and those that were not. */
export type Training = { labels: number; skipped: Skipped };

/** The tallies that a reader may see. */
export const visibleTallies = ({ tallies }: StoredEvaluation, visibility: Visibility): Tally[] =>
  tallies.filter(
    ({ domainId }) => visibility.kind === 'tenant' || visibility.domainIds.some((own) => own === domainId),
  );

/** The report of an evaluation, of the domains that the reader may see. */
export function reportOf(evaluation: StoredEvaluation, visibility: Visibility): EvaluationReport {
  const tallies = visibleTallies(evaluation, visibility);
  const domains = [...Map.groupBy(tallies, ({ domainId }) => domainId)].sort(([a], [b]) => (a < b ? -1 : 1));
  const all = sumOf(tallies);
  const { queueAssets, training } = evaluation;
  const isOfTenant = visibility.kind === 'tenant';
  return {
    overall: groupOf(all, queueAssets),
    domains: domains.map(([domainId, each]) => ({ domainId, result: groupOf(sumOf(each), queueAssets) })),
    types: tallies.map((each) => ({
      domainId: each.domainId,
      informationTypeId: each.informationTypeId,
      result: groupOf(each, queueAssets),
    })),
    reliability: { current: reliabilityOf(all.bins.current), candidate: reliabilityOf(all.bins.candidate) },
    queueAssets: isOfTenant ? queueAssets : null,
    training: isOfTenant ? training : null,
  };
}

/** The numbers of a sum of tallies. */
export function groupOf(
  { outcomes, onlyRight, skipped, queue }: Tally,
  { examined, total }: StoredEvaluation['queueAssets'],
): EvaluatedGroup {
  const { truePositives, falsePositives, trueNegatives, falseNegatives } = outcomes.current;
  const labels = truePositives + falsePositives + trueNegatives + falseNegatives;
  return {
    labels,
    isSmall: labels < FEW_LABELS,
    skipped,
    current: measuresOf(outcomes.current),
    candidate: measuresOf(outcomes.candidate),
    difference: {
      onlyCurrentRight: onlyRight.current,
      onlyCandidateRight: onlyRight.candidate,
      pValue: mcNemar(onlyRight.current, onlyRight.candidate),
    },
    queue: { ...queue, isSample: examined < total },
  };
}

function measuresOf(counts: Confusion): z.infer<typeof MeasuresSchema> {
  const { truePositives, falsePositives, falseNegatives } = counts;
  const asked = truePositives + falsePositives;
  const positives = truePositives + falseNegatives;
  return {
    ...counts,
    precision: shareOf(truePositives, asked),
    recall: shareOf(truePositives, positives),
    f1: asked + positives === 0 ? null : (2 * truePositives) / (asked + positives),
  };
}

function reliabilityOf(bins: readonly Bin[]): z.infer<typeof ReliabilitySchema> {
  const labels = bins.reduce((sum, bin) => sum + bin.labels, 0);
  const distance = bins.reduce((sum, bin) => sum + Math.abs(bin.confidenceSum - bin.positives), 0);
  return {
    calibrationError: labels === 0 ? null : distance / labels,
    bins: bins.flatMap((bin) => {
      const positiveExamples = shareOf(bin.positives, bin.labels);
      if (positiveExamples === null) return [];
      return [
        {
          from: bin.at / BINS,
          to: (bin.at + 1) / BINS,
          labels: bin.labels,
          meanConfidence: bin.confidenceSum / bin.labels,
          positiveExamples,
        },
      ];
    }),
  };
}
