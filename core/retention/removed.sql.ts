import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** What one transaction removed, by what is counted, and whether all of the given rows that may go are gone. */
export type LetGo = { removed: Readonly<Record<string, number>>; finished: boolean };

/** Adds what this transaction removed, by kind, to what is to be audited. */
export async function noteRemoved(tx: Tx, removed: Readonly<Record<string, number>>): Promise<void> {
  const some = Object.entries(removed)
    .filter(([, count]) => count > 0)
    .sort();
  if (some.length === 0) return;
  await tx.execute(sql`
    insert into retention_counts as c (tenant_id, kind, removed)
    select ${tx.tenantId}, kind, removed
      from unnest(${some.map(([kind]) => kind)}::text[], ${some.map(([, count]) => count)}::bigint[]) as r (kind, removed)
    on conflict (tenant_id, kind) do update set removed = c.removed + excluded.removed`);
}

/** Takes what was removed and is not audited yet. A concurrent call does not get the same. */
export const takeRemoved = (tx: Tx): Promise<{ kind: string; count: number }[]> =>
  tx.query(sql`
    with taken as (delete from retention_counts where tenant_id = ${tx.tenantId} returning kind, removed)
    select kind, removed::float8 as count from taken order by kind`);
