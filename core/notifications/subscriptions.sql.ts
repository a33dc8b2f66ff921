import type { ConnectorMode, SourceFamily } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import { newId, type ScopeId, type TenantId } from '../kernel/ids.ts';
import {
  nextSubscriptionState,
  RENEWAL_WINDOW_MS,
  registerAgainAfterMs,
  SUBSCRIPTION_LIFETIME_MS,
  type SubscriptionStatus,
  type SubscriptionTrigger,
} from './subscription-states.ts';

/** A stored subscription. `status` is null until the source has confirmed it for the first time. */
export type Subscription = {
  subscriptionId: string;
  scopeId: ScopeId;
  mode: ConnectorMode;
  /** Created for a simulated notification. No source knows it. */
  forced: boolean;
  status: SubscriptionStatus | null;
  /** The source's id of the present registration. A notification with another id belongs to an earlier one. */
  externalId: string | null;
  expiresAt: Date | null;
  renewedAt: Date | null;
  lastError: SubscriptionError | null;
  createdAt: Date;
  claim: string | null;
  busyUntil: Date | null;
  /** Registrations that failed since the last one that did not. */
  failures: number;
};

export const SUBSCRIPTION_ERRORS = ['subscribe_failed', 'renew_failed'] as const;
type SubscriptionError = (typeof SUBSCRIPTION_ERRORS)[number];

/**
 * The right to call the source about one subscription for a limited time. A result is stored only if the claim still
 * holds.
 */
export type Claim = { subscriptionId: string; token: string };

/** Timeout of a call. The claim of a process that died ends after `CLAIM_MS`. */
export const CALL_TIMEOUT_MS = 10_000;
const CLAIM_MS = 60_000;

export const SUBSCRIPTION_COLUMNS = sql`
  subscription_id as "subscriptionId", scope_id as "scopeId", mode, forced, status, external_id as "externalId",
  expires_at as "expiresAt", renewed_at as "renewedAt", last_error as "lastError", created_at as "createdAt", claim,
  busy_until as "busyUntil", failures`;

/** The statuses that sweeps process. They are literals, so that the planner can match them with the partial index. */
const RUNNING = sql`status in ('active', 'expiring')`;
const LOST = sql`status in ('error', 'removed', 'expired')`;

/** Finds the tenants of subscriptions by the ids of the source. Unknown ids are left out. */
export async function findByExternalIds(
  tx: EngineTx,
  externalIds: readonly string[],
): Promise<{ tenantId: TenantId; subscriptionId: string; externalId: string; status: SubscriptionStatus }[]> {
  return tx.query(sql`
    select tenant_id as "tenantId", subscription_id as "subscriptionId", external_id as "externalId", status
      from change_subscriptions where external_id = any(${externalIds}::text[])`);
}

/** Locks a subscription until the commit. Null if it does not exist. */
export async function lockSubscription(tx: Tx, subscriptionId: string): Promise<Subscription | null> {
  const [row] = await tx.query<Subscription>(sql`
    select ${SUBSCRIPTION_COLUMNS} from change_subscriptions
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId} for update`);
  return row ?? null;
}

/** The fields that a transition changes besides the status. */
type Change = {
  mode?: ConnectorMode;
  externalId?: string;
  expiresAt?: Date;
  renewedAt?: Date;
  secretId?: string;
};

/**
 * Applies a transition to a locked subscription and returns the new status. Null, with no change, if the transition
 * is not allowed. `error` is stored with the status `error`; every other status clears it.
 */
export async function moveSubscription(
  tx: Tx,
  { subscriptionId, status }: Pick<Subscription, 'subscriptionId' | 'status'>,
  trigger: SubscriptionTrigger,
  { mode, externalId, expiresAt, renewedAt, secretId }: Change = {},
): Promise<SubscriptionStatus | null> {
  const next = nextSubscriptionState(status, trigger);
  if (next === null) return null;
  await tx.query(sql`
    update change_subscriptions
       set status = ${next}, last_error = ${next === 'error' ? 'renew_failed' : null},
           failures = case when ${next === 'active'} then 0 else failures end,
           mode = coalesce(${mode ?? null}, mode), external_id = coalesce(${externalId ?? null}, external_id),
           expires_at = coalesce(${expiresAt ?? null}, expires_at),
           renewed_at = coalesce(${renewedAt ?? null}, renewed_at), secret_id = coalesce(${secretId ?? null}, secret_id)
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId}`);
  return next;
}

/**
 * Locks the scope's own subscription and creates it without a status if there is none. Concurrent calls create only
 * one.
 */
export async function subscriptionOf(
  tx: Tx,
  scopeId: ScopeId,
  mode: ConnectorMode,
  now: number,
): Promise<Subscription> {
  await tx.query(sql`
    insert into change_subscriptions (tenant_id, subscription_id, scope_id, mode, created_at)
    values (${tx.tenantId}, ${newId('sub', now)}, ${scopeId}, ${mode}, ${new Date(now)})
    on conflict on constraint change_subscriptions_scope do nothing`);
  const [row] = await tx.query<Subscription>(sql`
    select ${SUBSCRIPTION_COLUMNS} from change_subscriptions
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and not forced for update`);
  if (row === undefined) throw new Error('The subscription was not created');
  return row;
}

/**
 * Locks a mock subscription of the scope for simulated notifications: its own if that is a running mock, otherwise a
 * forced one that no source knows. For development only, so it does not follow the table of states.
 */
export async function forceMockSubscription(tx: Tx, scopeId: ScopeId, now: number): Promise<Subscription> {
  const [own] = await tx.query<Subscription>(sql`
    select ${SUBSCRIPTION_COLUMNS} from change_subscriptions
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} and mode = 'mock' and not forced
       and ${RUNNING} for update`);
  if (own !== undefined) return own;
  const subscriptionId = newId('sub', now);
  const [row] = await tx.query<Subscription>(sql`
    insert into change_subscriptions (tenant_id, subscription_id, scope_id, forced, mode, status, external_id,
                                      expires_at, created_at)
    values (${tx.tenantId}, ${subscriptionId}, ${scopeId}, true, 'mock', 'active', ${`simulated-${subscriptionId}`},
            ${new Date(now + SUBSCRIPTION_LIFETIME_MS)}, ${new Date(now)})
    on conflict on constraint change_subscriptions_scope
      do update set status = 'active', expires_at = excluded.expires_at, last_error = null
    returning ${SUBSCRIPTION_COLUMNS}`);
  if (row === undefined) throw new Error('The subscription was not created');
  return row;
}

/** Claims a locked subscription for a call to its source. */
export async function claimSubscription(tx: Tx, subscriptionId: string, now: number): Promise<Claim> {
  const token = newId('clm', now);
  await tx.query(sql`
    update change_subscriptions set claim = ${token}, busy_until = ${new Date(now + CLAIM_MS)}
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId}`);
  return { subscriptionId, token };
}

/** A claimed subscription to renew. `secretId` is null if it is not known. */
export type DueRenewal = Claim & {
  family: SourceFamily;
  scopeExternalId: string;
  mode: ConnectorMode;
  externalId: string;
  expiresAt: Date;
  secretId: string | null;
};

/** Claims the subscriptions that are due for renewal and not claimed, the most urgent first. */
export async function claimDueRenewals(tx: Tx, limit: number, now: number): Promise<DueRenewal[]> {
  const token = newId('clm', now);
  return tx.query(sql`
    update change_subscriptions c set claim = ${token}, busy_until = ${new Date(now + CLAIM_MS)}
      from (select subscription_id from change_subscriptions
             where tenant_id = ${tx.tenantId} and ${dueForRenewal(now)}
             order by expires_at limit ${limit} for update skip locked) as due,
           scopes s
     where c.tenant_id = ${tx.tenantId} and c.subscription_id = due.subscription_id
       and s.tenant_id = c.tenant_id and s.scope_id = c.scope_id
    returning c.subscription_id as "subscriptionId", c.claim as token, s.family, s.external_id as "scopeExternalId",
              c.mode, c.external_id as "externalId", c.expires_at as "expiresAt", c.secret_id as "secretId"`);
}

/** Locks the subscription if the claim still holds, otherwise null. */
export async function lockClaimed(tx: Tx, claim: Claim): Promise<Subscription | null> {
  const subscription = await lockSubscription(tx, claim.subscriptionId);
  return subscription?.claim === claim.token ? subscription : null;
}

/** Releases a claim that still holds. @param waitUntil no sweep calls the source before this time */
export async function releaseClaim(
  tx: Tx,
  claim: Claim,
  { waitUntil = null }: { waitUntil?: Date | null } = {},
): Promise<void> {
  await tx.query(sql`
    update change_subscriptions set claim = null, busy_until = ${waitUntil}
     where tenant_id = ${tx.tenantId} and subscription_id = ${claim.subscriptionId} and claim = ${claim.token}`);
}

/** Releases a claim that still holds after the source refused a registration. The sweep tries again later and later. */
export async function recordFailedRegistration(tx: Tx, claim: Claim, now: number): Promise<void> {
  const held = await lockClaimed(tx, claim);
  if (held === null) return;
  await tx.query(sql`
    update change_subscriptions
       set claim = null, last_error = 'subscribe_failed', failures = failures + 1,
           busy_until = ${new Date(now + registerAgainAfterMs(held.failures + 1))}
     where tenant_id = ${tx.tenantId} and subscription_id = ${claim.subscriptionId}`);
}

/** Ends expired subscriptions that are not being renewed; at most `limit`. */
export async function lapseSubscriptions(tx: Tx, limit: number, now: number): Promise<string[]> {
  const rows = await tx.query<{ subscriptionId: string }>(sql`
    update change_subscriptions c set status = 'expired', last_error = null
      from (select subscription_id from change_subscriptions
             where tenant_id = ${tx.tenantId} and ${lapsed(now)} limit ${limit} for update skip locked) as over
     where c.tenant_id = ${tx.tenantId} and c.subscription_id = over.subscription_id
    returning c.subscription_id as "subscriptionId"`);
  return rows.map((row) => row.subscriptionId);
}

/**
 * Less than 20 minutes are left, or the source wants it authorized again, and notifies of nothing until then. An expired
 * subscription is not renewed, because the source has dropped it. The expiry sweep ends it.
 */
const dueForRenewal = (now: number): Statement => sql`
  ${RUNNING} and not forced and expires_at > ${new Date(now)}
  and (expires_at < ${new Date(now + RENEWAL_WINDOW_MS)} or status = 'expiring')
  and (busy_until is null or busy_until <= ${new Date(now)})`;

const lapsed = (now: number): Statement => sql`
  ${RUNNING} and expires_at <= ${new Date(now)}
  and (claim is null or busy_until <= ${new Date(now)})`;

/** A subscription that its source no longer serves, of a selected scope that can be read. `mode`: of the scope. */
export type LostSubscription = { scopeId: ScopeId; family: SourceFamily; mode: ConnectorMode };

/** Lost subscriptions that may be registered again now, those that wait longest first. */
export async function lostSubscriptions(tx: Tx, limit: number, now: number): Promise<LostSubscription[]> {
  return tx.query(sql`
    select s.scope_id as "scopeId", s.family, i.mode
      from change_subscriptions c
      join scopes s using (tenant_id, scope_id)
      join connector_instances i using (tenant_id, connector_instance_id)
     where c.tenant_id = ${tx.tenantId} and ${lost(now)} and s.selected
       and s.inaccessible_since is null
     order by c.busy_until nulls first, c.subscription_id limit ${limit}`);
}

const lost = (now: number): Statement => sql`
  ${LOST} and not forced and (busy_until is null or busy_until <= ${new Date(now)})`;

/** Limit of one sweep. The next one takes the others. */
const MAX_TENANTS = 1_000;

const tenantsWith = async (tx: EngineTx, condition: Statement): Promise<TenantId[]> => {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select tenant_id as "tenantId" from change_subscriptions where ${condition}
     group by tenant_id order by min(expires_at) limit ${MAX_TENANTS}`);
  return rows.map((row) => row.tenantId);
};

/** Tenants with subscriptions to renew, the most urgent first. */
export const tenantsToRenew = (tx: EngineTx, now: number): Promise<TenantId[]> =>
  tenantsWith(tx, dueForRenewal(now));

/** Tenants with lost subscriptions. */
export const tenantsToRegister = (tx: EngineTx, now: number): Promise<TenantId[]> =>
  tenantsWith(tx, lost(now));

/** Tenants with expired subscriptions, the longest overdue first. */
export const tenantsToLapse = (tx: EngineTx, now: number): Promise<TenantId[]> =>
  tenantsWith(tx, lapsed(now));
