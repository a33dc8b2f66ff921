import { isDeepStrictEqual } from 'node:util';
import type { Principal, Visibility } from '../authz/principal.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { findAction } from './action-list.sql.ts';
import type { ActionParts } from './action-parts.ts';
import type { ActionDetail, ActionRequest } from './action-schema.ts';
import { nextActionState } from './action-states.ts';
import { readerOf } from './action-visibility.sql.ts';
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
import { findTarget, isFindingOf, labelNameOf } from './target.sql.ts';

/** Somebody with an account who asks for an action, and how far the grant for that reaches. */
export type Requester = Omit<Mover, 'principalId'> & { principal: Principal; visibility: Visibility };

const moverOf = ({ principal: { principalId }, now, audit }: Requester) => ({ principalId, now, audit });

/** Of an action that this transaction has just read or written. */
async function shownAction(tx: Tx, { principal }: Requester, actionId: string): Promise<ActionDetail> {
  const action = await findAction(tx, actionId, readerOf(principal, { kind: 'tenant' }));
  if (action === null) throw new Error('The action that was just written is gone');
  return action;
}

/** What somebody asks for. Asked again with the same key, it is the same action. */
export type Asked = { request: ActionRequest; key: string | null };

/**
 * Reads the target of a new action at its source; null where the caller has asked with this key before. Throws
 * `not_found` before anything else is said of an asset that is not there or that the caller may not see, then
 * `validation_failed`, `conflict`.
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
      throw validationFailed([{ path: 'findingId', message: 'Not a finding on this asset.' }]);
    return { target, desired: await desiredOf(tx, request) };
  });
  return looked && previewOf(parts, tenantId, looked.target, looked.desired);
}

async function desiredOf(
  tx: Tx,
  { kind, desiredLabelGuid }: Pick<ActionRequest, 'kind'> & { desiredLabelGuid?: string | null | undefined },
): Promise<Desired> {
  if (kind === 'internal_task') return { kind: 'task' };
  if (kind === 'sensitivity_label_remove') return { kind: 'label', labelGuid: null, labelName: null };
  const labelGuid = desiredLabelGuid ?? '';
  return { kind: 'label', labelGuid, labelName: await labelNameOf(tx, labelGuid) };
}

/**
 * Records an action with what `previewDraft` has read; `blocked` where nothing could be written. Asked again, it is the
 * action that there is, as it stands. Throws `not_found`, and `conflict` where the key stands for another request.
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
    throw new ServiceError('conflict', 'The Idempotency-Key stands for another request. Send a new one.');
  return action;
}

/** Reads the target of an action anew. Throws `not_found` for an action beyond the grant, then `conflict`. */
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
      throw new ServiceError('conflict', `An action that is ${action.status} is not previewed again.`);
    const target = await findTarget(tx, action.targetAssetId, visibility);
    if (target === null)
      throw new ServiceError('conflict', 'The asset is gone, or no longer in a domain of yours.');
    return { target, desired: await desiredOf(tx, action) };
  });
  return previewOf(parts, tenantId, target, desired);
}

/** Takes a new preview over. Whatever was decided on the former one is void: the action is a draft again. */
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
 * Hands a draft to the approvers. What would change nothing, or be refused to whoever asked for it when it is executed, is
 * not worth their time. Throws `not_found`, `conflict`.
 */
export async function submitAction(tx: Tx, by: Requester, actionId: string): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  // Where it stands comes first: what is blocked is told to be blocked.
  await moveAction(tx, action, 'submitted', moverOf(by));
  if (!action.preview.changes)
    throw new ServiceError(
      'conflict',
      'It would change nothing: the target is as desired already. Withdraw it, or preview it again if the target has changed.',
    );
  if (!(await mayRequest(tx, action)))
    throw new ServiceError(
      'conflict',
      'Who asked for it may no longer do so on this asset. An owner of the asset has to draft it anew.',
    );
  return shownAction(tx, by, actionId);
}

/** Takes one's own action back. Throws `not_found`, `conflict`. */
export async function withdrawAction(tx: Tx, by: Requester, actionId: string): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  if (action.requestedBy !== by.principal.principalId)
    throw new ServiceError('conflict', 'Only who asked for an action withdraws it.');
  await moveAction(tx, action, 'withdrawn', moverOf(by));
  return shownAction(tx, by, actionId);
}

/** Ends an action that is neither executing nor over. Throws `not_found`, `conflict`. */
export async function cancelAction(tx: Tx, by: Requester, actionId: string): Promise<ActionDetail> {
  const action = await lockAction(tx, actionId, by.visibility);
  if (action === null) throw notFound();
  await moveAction(tx, action, 'cancelled', moverOf(by));
  return shownAction(tx, by, actionId);
}
