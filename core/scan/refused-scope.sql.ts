import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { ScopeId } from '../kernel/ids.ts';
import type { ScopeRefusal } from '../kernel/vocabulary.ts';

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
