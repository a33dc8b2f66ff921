import { isDeepStrictEqual } from 'node:util';
import { readerOf } from '../authz/action-visibility.sql.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { findAction } from './action-list.sql.ts';
import type { ActionParts } from './action-parts.ts';
import type { ActionDetail, ActionRequest } from './action-schema.ts';
import { nextActionState } from './action-states.ts';
import {
  findAsked,
  insertAction,
  keptOf,
  lockAction,
  type Mover,
  moveAction,
  type Previewed,
} from './actions.sql.ts';
import { type Desired, previewOf } from './preview.ts';
import { mayRequest } from './rights.ts';
import { findTarget, isFindingOf, labelNameOf, type Target } from './target.sql.ts';

/** A person who requests an action, with the visibility of their grant. */
export type Requester = Omit<Mover, 'principalId'> & { principal: Principal; visibility: Visibility };

const moverOf = ({ principal: { principalId }, now, audit }: Requester) => ({ principalId, now, audit });

/** Reads an action that this transaction has just read or written. */
async function shownAction(tx: Tx, { principal }: Requester, actionId: string): Promise<ActionDetail> {
  const action = await findAction(tx, actionId, readerOf(principal, { kind: 'tenant' }));
  if (action === null) throw new Error('The stored action was not found');
  return action;
}

/** A request for an action with its idempotency key. The same key means the same action. */
export type Asked = { request: ActionRequest; key: string | null };

/**
 * Reads the target of a new action at its source. Null if the caller has used this key before. Throws `not_found` if
 * the asset does not exist or the caller may not see it, before any other check. Also throws `validation_failed` and
 * `conflict`.
 */
export async function previewDraft(
  parts: ActionParts,
  { principal: { tenantId, principalId }, visibility }: Pick<Requester, 'principal' | 'visibility'>,
  { request, key }: Asked,
): Promise<Previewed | null> {
  const looked = await withTx(parts.db, { tenantId, mode: 'read' }, async (tx) => {
    if (key !== null && (await findAsked(tx, principalId, key)) !== null) return null;
    const target = await findTarget(tx, request.targetAssetId, visibility);
    if (target === null) throw notFound();
    const { findingId } = request;
    if (findingId !== undefined && !(await isFindingOf(tx, findingId, target.assetId)))
      throw validationFailed([{ path: 'findingId', message: 'Must be a finding on this asset.' }]);
    return { target, desired: await desiredOf(tx, target, request) };
  });
  return looked && previewOf(parts, tenantId, looked.target, looked.desired);
}

async function desiredOf(
  tx: Tx,
  target: Target,
  { kind, desiredLabelGuid }: Pick<ActionRequest, 'kind'> & { desiredLabelGuid?: string | null | undefined },
): Promise<Desired> {
  if (kind === 'internal_task') return { kind: 'task' };
  if (kind === 'sensitivity_label_remove') return { kind: 'label', labelGuid: null, labelName: null };
  const labelGuid = desiredLabelGuid ?? '';
  return { kind: 'label', labelGuid, labelName: await labelNameOf(tx, target, labelGuid) };
}

/**
 * Stores an action with the result of `previewDraft`. Its status is `blocked` if the label cannot be written. A
 * repeated request returns the existing action in its present state. Throws `not_found`, and `conflict` if the key
 * belongs to another request.
 */
export async function draftAction(
  tx: Tx,
  by: Requester,
  asked: Asked,
  previewed: Previewed | null,
): Promise<ActionDetail> {
  if (previewed !== null) {
    const target = await findTarget(tx, asked.request.targetAssetId, by.visibility);
    if (target === null) throw notFound();
    const actionId = await insertAction(tx, asked, previewed, target.domainIds, moverOf(by));
    if (actionId !== null) return shownAction(tx, by, actionId);
  }
  return askedAgain(tx, by, asked);
}

async function askedAgain(
  tx: Tx,
  { principal, visibility }: Requester,
  { request, key }: Asked,
): Promise<ActionDetail> {
  const actionId = key && (await findAsked(tx, principal.principalId, key));
  const action = actionId && (await findAction(tx, actionId, readerOf(principal, visibility)));
  if (!action) throw notFound();
  if (!isDeepStrictEqual(keptOf(action), keptOf(request)))
    throw new ServiceError('conflict', 'The Idempotency-Key was used for another request. Send a new one.');
  return action;
}

/** Reads the target of an action again. Throws `not_found` if the action is not visible, and `conflict`. */
export async function previewAgain(
  parts: ActionParts,
  tenantId: TenantId,
  visibility: Visibility,
  actionId: string,
): Promise<Previewed> {
  const { target, desired } = await withTx(parts.db, { tenantId, mode: 'read' }, async (tx) => {
    const action = await findAction(tx, actionId, { actions: visibility, assets: null });
    if (action === null) throw notFound();
    if (nextActionState(action.status, 'repreviewed') === null)
      throw new ServiceError('conflict', `An action that is ${action.status} cannot be previewed again.`);
    const target = await findTarget(tx, action.targetAssetId, visibility);
    if (target === null)
      throw new ServiceError('conflict', 'The asset was deleted or is no longer in one of your domains.');
    return { target, desired: await desiredOf(tx, target, action) };
  });
  return previewOf(parts, tenantId, target, desired);
}

/** Stores a new preview. The action becomes a draft again, and earlier decisions on it are void. */
export async function repreviewAction(
  tx: Tx,
  by: Requester,
  actionId: string,
  previewed: Previewed,
): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  const trigger = previewed.blockedReason === null ? 'repreviewed' : 'blocked';
  await moveAction(tx, action, trigger, moverOf(by), {
    ...previewed,
    verification: null,
    decidedBy: null,
    correlationId: null,
    attempt: 0,
  });
  return shownAction(tx, by, actionId);
}

/**
 * Submits a draft for approval. Throws `not_found`, and `conflict` if it would change nothing, if something is known to
 * prevent it, or if its requester may no longer request it.
 */
export async function submitAction(tx: Tx, by: Requester, actionId: string): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  // Checks the status first, so that a blocked action is reported as blocked.
  await moveAction(tx, action, 'submitted', moverOf(by));
  if (!action.preview.changes)
    throw new ServiceError(
      'conflict',
      'The target already has the desired state. Withdraw the action, or preview it again if the target has changed.',
    );
  if (action.preview.preventedBy)
    throw new ServiceError(
      'conflict',
      `The source would refuse this write (${action.preview.preventedBy}). Remove the cause, then preview the action again.`,
    );
  if (!(await mayRequest(tx, action)))
    throw new ServiceError(
      'conflict',
      'The requester may no longer request this action. An owner of the asset must draft a new one.',
    );
  return shownAction(tx, by, actionId);
}

/** Withdraws the caller's own action. Throws `not_found` and `conflict`. */
export async function withdrawAction(tx: Tx, by: Requester, actionId: string): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  if (action.requestedBy !== by.principal.principalId)
    throw new ServiceError('conflict', 'Only its requester can withdraw an action.');
  await moveAction(tx, action, 'withdrawn', moverOf(by));
  return shownAction(tx, by, actionId);
}

/** Cancels an action that is neither executing nor final. Throws `not_found` and `conflict`. */
export async function cancelAction(tx: Tx, by: Requester, actionId: string): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  await moveAction(tx, action, 'cancelled', moverOf(by));
  return shownAction(tx, by, actionId);
}
