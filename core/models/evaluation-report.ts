import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { fewOf, LABEL_KINDS, LEAST_OF_EACH } from './enough-labels.ts';
import {
  BINS,
  type Bin,
  type Confusion,
  type Outcomes,
  type Pair,
  type RevisedLabels,
  type Skipped,
  sumOf,
  type Tally,
  withoutRevised,
} from './evaluation.ts';
import { mcNemar, shareOf } from './statistics.ts';
import { isWorse } from './worse.ts';

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

const FiguresSchema = z.object({
  labels: z.int(),
  /** The kinds of which there are fewer than `LEAST_OF_EACH`: chance decides more than the thresholds. */
  fewOf: z
    .array(z.enum(LABEL_KINDS))
    .describe(`The kinds of which there are fewer than ${LEAST_OF_EACH} labels`),
  isSmall: z.boolean().describe('There are few labels of at least one kind'),
  current: MeasuresSchema,
  candidate: MeasuresSchema,
  /** Labels that only one of the two judges rightly, and the p-value of the exact McNemar test. */
  difference: z.object({ onlyCurrentRight: z.int(), onlyCandidateRight: z.int(), pValue: z.number() }),
});

export const EvaluatedGroupSchema = FiguresSchema.extend({
  /** At the time of reading. */
  revisedLabels: z
    .object({ training: z.int(), heldOut: z.int() })
    .describe('Labels of the snapshot whose answers were reversed or withdrawn until now'),
  withoutRevised: FiguresSchema.nullable().describe(
    'The same without the revised labels. Null if a former release made the evaluation.',
  ),
  isWorse: z
    .boolean()
    .describe(
      'The candidate judges fewer labels rightly than what is in force; without the revised labels, where these figures are known',
    ),
  /**
   * Labels that were not judged: of changed content, without features of this version, of a type that is no longer
   * approved, or beyond the time for it.
   */
  skipped: SkippedSchema,
  queue: QueueSchema,
});
export type EvaluatedGroup = z.infer<typeof EvaluatedGroupSchema>;

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
  training: z
    .object({
      labels: z.int(),
      revised: z.int().describe('Left out, because their answers were reversed or withdrawn'),
      skipped: SkippedSchema,
    })
    .nullable(),
});
type EvaluationReport = z.infer<typeof EvaluationReportSchema>;

/** What an evaluation counted. Evaluations of former releases do not say how many labels of training were revised. */
export type Evaluation = {
  tallies: readonly Tally[];
  queueAssets: { examined: number; featuresMissing: number; total: number };
  training: (Omit<Training, 'revised'> & Partial<Training>) | null;
};

/** An evaluation as it is stored. */
export type StoredEvaluation = Evaluation & {
  /** Whether the model asked, by the id of each label that was judged. */
  judged: Readonly<Record<string, Pair<boolean>>>;
};

/** An evaluation with the labels that were revised since. */
export type ReadEvaluation = Evaluation & {
  /** Null if it is not known how they were judged. */
  revised: readonly RevisedLabels[];
  isByLabel: boolean;
};

/** Labels that weights were learned from, and those that were not. */
export type Training = { labels: number; revised: number; skipped: Skipped };

/** The part of an evaluation that a reader may see. */
const visiblePart = (evaluation: ReadEvaluation, visibility: Visibility): ReadEvaluation => {
  if (visibility.kind === 'tenant') return evaluation;
  const isOwn = ({ domainId }: { domainId: string }) => visibility.domainIds.some((own) => own === domainId);
  return {
    ...evaluation,
    tallies: evaluation.tallies.filter(isOwn),
    revised: evaluation.revised.filter(isOwn),
  };
};

/** The numbers of an evaluation over all domains that the reader may see. */
export const overallOf = (evaluation: ReadEvaluation, visibility: Visibility): EvaluatedGroup => {
  const part = visiblePart(evaluation, visibility);
  return groupOf(sumOf(part.tallies), part);
};

/** The report of an evaluation, of the domains that the reader may see. */
export function reportOf(evaluation: ReadEvaluation, visibility: Visibility): EvaluationReport {
  const part = visiblePart(evaluation, visibility);
  const { tallies, revised, queueAssets, training } = part;
  const domains = [...Map.groupBy(tallies, ({ domainId }) => domainId)].sort(([a], [b]) => (a < b ? -1 : 1));
  const all = sumOf(tallies);
  const isOfTenant = visibility.kind === 'tenant';
  return {
    overall: groupOf(all, part),
    domains: domains.map(([domainId, each]) => ({
      domainId,
      result: groupOf(sumOf(each), {
        ...part,
        revised: revised.filter((labels) => labels.domainId === domainId),
      }),
    })),
    types: tallies.map((each) => ({
      domainId: each.domainId,
      informationTypeId: each.informationTypeId,
      result: groupOf(each, {
        ...part,
        revised: revised.filter((labels) => labels.informationTypeId === each.informationTypeId),
      }),
    })),
    reliability: { current: reliabilityOf(all.bins.current), candidate: reliabilityOf(all.bins.candidate) },
    queueAssets: isOfTenant ? queueAssets : null,
    training: isOfTenant && training !== null ? { revised: 0, ...training } : null,
  };
}

/** The numbers of a sum of tallies, with the revised labels of the same types. */
function groupOf(
  { skipped, queue, ...outcomes }: Tally,
  {
    revised,
    isByLabel,
    queueAssets: { examined, total },
  }: Pick<ReadEvaluation, 'revised' | 'isByLabel' | 'queueAssets'>,
): EvaluatedGroup {
  const onSide = (side: RevisedLabels['side']) =>
    revised.reduce((sum, each) => sum + (each.side === side ? each.labels : 0), 0);
  const figures = figuresOf(outcomes);
  const unrevised = isByLabel ? figuresOf(withoutRevised(outcomes, revised)) : null;
  return {
    ...figures,
    revisedLabels: { training: onSide('training'), heldOut: onSide('held_out') },
    withoutRevised: unrevised,
    isWorse: isWorse(unrevised ?? figures),
    skipped,
    queue: { ...queue, isSample: examined < total },
  };
}

function figuresOf({ outcomes, onlyRight }: Outcomes): z.infer<typeof FiguresSchema> {
  const { truePositives, falsePositives, trueNegatives, falseNegatives } = outcomes.current;
  const positiveExamples = truePositives + falseNegatives;
  const counterexamples = falsePositives + trueNegatives;
  const few = fewOf({ positiveExamples, counterexamples });
  return {
    labels: positiveExamples + counterexamples,
    fewOf: few,
    isSmall: few.length > 0,
    current: measuresOf(outcomes.current),
    candidate: measuresOf(outcomes.candidate),
    difference: {
      onlyCurrentRight: onlyRight.current,
      onlyCandidateRight: onlyRight.candidate,
      pValue: mcNemar(onlyRight.current, onlyRight.candidate),
    },
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
