import type { ConnectorMode, SourceFamily } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import { newId, type ScopeId, type TenantId } from '../kernel/ids.ts';
import {
  nextSubscriptionState,
  RENEWAL_WINDOW_MS,
  SUBSCRIPTION_LIFETIME_MS,
  type SubscriptionStatus,
  type SubscriptionTrigger,
} from './subscription-states.ts';

/** A subscription as the service keeps it. `status` is null until the source has first confirmed it. */
export type Subscription = {
  subscriptionId: string;
  scopeId: ScopeId;
  mode: ConnectorMode;
  /** Made for a simulated notification; no source knows of it. */
  forced: boolean;
  status: SubscriptionStatus | null;
  /** The source's id of the present registration. A notification that names another one belongs to an earlier one. */
  externalId: string | null;
  expiresAt: Date | null;
  renewedAt: Date | null;
  lastError: SubscriptionError | null;
  createdAt: Date;
  claim: string | null;
  busyUntil: Date | null;
};

export const SUBSCRIPTION_ERRORS = ['subscribe_failed', 'renew_failed'] as const;
export type SubscriptionError = (typeof SUBSCRIPTION_ERRORS)[number];

/** The right to call the source about one subscription, for a while. Whatever is written after the call is fenced by it. */
export type Claim = { subscriptionId: string; token: string };

/** A call takes at most this; what a process that died had claimed is free after `CLAIM_MS`. */
export const CALL_TIMEOUT_MS = 10_000;
const CLAIM_MS = 60_000;

export const SUBSCRIPTION_COLUMNS = sql`
  subscription_id as "subscriptionId", scope_id as "scopeId", mode, forced, status, external_id as "externalId",
  expires_at as "expiresAt", renewed_at as "renewedAt", last_error as "lastError", created_at as "createdAt", claim,
  busy_until as "busyUntil"`;

/** Those that the sweeps look at. In words rather than a parameter, so that it is always seen to match the partial index. */
const RUNNING = sql`status in ('active', 'expiring')`;

/** Whose subscriptions these are, by the ids that the source gave them; those that nobody has are left out. */
export async function findByExternalIds(
  tx: EngineTx,
  externalIds: readonly string[],
): Promise<{ tenantId: TenantId; subscriptionId: string; externalId: string; status: SubscriptionStatus }[]> {
  return tx.query(sql`
    select tenant_id as "tenantId", subscription_id as "subscriptionId", external_id as "externalId", status
      from change_subscriptions where external_id = any(${externalIds}::text[])`);
}

/** The subscription, held until the commit; null when there is none. */
export async function lockSubscription(tx: Tx, subscriptionId: string): Promise<Subscription | null> {
  const [row] = await tx.query<Subscription>(sql`
    select ${SUBSCRIPTION_COLUMNS} from change_subscriptions
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId} for update`);
  return row ?? null;
}

/** What a transition writes beside the status. */
type Change = { mode?: ConnectorMode; externalId?: string; expiresAt?: Date; renewedAt?: Date };

/**
 * Moves a subscription that this transaction has locked, as the table of its states says, and returns where it stands
 * then; null, and nothing is written, where the trigger leads nowhere. `error` remembers why; every other state forgets.
 */
export async function moveSubscription(
  tx: Tx,
  { subscriptionId, status }: Pick<Subscription, 'subscriptionId' | 'status'>,
  trigger: SubscriptionTrigger,
  { mode, externalId, expiresAt, renewedAt }: Change = {},
): Promise<SubscriptionStatus | null> {
  const next = nextSubscriptionState(status, trigger);
  if (next === null) return null;
  await tx.query(sql`
    update change_subscriptions
       set status = ${next}, last_error = ${next === 'error' ? 'renew_failed' : null},
           mode = coalesce(${mode ?? null}, mode), external_id = coalesce(${externalId ?? null}, external_id),
           expires_at = coalesce(${expiresAt ?? null}, expires_at),
           renewed_at = coalesce(${renewedAt ?? null}, renewed_at)
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId}`);
  return next;
}

/** The scope's own subscription, locked; a row without a status where it has none yet. However many ask, it has one. */
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
  if (row === undefined) throw new Error('The subscription that was just made is gone');
  return row;
}

/**
 * A mock subscription of the scope that notifications can be simulated on: its own where that is one and running, else
 * one that is made for it and that no source knows of. Locked. Development only, hence outside of the table of states.
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
  if (row === undefined) throw new Error('The subscription that was just made is gone');
  return row;
}

/** Takes the right to call the source about a subscription that this transaction has locked. */
export async function claimSubscription(tx: Tx, subscriptionId: string, now: number): Promise<Claim> {
  const token = newId('clm', now);
  await tx.query(sql`
    update change_subscriptions set claim = ${token}, busy_until = ${new Date(now + CLAIM_MS)}
     where tenant_id = ${tx.tenantId} and subscription_id = ${subscriptionId}`);
  return { subscriptionId, token };
}

/** A subscription to renew, claimed. */
export type DueRenewal = Claim & {
  family: SourceFamily;
  mode: ConnectorMode;
  externalId: string;
  expiresAt: Date;
};

/** Claims those that have less than 20 minutes left and that nobody is busy with, the most urgent first. */
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
    returning c.subscription_id as "subscriptionId", c.claim as token, s.family, c.mode,
              c.external_id as "externalId", c.expires_at as "expiresAt"`);
}

/** The subscription, locked, if the claim still holds. */
export async function lockClaimed(tx: Tx, claim: Claim): Promise<Subscription | null> {
  const subscription = await lockSubscription(tx, claim.subscriptionId);
  return subscription?.claim === claim.token ? subscription : null;
}

/** Gives a claim back, if it still holds. @param waitUntil nobody else asks the source before then */
export async function releaseClaim(
  tx: Tx,
  claim: Claim,
  {
    waitUntil = null,
    lastError = null,
  }: { waitUntil?: Date | null; lastError?: SubscriptionError | null } = {},
): Promise<void> {
  await tx.query(sql`
    update change_subscriptions
       set claim = null, busy_until = ${waitUntil}, last_error = coalesce(${lastError}, last_error)
     where tenant_id = ${tx.tenantId} and subscription_id = ${claim.subscriptionId} and claim = ${claim.token}`);
}

/** Ends those whose time is over, unless their renewal is under way; at most `limit`. */
export async function lapseSubscriptions(tx: Tx, limit: number, now: number): Promise<string[]> {
  const rows = await tx.query<{ subscriptionId: string }>(sql`
    update change_subscriptions c set status = 'expired', last_error = null
      from (select subscription_id from change_subscriptions
             where tenant_id = ${tx.tenantId} and ${lapsed(now)} limit ${limit} for update skip locked) as over
     where c.tenant_id = ${tx.tenantId} and c.subscription_id = over.subscription_id
    returning c.subscription_id as "subscriptionId"`);
  return rows.map((row) => row.subscriptionId);
}

/** Past its time a subscription is no longer renewed: the source has dropped it, and it is left to the expiry sweep. */
const dueForRenewal = (now: number): Statement => sql`
  ${RUNNING} and not forced and expires_at > ${new Date(now)}
  and expires_at < ${new Date(now + RENEWAL_WINDOW_MS)} and (busy_until is null or busy_until <= ${new Date(now)})`;

const lapsed = (now: number): Statement => sql`
  ${RUNNING} and expires_at <= ${new Date(now)}
  and (claim is null or busy_until <= ${new Date(now)})`;

/** Of one sweep; those after them come with the next one. */
const MAX_TENANTS = 1_000;

const tenantsWith = async (tx: EngineTx, condition: Statement): Promise<TenantId[]> => {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select tenant_id as "tenantId" from change_subscriptions where ${condition}
     group by tenant_id order by min(expires_at) limit ${MAX_TENANTS}`);
  return rows.map((row) => row.tenantId);
};

/** Tenants that have something to renew, the most urgent first. */
export const tenantsToRenew = (tx: EngineTx, now: number): Promise<TenantId[]> =>
  tenantsWith(tx, dueForRenewal(now));

/** Tenants that have something to end, the longest overdue first. */
export const tenantsToLapse = (tx: EngineTx, now: number): Promise<TenantId[]> =>
  tenantsWith(tx, lapsed(now));
