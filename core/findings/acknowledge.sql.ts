import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type Finding, type FindingRow, findingColumns, shownFinding } from './finding-list.sql.ts';

/** A finding whose row is locked until the transaction ends. */
export type LockedFinding = Finding & { assetId: string };

/** Locks a finding on an asset that the reader may see. It locks the asset first, as a recompute does. */
export async function lockFinding(
  tx: Tx,
  findingId: string,
  visibility: Visibility,
): Promise<LockedFinding | null> {
  const [row] = await tx.query<FindingRow<LockedFinding>>(sql`
    select ${findingColumns}, f.asset_id as "assetId"
      from findings f join assets a using (tenant_id, asset_id)
     where f.tenant_id = ${tx.tenantId} and f.finding_id = ${findingId} and ${visibleAsset(visibility)}
       for no key update of a, f`);
  return row === undefined ? null : shownFinding(row);
}

/** Marks a locked finding as acknowledged by a person and returns it. */
export async function storeAcknowledgement(
  tx: Tx,
  findingId: string,
  { principalId, note, now }: { principalId: string; note: string | null; now: number },
): Promise<Finding> {
  const at = new Date(now);
  const [row] = await tx.query<FindingRow<Finding>>(sql`
    update findings f
       set status = 'acknowledged', acknowledged_by = ${principalId}, acknowledged_at = ${at},
           acknowledge_note = ${note}, acknowledged_decision_id = null, changed_at = ${at}, revision = f.revision + 1
     where f.tenant_id = ${tx.tenantId} and f.finding_id = ${findingId}
    returning ${findingColumns}`);
  if (row === undefined) throw new Error('A locked finding no longer exists');
  return shownFinding(row);
}

/** Marks a locked finding as no longer acknowledged and returns it. */
export async function reopenFinding(tx: Tx, findingId: string, now: number): Promise<Finding> {
  const [row] = await tx.query<FindingRow<Finding>>(sql`
    update findings f set status = 'reopened', changed_at = ${new Date(now)}, revision = f.revision + 1
     where f.tenant_id = ${tx.tenantId} and f.finding_id = ${findingId}
    returning ${findingColumns}`);
  if (row === undefined) throw new Error('A locked finding no longer exists');
  return shownFinding(row);
}
