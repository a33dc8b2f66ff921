import { z } from 'zod';
import { STAGE_OUTCOMES, STAGES, UNIT_KINDS } from '../kernel/vocabulary.ts';
import { OnlySchema } from '../narrowing/narrowing-schema.ts';
import { CAMPAIGN_STATUSES } from '../work/campaign-states.ts';

const Timestamp = z.iso.datetime();

export const CampaignSchema = z.object({
  campaignId: z.string(),
  scopeId: z.string().nullable(),
  scopeName: z.string().nullable(),
  kind: z.enum(['inventory', 'delta', 'rescore']),
  status: z.enum(CAMPAIGN_STATUSES),
  /** Whether a part of the scope was not listed. The scope then keeps its coverage. */
  incomplete: z.boolean(),
  /** Whether it looked at a part of the scope only. The scope then keeps its coverage, and no asset ends. */
  narrowed: z.boolean(),
  workUnits: z.object({
    pending: z.int(),
    leased: z.int(),
    completed: z.int(),
    dead: z.int(),
    cancelled: z.int(),
  }),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
});

/** In a list. */
export const ListedCampaignSchema = CampaignSchema.extend({
  workUnits: CampaignSchema.shape.workUnits
    .nullable()
    .describe('Null to a reader who governs neither the scope nor the tenant'),
});

/** The list and its export have the same filter. */
export const CampaignFilterSchema = z.strictObject({
  status: CampaignSchema.shape.status.optional(),
  kind: CampaignSchema.shape.kind.optional(),
  scopeId: z.string().max(64).optional(),
});
export type CampaignFilter = z.infer<typeof CampaignFilterSchema>;

/** Orders of the list. `-created`: the newest first. */
export const CAMPAIGN_SORTS = ['-created', 'created'] as const;

/** The body of a request for a scan, and for the estimate of one. */
export const ScanRequestSchema = z
  .strictObject({
    scopeId: z.string().min(1).max(64),
    kind: z.enum(['inventory', 'delta']),
    only: OnlySchema.optional().describe('Narrows an inventory to a part of the scope'),
  })
  .refine(({ kind, only }) => kind === 'inventory' || only === undefined, {
    path: ['only'],
    message: 'A delta follows all changes. Narrow an inventory.',
  });

export const StartedScanSchema = z.object({ campaignId: z.string() });

export const StageCountSchema = z.object({
  stage: z.enum(STAGES),
  outcome: z.enum(STAGE_OUTCOMES),
  count: z.int(),
});

export const DeadLetterSchema = z.object({
  id: z.string(),
  kind: z.enum(UNIT_KINDS),
  retryClass: z.string(),
  safeDiagnostic: z.string(),
  attempt: z.int(),
  createdAt: Timestamp,
  retriedAt: Timestamp.nullable(),
});
