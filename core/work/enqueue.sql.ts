import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { CampaignId } from '../kernel/ids.ts';
import type { UnitKind } from '../kernel/vocabulary.ts';

export type NewUnit = { kind: UnitKind; logicalKey: string; payload: unknown };

/**
 * Adds units to a campaign; those whose logical key it already has are no-ops. Returns how many were new, which is
 * also how far the campaign's total moved.
 */
export async function enqueueUnits(
  tx: Tx,
  campaignId: CampaignId,
  units: readonly NewUnit[],
  now: number,
): Promise<number> {
  if (units.length === 0) return 0;
  const [row] = await tx.query<{ added: number }>(sql`
    with added as (
      insert into work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
      select ${tx.tenantId}, ${campaignId}, u.kind, u.logical_key, u.payload::jsonb, ${new Date(now)}, ${new Date(now)}
        from unnest(${units.map((unit) => unit.kind)}::text[],
                    ${units.map((unit) => unit.logicalKey)}::text[],
                    ${units.map((unit) => JSON.stringify(unit.payload))}::text[]) as u (kind, logical_key, payload)
      on conflict on constraint work_units_once do nothing
      returning 1
    ), counted as (select count(*)::int as added from added)
    update campaigns set units_total = units_total + counted.added
      from counted where tenant_id = ${tx.tenantId} and campaign_id = ${campaignId}
    returning counted.added`);
  return row?.added ?? 0;
}
