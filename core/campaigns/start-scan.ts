import type { AuditEntry } from '../audit/event.ts';
import type { Config } from '../config.ts';
import type { Db, Tx } from '../db/tx.ts';
import { connectorFor } from '../integrations/connector-for.ts';
import { notFound, validationFailed } from '../kernel/errors.ts';
import type { CampaignId, PrincipalId } from '../kernel/ids.ts';
import { findScope } from '../sources/scopes.sql.ts';
import { startCampaign } from './campaigns.sql.ts';

/**
 * Starts a scan of one scope. Throws `not_found`, `conflict` (one is active), `validation_failed` (a delta without
 * an inventory before it) and `blocked_capability` (the source is not configured any more).
 */
export async function startScan(
  { config, db }: { config: Config; db: Db },
  tx: Tx,
  scan: {
    scopeId: string;
    kind: 'inventory' | 'delta';
    createdBy: PrincipalId | null;
    correlationId: string;
    now: number;
  },
): Promise<CampaignId> {
  const scope = await findScope(tx, scan.scopeId);
  if (scope === null) throw notFound();
  connectorFor(config, db, tx.tenantId, scope.family);
  if (scan.kind === 'delta' && scope.coverageState === null) {
    throw validationFailed([{ path: 'kind', message: 'Run an inventory of this scope first.' }]);
  }
  const first =
    scan.kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  return startCampaign(tx, { ...scan, scopeId: scope.scopeId, first }, scan.now);
}

/** The audit entry of a scan that was started. @param origin where no person started it */
export const scanStarted = (
  campaignId: CampaignId,
  details: { scopeId: string; kind: 'inventory' | 'delta' },
  origin: { origin: 'change_notification' } | { scheduled: true } | Record<never, never> = {},
): AuditEntry => ({
  category: 'scan',
  type: 'scan_started',
  target: { kind: 'campaign', id: campaignId },
  details: { scopeId: details.scopeId, kind: details.kind, ...origin },
});
