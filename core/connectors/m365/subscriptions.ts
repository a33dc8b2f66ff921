import { z } from 'zod';
import { type ChangeNotifications, ConnectorError } from '../connector.ts';
import { page, Subscription } from './graph-answers.ts';
import type { GraphClient } from './graph-client.ts';
import { pagesOf } from './pages.ts';

/** The longest life of a subscription to a drive: 42,300 minutes. */
const MAX_LIFE_MS = 42_300 * 60_000;

type Subscribing = Parameters<ChangeNotifications['subscribe']>[0];

const resourceOf = ({ scopeExternalId }: Pick<Subscribing, 'scopeExternalId'>): string =>
  `/drives/${scopeExternalId}/root`;

/** Of the subscriptions of one application in one tenant. */
const MAX_PAGES = 100;
const SubscriptionPage = page(Subscription);

/**
 * Deletes this deployment's subscriptions to a drive. Another deployment with the same application has another address,
 * and its subscriptions stay.
 */
async function endFormer(client: GraphClient, request: Subscribing, signal: AbortSignal): Promise<void> {
  const options = { schema: SubscriptionPage, maxPages: MAX_PAGES, signal };
  const { body: all } = await pagesOf(client, 'subscriptions', {}, options);
  const former = all.filter(
    ({ resource, notificationUrl }) =>
      trimmed(resource) === trimmed(resourceOf(request)) && notificationUrl === request.notificationUrl,
  );
  for (const { id: subscriptionId } of former) {
    const one = { schema: z.undefined(), expect: [404] as const, signal };
    await client.call('subscription_delete', { subscriptionId }, one);
  }
}

/** Graph gives a resource back with and without the slash at its beginning. */
const trimmed = (resource: string | null | undefined): string => (resource ?? '').replace(/^\//, '');

/** Change notifications of drives. Graph calls the address before it answers, and gives its own id only then. */
export function graphNotifications(client: GraphClient, clock: () => number): ChangeNotifications {
  const bounded = (expiresAt: Date) =>
    new Date(Math.min(expiresAt.getTime(), clock() + MAX_LIFE_MS)).toISOString();
  const granted = (text: string): Date => {
    const at = new Date(text);
    if (Number.isNaN(at.getTime()))
      throw new ConnectorError('permanent', 'graph_subscription_create_malformed');
    return at;
  };
  const create = async (request: Subscribing, signal: AbortSignal) => {
    const { clientState, notificationUrl, lifecycleUrl, expiresAt } = request;
    const body = {
      changeType: 'updated',
      resource: resourceOf(request),
      notificationUrl,
      lifecycleNotificationUrl: lifecycleUrl,
      expirationDateTime: bounded(expiresAt),
      clientState,
    };
    const expect = [409] as const;
    const answer = await client.call(
      'subscription_create',
      {},
      // Without it, changes of sharing are not notified.
      { headers: { Prefer: 'includesecuritywebhooks' }, body, schema: Subscription, expect, signal },
    );
    return answer.ok
      ? { externalId: answer.body.id, expiresAt: granted(answer.body.expirationDateTime) }
      : null;
  };
  return {
    subscribe: async (request, signal) => {
      const first = await create(request, signal);
      if (first !== null) return first;
      // Documented: no second subscription with the same change type and resource. Seen: some tenants allow it.
      await endFormer(client, request, signal);
      const second = await create(request, signal);
      if (second === null) throw new ConnectorError('permanent', 'graph_subscription_create_409');
      return second;
    },
    renew: async (subscriptionId, expiresAt, signal) => {
      const { body } = await client.call(
        'subscription_renew',
        { subscriptionId },
        { body: { expirationDateTime: bounded(expiresAt) }, schema: Subscription, signal },
      );
      return { expiresAt: granted(body.expirationDateTime) };
    },
  };
}
