import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { hasOwner } from '../governance/owners.sql.ts';
import { DAY_MS, NO_OWNER_AFTER_DAYS } from './risk.ts';

/** Ids, in order, of assets after `after` whose `no_owner` finding must be opened or may resolve. */
export async function assetsWithoutOwnerDue(
  tx: Tx,
  after: string,
  now: number,
  limit: number,
): Promise<string[]> {
  const { tenantId } = tx;
  const isOpen = sql`f.tenant_id = ${tenantId} and f.kind = 'no_owner' and f.status <> 'resolved'`;
  const since = new Date(now - NO_OWNER_AFTER_DAYS * DAY_MS);
  const rows = await tx.query<{ assetId: string }>(sql`
    with waiting as materialized (
      select k.asset_id, bool_or(k.updated_at < ${since}) as is_late
        from domains d join candidates k on k.tenant_id = d.tenant_id and k.domain_id = d.domain_id
       where d.tenant_id = ${tenantId} and not ${hasOwner}
         and k.status = 'pending' and k.information_type_id is null and k.asset_active
       group by k.asset_id
    )
    select asset_id as "assetId" from (
      select asset_id from waiting
       where is_late and not exists (select from findings f where ${isOpen} and f.asset_id = waiting.asset_id)
      union
      select f.asset_id from findings f
       where ${isOpen} and not exists (select from waiting where waiting.asset_id = f.asset_id and is_late)
    ) due
     where asset_id > ${after} order by asset_id limit ${limit}`);
  return rows.map((row) => row.assetId);
}
