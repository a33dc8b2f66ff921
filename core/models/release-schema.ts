import { z } from 'zod';
import { CampaignSchema } from '../campaigns/campaign-schema.ts';
import { EvaluatedGroupSchema, EvaluationReportSchema } from './evaluation-report.ts';
import { RELEASE_STATUSES, RELEASE_TRIGGERS } from './release-states.ts';
import { SNAPSHOT_WARNINGS } from './snapshot-schema.ts';
import { ConfigPatchSchema, ThresholdsSchema } from './thresholds.ts';

/** What a release does with the weights in force. */
const WEIGHT_CHANGES = ['keep', 'learn', 'hand_set'] as const;

const Timestamp = z.iso.datetime();
/** The body of a proposal. What `configPatch` does not name stays as it is in force. */
export const ProposalSchema = z.strictObject({
  configPatch: ConfigPatchSchema.default({}),
  /** `learn`: the evaluation fits the weights to the snapshot's training side. `keep`: those in force. */
  weights: z.enum(WEIGHT_CHANGES).default('keep'),
  datasetSnapshotId: z.string().min(1).max(64).optional(),
  rationale: z.string().trim().max(2_000).default(''),
});
export type Proposal = z.infer<typeof ProposalSchema>;

/** The body of a step. With `revision`, the step is refused if the release has changed since the caller read it. */
export const ReleaseStepSchema = z.strictObject({
  revision: z.int().nonnegative().optional(),
  note: z.string().trim().max(2_000).default(''),
});
export type ReleaseStep = z.infer<typeof ReleaseStepSchema>;

/** A version of the thresholds. `rollback`: it has the values from before the promotion of `releaseId`. */
export const EnsembleReleaseSchema = ThresholdsSchema.extend({
  version: z.int(),
  weights: z.enum(['hand_set', 'learned']),
  active: z.boolean(),
  cause: z.enum(['first', 'rescore', 'promotion', 'rollback']),
  releaseId: z.string().nullable(),
  createdAt: Timestamp,
});
export type EnsembleRelease = z.infer<typeof EnsembleReleaseSchema>;

export const ReleaseSchema = z.object({
  releaseId: z.string(),
  status: z.enum(RELEASE_STATUSES),
  configPatch: ConfigPatchSchema,
  weights: z.enum(WEIGHT_CHANGES),
  /** All values that its promotion puts in force. */
  thresholds: ThresholdsSchema,
  /** The version of the thresholds that the evaluation compares with. */
  comparedVersion: z.int(),
  datasetSnapshotId: z.string().nullable(),
  rationale: z
    .string()
    .nullable()
    .describe('Written for those who decide on the release. Null for readers of domains'),
  proposedBy: z.string(),
  decidedBy: z.string().nullable(),
  evaluatedAt: Timestamp.nullable(),
  /** The evaluation over all domains that the reader sees. Null until the release is evaluated. */
  evaluation: EvaluatedGroupSchema.nullable(),
  promotionWarning: z
    .string()
    .nullable()
    .describe(
      'Why its promotion needs the reason of a second person, and what to do instead. Null if it needs none, after it, and for readers of domains',
    ),
  /** The version that its promotion made. */
  promotedVersion: z.int().nullable(),
  /** The rescore that its promotion or rollback started. Null for readers of domains. */
  rescore: CampaignSchema.nullable(),
  revision: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Release = z.infer<typeof ReleaseSchema>;

/**
 * Learned weights beside the hand-set ones, in log-odds. Each `support` is a number of labels (of `learned_words`: of
 * documents). Readers of domains see those of their own types.
 */
const ShownWeightsSchema = z.object({
  labels: z.int().nullable(),
  features: z.array(
    z.object({
      feature: z.string(),
      handSetWeight: z.number(),
      learnedWeight: z.number(),
      support: z.int().nullable(),
    }),
  ),
  /** What is added for single types, of the domains that the reader sees. */
  types: z.array(
    z.object({ domainId: z.string(), informationTypeId: z.string(), offset: z.number(), support: z.int() }),
  ),
});
export type ShownWeights = z.infer<typeof ShownWeightsSchema>;

export const ReleaseDetailSchema = ReleaseSchema.extend({
  /** The learned weights that its promotion puts in force. Null: the hand-set ones, or not fitted yet. */
  learnedWeights: ShownWeightsSchema.nullable(),
  snapshotWarnings: z
    .array(z.enum(SNAPSHOT_WARNINGS))
    .nullable()
    .describe('What limits the use of its snapshot now. Null without one, and for readers of domains'),
  evaluation: EvaluationReportSchema.nullable(),
  /** The newest 100 steps, the newest first. */
  history: z.array(
    z.object({
      revision: z.int(),
      fromStatus: z.enum(RELEASE_STATUSES).nullable(),
      trigger: z.enum(RELEASE_TRIGGERS),
      toStatus: z.enum(RELEASE_STATUSES),
      principalId: z.string(),
      note: z.string().nullable().describe('Null for readers of domains'),
      isWorse: z
        .boolean()
        .nullable()
        .describe(
          'Whether a promotion was of a release that was worse than what was in force. Null for other steps, those of former versions, and readers of domains',
        ),
      ensembleVersion: z.int().nullable(),
      at: Timestamp,
    }),
  ),
});
export type ReleaseDetail = z.infer<typeof ReleaseDetailSchema>;
