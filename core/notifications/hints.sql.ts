import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';

/**
 * Remembers a hint that started no delta. It counts as later than every scan that has begun, because such a scan may
 * have already passed the change. The clocks of two processes cannot decide that.
 */
export async function rememberHint(
  tx: Tx,
  { subscriptionId, scopeId }: { subscriptionId: string; scopeId: ScopeId },
  now: number,
): Promise<void> {
  await tx.query(sql`
    update change_subscriptions
       set hinted_at = greatest(hinted_at, ${new Date(now)}, (
         select max(started_at) + interval '1 microsecond' from campaigns
          where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}))
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId}`);
}

export async function forgetHint(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.query(sql`
    update change_subscriptions set hinted_at = null
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId}`);
}

/**
 * The remembered hint of a subscription, or null. `covered`: a scan that began after the hint has read or is reading
 * the change.
 */
export async function findHint(
  tx: Tx,
  subscriptionId: string,
): Promise<{ scopeId: ScopeId; covered: boolean } | null> {
  const [row] = await tx.query<{ scopeId: ScopeId; covered: boolean }>(sql`
    select s.scope_id as "scopeId",
           exists (select from campaigns c where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id
                      and c.started_at >= s.hinted_at) as covered
      from change_subscriptions s
     where s.tenant_id = ${tx.tenantId} and s.subscription_id = ${subscriptionId} and s.hinted_at is not null`);
  return row ?? null;
}

/**
 * Subscriptions whose remembered hints can be processed, the oldest first; at most `limit`. The scope has no active
 * scan, and its last delta began before `quietSince`.
 */
export async function actionableHints(
  tx: EngineTx,
  { quietSince, limit }: { quietSince: number; limit: number },
): Promise<{ tenantId: TenantId; subscriptionId: string }[]> {
  return tx.query(sql`
    select s.tenant_id as "tenantId", s.subscription_id as "subscriptionId" from change_subscriptions s
     where s.hinted_at is not null
       and not exists (select from campaigns c where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id
                          and c.status in ${ACTIVE_STATUSES})
       and not exists (select from campaigns c where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id
                          and c.kind = 'delta' and c.started_at > ${new Date(quietSince)})
     order by s.hinted_at limit ${limit}`);
}
