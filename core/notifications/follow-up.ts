import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { withEngineTx, withTx } from '../db/tx.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { ringOrWarn } from '../work/doorbell.ts';
import type { CompletedCampaign } from '../work/settle.sql.ts';
import { actionableHints, findHint, forgetHint, rememberHint } from './hints.sql.ts';
import { logLost, type ReceiveParts } from './receive.ts';
import { DEDUP_WINDOW_MS, deltaStarted, startDelta } from './reconcile.ts';
import { reconcileLags } from './reconcile-lag.sql.ts';
import { lockSubscription } from './subscriptions.sql.ts';

/** Maximum number of hints processed in one run. The next run takes the others. */
const MAX_HINTS = 100;

/**
 * After campaigns have ended: measures how long their notifications took, and processes the hints that waited for
 * them.
 */
export async function afterCampaigns(
  parts: ReceiveParts,
  completed: readonly CompletedCampaign[],
): Promise<void> {
  for (const [tenantId, campaigns] of Map.groupBy(completed, (campaign) => campaign.tenantId)) {
    const ids = campaigns.map(({ campaignId }) => campaignId);
    const lags = await withTx(parts.db, { tenantId, mode: 'read' }, (tx) => reconcileLags(tx, ids));
    for (const lag of lags) parts.metrics.observe('notification_reconcile_lag_ms', lag);
  }
  await followUp(parts);
}

/**
 * Starts a delta for each remembered hint that no later scan covers: a scan that was active when the hint came may
 * have already passed the change. If the last delta of a scope began within the dedup window, its hints wait, so that
 * a source that notifies all the time gets one delta per window. Concurrent and repeated runs are safe. A failed
 * delta is not repeated.
 */
export async function followUp(parts: ReceiveParts): Promise<void> {
  const now = parts.clock();
  const waiting = await withEngineTx(parts.db, (tx) =>
    actionableHints(tx, { quietSince: now - DEDUP_WINDOW_MS, limit: MAX_HINTS }),
  );
  for (const each of waiting) {
    const delivery = { correlationId: newId('cor', now), now };
    try {
      if (await followUpOne(parts, each, delivery)) await ringOrWarn(parts, 1, 0);
    } catch (error) {
      logLost(parts, each, delivery, error);
    }
  }
}

function followUpOne(
  parts: ReceiveParts,
  { tenantId, subscriptionId }: { tenantId: TenantId; subscriptionId: string },
  delivery: { correlationId: string; now: number },
): Promise<boolean> {
  return withTx(parts.db, { tenantId, mode: 'write' }, async (tx) => {
    await lockSubscription(tx, subscriptionId);
    const hint = await findHint(tx, subscriptionId);
    if (hint === null) return false;
    const delta = hint.covered ? null : await startDelta(parts, tx, hint.scopeId, delivery);
    // Another scan has started at the same moment. The hint now waits for its end.
    if (delta?.outcome === 'reconcile_skipped' && delta.reason === 'scan_already_active') return false;
    if (delta?.outcome === 'reconcile_skipped' && delta.reason === 'license_required') {
      // It waits behind the hints of others until scans may start again.
      await rememberHint(tx, { subscriptionId, scopeId: hint.scopeId }, delivery.now);
      return false;
    }
    await forgetHint(tx, subscriptionId);
    if (delta?.outcome !== 'reconcile_enqueued') return false;
    const source = { tenantId, principalId: null, ...delivery };
    await appendAudit(tx, [auditText(source, deltaStarted(delta.campaignId, hint.scopeId))]);
    return true;
  });
}
