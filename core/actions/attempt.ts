import { withTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type AssetState, loadAssetState } from '../scan/asset-state.sql.ts';
import { LONGEST_ASKED_MS } from '../work/retry-policy.ts';
import { type ActionParts, labelPathOf } from './action-parts.ts';
import type { OutcomeReason, TargetState, Verification } from './action-schema.ts';
import { type LockedAction, sameState } from './actions.sql.ts';
import { type LabelLook, labelState, lookAtLabel } from './preview.ts';
import { lostRights } from './rights.ts';
import { findTarget } from './target.sql.ts';
import { createTask, hasTask } from './tasks.sql.ts';

/** The result of an attempt to execute an action. */
export type Outcome =
  | {
      trigger: 'verified';
      verification: Verification;
      /**
       * The label as the source reported it, and the asset as it was loaded before. Null if there is nothing to
       * store.
       */
      seen: { loaded: AssetState; look: LabelLook } | null;
    }
  | { trigger: 'failed'; reason: OutcomeReason; verification?: Verification }
  | { trigger: 'drifted'; reason: OutcomeReason }
  /** The source goes on with a write that it has accepted. */
  | { trigger: 'awaited'; reason: OutcomeReason; delayMs: number; acceptedAt: Date; monitor: string | null }
  | { trigger: 'postponed'; reason: OutcomeReason; delayMs: number };

export type Attempt = {
  parts: ActionParts;
  tenantId: TenantId;
  action: LockedAction;
  signal: AbortSignal;
};

const EVERYTHING = { kind: 'tenant' } as const;
const UNKNOWN_LABEL = { kind: 'label', labelState: 'unknown', labelGuid: null, labelName: null } as const;

const failed = (reason: OutcomeReason): Outcome => ({ trigger: 'failed', reason });
const drifted = (reason: OutcomeReason): Outcome => ({ trigger: 'drifted', reason });

/** Creates the task of an `internal_task`, once, and verifies that it exists. */
export async function makeTask({ parts, tenantId, action }: Attempt): Promise<Outcome> {
  const { actionId, targetAssetId } = action;
  const made = await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
    const lost = await lostRights(tx, action);
    if (lost !== null) return failed(lost);
    if ((await findTarget(tx, targetAssetId, EVERYTHING)) === null) return drifted('target_gone');
    return { wrote: await createTask(tx, actionId, parts.clock()) };
  });
  if ('trigger' in made) return made;
  const exists = await withTx(parts.db, { tenantId, mode: 'read' }, (tx) => hasTask(tx, actionId));
  return verdict(parts, action, { kind: 'task', exists }, made.wrote, null);
}

/**
 * Sets or removes a label unless it already is as desired, then verifies it. The target has drifted if its label or
 * version differs from the preview; nothing is then written. The rights are checked again after the source has
 * answered, because that may take long.
 */
export async function changeLabel(attempt: Attempt): Promise<Outcome> {
  const { parts, tenantId, action, signal } = attempt;
  const at = await atSource(attempt);
  if ('trigger' in at) return at;
  const { target, connector, writer } = at;
  const look = await lookAtLabel(connector, target, signal);
  if (look === null) return drifted('target_gone');
  if (look === 'denied') return failed('source_refused');
  const present = labelState(look.label);
  const { currentState, desiredState } = action.preview;
  if (sameState(present, desiredState)) return verifyLabel(attempt, false);
  if (!sameState(present, currentState)) return drifted('label_changed');
  const ifSourceVersion = action.sourceVersion;
  if (ifSourceVersion === null || look.item.sourceVersion !== ifSourceVersion)
    return drifted('version_changed');
  const lost = await withTx(parts.db, { tenantId, mode: 'read' }, (tx) => lostRights(tx, action));
  if (lost !== null) return failed(lost);
  const { scopeExternalId, externalId } = target;
  const item = { scopeExternalId, externalId, ifSourceVersion };
  const { desiredLabelGuid: labelGuid, justification } = action;
  const write = await writer.writeLabel(item, { labelGuid, justification }, signal);
  switch (write.state) {
    case 'gone':
      return drifted('target_gone');
    case 'changed':
      return drifted('version_changed');
    case 'refused':
      return failed(write.reason);
    case 'accepted':
      return awaited(new Date(parts.clock()), write.monitor, FIRST_LOOK_MS);
    case 'written':
      return verifyLabel(attempt, true);
  }
}

/** An accepted write takes seconds to minutes. After this time the label is read one last time. */
const LONGEST_WRITE_MS = 60 * 60_000;
const FIRST_LOOK_MS = 10_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

const awaited = (acceptedAt: Date, monitor: string | null, delayMs: number): Outcome => ({
  trigger: 'awaited',
  reason: 'source_writing',
  delayMs,
  acceptedAt,
  monitor,
});

/**
 * Looks once whether the source has finished a write that it accepted. The label is verified when the source says so, when
 * it no longer knows the write, and when the time is over.
 */
export async function watchWrite(attempt: Attempt, acceptedAt: Date): Promise<Outcome> {
  const at = await atSource(attempt);
  if ('trigger' in at) return at;
  const { monitor } = attempt.action;
  const end =
    monitor === null ? ({ state: 'unknown' } as const) : await at.writer.outcomeOf(monitor, attempt.signal);
  if (end.state === 'failed') return failed(end.reason);
  const isOver = timeLeft(attempt, acceptedAt) <= 0;
  if (end.state === 'pending' && !isOver) return lookAgain(attempt, acceptedAt, null);
  const outcome = await verifyLabel(attempt, true);
  if (outcome.trigger === 'verified' || end.state === 'completed') return outcome;
  if (!isOver) return lookAgain(attempt, acceptedAt, null);
  return outcome.trigger === 'failed' ? { ...outcome, reason: 'source_never_finished' } : outcome;
}

/** The next look at an accepted write: the later, the longer it takes, and not before the source wants to be asked. */
export function lookAgain(attempt: Attempt, acceptedAt: Date, retryAfterMs: number | null): Outcome {
  const left = timeLeft(attempt, acceptedAt);
  if (left <= 0) return failed('source_never_finished');
  const pause = Math.min((LONGEST_WRITE_MS - left) / 2, LONGEST_PAUSE_MS);
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS);
  const delayMs = Math.max(Math.min(Math.max(pause, FIRST_LOOK_MS), left), asked);
  return awaited(acceptedAt, attempt.action.monitor, delayMs);
}

const timeLeft = ({ parts }: Attempt, acceptedAt: Date): number =>
  acceptedAt.getTime() + LONGEST_WRITE_MS - parts.clock();

/** Reads the label at the source and compares it with the desired state. `wrote`: this attempt has written it. */
export async function verifyLabel(attempt: Attempt, wrote: boolean): Promise<Outcome> {
  const { parts, action, signal } = attempt;
  const at = await atSource(attempt);
  if ('trigger' in at) return failed('not_verified');
  const look = await lookAtLabel(at.connector, at.target, signal);
  if (look === null || look === 'denied') return verdict(parts, action, UNKNOWN_LABEL, wrote, null);
  return verdict(parts, action, labelState(look.label), wrote, { loaded: at.loaded, look });
}

/** The target as it is stored now and the connector and writer for it, or why it cannot be reached. */
async function atSource({ parts, tenantId, action: { targetAssetId, mode } }: Attempt) {
  const { target, loaded } = await withTx(parts.db, { tenantId, mode: 'read' }, async (tx) => ({
    target: await findTarget(tx, targetAssetId, EVERYTHING),
    loaded: await loadAssetState(tx, targetAssetId),
  }));
  if (target === null || loaded === null) return drifted('target_gone');
  const path = labelPathOf(parts, tenantId, target);
  return 'blocked' in path || path.writer.mode !== mode
    ? failed('write_path_gone')
    : { ...path, target, loaded };
}

function verdict(
  { clock }: ActionParts,
  { preview }: LockedAction,
  observedState: TargetState,
  wrote: boolean,
  seen: { loaded: AssetState; look: LabelLook } | null,
): Outcome {
  const holds = sameState(observedState, preview.desiredState);
  const verification = { checkedAt: new Date(clock()).toISOString(), observedState, holds, wrote };
  return holds
    ? { trigger: 'verified', verification, seen }
    : { trigger: 'failed', reason: 'not_verified', verification };
}
