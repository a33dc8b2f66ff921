import { z } from 'zod';
import { lineOf } from '../kernel/line.ts';
import { fewOf } from './enough-labels.ts';

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

export const SNAPSHOT_WARNINGS = [
  'few_training_positive_examples',
  'few_training_counterexamples',
  'few_held_out_positive_examples',
  'few_held_out_counterexamples',
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
  /** Labels of it whose answer was reversed or withdrawn since. */
  revisedLabels: z.int(),
  /** What limits its use now. Revised labels do not count. */
  warnings: z.array(z.enum(SNAPSHOT_WARNINGS)),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
});
export type Snapshot = z.infer<typeof SnapshotSchema>;

/** The labels of a snapshot on both sides. */
export type Sides = Pick<Snapshot, 'training' | 'heldOut'>;

/** What limits the use of a snapshot. @param standing its labels whose answers are valid */
export const warningsOf = (
  { training, heldOut }: Sides,
  { omittedLabels }: Pick<Snapshot, 'omittedLabels'>,
): SnapshotWarning[] => [
  ...fewOf(training).map((kind) => `few_training_${kind}` as const),
  ...fewOf(heldOut).map((kind) => `few_held_out_${kind}` as const),
  ...(omittedLabels > 0 ? (['labels_omitted'] as const) : []),
];
