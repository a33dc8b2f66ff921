import { activeGrantee } from '../auth/active-grantee.sql.ts';
import { visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { OutcomeReason } from './action-schema.ts';
import type { LockedAction } from './actions.sql.ts';
import { isTargetHidden } from './target.sql.ts';

/**
 * Whether the requester of an action may still request it: they are an active principal and may see the target
 * through one of their domains.
 */
export async function mayRequest(
  tx: Tx,
  { requestedBy, targetAssetId }: Pick<LockedAction, 'requestedBy' | 'targetAssetId'>,
): Promise<boolean> {
  const requester = await activeGrantee(tx, requestedBy);
  const reach = requester && visibilityOf(requester, 'action.submit');
  return reach !== null && !(await isTargetHidden(tx, targetAssetId, reach));
}

/**
 * Why an approved action is not executed: its requester or its approver has lost their rights. Null if both still
 * have them.
 */
export async function lostRights(tx: Tx, action: LockedAction): Promise<OutcomeReason | null> {
  if (!(await mayRequest(tx, action))) return 'requester_not_permitted';
  const approver = action.decidedBy && (await activeGrantee(tx, action.decidedBy));
  return approver && visibilityOf(approver, 'action.approve') ? null : 'approver_not_permitted';
}
