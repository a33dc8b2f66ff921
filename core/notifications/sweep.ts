import { appendAudit } from '../audit/append.ts';
import { auditText } from '../audit/event.ts';
import type { Tx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';

export type SweepOptions = {
  signal: AbortSignal;
  /** Milliseconds after which what is left is left to the next sweep. */
  budgetMs: number;
};

/** A tenant that takes long keeps few others waiting. */
const TENANTS_AT_ONCE = 4;

/** Runs `sweep` for each tenant, a few at once, until `signal` aborts; what fails for some is thrown when all are done. */
export async function forEachTenant(
  tenants: readonly TenantId[],
  signal: AbortSignal,
  sweep: (tenantId: TenantId) => Promise<void>,
): Promise<void> {
  const waiting = tenants.values();
  const errors: unknown[] = [];
  const lane = async () => {
    for (const tenantId of waiting) {
      if (signal.aborted) return;
      await sweep(tenantId).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, lane));
  if (errors.length > 0 && !signal.aborted) throw new AggregateError(errors, 'Some tenants were not swept');
}

/** Audits what a sweep did to subscriptions, in the transaction that did it. Nobody is its principal. */
export const auditSweep = (
  tx: Tx,
  type: 'subscription_renew_failed' | 'subscription_expired',
  subscriptionIds: readonly string[],
  now: number,
): Promise<void> => {
  const source = { tenantId: tx.tenantId, principalId: null, correlationId: newId('cor', now), now };
  const entry = (id: string) =>
    auditText(source, { category: 'config', type, target: { kind: 'subscription', id } });
  return appendAudit(tx, subscriptionIds.map(entry));
};
