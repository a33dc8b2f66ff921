import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import { withEngineTx, withTx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import { fewAtATime } from '../kernel/few-at-a-time.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { rememberHint } from './hints.sql.ts';
import { notifierFor, type SubscriptionParts } from './notifier.ts';
import { completeSubscription, registerSubscription, subscriptionCreated } from './subscribe.ts';
import { type LostSubscription, lostSubscriptions, tenantsToRegister } from './subscriptions.sql.ts';
import type { SweepOptions } from './sweep.ts';

/** Subscriptions of one tenant in one sweep. The next one takes the others. */
const MAX_LOST = 1_000;

/**
 * Registers a tenant's lost subscriptions again, as `POST /api/admin/notifications/subscribe` does: those in `error`,
 * `removed` or `expired` of selected scopes. After a refusal the next attempt waits (`registerAgainAfterMs`). Returns how
 * many were registered.
 */
export async function resubscribe(
  parts: SubscriptionParts,
  tenantId: TenantId,
  { signal, budgetMs }: SweepOptions,
): Promise<number> {
  const deadline = parts.clock() + budgetMs;
  const lost = await withTx(parts.db, { tenantId, mode: 'read', signal }, (tx) =>
    lostSubscriptions(tx, MAX_LOST, parts.clock()),
  );
  const registered = await fewAtATime(lost, (each) => registerAgain(parts, tenantId, each), {
    goesOn: () => !signal.aborted && parts.clock() < deadline,
  });
  return registered.filter(Boolean).length;
}

/** Runs `resubscribe` for every tenant. If one tenant fails, the others are still processed. */
export async function resubscribeAll(parts: SubscriptionParts, options: SweepOptions): Promise<void> {
  const deadline = parts.clock() + options.budgetMs;
  const tenants = await withEngineTx(parts.db, (tx) => tenantsToRegister(tx, parts.clock()), options.signal);
  await forEachTenant(tenants, options.signal, async (tenantId) => {
    await resubscribe(parts, tenantId, { ...options, budgetMs: deadline - parts.clock() });
  });
}

async function registerAgain(
  parts: SubscriptionParts,
  tenantId: TenantId,
  { scopeId, family, mode }: LostSubscription,
): Promise<boolean> {
  try {
    // A mock source and a live source do not know each other's scopes.
    if (notifierFor(parts, tenantId, family).mode !== mode) return false;
    const registration = await registerSubscription(parts, tenantId, scopeId);
    const now = parts.clock();
    const created = await withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
      const { subscription, created } = await completeSubscription(tx, registration);
      if (!created) return false;
      // The source reported nothing meanwhile.
      await rememberHint(tx, subscription, now);
      const source = { tenantId, principalId: null, correlationId: newId('cor', now), now };
      await appendAudit(tx, [auditText(source, subscriptionCreated(subscription))]);
      return true;
    });
    if (created) parts.metrics.count(`change_subscription_created:${mode}`);
    return created;
  } catch (error) {
    // The source refused, which the subscription notes, or the configuration does.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
