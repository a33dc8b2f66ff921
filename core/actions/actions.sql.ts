import type { AuditEntry } from '../audit/event.ts';
import { visibleAction } from '../authz/action-visibility.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import type { ConnectorMode } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { LabelWriteBlock } from '../integrations/label-writer-for.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type PrincipalId, type TenantId } from '../kernel/ids.ts';
import type { ActionStatus } from '../kernel/vocabulary.ts';
import type {
  ActionKind,
  ActionRequest,
  OutcomeReason,
  Preview,
  TargetState,
  Verification,
} from './action-schema.ts';
import { type ActionTrigger, AUTHORING_TRIGGERS, nextActionState } from './action-states.ts';

/** An action whose row is locked by this transaction. */
export type LockedAction = {
  actionId: string;
  kind: ActionKind;
  targetAssetId: string;
  desiredLabelGuid: string | null;
  justification: string;
  status: ActionStatus;
  blockedReason: LabelWriteBlock | null;
  outcomeReason: OutcomeReason | null;
  mode: ConnectorMode | null;
  preview: Preview;
  sourceVersion: string | null;
  verification: Verification | null;
  requestedBy: PrincipalId;
  decidedBy: PrincipalId | null;
  correlationId: string | null;
  attempt: number;
  dueAt: Date | null;
  /** When the source accepted the write that it still carries out. */
  acceptedAt: Date | null;
  /** The address that reports the progress of that write: a secret, kept no longer than the write lasts. */
  monitor: string | null;
  revision: number;
};

/** The part of an action that a preview sets. */
export type Previewed = Pick<LockedAction, 'preview' | 'sourceVersion' | 'mode' | 'blockedReason'>;

/** Who changes an action (null for the service itself), when, and the sink for the audit event. */
export type Mover = {
  principalId: PrincipalId | null;
  now: number;
  audit: (entry: AuditEntry) => void;
};

/** Locks an action. Null if it does not exist or is not visible. */
export async function lockAction(
  tx: Tx,
  actionId: string,
  visibility: Visibility,
): Promise<LockedAction | null> {
  const [row] = await tx.query<LockedAction>(sql`
    select action_id as "actionId", kind, target_asset_id as "targetAssetId", desired_label_guid as "desiredLabelGuid",
           justification, status, blocked_reason as "blockedReason", outcome_reason as "outcomeReason", mode, preview,
           source_version as "sourceVersion", verification, requested_by as "requestedBy", decided_by as "decidedBy",
           correlation_id as "correlationId", attempt, due_at as "dueAt", accepted_at as "acceptedAt", monitor, revision
      from actions a
     where a.tenant_id = ${tx.tenantId} and a.action_id = ${actionId} and ${visibleAction(visibility)}
       for update of a`);
  return row ?? null;
}

/** The fields of a request that are stored. Requests with equal fields are the same. */
export const keptOf = ({ kind, targetAssetId, justification, ...more }: Nullable<ActionRequest>) => ({
  kind,
  targetAssetId,
  justification,
  findingId: more.findingId ?? null,
  desiredLabelGuid: kind === 'sensitivity_label_set' ? (more.desiredLabelGuid ?? null) : null,
  taskTitle: kind === 'internal_task' ? (more.taskTitle ?? null) : null,
  taskNote: kind === 'internal_task' ? (more.taskNote ?? null) : null,
});

type Nullable<T> = { [K in keyof T]: T[K] | (undefined extends T[K] ? null : never) };

/** The action that the principal requested with this key, or null. */
export async function findAsked(tx: Tx, principalId: PrincipalId, key: string): Promise<string | null> {
  const [row] = await tx.query<{ actionId: string }>(sql`
    select action_id as "actionId" from actions
     where tenant_id = ${tx.tenantId} and requested_by = ${principalId} and idempotency_key = ${key}`);
  return row?.actionId ?? null;
}

/**
 * Stores an action with its first preview and the domains through which its requester sees the asset. Null if the
 * principal has already used the key; nothing is then stored. Of two concurrent calls, the second waits for the
 * first.
 */
export async function insertAction(
  tx: Tx,
  { request, key }: { request: ActionRequest; key: string | null },
  { preview, sourceVersion, mode, blockedReason }: Previewed,
  domainIds: readonly string[],
  by: Mover & { principalId: PrincipalId },
): Promise<string | null> {
  const actionId = newId('act', by.now);
  const trigger = blockedReason === null ? 'drafted' : 'blocked';
  const status = nextActionState(null, trigger);
  const { kind, targetAssetId, ...kept } = keptOf(request);
  const at = new Date(by.now);
  const inserted = await tx.execute(sql`
    insert into actions (tenant_id, action_id, kind, target_asset_id, finding_id, justification, desired_label_guid,
                         task_title, task_note, status, blocked_reason, mode, preview, source_version, requested_by,
                         idempotency_key, created_at, updated_at)
    values (${tx.tenantId}, ${actionId}, ${kind}, ${targetAssetId}, ${kept.findingId}, ${kept.justification},
            ${kept.desiredLabelGuid}, ${kept.taskTitle}, ${kept.taskNote}, ${status}, ${blockedReason}, ${mode},
            ${sql.json(preview)}::jsonb, ${sourceVersion}, ${by.principalId}, ${key}, ${at}, ${at})
    on conflict (tenant_id, requested_by, idempotency_key) where idempotency_key is not null do nothing`);
  if (inserted === 0) return null;
  await tx.query(sql`
    insert into action_domains (tenant_id, action_id, domain_id)
    select ${tx.tenantId}, ${actionId}, domain_id from unnest(${domainIds}::text[]) as d (domain_id)`);
  await tx.query(sql`
    insert into action_transitions (tenant_id, action_id, revision, from_status, trigger, to_status, principal_id, reason,
                                    created_at)
    values (${tx.tenantId}, ${actionId}, 0, null, ${trigger}, ${status}, ${by.principalId}, ${blockedReason}, ${at})`);
  by.audit({
    category: 'action',
    type: `action_${trigger}`,
    target: { kind: 'action', id: actionId },
    details: { kind, assetId: targetAssetId, status, reason: blockedReason },
  });
  return actionId;
}

/**
 * The fields that a transition changes besides the status. Omitted fields stay as they are, except the reasons, the due
 * time and the write at the source, which belong to one status and are reset.
 */
type Change = Partial<
  Omit<
    LockedAction,
    | 'actionId'
    | 'kind'
    | 'targetAssetId'
    | 'desiredLabelGuid'
    | 'justification'
    | 'requestedBy'
    | 'status'
    | 'revision'
  >
> & {
  /** The words of the person who decided. */
  note?: string;
};

/**
 * Applies a transition to a locked action, with its row of history and its audit event. Returns the changed action.
 * Throws `conflict` if the transition is not allowed.
 */
export async function moveAction(
  tx: Tx,
  action: LockedAction,
  trigger: ActionTrigger,
  by: Mover,
  { note, ...change }: Change = {},
): Promise<LockedAction> {
  const status = nextActionState(action.status, trigger);
  if (status === null) throw new ServiceError('conflict', conflictOf(action));
  const revision = action.revision + 1;
  const reset = { blockedReason: null, outcomeReason: null, dueAt: null, acceptedAt: null, monitor: null };
  const next = { ...action, ...reset, ...change, status, revision };
  const reason = next.blockedReason ?? next.outcomeReason;
  const at = new Date(by.now);
  await tx.query(sql`
    with moved as (
      update actions
         set status = ${status}, blocked_reason = ${next.blockedReason}, outcome_reason = ${next.outcomeReason},
             mode = ${next.mode}, preview = ${sql.json(next.preview)}::jsonb, source_version = ${next.sourceVersion},
             verification = ${next.verification && sql.json(next.verification)}::jsonb, decided_by = ${next.decidedBy},
             correlation_id = ${next.correlationId}, attempt = ${next.attempt}, due_at = ${next.dueAt},
             accepted_at = ${next.acceptedAt}, monitor = ${next.monitor},
             revision = ${revision}, updated_at = ${at}
       where tenant_id = ${tx.tenantId} and action_id = ${action.actionId}
    )
    insert into action_transitions (tenant_id, action_id, revision, from_status, trigger, to_status, principal_id, reason,
                                    note, created_at)
    values (${tx.tenantId}, ${action.actionId}, ${revision}, ${action.status}, ${trigger}, ${status}, ${by.principalId},
            ${reason}, ${note ?? null}, ${at})`);
  by.audit({
    category: 'action',
    type: `action_${trigger}`,
    target: { kind: 'action', id: action.actionId },
    details: { kind: action.kind, assetId: action.targetAssetId, status, reason },
  });
  return next;
}

const conflictOf = ({ status, blockedReason }: LockedAction): string =>
  blockedReason === null
    ? `This cannot be done with an action that is ${status}.`
    : `The action is blocked (${blockedReason}).`;

/** Whether somebody has ever drafted, submitted or previewed the action. */
export async function isAuthor(tx: Tx, actionId: string, principalId: PrincipalId): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from action_transitions
     where tenant_id = ${tx.tenantId} and action_id = ${actionId} and principal_id = ${principalId}
       and trigger = any(${[...AUTHORING_TRIGGERS]}::text[]) limit 1`);
  return rows.length > 0;
}

/** The action that an attempt executes. */
export type DueAction = { tenantId: TenantId; actionId: string };

/** Actions that are due: approved and not executing, or with an expired lease; the longest overdue first. */
export const dueActions = (tx: EngineTx, now: number, limit: number): Promise<DueAction[]> =>
  tx.query<DueAction>(sql`
    select tenant_id as "tenantId", action_id as "actionId" from actions
     where due_at is not null and due_at <= ${new Date(now)} order by due_at limit ${limit}`);

/** Whether two states are equal. The name of a label does not count. */
export const sameState = (a: TargetState, b: TargetState): boolean =>
  a.kind === 'task'
    ? b.kind === 'task' && a.exists === b.exists
    : b.kind === 'label' && a.labelState === b.labelState && a.labelGuid === b.labelGuid;
