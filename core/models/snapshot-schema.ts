import { z } from 'zod';
import { lineOf } from '../kernel/line.ts';

/** Fewer labels than this are few: chance then decides more than the model. */
export const FEW_LABELS = 30;

export const CONSENT_SCOPES = ['tenant_internal', 'vendor_shareable'] as const;

/** The body of a request for a snapshot. `evalFraction` is the share of the labels that is held out for evaluation. */
export const SnapshotRequestSchema = z.strictObject({
  name: lineOf(200),
  description: z.string().trim().max(2_000).default(''),
  consentScope: z.enum(CONSENT_SCOPES).default('tenant_internal'),
  evalFraction: z.number().min(0.1).max(0.9).default(0.2),
});
export type SnapshotRequest = z.infer<typeof SnapshotRequestSchema>;

const SideSchema = z.object({ positiveExamples: z.int(), counterexamples: z.int() });
export type SideCounts = z.infer<typeof SideSchema>;

const SNAPSHOT_WARNINGS = [
  'training_without_positive_examples',
  'training_without_counterexamples',
  'held_out_without_positive_examples',
  'held_out_without_counterexamples',
  'few_held_out_labels',
  'labels_omitted',
] as const;
export type SnapshotWarning = (typeof SNAPSHOT_WARNINGS)[number];

/**
 * A fixed set of approved labels. `seed`, `evalFraction` and the clusters of the labels determine the sides. `digest` is
 * the SHA-256 of the canonical JSON of what the snapshot contains.
 */
export const SnapshotSchema = z.object({
  datasetSnapshotId: z.string(),
  name: z.string(),
  description: z.string(),
  consentScope: z.enum(CONSENT_SCOPES),
  evalFraction: z.number(),
  seed: z.string(),
  digest: z.string(),
  /** Groups of labels that stay on one side: of one asset, of byte-identical copies and of near-duplicates. */
  clusters: z.int(),
  training: SideSchema,
  heldOut: SideSchema,
  /** Older approved labels that were left out, because a snapshot is limited. */
  omittedLabels: z.int(),
  /** Labels of it whose decision was revised since. */
  revisedLabels: z.int(),
  warnings: z.array(z.enum(SNAPSHOT_WARNINGS)),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
});
export type Snapshot = z.infer<typeof SnapshotSchema>;

/** What limits the use of a snapshot. */
export function warningsOf({
  training,
  heldOut,
  omittedLabels,
}: Pick<Snapshot, 'training' | 'heldOut' | 'omittedLabels'>): SnapshotWarning[] {
  const found: Record<SnapshotWarning, boolean> = {
    training_without_positive_examples: training.positiveExamples === 0,
    training_without_counterexamples: training.counterexamples === 0,
    held_out_without_positive_examples: heldOut.positiveExamples === 0,
    held_out_without_counterexamples: heldOut.counterexamples === 0,
    few_held_out_labels: heldOut.positiveExamples + heldOut.counterexamples < FEW_LABELS,
    labels_omitted: omittedLabels > 0,
  };
  return SNAPSHOT_WARNINGS.filter((warning) => found[warning]);
}
