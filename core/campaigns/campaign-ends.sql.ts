import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { CampaignId, TenantId } from '../kernel/ids.ts';
import type { CampaignKind, CampaignOrigin } from './campaigns.sql.ts';

/** The result of a campaign when it ended, and who started it. */
export type CampaignEnd = CampaignOrigin & {
  campaignId: CampaignId;
  kind: CampaignKind;
  status: 'completed' | 'cancelled';
  unitsCompleted: number;
  unitsDead: number;
  unitsCancelled: number;
  incomplete: boolean;
  startedAt: Date | null;
  finishedAt: Date | null;
};

/**
 * Takes the oldest ends that nobody has taken, at most `limit`. A concurrent call for the same ends waits and does
 * not get them. The database records an end with the change of the campaign (`migrations/0049_audit_traces.sql`).
 */
export async function takeCampaignEnds(tx: Tx, limit: number): Promise<CampaignEnd[]> {
  const rows = await tx.query<CampaignEnd & { endId: number }>(sql`
    with taken as (
      delete from campaign_ends
       where tenant_id = ${tx.tenantId}
         and end_id = any (array(
           select end_id from campaign_ends where tenant_id = ${tx.tenantId} order by end_id limit ${limit}))
      returning *
    )
    select t.end_id as "endId", t.campaign_id as "campaignId", c.kind, t.status, t.units_completed as "unitsCompleted",
           t.units_dead as "unitsDead", t.units_cancelled as "unitsCancelled", c.started_at as "startedAt",
           c.listing_units_dead > 0 as incomplete, t.finished_at as "finishedAt", c.created_by as "createdBy", c.correlation_id as "correlationId"
      from taken t join campaigns c using (tenant_id, campaign_id)
     order by t.end_id`);
  return rows.map(({ endId, ...end }) => end);
}

/** Tenants with ends that nobody has taken. */
export async function tenantsWithCampaignEnds(tx: EngineTx): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select distinct tenant_id as "tenantId" from campaign_ends order by tenant_id`);
  return rows.map((row) => row.tenantId);
}
