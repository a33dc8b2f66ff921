import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { PrincipalId } from '../kernel/ids.ts';

/** A window begins with its first answer. The next answer after its end begins a new one. */
const WINDOW = '1 hour';

/** Adds `answers`, the first of which was given at `now`, and returns the count of their window. */
export async function countNotFound(
  tx: Tx,
  { principalId, endpoint, answers }: { principalId: PrincipalId; endpoint: string; answers: number },
  now: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    insert into not_found_counts as c (tenant_id, principal_id, endpoint, window_start, count)
    values (${tx.tenantId}, ${principalId}, ${endpoint}, ${new Date(now)}, ${answers})
    on conflict (tenant_id, principal_id, endpoint) do update
       set (window_start, count) = (
         select case when goes_on then c.window_start else excluded.window_start end,
                case when goes_on then c.count else 0 end + excluded.count
           from (select excluded.window_start < c.window_start + ${WINDOW}::interval as goes_on) w)
    returning count`);
  return row?.count ?? answers;
}
