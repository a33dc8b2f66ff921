import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { CampaignId, ScopeId } from '../kernel/ids.ts';

/** The paths of those of the given folders that are placed. */
export async function pathsOfFolders(
  tx: Tx,
  scopeId: ScopeId,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ externalId: string; path: string }>(sql`
    select external_id as "externalId", path from source_folders
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and external_id = any(${[...new Set(externalIds)]}::text[])
       and path is not null`);
  return new Map(rows.map(({ externalId, path }) => [externalId, path]));
}

/** Notes which rule leaves assets out, and that their source still lists them. Items that were never read are none. */
export async function keepLeftOut(
  tx: Tx,
  { scopeId, campaignId }: { scopeId: ScopeId; campaignId: CampaignId },
  items: readonly { externalId: string; ruleId: string }[],
  now: number,
): Promise<void> {
  if (items.length === 0) return;
  await tx.query(sql`
    update assets a set left_out_by = i."ruleId", seen_campaign_id = ${campaignId}, last_seen_at = ${new Date(now)}
      from jsonb_to_recordset(${sql.json(items)}::jsonb) as i ("externalId" text, "ruleId" text)
     where a.tenant_id = ${tx.tenantId} and a.scope_id = ${scopeId} and a.external_id = i."externalId"
       and a.status = 'active'`);
}
