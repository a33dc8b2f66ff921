import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { ScopeId } from '../kernel/ids.ts';
import type { ScopeRefusal } from '../kernel/vocabulary.ts';
import { MARKED_AT_ONCE } from './inventory.sql.ts';

/** With these answers the source says that the scope does not exist. */
const GONE: ReadonlySet<ScopeRefusal> = new Set(['not_found', 'malformed_id']);

export type Recorded = {
  /** Whether this unit met the first refusal. */
  isFirst: boolean;
  /** Since when the source has said without a break that the scope does not exist. */
  goneSince: Date | null;
};

/**
 * Records that the source refuses a scope. Its coverage is stale, and the cursor stays for when it answers again. Null,
 * with no change, if the scope was accessible and `begins` is false.
 */
export async function recordRefusal(
  tx: Tx,
  scopeId: ScopeId,
  { reason, unitId, begins }: { reason: ScopeRefusal; unitId: number; begins: boolean },
  now: number,
): Promise<Recorded | null> {
  const at = new Date(now);
  const [row] = await tx.query<Recorded>(sql`
    update scopes
       set coverage_state = case when coverage_state is not null then 'stale' end,
           inaccessible_reason = ${reason}, inaccessible_since = coalesce(inaccessible_since, ${at}), refused_at = ${at},
           gone_since = ${GONE.has(reason) ? sql`coalesce(gone_since, ${at})` : sql`null`},
           refused_unit_id = case when inaccessible_since is null then ${unitId} else refused_unit_id end
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and (inaccessible_since is not null or ${begins})
    returning refused_unit_id = ${unitId} as "isFirst", gone_since as "goneSince"`);
  return row ?? null;
}

/** Records that the source answers for a scope again. Returns whether it was inaccessible. */
export async function restoreAccess(tx: Tx, scopeId: ScopeId): Promise<boolean> {
  const restored = await tx.execute(sql`
    update scopes
       set inaccessible_reason = null, inaccessible_since = null, gone_since = null, refused_at = null,
           refused_unit_id = null
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and inaccessible_since is not null`);
  return restored > 0;
}

/** Notes when a gone scope is ended, which stays the same until all its assets are. A resync is needed if it comes back. */
export async function beginEnd(tx: Tx, scopeId: ScopeId, now: number): Promise<void> {
  await tx.query(sql`
    update scopes
       set ended_at = case when ended_at >= gone_since then ended_at else ${new Date(now)} end,
           delta_cursor_status = case when delta_cursor_status = 'none' then 'none' else 'resync_required' end,
           delta_cursor = null
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}

/** Marks a batch of assets of an ended scope as deleted. Fewer than `MARKED_AT_ONCE` were the last. */
export async function endAssets(tx: Tx, scopeId: ScopeId): Promise<number> {
  const [row] = await tx.query<{ ended: number }>(sql`
    with chosen as materialized (
      select asset_id from assets where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and status = 'active'
       limit ${MARKED_AT_ONCE}
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
