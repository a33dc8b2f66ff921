import type { SourceItem } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId, ScopeId } from '../kernel/ids.ts';

/** An asset, its id at the source, and the new item that has its path but for case. */
export type CaseTwin = { assetId: AssetId; externalId: string; listedAs: string };

/** For each listed item that is new, an asset of the scope with the same content whose path differs in case alone. */
export const caseTwins = (tx: Tx, scopeId: ScopeId, items: readonly SourceItem[]): Promise<CaseTwin[]> =>
  tx.query<CaseTwin>(sql`
    with listed as materialized (
      select l.* from jsonb_to_recordset(${sql.json(items)}::jsonb)
          as l ("externalId" text, name text, path text, "contentVersion" text)
       where not exists (select from assets a where a.tenant_id = ${tx.tenantId} and a.scope_id = ${scopeId}
                            and a.external_id = l."externalId" and a.status = 'active')
    )
    select distinct on (l."externalId") a.asset_id as "assetId", a.external_id as "externalId", l."externalId" as "listedAs"
      from listed l join assets a
        on a.tenant_id = ${tx.tenantId} and a.status = 'active' and lower("left"(a.name, 32)) = lower("left"(l.name, 32))
       and a.scope_id = ${scopeId} and lower(a.path) = lower(l.path) and a.external_id <> l."externalId"
       and a.content_version = l."contentVersion"
     order by l."externalId", a.asset_id`);

/** Gives assets the ids that their items have now. One that another asset ever had stays with that. */
export async function renameAssets(tx: Tx, scopeId: ScopeId, renamed: readonly CaseTwin[]): Promise<void> {
  if (renamed.length === 0) return;
  await tx.execute(sql`
    update assets a set external_id = r."listedAs"
      from jsonb_to_recordset(${sql.json(renamed)}::jsonb) as r ("assetId" text, "externalId" text, "listedAs" text)
     where a.tenant_id = ${tx.tenantId} and a.asset_id = r."assetId" and a.external_id = r."externalId"
       and not exists (select from assets o where o.tenant_id = ${tx.tenantId} and o.scope_id = ${scopeId}
                          and o.external_id = r."listedAs")`);
}
