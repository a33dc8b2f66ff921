import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** An asset that every domain which was asked has refused, and about which nobody is asked now. */
export const NobodysAssetSchema = z.object({
  assetId: z.string(),
  name: z.string(),
  refusedBy: z.int().describe('How many domains have refused it'),
  refusedAt: z.iso.datetime(),
});

/** Assets that are nobody's so far, those that were refused last first. */
export async function nobodysAssets(
  tx: Tx,
  visibility: Visibility,
  limit: number,
): Promise<z.infer<typeof NobodysAssetSchema>[]> {
  const rows = await tx.query<{ assetId: string; name: string; refusedBy: number; refusedAt: Date }>(sql`
    select a.asset_id as "assetId", a.name, refused.domains as "refusedBy", r.updated_at as "refusedAt"
      from candidates r
      join assets a on a.tenant_id = r.tenant_id and a.asset_id = r.asset_id
     cross join lateral (
       select count(distinct k.domain_id)::integer as domains, bool_and(k.status = 'rejected') as by_all,
              max((k.updated_at, k.candidate_id)) filter (where k.status = 'rejected') as newest
         from candidates k
        where k.tenant_id = r.tenant_id and k.asset_id = r.asset_id and k.status <> 'withdrawn') refused
     where r.tenant_id = ${tx.tenantId} and r.status = 'rejected' and r.asset_active and refused.by_all
       and refused.newest = (r.updated_at, r.candidate_id) and ${visibleAsset(visibility)}
     order by r.updated_at desc, a.asset_id limit ${limit}`);
  return rows.map(({ refusedAt, ...row }) => ({ ...row, refusedAt: refusedAt.toISOString() }));
}
