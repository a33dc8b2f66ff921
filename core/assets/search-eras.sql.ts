import { forEachTenant } from '../db/for-each-tenant.ts';
import { sql } from '../db/sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { tenantsWithScopes } from '../sources/read.ts';

/** Assets of an era, or somewhat more. `rebuild_search` takes as many. */
const ASSETS_PER_ERA = 4_096;
/** What changes in an era is written by who knows of it: no statement takes so long, and no clock differs by so much. */
const NOTICE_MS = 60_000;

/**
 * Begins another era of the search of each tenant whose newest one has its assets, a minute from now. May run anywhere, at
 * any time, also twice at once.
 * @param assetsPerEra another number than the usual one, for tests
 */
export async function beginSearchEras(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
  assetsPerEra = ASSETS_PER_ERA,
): Promise<void> {
  await forEachTenant(await tenantsWithScopes(db), signal, async (tenantId) => {
    await withTx(db, { tenantId, mode: 'write', signal }, (tx) => {
      // Of this very attempt: others may have taken long.
      const since = new Date(clock() + NOTICE_MS);
      // None begins before what is there: that has the mark of an earlier one.
      return tx.execute(sql`
        insert into search_eras (tenant_id, era, since)
        select ${tx.tenantId}, newest.era + 1, ${since}
          from (select coalesce(max(era), 0) as era, coalesce(max(since), '-infinity') as since
                  from search_eras where tenant_id = ${tx.tenantId}) newest
         where (select count(*) from (
                  select from assets a
                   where a.tenant_id = ${tx.tenantId} and a.status = 'active' and a.changed_at >= newest.since
                   limit ${assetsPerEra}) filled) = ${assetsPerEra}::integer
           and not exists (
             select from assets a where a.tenant_id = ${tx.tenantId} and a.status = 'active' and a.changed_at >= ${since})
        on conflict do nothing`);
    });
  });
}
