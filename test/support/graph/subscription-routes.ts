import { z } from 'zod';
import { type Answer, GraphError } from './errors.ts';
import { guidOf } from './ids.ts';
import { pageOfList } from './lists.ts';
import type { Call, Route } from './route.ts';
import type { Subscription } from './state.ts';
import { assertServes } from './visible.ts';

/** Documented (`subscription`): for items of drives. */
const LONGEST_MS = 42_300 * 60_000;
/** Documented: a shorter time is made this long. */
const SHORTEST_MS = 45 * 60_000;
/** Documented (`change-notifications-delivery-webhooks`): the endpoint has ten seconds for the handshake. */
const HANDSHAKE_MS = 10_000;

/** Documented (`subscription-post-subscriptions`): to write, although nothing is written. */
const SUBSCRIBE = ['Files.ReadWrite.All'];

const createBody = z.strictObject({
  changeType: z.string(),
  notificationUrl: z.url(),
  lifecycleNotificationUrl: z.url().optional(),
  resource: z.string(),
  expirationDateTime: z.iso.datetime({ offset: true }),
  /** Documented: at most 128 characters. */
  clientState: z.string().max(128).optional(),
  latestSupportedTlsVersion: z.enum(['v1_2', 'v1_3']).optional(),
});
const renewBody = z.strictObject({ expirationDateTime: z.iso.datetime({ offset: true }) });

const invalid = (message: string): GraphError => new GraphError(400, 'InvalidRequest', message);
const notFound = (): GraphError => new GraphError(404, 'ResourceNotFound', 'The object was not found.');

function subscriptionJson(call: Call, subscription: Subscription, withState: boolean) {
  return {
    '@odata.context': `${call.base}/$metadata#subscriptions/$entity`,
    ...{ id: subscription.id, resource: subscription.resource, applicationId: subscription.appId },
    ...{ changeType: 'updated', clientState: withState ? subscription.clientState : null },
    ...{ notificationUrl: subscription.notificationUrl, lifecycleNotificationUrl: subscription.lifecycleUrl },
    expirationDateTime: new Date(subscription.expiresAt).toISOString(),
    creatorId: guidOf(`service principal/${subscription.appId}`),
    latestSupportedTlsVersion: 'v1_2',
  };
}

function expiryOf(call: Call, text: string): number {
  const asked = Date.parse(text);
  if (asked <= call.now) throw invalid('Subscription expiration must be in the future.');
  if (asked > call.now + LONGEST_MS)
    throw invalid('Subscription expiration can only be 42300 minutes in the future.');
  return Math.max(asked, call.now + SHORTEST_MS);
}

/** A webhook must prove that it wants notifications: it echoes a token as plain text. */
async function shakeHands(url: string, requestId: string): Promise<void> {
  // Seen (microsoft-graph-docs#21160): a sentence, so `+` and `%3A` come encoded.
  const token = `Validation: Testing client application reachability for subscription Request-Id: ${requestId}`;
  const endpoint = new URL(url);
  const query = `validationToken=${encodeURIComponent(token).replaceAll('%20', '+')}`;
  endpoint.search = endpoint.search === '' ? query : `${endpoint.search}&${query}`;
  let response: Response;
  try {
    response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: '',
      redirect: 'manual',
      signal: AbortSignal.timeout(HANDSHAKE_MS),
    });
  } catch {
    throw invalid('Subscription validation request timed out.');
  }
  const echoed = await response.text();
  const isProven =
    response.status === 200 &&
    echoed === token &&
    (response.headers.get('content-type') ?? '').startsWith('text/plain');
  if (isProven) return;
  throw new GraphError(
    400,
    'ValidationError',
    'Subscription validation request failed. Notification endpoint must respond with 200 OK to validation request.',
  );
}

async function create(call: Call): Promise<Answer> {
  const asked = createBody.parse(call.body);
  if (asked.changeType !== 'updated') throw invalid("Drives only support the changeType 'updated'.");
  const driveId = /^\/?drives\/([^/]+)\/root$/.exec(asked.resource)?.[1] ?? '';
  const drive = call.tenant.drives.get(decodeURIComponent(driveId));
  if (drive === undefined) throw new GraphError(404, 'itemNotFound', 'The drive was not found.');
  assertServes(call.tenant, drive);
  const expiresAt = expiryOf(call, asked.expirationDateTime);
  // Documented (`subscription-post-subscriptions`); seen otherwise (microsoft-graph-docs-contrib#9039).
  const former = own(call).find(({ resource }) => resource === asked.resource);
  if (former !== undefined && call.tenant.quirks.refusesDuplicateSubscriptions) {
    throw new GraphError(
      409,
      'ExtensionError',
      `Subscription Id ${former.id} already exists for the requested combination.`,
    );
  }
  const id = guidOf(
    `subscription/${call.tenant.id}/${call.tenant.subscriptions.size}/${call.now}/${driveId}`,
  );
  await shakeHands(asked.notificationUrl, id);
  if (asked.lifecycleNotificationUrl !== undefined) await shakeHands(asked.lifecycleNotificationUrl, id);
  const subscription: Subscription = {
    ...{ id, appId: call.app.clientId, driveId: decodeURIComponent(driveId), resource: asked.resource },
    ...{ notificationUrl: asked.notificationUrl, lifecycleUrl: asked.lifecycleNotificationUrl ?? null },
    ...{ clientState: asked.clientState ?? null, expiresAt, paused: false },
    // Documented (`subscription-post-subscriptions`): without it, changes of sharing are not notified.
    security: (call.headers.prefer ?? '').toLowerCase().includes('includesecuritywebhooks'),
  };
  call.tenant.subscriptions.set(id, subscription);
  return { status: 201, body: subscriptionJson(call, subscription, true) };
}

/** Those of this application that have not expired. */
function own({ tenant, app, now }: Call): Subscription[] {
  for (const { id, expiresAt } of [...tenant.subscriptions.values()]) {
    if (expiresAt <= now) tenant.subscriptions.delete(id);
  }
  return [...tenant.subscriptions.values()].filter(({ appId }) => appId === app.clientId);
}

function named(call: Call): Subscription {
  const subscription = own(call).find(({ id }) => id === call.values.id);
  if (subscription === undefined) throw notFound();
  return subscription;
}

const ONE = '/subscriptions/{id}';

export const SUBSCRIPTION_ROUTES: readonly Route[] = [
  {
    ...{ family: 'subscription_create', method: 'POST', path: '/subscriptions', of: 'subscription' },
    ...{ permissions: SUBSCRIBE, body: createBody },
    answer: create,
  },
  {
    ...{ family: 'subscriptions', method: 'GET', path: '/subscriptions', of: 'subscription', list: true },
    permissions: SUBSCRIBE,
    answer: (call) => {
      const value = own(call).map((subscription) => {
        const { '@odata.context': _, ...json } = subscriptionJson(call, subscription, false);
        return json;
      });
      return pageOfList(call, value, 'subscriptions');
    },
  },
  {
    ...{ family: 'subscription_renew', method: 'PATCH', path: ONE, of: 'subscription' },
    ...{ permissions: SUBSCRIBE, body: renewBody },
    answer: (call) => {
      const subscription = named(call);
      subscription.expiresAt = expiryOf(call, renewBody.parse(call.body).expirationDateTime);
      // Documented (`change-notifications-lifecycle-events`): renewing authorizes at the same time.
      subscription.paused = false;
      return { status: 200, body: subscriptionJson(call, subscription, false) };
    },
  },
  {
    ...{ family: 'subscription_delete', method: 'DELETE', path: ONE, permissions: SUBSCRIBE },
    answer: (call) => {
      call.tenant.subscriptions.delete(named(call).id);
      return { status: 204 };
    },
  },
];
