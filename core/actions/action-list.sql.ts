import { type ListReader, type Reader, visibleAction } from '../authz/action-visibility.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import {
  type ActionFilter,
  type ActionSort,
  actionOrder,
  foundActions,
  preparedFor,
} from './action-filter.sql.ts';
import type { Action, ActionDetail, PendingApproval } from './action-schema.ts';
import { namedTarget, namedTargetColumns } from './named-target.sql.ts';

type Row = Omit<Action, 'requester' | 'createdAt' | 'updatedAt'> & {
  requestedBy: string;
  requesterName: string;
  createdAt: Date;
  updatedAt: Date;
};

const COLUMNS = sql`
  a.action_id as "actionId", a.kind, a.target_asset_id as "targetAssetId", ${namedTargetColumns},
  a.finding_id as "findingId", a.justification,
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

/**
 * Joins what is shown of each action.
 * @param picked the selected `actions a`; only these are joined
 */
const from = (tx: Tx, picked: Statement, sees: Visibility | null) => sql`
  (${picked}) a
  join principals r on r.tenant_id = a.tenant_id and r.principal_id = a.requested_by
  left join tasks t on t.tenant_id = a.tenant_id and t.action_id = a.action_id
  left join lateral ${namedTarget(tx, sees)} on true`;

const shown = ({ requestedBy, requesterName, createdAt, updatedAt, ...action }: Row): Action => ({
  ...action,
  requester: { principalId: requestedBy, displayName: requesterName },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/**
 * Actions that the reader may see under a filter, the newest first unless another order is asked for; at most `limit`.
 */
export const listActions = (
  tx: Tx,
  reader: ListReader,
  filter: ActionFilter,
  limit: number,
  { sort = '-created' }: { sort?: ActionSort } = {},
): Promise<Action[]> =>
  readActions(tx, reader, filter, { beyond: sql`true`, order: actionOrder(sort), limit });

/** The same actions ordered by id, beginning after `afterId`. The order never changes. */
export const actionsAfter = (
  tx: Tx,
  reader: ListReader,
  filter: ActionFilter,
  afterId: string,
  limit: number,
): Promise<Action[]> =>
  readActions(tx, reader, filter, {
    beyond: sql`a.action_id > ${afterId}`,
    order: sql`a.action_id`,
    limit,
  });

async function readActions(
  tx: Tx,
  reader: ListReader,
  filter: ActionFilter,
  { beyond, order, limit }: { beyond: Statement; order: Statement; limit: number },
): Promise<Action[]> {
  const found = await foundActions(tx, reader, filter);
  const picked = sql`${found} and ${beyond} order by ${order} limit ${limit}`;
  const rows = await tx.query<Row>(
    preparedFor(filter, sql`select ${COLUMNS} from ${from(tx, picked, reader.assets)} order by ${order}`),
  );
  return rows.map(shown);
}

/** An action with its history. Null if it does not exist or the reader may not see it. */
export async function findAction(tx: Tx, actionId: string, reader: Reader): Promise<ActionDetail | null> {
  const one = sql`
    select a.* from actions a
     where a.tenant_id = ${tx.tenantId} and a.action_id = ${actionId} and ${visibleAction(reader.actions)}`;
  const [row] = await tx.query<Row>(sql`select ${COLUMNS} from ${from(tx, one, reader.assets)}`);
  if (row === undefined) return null;
  const history = await tx.query<Omit<ActionDetail['history'][number], 'at'> & { at: Date }>(sql`
    select revision, from_status as "fromStatus", trigger, to_status as "toStatus", principal_id as "principalId", reason,
           created_at as at
      from action_transitions where tenant_id = ${tx.tenantId} and action_id = ${actionId} order by revision`);
  return { ...shown(row), history: history.map((each) => ({ ...each, at: each.at.toISOString() })) };
}

/**
 * The number of actions that wait for an approver, and those that have waited longest, at most `limit`.
 * @param sees the assets whose names the approver may see; null means none
 */
export async function pendingApprovals(
  tx: Tx,
  sees: Visibility | null,
  limit: number,
): Promise<{ count: number; items: PendingApproval[] }> {
  const [counted] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from actions where tenant_id = ${tx.tenantId} and status = 'awaiting_approval'`);
  const oldest = sql`
    select * from actions where tenant_id = ${tx.tenantId} and status = 'awaiting_approval'
     order by created_at, action_id limit ${limit}`;
  const rows = await tx.query<Row & Pick<PendingApproval, 'finding'>>(sql`
    select ${COLUMNS},
           (select jsonb_build_object('findingId', f.finding_id, 'kind', f.kind, 'severity', f.severity,
                                      'status', f.status, 'notes', f.notes)
              from findings f
             where f.tenant_id = a.tenant_id and f.finding_id = a.finding_id and n.asset_id is not null) as finding
      from ${from(tx, oldest, sees)} order by a.created_at, a.action_id`);
  // A submitted action does not change, so its last change is its submission.
  const items = rows.map(({ finding, ...row }) => {
    const action = shown(row);
    return { ...action, requestedBy: row.requestedBy, submittedAt: action.updatedAt, finding };
  });
  return { count: counted?.count ?? 0, items };
}
