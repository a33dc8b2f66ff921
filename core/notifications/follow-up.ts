import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { ringOrWarn } from '../work/doorbell.ts';
import type { CompletedCampaign } from '../work/settle.sql.ts';
import { actionableHints, findHint, forgetHint } from './hints.sql.ts';
import { logLost, type ReceiveParts } from './receive.ts';
import { DEDUP_WINDOW_MS, deltaStarted, startDelta } from './reconcile.ts';
import { reconcileLags } from './reconcile-lag.sql.ts';
import { lockSubscription } from './subscriptions.sql.ts';

export type FollowUpParts = ReceiveParts & { clock: Clock };

/** Hints acted upon at once; the next run takes the others. */
const MAX_HINTS = 100;

/** After campaigns have ended: measures how long their notifications took, and does what hints wait for. */
export async function afterCampaigns(
  parts: FollowUpParts,
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
 * Starts a delta for each hint that started none itself and that no scan has begun after: what was active when it came
 * may have passed the change already. A scope whose last delta began a moment ago waits, so that a source that never
 * stops telling has one delta per dedup window. Safe to run anywhere, at any time, and twice at once; a delta that fails
 * is not repeated.
 */
export async function followUp(parts: FollowUpParts): Promise<void> {
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
  { config, db }: FollowUpParts,
  { tenantId, subscriptionId }: { tenantId: TenantId; subscriptionId: string },
  delivery: { correlationId: string; now: number },
): Promise<boolean> {
  return withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await lockSubscription(tx, subscriptionId);
    const hint = await findHint(tx, subscriptionId);
    if (hint === null) return false;
    const delta = hint.covered ? null : await startDelta({ config, db }, tx, hint.scopeId, delivery);
    // A scan that was started this very moment; its end is what the hint waits for now.
    if (delta?.outcome === 'reconcile_skipped' && delta.reason === 'scan_already_active') return false;
    await forgetHint(tx, subscriptionId);
    if (delta?.outcome !== 'reconcile_enqueued') return false;
    const source = { tenantId, principalId: null, ...delivery };
    await appendAudit(tx, [auditText(source, deltaStarted(delta.campaignId, hint.scopeId))]);
    return true;
  });
}
