import { withTx } from '../db/tx.ts';
import { UnitFailure } from '../work/failure.ts';
import type { WorkUnit } from '../work/unit.ts';
import { countedFor } from './counted-connector.ts';
import type { SourceOfUnit } from './folder-permissions.ts';
import { scopeOfCampaign } from './inventory.sql.ts';
import type { ScanParts } from './scan-parts.ts';

/** The scope of the unit's campaign, and its connector, which counts for the unit. Throws `UnitFailure` if the scope is gone. */
export async function sourceOf(parts: ScanParts, unit: WorkUnit): Promise<SourceOfUnit> {
  const scope = await withTx(parts.db, { tenantId: unit.tenantId, mode: 'read' }, (tx) =>
    scopeOfCampaign(tx, unit.campaignId),
  );
  if (scope === null) throw new UnitFailure('permanent', 'scope_gone');
  return { scope, connector: countedFor(parts.connectorFor(unit.tenantId, scope.family), unit.use) };
}
