import { z } from 'zod';
import { LabelStateSchema } from '../assets/asset-schema.ts';
import { LABEL_REFUSALS } from '../connectors/label-writer.ts';
import { FindingSchema } from '../findings/finding-list.sql.ts';
import { LABEL_WRITE_BLOCKS } from '../integrations/label-writer-for.ts';
import { ACTION_STATUSES } from '../kernel/vocabulary.ts';
import { ACTION_TRIGGERS } from './action-states.ts';
import { NamedTargetSchema } from './named-target.sql.ts';
import { TASK_STATUSES } from './task-states.ts';

const Timestamp = z.iso.datetime();
const Id = z.string().min(1).max(64);

export const ACTION_KINDS = ['internal_task', 'sensitivity_label_set', 'sensitivity_label_remove'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** The field that each kind requires (specification, *Actions*). */
const REQUIRED: Readonly<Record<ActionKind, 'taskTitle' | 'desiredLabelGuid' | null>> = {
  internal_task: 'taskTitle',
  sensitivity_label_set: 'desiredLabelGuid',
  sensitivity_label_remove: null,
};

/** The body of a request for an action. Fields of another kind are accepted and not stored. */
export const ActionRequestSchema = z
  .strictObject({
    kind: z.enum(ACTION_KINDS),
    targetAssetId: Id,
    justification: z.string().trim().min(10).max(2_000),
    findingId: Id.optional(),
    desiredLabelGuid: z.string().min(1).max(100).optional(),
    taskTitle: z.string().trim().min(1).max(200).optional(),
    taskNote: z.string().trim().max(2_000).optional(),
  })
  .superRefine((request, context) => {
    const field = REQUIRED[request.kind];
    if (field !== null && request[field] === undefined) {
      context.addIssue({ code: 'custom', path: [field], message: `Required for ${request.kind}.` });
    }
  });
export type ActionRequest = z.infer<typeof ActionRequestSchema>;

/** With `revision`, the decision is refused if the approver has read another revision. */
export const ApprovalSchema = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  reason: z.string().trim().max(2_000).default(''),
  revision: z.int().nonnegative().optional(),
});
export type Approval = z.infer<typeof ApprovalSchema>;

/** The present or desired state of a target: the label of an item, or a task. */
const StateSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('label'),
    labelState: LabelStateSchema,
    labelGuid: z.string().nullable(),
    labelName: z.string().nullable(),
    /** Another organization gave it a label, which does not count here. Absent if none did, or nobody looked. */
    labeledElsewhere: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('task'), exists: z.boolean() }),
]);
export type TargetState = z.infer<typeof StateSchema>;

/**
 * `readFrom`: `source` for the source itself, `scan` for the last scan if the label cannot be written, `service` for
 * a task.
 */
const PreviewSchema = z.object({
  readAt: Timestamp,
  readFrom: z.enum(['source', 'scan', 'service']),
  currentState: StateSchema,
  desiredState: StateSchema,
  /** False if the target already has the desired state. */
  changes: z.boolean(),
  /** What keeps the source from writing the label, as far as it is known beforehand. Absent in previews of earlier releases. */
  preventedBy: z.enum(LABEL_REFUSALS).nullable().optional(),
  /** The desired label is weaker in the catalog than the present one, or there shall be none. */
  lowersLabel: z.boolean().optional(),
});
export type Preview = z.infer<typeof PreviewSchema>;

/**
 * The result of reading the target after the execution. `wrote`: the last attempt wrote the label, and did not find
 * it already set.
 */
const VerificationSchema = z.object({
  checkedAt: Timestamp,
  observedState: StateSchema,
  holds: z.boolean(),
  wrote: z.boolean(),
});
export type Verification = z.infer<typeof VerificationSchema>;

const OUTCOME_REASONS = [
  'version_changed',
  'label_changed',
  'target_gone',
  'write_path_gone',
  'source_refused',
  'source_throttled',
  'source_unavailable',
  'source_writing',
  'source_never_finished',
  ...LABEL_REFUSALS,
  'not_verified',
  'attempts_spent',
  'requester_not_permitted',
  'approver_not_permitted',
] as const;
export type OutcomeReason = (typeof OUTCOME_REASONS)[number];

export const PersonSchema = z.object({ principalId: z.string(), displayName: z.string() });

export const ActionSchema = z.object({
  actionId: z.string(),
  kind: z.enum(ACTION_KINDS),
  targetAssetId: z.string(),
  ...NamedTargetSchema.shape,
  findingId: z.string().nullable(),
  justification: z.string(),
  desiredLabelGuid: z.string().nullable(),
  taskTitle: z.string().nullable(),
  taskNote: z.string().nullable(),
  status: z.enum(ACTION_STATUSES),
  /** Why it cannot be submitted. */
  blockedReason: z.enum(LABEL_WRITE_BLOCKS).nullable(),
  /** Why it failed, drifted or waits for another attempt. */
  outcomeReason: z.enum(OUTCOME_REASONS).nullable(),
  /** The mode of what writes to the source. Null if nothing does. */
  mode: z.enum(['mock', 'live']).nullable(),
  requester: PersonSchema,
  preview: PreviewSchema,
  verification: VerificationSchema.nullable(),
  /** All decisions on it in order, including those on earlier previews. */
  approvals: z.array(
    PersonSchema.extend({
      decision: ApprovalSchema.shape.decision,
      reason: z.string(),
      decidedAt: Timestamp,
    }),
  ),
  taskId: z.string().nullable(),
  taskStatus: z.enum(TASK_STATUSES).nullable(),
  attempts: z.int(),
  revision: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Action = z.infer<typeof ActionSchema>;

/** An action that waits for an approver, with what they need to decide. */
export const PendingApprovalSchema = ActionSchema.pick({
  actionId: true,
  kind: true,
  targetAssetId: true,
  targetAssetName: true,
  targetAssetPath: true,
  targetScopeName: true,
  justification: true,
  taskTitle: true,
  taskNote: true,
  mode: true,
  requester: true,
  preview: true,
  revision: true,
  createdAt: true,
}).extend({
  requestedBy: z.string(),
  submittedAt: Timestamp,
  /** The finding that it is about. Null if there is none or the reader may not see the asset. */
  finding: FindingSchema.pick({
    findingId: true,
    kind: true,
    severity: true,
    status: true,
    notes: true,
  }).nullable(),
});
export type PendingApproval = z.infer<typeof PendingApprovalSchema>;

export const ActionDetailSchema = ActionSchema.extend({
  /** All transitions in order. `principalId` is null for those of the service itself. */
  history: z.array(
    z.object({
      revision: z.int(),
      fromStatus: z.enum(ACTION_STATUSES).nullable(),
      trigger: z.enum(ACTION_TRIGGERS),
      toStatus: z.enum(ACTION_STATUSES),
      principalId: z.string().nullable(),
      reason: z.string().nullable(),
      at: Timestamp,
    }),
  ),
});
export type ActionDetail = z.infer<typeof ActionDetailSchema>;
