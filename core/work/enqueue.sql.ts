import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { CampaignId } from '../kernel/ids.ts';
import type { UnitKind } from '../kernel/vocabulary.ts';

export type NewUnit = { kind: UnitKind; logicalKey: string; payload: unknown };

/**
 * Adds units to a campaign and to its total. They are due at once, even if the clock of this process is ahead. Units
 * whose logical key the campaign already has are ignored. Returns the number of added units.
 */
export async function enqueueUnits(
  tx: Tx,
  campaignId: CampaignId,
  units: readonly NewUnit[],
  now: number,
): Promise<number> {
  if (units.length === 0) return 0;
  const [row] = await tx.query<{ added: number }>(sql`
    with counted as (
      select add_units(${campaignId}, ${units.map((unit) => unit.kind)}::text[],
                       ${units.map((unit) => unit.logicalKey)}::text[],
                       ${units.map((unit) => JSON.stringify(unit.payload))}::text[], least(${new Date(now)}, statement_timestamp())) as added
    )
    update campaigns set units_total = units_total + counted.added
      from counted where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId}
    returning counted.added`);
  return row?.added ?? 0;
}

export async function hasUnit(tx: Tx, campaignId: CampaignId, logicalKey: string): Promise<boolean> {
  const found = await tx.query(sql`
    select 1 from work_units
     where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId} and logical_key = ${logicalKey}`);
  return found.length > 0;
}
