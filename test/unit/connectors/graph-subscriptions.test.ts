import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChangeNotifications } from '../../../core/connectors/connector.ts';
import { connectorOf } from '../../support/graph/connect.ts';
import type { FakeLibrary, GraphFake } from '../../support/graph/graph-fake.ts';
import { type Listener, listen } from '../../support/graph/listen.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';
import type { Quirks } from '../../support/graph/state.ts';

const live = new AbortController().signal;
let fake: GraphFake;
let library: FakeLibrary;
let webhook: Listener;
let notifications: ChangeNotifications;

async function open(quirks: Partial<Quirks> = {}): Promise<void> {
  fake = await smallFake(quirks);
  library = fake.library('Finance');
  notifications = connectorOf(fake, APP.clientId).notifications ?? expect.unreachable('It does not notify.');
}
beforeEach(async () => {
  webhook = await listen(async (incoming, response) => {
    const token = new URL(incoming.url, 'http://webhook').searchParams.get('validationToken');
    response.writeHead(200, { 'content-type': 'text/plain' }).end(token ?? '');
  }, null);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
  await webhook.close();
});

const subscribe = (clientState: string, deployment = 'this') =>
  notifications.subscribe(
    {
      ...{ scopeExternalId: library.id, clientState, expiresAt: new Date(Date.now() + 3_600_000) },
      notificationUrl: `${webhook.origin}/${deployment}/n`,
      lifecycleUrl: `${webhook.origin}/${deployment}/l`,
    },
    live,
  );
const atGraph = () =>
  [...fake.tenant().subscriptions.values()].map(({ id, clientState }) => ({ id, clientState }));

test('a library that is subscribed to gets a new subscription in place of the former', async () => {
  await open();
  const first = await subscribe('first');
  const second = await subscribe('second');
  expect(second.externalId).not.toBe(first.externalId);
  expect(atGraph()).toEqual([{ id: second.externalId, clientState: 'second' }]);
});

test('where Graph allows a second subscription, the former ends by itself', async () => {
  await open({ refusesDuplicateSubscriptions: false });
  const first = await subscribe('first');
  const second = await subscribe('second');
  expect(atGraph().map(({ id }) => id)).toEqual([first.externalId, second.externalId]);
  expect(fake.callsOf('subscription_delete')).toEqual([]);
});

test('the subscription of another deployment is left alone, and the refusal is told', async () => {
  await open();
  const theirs = await subscribe('theirs', 'other');
  await expect(subscribe('ours')).rejects.toMatchObject({
    retryClass: 'permanent',
    safeDiagnostic: 'graph_subscription_create_409',
  });
  expect(atGraph().map(({ id }) => id)).toEqual([theirs.externalId]);
});

test('a former subscription that is gone meanwhile is no failure', async () => {
  await open();
  await subscribe('first');
  fake.fail({ on: 'subscription_delete', fault: { kind: 'error', status: 404, code: 'ResourceNotFound' } });
  fake.fail({ on: 'subscription_create', fault: { kind: 'error', status: 409, code: 'ExtensionError' } });
  fake.tenant().subscriptions.clear();
  await subscribe('second');
  expect(atGraph()).toMatchObject([{ clientState: 'second' }]);
});
