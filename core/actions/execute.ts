import { withAuditedTx } from '../audit/audited-tx.ts';
import type { Tx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import type { RetryClass } from '../kernel/vocabulary.ts';
import { storeLabelLook } from '../scan/observe-label.ts';
import { classifyFailure } from '../work/failure.ts';
import { nextStep } from '../work/retry-policy.ts';
import type { ActionParts } from './action-parts.ts';
import type { OutcomeReason } from './action-schema.ts';
import { type LockedAction, lockAction, type Mover, moveAction } from './actions.sql.ts';
import {
  type Attempt,
  changeLabel,
  lookAgain,
  makeTask,
  type Outcome,
  verifyLabel,
  watchWrite,
} from './attempt.ts';
import { lostRights } from './rights.ts';

/** Milliseconds after which another process may take over an execution. Longer than an attempt takes. */
export const LEASE_MS = 60_000;
/** The approver's request waits for the attempt. */
const ATTEMPT_TIMEOUT_MS = 25_000;
const MAX_ATTEMPTS = 6;
/** How often the label is read again if a scan stores the asset between the read and the commit. */
const MAX_LOOKS = 3;

/**
 * Executes an approved action and verifies it at its source, unless another process is executing it. The source is
 * written only once, even with concurrent calls and crashes: each attempt first reads the present state, writes only
 * to the version of the preview, and its result is dropped if its lease has expired. A source that goes on with the
 * write after its answer is not waited for: a sweep looks again. If a process dies before it has stored that the source
 * accepted the write, and the label cannot be read yet, the same label is written a second time. Throws errors of the database; a
 * later sweep then continues.
 */
export async function executeAction(parts: ActionParts, tenantId: TenantId, actionId: string): Promise<void> {
  const action = await claimAction(parts, tenantId, actionId);
  if (action === null) return;
  const signal = AbortSignal.any([parts.stopping, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
  const attempt: Attempt = { parts, tenantId, action, signal };
  const ended = (outcome: Promise<Outcome>) =>
    outcome.catch((error: unknown) => afterFailure(attempt, error));
  let outcome = await ended(execution(attempt));
  for (let looks = 1; !(await settle(attempt, outcome, looks === MAX_LOOKS)); looks++) {
    const wrote = outcome.trigger === 'verified' && outcome.verification.wrote;
    outcome = await ended(verifyLabel(attempt, wrote));
  }
}

function execution(attempt: Attempt): Promise<Outcome> {
  const { kind, acceptedAt } = attempt.action;
  if (kind === 'internal_task') return makeTask(attempt);
  return acceptedAt === null ? changeLabel(attempt) : watchWrite(attempt, acceptedAt);
}

/**
 * Claims an action for the time of a lease. Null if it is not due, or if it now fails because it has no attempts left
 * or because its requester or approver has lost their rights. A write that the source has accepted can no longer be
 * stopped: looking at it is no further attempt and needs no rights.
 */
export const claimAction = (
  parts: ActionParts,
  tenantId: TenantId,
  actionId: string,
): Promise<LockedAction | null> =>
  asService(parts, tenantId, actionId, null, async (tx, action, by) => {
    if (action.dueAt === null || action.dueAt.getTime() > by.now) return null;
    const dueAt = new Date(by.now + LEASE_MS);
    const { acceptedAt, monitor } = action;
    if (acceptedAt !== null) return moveAction(tx, action, 'claimed', by, { dueAt, acceptedAt, monitor });
    if (action.attempt >= MAX_ATTEMPTS) {
      await moveAction(tx, action, 'failed', by, { outcomeReason: 'attempts_spent' });
      return null;
    }
    const claimed = await moveAction(tx, action, 'claimed', by, {
      attempt: action.attempt + 1,
      dueAt,
    });
    const outcomeReason = await lostRights(tx, claimed);
    if (outcomeReason === null) return claimed;
    await moveAction(tx, claimed, 'failed', by, { outcomeReason });
    return null;
  });

/**
 * Stores the result of an attempt, unless the attempt was given up. Returns false and stores nothing if a scan has
 * stored the asset since the attempt loaded it. The `last` time it stores the result without the label, which that
 * scan or the next one updates.
 */
const settle = (
  { parts, tenantId, action: { actionId, revision } }: Attempt,
  outcome: Outcome,
  last: boolean,
): Promise<boolean> =>
  asService(parts, tenantId, actionId, true, async (tx, action, by) => {
    // Every change since the claim raises the revision.
    if (action.revision !== revision) return true;
    if (outcome.trigger === 'verified') {
      const { seen, verification } = outcome;
      const stored = seen === null || (await storeLabelLook(tx, seen.loaded, seen.look, by.now));
      if (!stored && !last) return false;
      await moveAction(tx, action, 'verified', by, { verification });
    } else if (outcome.trigger === 'postponed' || outcome.trigger === 'awaited') {
      const { trigger, reason: outcomeReason, delayMs, ...accepted } = outcome;
      const dueAt = new Date(by.now + delayMs);
      await moveAction(tx, action, trigger, by, { ...accepted, outcomeReason, dueAt });
    } else {
      const verification = outcome.trigger === 'failed' ? (outcome.verification ?? null) : null;
      await moveAction(tx, action, outcome.trigger, by, { outcomeReason: outcome.reason, verification });
    }
    return true;
  });

/**
 * Runs a transaction on an action in which the service itself acts. Its events have the correlation id of the
 * approval. Returns `absent` if the action does not exist.
 */
function asService<T>(
  { db, clock }: ActionParts,
  tenantId: TenantId,
  actionId: string,
  absent: T,
  fn: (tx: Tx, action: LockedAction, by: Mover) => Promise<T>,
): Promise<T> {
  const now = clock();
  const source = { tenantId, principalId: null, correlationId: newId('cor', now), now };
  return withAuditedTx(db, source, async (tx, events) => {
    const action = await lockAction(tx, actionId, { kind: 'tenant' });
    if (action === null) return absent;
    source.correlationId = action.correlationId ?? source.correlationId;
    return fn(tx, action, { principalId: null, now, audit: (entry) => events.push(entry) });
  });
}

const REASON_OF: Partial<Record<RetryClass, OutcomeReason>> = {
  throttled: 'source_throttled',
  transient: 'source_unavailable',
};

/** A failed call may still have written the label, so the next attempt reads first. */
function afterFailure(of: Attempt, error: unknown): Outcome {
  const { retryClass, retryAfterMs } = classifyFailure(error);
  const { attempt, acceptedAt } = of.action;
  if (acceptedAt !== null) return lookAgain(of, acceptedAt, retryAfterMs);
  const reason = REASON_OF[retryClass] ?? 'source_refused';
  const step = nextStep(retryClass, attempt, MAX_ATTEMPTS, retryAfterMs);
  return step.kind === 'dead'
    ? { trigger: 'failed', reason }
    : { trigger: 'postponed', reason, delayMs: step.delayMs };
}
