import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Action, ActionDetail, PendingApproval } from './action-schema.ts';
import { visibleAction } from './action-visibility.ts';

type Row = Omit<Action, 'requester' | 'createdAt' | 'updatedAt'> & {
  requestedBy: string;
  requesterName: string;
  createdAt: Date;
  updatedAt: Date;
};

const COLUMNS = sql`
  a.action_id as "actionId", a.kind, a.target_asset_id as "targetAssetId", a.finding_id as "findingId", a.justification,
  a.desired_label_guid as "desiredLabelGuid", a.task_title as "taskTitle", a.task_note as "taskNote", a.status,
  a.blocked_reason as "blockedReason", a.outcome_reason as "outcomeReason", a.mode, a.requested_by as "requestedBy",
  r.display_name as "requesterName", a.preview, a.verification, t.task_id as "taskId", t.status as "taskStatus",
  a.attempt as attempts, a.revision, a.created_at as "createdAt", a.updated_at as "updatedAt",
  array(select jsonb_build_object(
                 'principalId', h.principal_id, 'displayName', p.display_name,
                 'decision', case h.trigger when 'approved' then 'approve' else 'reject' end,
                 'reason', coalesce(h.note, ''),
                 'decidedAt', to_char(h.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          from action_transitions h
          join principals p on p.tenant_id = h.tenant_id and p.principal_id = h.principal_id
         where h.tenant_id = a.tenant_id and h.action_id = a.action_id and h.trigger in ('approved', 'rejected')
         order by h.revision) as approvals`;

const FROM = sql`
  actions a
  join principals r on r.tenant_id = a.tenant_id and r.principal_id = a.requested_by
  left join tasks t on t.tenant_id = a.tenant_id and t.action_id = a.action_id`;

const shown = ({ requestedBy, requesterName, createdAt, updatedAt, ...action }: Row): Action => ({
  ...action,
  requester: { principalId: requestedBy, displayName: requesterName },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** The newest actions within the grant; at most `limit`. */
export async function listActions(tx: Tx, visibility: Visibility, limit: number): Promise<Action[]> {
  const rows = await tx.query<Row>(sql`
    select ${COLUMNS} from ${FROM}
     where a.tenant_id = ${tx.tenantId} and ${visibleAction(visibility)}
     order by a.created_at desc, a.action_id desc limit ${limit}`);
  return rows.map(shown);
}

/** One action with its history; null where there is none within the grant. */
export async function findAction(
  tx: Tx,
  actionId: string,
  visibility: Visibility,
): Promise<ActionDetail | null> {
  const [row] = await tx.query<Row>(sql`
    select ${COLUMNS} from ${FROM}
     where a.tenant_id = ${tx.tenantId} and a.action_id = ${actionId} and ${visibleAction(visibility)}`);
  if (row === undefined) return null;
  const history = await tx.query<Omit<ActionDetail['history'][number], 'at'> & { at: Date }>(sql`
    select revision, from_status as "fromStatus", trigger, to_status as "toStatus", principal_id as "principalId", reason,
           created_at as at
      from action_transitions where tenant_id = ${tx.tenantId} and action_id = ${actionId} order by revision`);
  return { ...shown(row), history: history.map((each) => ({ ...each, at: each.at.toISOString() })) };
}

/** Actions that wait for an approver: how many, and those that wait longest, at most `limit`. */
export async function pendingApprovals(
  tx: Tx,
  limit: number,
): Promise<{ count: number; items: PendingApproval[] }> {
  const [counted] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from actions where tenant_id = ${tx.tenantId} and status = 'awaiting_approval'`);
  const rows = await tx.query<Omit<PendingApproval, 'createdAt'> & { createdAt: Date }>(sql`
    select action_id as "actionId", kind, target_asset_id as "targetAssetId", requested_by as "requestedBy",
           created_at as "createdAt"
      from actions where tenant_id = ${tx.tenantId} and status = 'awaiting_approval'
     order by created_at, action_id limit ${limit}`);
  const items = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  return { count: counted?.count ?? 0, items };
}
