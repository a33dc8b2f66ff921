import { appendAudit } from '../audit/append.sql.ts';
import { type AuditEntry, auditText } from '../audit/event.ts';
import { type Config, sessionSecretsOf } from '../config/config.ts';
import { type Db, type Tx, withEngineTx, withTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import { clientStateHolds } from './client-state.ts';
import type { Delivery } from './reconcile.ts';
import { findByExternalIds, lockSubscription, type Subscription } from './subscriptions.sql.ts';

type Signed = { subscriptionId: string; clientState?: string | undefined };

/** An item with the `clientState` of its subscription. */
export type Verified<Item extends Signed = Signed> = {
  tenantId: TenantId;
  subscriptionId: string;
  item: Item;
};

export type Rejection = 'rejected:unknown_subscription' | 'rejected:client_state_mismatch';

/**
 * Separates items of the source from forged ones. It makes one query for all items and writes nothing. Items of
 * unknown subscriptions take the same comparison, so that the duration does not reveal which subscriptions exist.
 */
export async function verifyItems<Item extends Signed>(
  { config, db }: { config: Config; db: Db },
  items: readonly Item[],
): Promise<{ verified: Verified<Item>[]; rejected: Rejection[] }> {
  const externalIds = [...new Set(items.map((item) => item.subscriptionId))];
  const found = await withEngineTx(db, (tx) => findByExternalIds(tx, externalIds));
  const known = new Map(found.filter(isKnown).map((each) => [each.externalId, each]));
  const secrets = sessionSecretsOf(config);
  const verified: Verified<Item>[] = [];
  const rejected: Rejection[] = [];
  for (const item of items) {
    const subscription = known.get(item.subscriptionId);
    const { tenantId, subscriptionId } = subscription ?? { tenantId: null, subscriptionId: '' };
    const holds = clientStateHolds(secrets, subscriptionId, item.clientState);
    if (tenantId === null) rejected.push('rejected:unknown_subscription');
    else if (!holds) rejected.push('rejected:client_state_mismatch');
    else verified.push({ tenantId, subscriptionId, item });
  }
  return { verified, rejected };
}

/**
 * Expired subscriptions and those with a failed renewal are still known. Later notifications of their source are
 * valid hints.
 */
const isKnown = ({ status }: Pick<Subscription, 'status'>) => status !== 'removed';

/**
 * Locks the subscription of verified items, runs `fn`, and appends its audit events as acts of the service. Returns
 * null without running `fn` if the subscription was removed or registered again since the items were verified.
 */
export const withSubscription = <T>(
  db: Db,
  { tenantId, subscriptionId, item }: Verified,
  delivery: Delivery,
  fn: (tx: Tx, subscription: Subscription, audit: (entry: AuditEntry) => void) => Promise<T>,
): Promise<T | null> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const subscription = await lockSubscription(tx, subscriptionId);
    if (subscription === null || !isKnown(subscription)) return null;
    if (subscription.externalId !== item.subscriptionId) return null;
    const texts: string[] = [];
    const value = await fn(tx, subscription, (entry) => {
      texts.push(auditText({ tenantId, principalId: null, ...delivery }, entry));
    });
    await appendAudit(tx, texts);
    return value;
  });
