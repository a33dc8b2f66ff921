import { type Db, withQueueTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type Doorbell, ringOrWarn } from './doorbell.ts';
import type { HeldLeases } from './held-leases.ts';
import { momentOf } from './moment.sql.ts';
import { PAUSE_MS } from './own-parts.ts';
import { nextStep } from './retry-policy.ts';
import { type CompletedCampaign, type Settlement, settleUnits } from './settle.sql.ts';
import { type UnitOutcome, unitFields, type WorkUnit } from './unit.ts';

/** An attempt that has ended in this process and is not settled yet. */
export type Attempted = { unit: WorkUnit; outcome: UnitOutcome };

/** `failed` counts attempts, including those that are retried. */
export type Tally = { processed: number; failed: number };

export type SettleParts = {
  /** The lease owner: this process since this start. */
  owner: string;
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  doorbell: Doorbell | null;
  /**
   * Called after the commit with campaigns that this settlement ended. It may be called twice or never for a
   * campaign.
   */
  onCampaignsCompleted?: (campaigns: readonly CompletedCampaign[]) => Promise<void>;
};

/**
 * Settles attempts in one statement, releases their leases, counts them in `tally`, and rings for the first retry.
 * Returns how many took effect. A unit that another worker has leased since is not settled.
 */
export async function settleAttempts(
  parts: SettleParts,
  { leases, tally }: { leases: HeldLeases; tally: Tally },
  batch: readonly Attempted[],
): Promise<number> {
  const { owner, db, clock, log, metrics, doorbell, onCampaignsCompleted } = parts;
  const now = clock();
  const settlements = batch.map(({ unit, outcome }) => toSettlement(unit, outcome, now));
  const { units: effective, completed } = await withQueueTx(
    db,
    { lasting: true, planned: 'each time' },
    (tx) => settleUnits(tx, owner, settlements, now, momentOf(clock)),
  );
  leases.letGo(batch.map(({ unit }) => unit));
  for (const [nth, { unit, outcome }] of batch.entries()) {
    const { kind, unitId, tenantId, campaignId } = unit;
    if (effective.has(unitId)) {
      const { result, retryClass } = settlements[nth] ?? {};
      log.debug('unit_settled', {
        ...unitFields(unit),
        outcome: result,
        retryClass: retryClass ?? undefined,
      });
    }
    if (!effective.has(unitId)) log.warn('stale_settle_refused', { kind, unitId, tenantId, campaignId });
    else if (outcome.kind === 'completed') {
      tally.processed++;
      metrics.count(`work_completed:${kind}`);
    } else if (outcome.kind === 'failed') {
      tally.failed++;
      metrics.count(`work_failed:${outcome.retryClass}`);
    }
  }
  if (completed.length > 0) {
    await onCampaignsCompleted?.(completed).catch((error: unknown) =>
      log.warn('after_campaign_failed', {}, error),
    );
  }
  const delays = settlements.flatMap(({ runAfter }) => (runAfter === null ? [] : [runAfter - now]));
  if (delays.length > 0) await ringOrWarn({ doorbell, log }, 1, Math.min(...delays));
  return effective.size;
}

function toSettlement(unit: WorkUnit, outcome: UnitOutcome, now: number): Settlement {
  const base = {
    unitId: unit.unitId,
    attempt: unit.attempt,
    runAfter: null,
    retryClass: null,
    safeDiagnostic: null,
    deadLetterId: null,
    stages: {},
    use: unit.use,
  };
  if (outcome.kind === 'completed') return { ...base, result: 'completed', stages: outcome.stages };
  if (outcome.kind === 'handed_back')
    // Others may take their turn before it is tried again.
    return { ...base, result: 'handed_back', runAfter: outcome.problem ? now + PAUSE_MS : null };
  const next = nextStep(outcome.retryClass, unit.attempt, unit.maxAttempts, outcome.retryAfterMs);
  if (next.kind === 'retry') return { ...base, result: 'retry', runAfter: now + next.delayMs };
  return {
    ...base,
    result: 'dead',
    retryClass: outcome.retryClass,
    safeDiagnostic: outcome.safeDiagnostic,
    deadLetterId: newId('dlq', now),
  };
}
