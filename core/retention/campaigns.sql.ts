import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { LetGo } from './removed.sql.ts';

/** Units deleted in one transaction. A campaign can have a million. */
const UNITS = 2_000;

/**
 * Deletes ended campaigns, their units first, at most `UNITS` in one call. A campaign goes with its last unit, so that
 * what a crash leaves behind goes with the next sweep. Campaigns that a person is retrying are skipped.
 */
export async function deleteCampaigns(tx: Tx, ids: readonly string[], rest: Statement): Promise<LetGo> {
  const locked = await tx.query<{ id: string }>(sql`
    select k.campaign_id as id from campaigns k
     where k.tenant_id = ${tx.tenantId} and k.campaign_id = any(${ids}::text[]) and ${rest}
       for update skip locked`);
  const going = locked.map(({ id }) => id);
  if (going.length === 0) return { removed: {}, finished: true };
  const units = await tx.query<{ unitId: number }>(sql`
    select unit_id as "unitId" from work_units
     where tenant_id = ${tx.tenantId} and campaign_id = any(${going}::text[]) limit ${UNITS}`);
  const unitIds = units.map(({ unitId }) => unitId);
  await tx.execute(sql`
    delete from dead_letters where tenant_id = ${tx.tenantId} and unit_id = any(${unitIds}::bigint[])`);
  const unitsGone = await tx.execute(sql`
    delete from work_units where tenant_id = ${tx.tenantId} and unit_id = any(${unitIds}::bigint[])`);
  if (unitsGone === UNITS) return { removed: { work_units: unitsGone }, finished: false };
  await tx.execute(sql`
    delete from campaign_stage_counts where tenant_id = ${tx.tenantId} and campaign_id = any(${going}::text[])`);
  await tx.execute(sql`
    delete from campaign_left_out where tenant_id = ${tx.tenantId} and campaign_id = any(${going}::text[])`);
  const campaigns = await tx.execute(sql`
    delete from campaigns c
     where c.tenant_id = ${tx.tenantId} and c.campaign_id = any(${going}::text[])
       and not exists (select from work_units u where u.campaign_id = c.campaign_id)`);
  return { removed: { work_units: unitsGone, campaigns }, finished: true };
}
