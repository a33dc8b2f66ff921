import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { ScopeId } from '../kernel/ids.ts';

export const ENDED_AT_ONCE = 1_000;

/** Notes when a scope is ended; one that is gone, until all its assets are. A resync is needed if it comes back. */
export async function beginEnd(tx: Tx, scopeId: ScopeId, now: number): Promise<void> {
  await tx.query(sql`
    update scopes
       set ended_at = case when ended_at >= gone_since then ended_at else ${new Date(now)} end,
           delta_cursor_status = case when delta_cursor_status = 'none' then 'none' else 'resync_required' end,
           delta_cursor = null
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}

/** Marks a batch of assets of an ended scope as deleted. Fewer than `ENDED_AT_ONCE` were the last. */
export async function endAssets(tx: Tx, scopeId: ScopeId): Promise<number> {
  const [row] = await tx.query<{ ended: number }>(sql`
    with chosen as materialized (
      select asset_id from assets where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and status = 'active'
       limit ${ENDED_AT_ONCE}
    ), ended as (
      update assets a set status = 'deleted', deleted_at = s.ended_at
        from chosen, scopes s
       where a.tenant_id = ${tx.tenantId} and a.asset_id = chosen.asset_id and a.status = 'active'
         and s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
      returning 1
    ), lost as (select count(*)::int as ended from ended), counted as (
      update scopes set asset_count = asset_count - lost.ended
        from lost where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and lost.ended > 0
    )
    select ended from lost`);
  return row?.ended ?? 0;
}
