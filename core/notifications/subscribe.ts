import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '../audit/event.ts';
import { ConnectorError } from '../connectors/connector.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { findScope } from '../sources/scopes.sql.ts';
import { type Notifier, notifierFor, type SubscriptionParts } from './notifier.ts';
import { type AtSource, registerAtSource } from './register-at-source.ts';
import { nextSubscriptionState } from './subscription-states.ts';
import {
  CALL_TIMEOUT_MS,
  type Claim,
  claimSubscription,
  lockClaimed,
  lockSubscription,
  moveSubscription,
  recordFailedRegistration,
  releaseClaim,
  type Subscription,
  subscriptionOf,
} from './subscriptions.sql.ts';

/** A subscription that exists already, or the response of the source. `completeSubscription` continues with it. */
export type Registration =
  | { kind: 'existing'; subscriptionId: string }
  | ({ kind: 'confirmed'; claim: Claim; mode: Notifier['mode'] } & AtSource);

/**
 * How long to wait for another request that registers the same subscription. Somewhat longer than its call may take.
 */
const WAIT_MS = CALL_TIMEOUT_MS + 2_000;
const POLL_MS = 100;

const conflict = () =>
  new ServiceError('conflict', 'This subscription is being registered. Try again in a minute.');

/**
 * Registers a scope at its source, unless it has a valid subscription. Call it outside of a transaction. The row is
 * stored with its id before the call, because `clientState` is derived from the id, and the source sends the
 * handshake before it responds. A crash leaves a row without a status, which the next call continues with. Throws
 * `not_found` (scope), `blocked_capability`, and `conflict` (another call does not end, or the source refuses).
 */
export async function registerSubscription(
  parts: SubscriptionParts,
  tenantId: TenantId,
  scopeId: string,
): Promise<Registration> {
  for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
    const begun = await withTx(parts.db, { tenantId, mode: 'write' }, (tx) => begin(parts, tx, scopeId));
    if (begun.kind === 'existing') return begun;
    if (begun.kind === 'claimed') return callSource(parts, tenantId, begun);
    await sleep(POLL_MS);
  }
  throw conflict();
}

type Claimed = { kind: 'claimed'; claim: Claim; notifier: Notifier; scopeExternalId: string };

async function begin(
  parts: SubscriptionParts,
  tx: Tx,
  scopeId: string,
): Promise<Claimed | { kind: 'busy' } | { kind: 'existing'; subscriptionId: string }> {
  const scope = await findScope(tx, scopeId);
  if (scope === null) throw notFound();
  const notifier = notifierFor(parts, tx.tenantId, scope.family);
  const now = parts.clock();
  const { subscriptionId, ...subscription } = await subscriptionOf(tx, scope.scopeId, notifier.mode, now);
  if (nextSubscriptionState(subscription.status, 'subscribed') === null)
    return { kind: 'existing', subscriptionId };
  const { claim, busyUntil } = subscription;
  if (claim !== null && busyUntil !== null && busyUntil.getTime() > now) return { kind: 'busy' };
  return {
    kind: 'claimed',
    claim: await claimSubscription(tx, subscriptionId, now),
    notifier,
    scopeExternalId: scope.externalId,
  };
}

async function callSource(
  parts: SubscriptionParts,
  tenantId: TenantId,
  { claim, notifier, scopeExternalId }: Claimed,
): Promise<Registration> {
  try {
    const { subscriptionId } = claim;
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const granted = await registerAtSource(parts, notifier, { subscriptionId, scopeExternalId }, signal);
    return { kind: 'confirmed', claim, mode: notifier.mode, ...granted };
  } catch (error) {
    await withTx(parts.db, { tenantId, mode: 'write' }, (tx) =>
      recordFailedRegistration(tx, claim, parts.clock()),
    );
    if (!(error instanceof ConnectorError)) throw error;
    throw new ServiceError(
      'conflict',
      `The source did not accept the subscription (${error.safeDiagnostic}). Check the scope, then try again.`,
    );
  }
}

/**
 * Stores a confirmed registration. `created` is false if the subscription existed or another call has registered it
 * in the meantime. In the latter case the source's second subscription expires by itself, and its notifications match
 * no row. Throws `conflict` if there is no subscription to return.
 */
export async function completeSubscription(
  tx: Tx,
  registration: Registration,
): Promise<{ subscription: Subscription; created: boolean }> {
  let created = false;
  if (registration.kind === 'confirmed') {
    const { kind: _, claim, ...confirmed } = registration;
    const held = await lockClaimed(tx, claim);
    const moved = held && (await moveSubscription(tx, held, 'subscribed', confirmed));
    created = moved !== null;
    await releaseClaim(tx, claim);
  }
  const subscriptionId =
    registration.kind === 'confirmed' ? registration.claim.subscriptionId : registration.subscriptionId;
  const subscription = await lockSubscription(tx, subscriptionId);
  if (subscription === null || subscription.status === null) throw conflict();
  return { subscription, created };
}

/** The audit entry of a registration at the source. */
export const subscriptionCreated = ({ subscriptionId, scopeId, mode }: Subscription): AuditEntry => ({
  category: 'config',
  type: 'subscription_created',
  target: { kind: 'subscription', id: subscriptionId },
  details: { scopeId, mode },
});
