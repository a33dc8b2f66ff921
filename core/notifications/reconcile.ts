import type { AuditEntry } from '../audit/event.ts';
import { type ScanRefusal, scanStarted, startScan } from '../campaigns/start-scan.ts';
import type { Tx } from '../db/tx.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import type { CampaignId, ScopeId } from '../kernel/ids.ts';
import { noteSkippedScan } from '../licensing/licenses.sql.ts';
import { findScope } from '../sources/scopes.sql.ts';
import { rememberHint } from './hints.sql.ts';
import {
  type ChangeType,
  lastAccepted,
  type NotificationSource,
  type RecordedOutcome,
  recordNotification,
  type SkipReason,
} from './notifications.sql.ts';

/** Repeated hints within this time count as one (specification, *Limits*). */
export const DEDUP_WINDOW_MS = 10_000;

/** A hint that something in a scope has changed. `eventAt`: when, in milliseconds, if the source reports it. */
export type Hint = { changeType: ChangeType; source: NotificationSource; eventAt: number | null };

/** The request in which a hint came, and the time in milliseconds. */
export type Delivery = { correlationId: string; now: number };

type Started = Exclude<RecordedOutcome, { outcome: 'deduplicated' }>;

/** A source that is no longer configured has no readable scope. */
const SKIP_REASON: Readonly<Record<ScanRefusal['reason'], SkipReason>> = {
  no_scope: 'no_scope',
  license_required: 'license_required',
  source_blocked: 'no_scope',
  not_selected: 'no_scope',
  no_inventory: 'no_delta_cursor',
  scan_already_active: 'scan_already_active',
};

/**
 * Acts on one hint about the scope of a subscription and records the outcome. The caller has locked the subscription,
 * so that hints are compared with their predecessors one at a time, however many processes receive them.
 */
export async function reconcile(
  parts: SourceParts,
  tx: Tx,
  subscription: { subscriptionId: string; scopeId: ScopeId },
  hint: Hint,
  delivery: Delivery,
): Promise<RecordedOutcome> {
  const { subscriptionId, scopeId } = subscription;
  const accepted = await lastAccepted(tx, subscriptionId, hint.changeType);
  const recorded: RecordedOutcome =
    accepted !== null && delivery.now - accepted < DEDUP_WINDOW_MS
      ? { outcome: 'deduplicated' }
      : await startDelta(parts, tx, scopeId, delivery);
  if (recorded.outcome !== 'reconcile_enqueued') await rememberHint(tx, subscription, delivery.now);
  // Once for each hint, however often it is tried again.
  if (recorded.outcome === 'reconcile_skipped' && recorded.reason === 'license_required')
    await noteSkippedScan(tx, delivery.now);
  await recordNotification(tx, { ...hint, subscriptionId, receivedAt: delivery.now }, recorded);
  return recorded;
}

/** Starts a delta of a scope as an act of the service itself, or returns why it cannot. */
export async function startDelta(
  parts: SourceParts,
  tx: Tx,
  scopeId: ScopeId,
  { correlationId, now }: Delivery,
): Promise<Started> {
  const scope = await findScope(tx, scopeId);
  if (!scope?.selected) return { outcome: 'reconcile_skipped', reason: 'no_scope' };
  // This also covers the first inventory, which has no cursor yet.
  if (scope.activeCampaignId !== null) {
    return { outcome: 'reconcile_skipped', reason: 'scan_already_active' };
  }
  const scan = { scopeId, kind: 'delta' as const, createdBy: null, correlationId, now };
  const scanned = await startScan(parts, tx, scan);
  if ('started' in scanned) return { outcome: 'reconcile_enqueued', campaignId: scanned.started };
  return { outcome: 'reconcile_skipped', reason: SKIP_REASON[scanned.refused.reason] };
}

/** The audit entry of a delta that a hint started. */
export const deltaStarted = (campaignId: CampaignId, scopeId: ScopeId): AuditEntry =>
  scanStarted(campaignId, { scopeId, kind: 'delta' }, { origin: 'change_notification' });
