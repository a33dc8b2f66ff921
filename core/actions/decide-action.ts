import { withAuditedTx } from '../audit/audited-tx.ts';
import { readerOf } from '../authz/action-visibility.sql.ts';
import type { Principal } from '../authz/principal.ts';
import { withTx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { ActionStatus } from '../kernel/vocabulary.ts';
import { findAction } from './action-list.sql.ts';
import type { ActionParts } from './action-parts.ts';
import type { ActionDetail, Approval } from './action-schema.ts';
import { isAuthor, type LockedAction, lockAction, type Mover, moveAction } from './actions.sql.ts';
import { executeAction } from './execute.ts';

const EVERYTHING = { kind: 'tenant' } as const;

/**
 * The statuses that an action can have after each decision. If the same person repeats a decision in one of them,
 * nothing changes.
 */
const STILL_VALID: Readonly<Record<Approval['decision'], readonly ActionStatus[]>> = {
  approve: ['approved', 'executing', 'verified', 'failed', 'drifted'],
  reject: ['rejected'],
};

type Decider = { principal: Principal; correlationId: string; now: number };

/**
 * Records the approval or rejection of an action in a transaction of its own. A sweep executes what is approved. An
 * author of the action (who drafted, submitted or previewed it) is refused, whatever their roles. Throws `not_found`
 * and `conflict`.
 */
export async function recordDecision(
  { db }: Pick<ActionParts, 'db'>,
  { principal: { tenantId, principalId }, correlationId, now }: Decider,
  actionId: string,
  { decision, reason, revision }: Approval,
): Promise<Pick<LockedAction, 'actionId' | 'status' | 'revision'>> {
  const source = { tenantId, principalId, correlationId, now };
  const decided = await withAuditedTx(db, source, async (tx, events) => {
    const action = await lockAction(tx, actionId, EVERYTHING);
    if (action === null) throw notFound();
    if (await isAuthor(tx, actionId, principalId)) {
      const target = { kind: 'action', id: actionId };
      events.push({
        category: 'action',
        type: 'action_self_approval_refused',
        target,
        details: { decision },
      });
      return null;
    }
    if (action.decidedBy === principalId && STILL_VALID[decision].includes(action.status)) return action;
    if (revision !== undefined && revision !== action.revision)
      throw new ServiceError('conflict', 'The action has changed in the meantime. Read it again.');
    const by = { decidedBy: principalId, note: reason };
    const mover: Mover = { principalId, now, audit: (entry) => events.push(entry) };
    return decision === 'reject'
      ? moveAction(tx, action, 'rejected', mover, by)
      : moveAction(tx, action, 'approved', mover, { ...by, correlationId, dueAt: new Date(now) });
  });
  if (decided === null)
    throw new ServiceError(
      'conflict',
      'Separation of duties: a person who asks for an action cannot decide on it.',
    );
  return decided;
}

/**
 * Approves or rejects an action. An approval is committed first, then the action is executed at once, so that the
 * response shows the result if it is ready in time. Otherwise a sweep continues. Throws `not_found` and `conflict`.
 */
export async function decideAction(
  parts: ActionParts,
  by: Decider,
  actionId: string,
  approval: Approval,
): Promise<ActionDetail> {
  await recordDecision(parts, by, actionId, approval);
  const { correlationId } = by;
  const { tenantId } = by.principal;
  if (approval.decision === 'approve') {
    // The action stays approved if this attempt fails.
    await executeAction(parts, tenantId, actionId).catch((error: unknown) =>
      parts.log.warn('action_execution_failed', { tenantId, correlationId }, error),
    );
  }
  const decided = await withTx(parts.db, { tenantId, mode: 'read' }, (tx) =>
    findAction(tx, actionId, readerOf(by.principal, EVERYTHING)),
  );
  if (decided === null) throw notFound();
  return decided;
}
