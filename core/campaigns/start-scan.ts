import type { AuditEntry } from '../audit/event.ts';
import type { Connector, SourceFamily } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { findConnector, type SourceBlock, type SourceParts } from '../integrations/connector-for.ts';
import type { CampaignId, PrincipalId } from '../kernel/ids.ts';
import { refusedByLicense } from '../licensing/license.ts';
import type { LicenseRefusal } from '../licensing/license-state.ts';
import type { Only } from '../narrowing/narrowing-schema.ts';
import { rulesOfScope } from '../narrowing/scan-rules.sql.ts';
import { findScope, lockSelection, type ScopeRow } from '../sources/scopes.sql.ts';
import { activeCampaign, type ScheduledFor, startCampaign } from './campaigns.sql.ts';
import { holdScans } from './holds.sql.ts';

/** Why a scan was not started. */
export type ScanRefusal =
  | { reason: 'no_scope' }
  | { reason: 'license_required'; because: LicenseRefusal }
  | { reason: 'source_blocked'; family: SourceFamily; block: SourceBlock }
  /** The scope is left out, or the configuration does not select it, or its instance misses settings. */
  | { reason: 'not_selected'; family: SourceFamily }
  /** A delta requires an earlier inventory. */
  | { reason: 'no_inventory' }
  /** `campaignId` is the active scan, or null if it has just ended. */
  | { reason: 'scan_already_active'; campaignId: CampaignId | null };

/** The scope of a scan that could start but for the license and another scan, with the connector that reads it. */
export async function findScannable(
  parts: SourceParts,
  tx: Tx,
  scan: { scopeId: string; kind: 'inventory' | 'delta' },
): Promise<{ scope: ScopeRow; connector: Connector } | { refused: ScanRefusal }> {
  const scope = await findScope(tx, scan.scopeId);
  if (scope === null) return { refused: { reason: 'no_scope' } };
  const { family, coverageState } = scope;
  const found = findConnector(parts, tx.tenantId, family);
  if ('missing' in found) return { refused: { reason: 'source_blocked', family, block: found } };
  // One that the source refuses is asked for in any case: if it is gone for good, its assets end.
  const isLeftOut = !scope.selected && scope.inaccessible === null;
  if (isLeftOut || found.scopeIds?.has(scope.externalId) === false)
    return { refused: { reason: 'not_selected', family } };
  if (scan.kind === 'delta' && coverageState === null) return { refused: { reason: 'no_inventory' } };
  return { scope, connector: found };
}

/** Starts a scan of one scope, or returns why it was not started. */
export async function startScan(
  parts: SourceParts,
  tx: Tx,
  scan: {
    scopeId: string;
    kind: 'inventory' | 'delta';
    only?: Only | undefined;
    createdBy: PrincipalId | null;
    correlationId: string;
    now: number;
    /** By a schedule of an administrator. */
    scheduled?: ScheduledFor;
  },
): Promise<{ started: CampaignId } | { refused: ScanRefusal }> {
  await lockSelection(tx, scan.scopeId);
  const found = await findScannable(parts, tx, scan);
  if ('refused' in found && found.refused.reason === 'no_scope') return found;
  const because = await refusedByLicense(tx, parts, scan.now);
  if (because !== null) return { refused: { reason: 'license_required', because } };
  if ('refused' in found) return found;
  const { scope } = found;
  const { scopeId } = scope;
  const first =
    scan.kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const narrowing = { only: scan.only ?? null, rules: await rulesOfScope(tx, scope) };
  const started = await startCampaign(tx, { ...scan, scopeId, first, narrowing }, scan.now);
  if (started !== null) {
    await holdScans(tx, scan.now, scopeId);
    return { started };
  }
  return { refused: { reason: 'scan_already_active', campaignId: await activeCampaign(tx, scopeId) } };
}

/** The audit entry of a started scan. @param origin what started it, if no person did */
export const scanStarted = (
  campaignId: CampaignId,
  details: { scopeId: string; kind: 'inventory' | 'delta'; only?: Only | undefined },
  origin:
    | { origin: 'change_notification' }
    | { scheduled: true }
    | { scheduled: true; dueAt: string; lateSeconds: number; missedTimes: number }
    | Record<never, never> = {},
): AuditEntry => ({
  category: 'scan',
  type: 'scan_started',
  target: { kind: 'campaign', id: campaignId },
  details: {
    scopeId: details.scopeId,
    kind: details.kind,
    // What it is narrowed by, never to which folders.
    ...(details.only && { narrowedBy: Object.keys(details.only).sort().join(' ') }),
    ...origin,
  },
});
