import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { ScopeId, TenantId } from '../kernel/ids.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';

/**
 * Remembers that a hint came which started no delta. It counts as later than any scan that had begun: that one may have
 * passed the change already, whatever the clocks of two processes say.
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
 * The remembered hint of a subscription, or null. `covered`: a scan that began after it has read, or is reading, the
 * change that it told of.
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
 * Subscriptions whose remembered hints can be acted upon, the oldest first, at most `limit`: no scan of the scope is
 * active, and none of its deltas began after `quietSince`.
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
