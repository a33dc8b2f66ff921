import { forEachTenant } from '../authz/for-each-tenant.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { withEngineTx, withTx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { secretIdOf } from './client-state.ts';
import { notifierFor, type SubscriptionParts } from './notifier.ts';
import { type AtSource, registerAtSource } from './register-at-source.ts';
import { SUBSCRIPTION_LIFETIME_MS } from './subscription-states.ts';
import {
  CALL_TIMEOUT_MS,
  claimDueRenewals,
  type DueRenewal,
  lockClaimed,
  moveSubscription,
  releaseClaim,
  tenantsToRenew,
} from './subscriptions.sql.ts';
import { auditSweep, type SweepOptions } from './sweep.ts';

/**
 * `postponed`: the source asked for a delay that still leaves time, or the process is stopping. A later sweep tries
 * again.
 */
export type RenewalTally = { renewed: number; failed: number; postponed: number };

/** Concurrent calls to the source for one tenant. */
const BATCH = 4;
/** Minimum time between two attempts for one subscription, whatever its lifetime or the requested delay. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Renews a tenant's subscriptions that have less than 20 minutes left, and at once those that the source wants authorized
 * again (`expiring`): a renewal authorizes too. An attempt asks the source a second time if it refuses. A failed attempt
 * leads to `error` with `renew_failed`, as the specification requires, and `resubscribe` registers again. If the source
 * asks for a delay that still leaves time, the attempt is postponed and has not failed yet. Concurrent runs are safe: each
 * subscription is claimed first, and the result is stored only if the claim still holds.
 */
export async function renewDue(
  parts: SubscriptionParts,
  tenantId: TenantId,
  { signal, budgetMs }: SweepOptions,
): Promise<RenewalTally> {
  const tally: RenewalTally = { renewed: 0, failed: 0, postponed: 0 };
  const deadline = parts.clock() + budgetMs;
  while (!signal.aborted && parts.clock() < deadline) {
    const due = await withTx(parts.db, { tenantId, mode: 'write', signal }, (tx) =>
      claimDueRenewals(tx, BATCH, parts.clock()),
    );
    if (due.length === 0) break;
    const results = await Promise.allSettled(due.map((each) => renewOne(parts, tenantId, each, signal)));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      if (result.value !== null) tally[result.value]++;
    }
  }
  return tally;
}

/** Runs `renewDue` for every tenant, the most urgent first. If one tenant fails, the others are still processed. */
export async function renewSubscriptions(parts: SubscriptionParts, options: SweepOptions): Promise<void> {
  const deadline = parts.clock() + options.budgetMs;
  const tenants = await withEngineTx(parts.db, (tx) => tenantsToRenew(tx, parts.clock()), options.signal);
  await forEachTenant(tenants, options.signal, async (tenantId) => {
    await renewDue(parts, tenantId, { ...options, budgetMs: deadline - parts.clock() });
  });
}

/** Null if another process has changed the subscription in the meantime. */
async function renewOne(
  parts: SubscriptionParts,
  tenantId: TenantId,
  due: DueRenewal,
  stopping: AbortSignal,
): Promise<keyof RenewalTally | null> {
  const answer = await callSource(parts, tenantId, due, stopping);
  const now = parts.clock();
  const outcome = await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
    const held = await lockClaimed(tx, due);
    if (held === null) return null;
    const again = new Date(now + Math.max(AGAIN_AFTER_MS, answer.retryAfterMs ?? 0));
    if (answer.kind === 'granted') {
      await releaseClaim(tx, due, { waitUntil: again });
      const { granted } = answer;
      const moved = await moveSubscription(tx, held, 'renewed', { ...granted, renewedAt: new Date(now) });
      return moved && 'renewed';
    }
    if (stopping.aborted || (answer.retryAfterMs !== null && again < due.expiresAt)) {
      await releaseClaim(tx, due, { waitUntil: stopping.aborted ? null : again });
      return 'postponed';
    }
    await releaseClaim(tx, due);
    if ((await moveSubscription(tx, held, 'renewal_failed')) === null) return null;
    await auditSweep(tx, 'subscription_renew_failed', [due.subscriptionId], now);
    return 'failed';
  });
  if (outcome === 'renewed') parts.metrics.count(`change_subscription_renewed:${due.mode}`);
  if (outcome === 'failed') parts.metrics.count('change_subscription_renew_failed');
  return outcome;
}

type Answer =
  | { kind: 'granted'; granted: AtSource | Pick<AtSource, 'expiresAt'>; retryAfterMs: null }
  /** `retryAfterMs`: the delay that the source asked for, or null. */
  | { kind: 'refused'; retryAfterMs: number | null };

/**
 * Renews a subscription. If its client state is of another session secret than the present one, registers it again,
 * because a source does not change the client state of a subscription. Every failure of the source counts as its
 * refusal, and a changed configuration too.
 */
async function callSource(
  parts: SubscriptionParts,
  tenantId: TenantId,
  due: DueRenewal,
  stopping: AbortSignal,
): Promise<Answer> {
  try {
    const notifier = notifierFor(parts, tenantId, due.family);
    // A mock source and a live source do not know each other's subscriptions.
    if (notifier.mode !== due.mode) return { kind: 'refused', retryAfterMs: null };
    const ask = () => {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
      const until = new Date(parts.clock() + SUBSCRIPTION_LIFETIME_MS);
      return due.secretId === secretIdOf(parts.config.SVC_SESSION_SECRET)
        ? notifier.renew(due.externalId, until, signal)
        : registerAtSource(parts, notifier, due, signal);
    };
    return { kind: 'granted', granted: await askTwice(ask), retryAfterMs: null };
  } catch (error) {
    if (!(error instanceof ConnectorError || error instanceof ServiceError)) throw error;
    return { kind: 'refused', retryAfterMs: error instanceof ConnectorError ? error.retryAfterMs : null };
  }
}

/** Graph refuses a renewal now and then without a reason that stays, for example after a slow handshake. */
async function askTwice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const asksToWait = error instanceof ConnectorError && error.retryClass === 'throttled';
    if (asksToWait) throw error;
    return ask();
  }
}
