import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asker } from '../../support/graph/ask.ts';
import type { FakeLibrary, GraphFake } from '../../support/graph/graph-fake.ts';
import { type Incoming, type Listener, listen } from '../../support/graph/listen.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';

const HOUR_MS = 3_600_000;

let fake: GraphFake;
let library: FakeLibrary;
let ask: ReturnType<typeof asker>;
let webhook: Listener;
let received: Incoming[];
/** How the webhook answers the handshake. */
let echo: (token: string) => { status: number; type: string; body: string };
let now: number;

beforeEach(async () => {
  now = Date.parse('2026-03-01T08:00:00Z');
  received = [];
  echo = (body) => ({ status: 200, type: 'text/plain', body });
  webhook = await listen(async (incoming, response) => {
    received.push(incoming);
    const token = new URL(incoming.url, 'http://webhook').searchParams.get('validationToken');
    const { status, type, body } =
      token === null ? { status: 202, type: 'text/plain', body: '' } : echo(token);
    response.writeHead(status, { 'content-type': type }).end(body);
  }, null);
  fake = await smallFake({}, { clock: () => now });
  library = fake.library('Finance');
  ask = asker(fake, APP.clientId);
});
afterEach(async () => {
  await fake.close();
  await webhook.close();
});

const inHours = (hours: number) => new Date(now + hours * HOUR_MS).toISOString();

const subscribe = (more: object = {}, headers: Record<string, string> = {}) =>
  ask.post(
    '/subscriptions',
    {
      ...{ changeType: 'updated', resource: `/drives/${library.id}/root`, clientState: 'secret' },
      ...{ notificationUrl: `${webhook.origin}/n`, lifecycleNotificationUrl: `${webhook.origin}/l` },
      ...{ expirationDateTime: inHours(1), ...more },
    },
    headers,
  );

const bodies = () => received.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body).value[0]);

describe('subscriptions of the fake of Graph', () => {
  test('both addresses prove themselves before the subscription is there', async () => {
    const { status, body } = await subscribe();
    expect(status).toBe(201);
    expect(received.map(({ url, body: sent }) => [url.split('?')[0], sent])).toEqual([
      ['/n', ''],
      ['/l', ''],
    ]);
    expect(received[0]?.url).toContain('Validation%3A+Testing');
    expect(body).toMatchObject({ clientState: 'secret', expirationDateTime: inHours(1) });
    expect((await ask.get('/subscriptions')).body.value).toEqual([
      expect.objectContaining({ id: body.id, clientState: null }),
    ]);
  });

  test('a second one to the same resource is a conflict', async () => {
    await subscribe();
    expect(await subscribe()).toMatchObject({ status: 409, body: { error: { code: 'ExtensionError' } } });
    expect(fake.tenant().subscriptions.size).toBe(1);
  });

  test.each([
    ['another status', { status: 202 }],
    ['another type', { type: 'application/json' }],
    ['another text', { body: 'Validation:+Testing' }],
  ])('a webhook that answers with %s gets no subscription', async (_, wrong) => {
    echo = (body) => ({ status: 200, type: 'text/plain', body, ...wrong });
    expect(await subscribe()).toMatchObject({ status: 400, body: { error: { code: 'ValidationError' } } });
    expect(fake.tenant().subscriptions.size).toBe(0);
  });

  test('what the service does not take is refused', async () => {
    for (const wrong of [
      { changeType: 'created' },
      { expirationDateTime: inHours(-1) },
      { expirationDateTime: inHours(24 * 40) },
      { clientState: 'x'.repeat(129) },
      { resource: `/drives/${library.id}/items/x` },
    ]) {
      expect((await subscribe(wrong)).status).toBeGreaterThanOrEqual(400);
    }
    expect(received).toEqual([]);
  });

  test('a short time is made 45 minutes, a renewal makes it longer, the end ends it', async () => {
    const { body } = await subscribe({ expirationDateTime: new Date(now + 60_000).toISOString() });
    expect(body.expirationDateTime).toBe(new Date(now + 45 * 60_000).toISOString());
    const renewed = await ask.patch(`/subscriptions/${body.id}`, { expirationDateTime: inHours(2) });
    expect(renewed).toMatchObject({ status: 200, body: { expirationDateTime: inHours(2) } });
    now += 3 * HOUR_MS;
    ask.signInAgain();
    expect((await ask.patch(`/subscriptions/${body.id}`, { expirationDateTime: inHours(2) })).status).toBe(
      404,
    );
  });

  test('a deleted subscription is gone', async () => {
    const { id } = (await subscribe()).body;
    expect((await ask.delete(`/subscriptions/${id}`)).status).toBe(204);
    expect((await ask.delete(`/subscriptions/${id}`)).status).toBe(404);
    library.add('Plan.txt', 'Plan');
    expect(fake.notifications.waiting).toBe(0);
  });

  test('changes are told as they were asked for: lost, doubled, in another order', async () => {
    const { id } = (await subscribe()).body;
    received = [];
    const file = library.add('One.txt', '1');
    library.add('Two.txt', '2');
    library.edit(file, '3');
    expect(await fake.notifications.deliver({ copies: (at) => [0, 2, 1][at] ?? 1 })).toEqual([202, 202, 202]);
    expect(bodies()).toHaveLength(3);
    expect(bodies()[0]).toMatchObject({
      ...{ subscriptionId: id, clientState: 'secret', changeType: 'updated' },
      resource: `drives/${library.id}/root`,
    });
    await fake.notifications.forge(`${webhook.origin}/n`, { subscriptionId: id });
    expect(bodies().at(-1)).toMatchObject({ subscriptionId: id, clientState: 'guessed' });
  });

  test('what the endpoint does not take is sent again, in the order that is asked for', async () => {
    await subscribe();
    received = [];
    library.add('One.txt', '1');
    library.add('Two.txt', '2');
    await webhook.close();
    expect(await fake.notifications.deliver()).toEqual([null, null]);
    expect(fake.notifications.waiting).toBe(2);
    const sent = fake.notifications.sent.length;
    await fake.notifications.deliver({ order: (waiting) => waiting.toReversed() });
    expect(fake.notifications.sent.length).toBe(sent + 2);
  });

  test('changes of sharing are told to who asked for them only', async () => {
    const file = library.add('One.txt', '1');
    await subscribe();
    library.share(file, { to: 'link', scope: 'organization', type: 'view' });
    expect(fake.notifications.waiting).toBe(0);
    fake.tenant().quirks.refusesDuplicateSubscriptions = false;
    await subscribe({}, { prefer: 'includesecuritywebhooks' });
    library.share(file, { to: 'link', scope: 'anonymous', type: 'view' });
    expect(fake.notifications.waiting).toBe(1);
  });

  test('nothing is told until a subscription is authorized again', async () => {
    const { id } = (await subscribe()).body;
    await fake.notifications.lifecycle(fake.tenant(), 'reauthorizationRequired');
    expect(bodies().at(-1)).toMatchObject({ lifecycleEvent: 'reauthorizationRequired', subscriptionId: id });
    library.add('One.txt', '1');
    expect(fake.notifications.waiting).toBe(0);
    const renewal = { expirationDateTime: inHours(2) };
    expect((await ask.patch(`/subscriptions/${id}`, renewal)).status).toBe(200);
    library.add('Two.txt', '2');
    expect(fake.notifications.waiting).toBe(1);
  });
});
