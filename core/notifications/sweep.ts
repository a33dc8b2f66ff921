import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';

export type SweepOptions = {
  signal: AbortSignal;
  /** Milliseconds after which the rest waits for the next sweep. */
  budgetMs: number;
};

/** Audits what a sweep did to subscriptions, in the same transaction. The events have no principal. */
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
