import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ConnectorError } from '../../../../core/connectors/connector.ts';
import {
  type Answer,
  type Asked,
  cloudAt,
  listen,
  TOKEN,
  testClient,
} from '../../../support/graph-server.ts';

let answers: (asked: Asked) => Answer | Promise<Answer | undefined>;
let server: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  server = await listen((asked) => answers(asked));
});
afterEach(() => server.close());

const never = new AbortController().signal;
const Named = z.object({ name: z.string() });
const item = { driveId: 'b!1', itemId: '01A' };
const read = { schema: Named, signal: never };
const make = (parts = {}) => testClient(cloudAt(server.origin), parts);
const inTurn = (...list: Answer[]) => {
  let at = 0;
  answers = () => list[Math.min(at++, list.length - 1)] ?? {};
};
const ok = { body: { name: 'x', other: { deep: 1 } } };

describe('a call', () => {
  test('carries the bearer, the headers and the query that were given', async () => {
    answers = () => ok;
    const { client, counts } = make();
    const options = { ...read, query: { $select: 'id,name' }, headers: { Prefer: 'a, b' } };
    expect(await client.call('item', item, options)).toEqual({
      ok: true,
      status: 200,
      body: { name: 'x' },
      location: null,
    });
    expect(server.asked).toMatchObject([
      {
        method: 'GET',
        url: '/v1.0/drives/b!1/items/01A?$select=id%2Cname',
        headers: { authorization: `Bearer ${TOKEN}`, prefer: 'a, b', accept: 'application/json' },
      },
    ]);
    expect(counts).toEqual(['item 2xx']);
  });

  test('reports a bug in what reads the answer as it is, and asks once', async () => {
    answers = () => ok;
    const { client } = make();
    const bug = new TypeError('bug');
    const schema = Named.transform(() => {
      throw bug;
    });
    await expect(client.call('item', item, { ...read, schema })).rejects.toBe(bug);
    expect(server.asked).toHaveLength(1);
  });

  test('with a body sends JSON by the method of its entry', async () => {
    answers = () => ({ status: 201, body: { name: 's' } });
    const { client } = make();
    await client.call('subscription_create', {}, { ...read, body: { changeType: 'updated' } });
    await client.call('subscription_renew', { subscriptionId: 's' }, { ...read, body: { a: 1 } });
    answers = () => ({ status: 204 });
    const none = { schema: z.undefined(), signal: never };
    expect(await client.call('subscription_delete', { subscriptionId: 's' }, none)).toMatchObject({
      status: 204,
    });
    expect(server.asked.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v1.0/subscriptions', '{"changeType":"updated"}'],
      ['PATCH', '/v1.0/subscriptions/s', '{"a":1}'],
      ['DELETE', '/v1.0/subscriptions/s', ''],
    ]);
  });

  test.each(['innerError', 'innererror'])(
    'with an expected status tells the codes, of %s too',
    async (inner) => {
      const error = {
        code: 'resyncRequired',
        message: 'canary',
        [inner]: { code: 'x y', [inner]: { code: 'deep.Code' } },
      };
      answers = () => ({ status: 410, body: { error }, headers: { location: 'https://elsewhere.example' } });
      const answer = await make().client.call('delta', { driveId: 'd' }, { ...read, expect: [410, 404] });
      expect(answer).toEqual({
        ok: false,
        status: 410,
        codes: ['resyncRequired', 'deep.Code'],
        location: 'https://elsewhere.example',
      });
    },
  );

  test.each([
    [{ status: 404 }, 'permanent', 'graph_item_404'],
    [{ status: 403, body: { error: { code: 'accessDenied', message: 'canary' } } }, 'auth', 'graph_item_403'],
    [{ status: 302, headers: { location: 'http://canary.example' } }, 'permanent', 'graph_item_302'],
    [{ body: '<html>canary' }, 'transient', 'graph_item_malformed'],
    [{ body: Buffer.from([0x7b, 0xff, 0x7d]) }, 'transient', 'graph_item_malformed'],
    [{ body: { name: 1 } }, 'permanent', 'graph_item_malformed'],
    [{ body: '' }, 'transient', 'graph_item_malformed'],
    [{ body: 'null' }, 'transient', 'graph_item_malformed'],
    [{ body: { error: { code: 'canary' } } }, 'transient', 'graph_item_malformed'],
    // Another field of the answer would pass for it.
    [{ body: { name: 'x', error: { code: 'canary' } } }, 'transient', 'graph_item_malformed'],
    [{ body: '['.repeat(1_000_000) }, 'transient', 'graph_item_malformed'],
  ] as const)('that ends as %j is an error without its words', async (answer, retryClass, word) => {
    answers = () => answer as Answer;
    const error = await make()
      .client.call('item', item, read)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectorError);
    expect(error).toMatchObject({ retryClass, safeDiagnostic: word, message: word });
    expect(Object.getOwnPropertyNames(error)).not.toContain('cause');
  });

  test('reads a body of deep JSON that parses', async () => {
    answers = () => ({ body: `{"name":"x","deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}` });
    expect(await make().client.call('item', item, read)).toMatchObject({ body: { name: 'x' } });
  });

  test('ends at 16 MiB of body, also if it was small when compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    answers = () => ({ body: bomb, headers: { 'content-encoding': 'gzip' } });
    await expect(make().client.call('item', item, read)).rejects.toMatchObject({
      safeDiagnostic: 'graph_item_too_large',
      retryClass: 'permanent',
    });
    expect(server.asked).toHaveLength(1);
  });

  test('ends when its signal fires, before, while it waits and while it reads', async () => {
    const aborted = { safeDiagnostic: 'aborted', retryClass: 'transient' };
    const stop = new AbortController();
    answers = () => new Promise(() => undefined);
    const { client, gate } = make();
    const pending = client.call('item', item, { ...read, signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(pending).rejects.toMatchObject(aborted);
    await expect(client.call('item', item, { ...read, signal: stop.signal })).rejects.toMatchObject(aborted);
    expect(gate.ends.length).toBeGreaterThan(0);
  });

  test.each([
    ['an answer', () => undefined],
    ['the rest of a body', (response: ServerResponse) => response.write('{"name":')],
  ])('ends after a minute without %s', async (_what, begin) => {
    const slow = await listen((_asked, response) => {
      begin(response);
      return undefined;
    });
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    timeout.mockImplementation(() => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 50);
      return stop.signal;
    });
    try {
      const { client, waits } = testClient(cloudAt(slow.origin));
      await expect(client.call('item', item, read)).rejects.toMatchObject({
        retryClass: 'transient',
        safeDiagnostic: 'graph_item_timeout',
      });
      expect([timeout.mock.calls, waits]).toEqual([[[60_000]], []]);
    } finally {
      timeout.mockRestore();
      await slow.close();
    }
  });

  test('of a server that cannot be reached is tried three times', async () => {
    const { origin, close } = await listen(() => ({}));
    await close();
    const { client, waits, counts } = testClient(cloudAt(origin));
    await expect(client.call('item', item, read)).rejects.toMatchObject({
      retryClass: 'transient',
      safeDiagnostic: 'graph_item_unreachable',
    });
    expect([waits.length, counts]).toEqual([2, Array(3).fill('item no_answer')]);
  });
});

describe('throttling', () => {
  const busy = (retryAfter?: string, status = 429): Answer => ({
    status,
    body: { error: { code: 'activityLimitReached' } },
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });

  test('is waited for as long as it asks, and counted', async () => {
    inTurn(busy('7'), busy(undefined, 503), busy(new Date(Date.now() + 20_000).toUTCString()), ok);
    const { client, waits, counts, gate } = make();
    await client.call('item', item, read);
    expect(waits[0]).toBe(7_000);
    expect(waits[1]).toBeLessThanOrEqual(2_000);
    expect(waits[2]).toBeGreaterThan(17_000);
    expect(counts).toEqual(['item 4xx 429', 'item 5xx 503', 'item 4xx 429', 'item 2xx']);
    expect(gate.ends).toMatchObject([
      { kind: 'throttled', retryAfterMs: 7_000 },
      { kind: 'throttled', retryAfterMs: null },
      { kind: 'throttled' },
      { kind: 'answered' },
    ]);
  });

  test('ends after five tries, with what the source asked last', async () => {
    inTurn(busy('1'), busy('1'), busy('1'), busy('1'), busy('9'), ok);
    const { client, waits } = make();
    const expected = {
      retryClass: 'throttled',
      safeDiagnostic: 'throttled_retries_exhausted',
      retryAfterMs: 9_000,
    };
    // A caller that expects the status does not get around the wait.
    await expect(client.call('item', item, { ...read, expect: [429] })).rejects.toMatchObject(expected);
    expect([server.asked.length, waits.length]).toEqual([5, 4]);
  });

  test('ends at once if it asks for more than 30 s', async () => {
    inTurn(busy('120'), ok);
    await expect(make().client.call('item', item, read)).rejects.toMatchObject({
      safeDiagnostic: 'throttled_retries_exhausted',
      retryAfterMs: 120_000,
    });
    expect(server.asked).toHaveLength(1);
  });
});

describe('a token that Graph refuses', () => {
  test('is acquired again once', async () => {
    answers = ({ headers }) => (headers.authorization === 'Bearer second' ? ok : { status: 401 });
    const refusals: (string | undefined)[] = [];
    const tokens = {
      token: async (_signal: AbortSignal, refused?: string) => {
        refusals.push(refused);
        return refused === undefined ? 'first' : 'second';
      },
    };
    expect(await make({ tokens }).client.call('item', item, read)).toMatchObject({ ok: true });
    expect(refusals).toEqual([undefined, 'first']);
  });

  test('a second time ends the call as auth', async () => {
    answers = () => ({ status: 401 });
    await expect(make().client.call('item', item, read)).rejects.toMatchObject({
      retryClass: 'auth',
      safeDiagnostic: 'graph_item_401',
    });
    expect(server.asked).toHaveLength(2);
  });
});

describe('what may leave', () => {
  const outside = 'https://contoso.sharepoint.com.evil.example/x';

  test('no link elsewhere is followed', async () => {
    const other = await listen(() => ok);
    try {
      const { client } = make();
      const delta = { driveId: 'd' };
      for (const link of [
        `${other.origin}/v1.0/drives/d/root/delta`,
        `${server.origin.replace('http://', 'http://user@')}/v1.0/drives/d/root/delta`,
        `${server.origin}/v1.0/drives/e/root/delta`,
        `${server.origin}/v1.0/me/messages`,
        `//${new URL(other.origin).host}/v1.0/drives/d/root/delta`,
      ])
        await expect(client.follow('delta', delta, link, read)).rejects.toMatchObject({
          safeDiagnostic: 'graph_delta_link_refused',
        });
      for (const address of [other.origin, server.origin, outside, 'http://169.254.169.254/'])
        await expect(client.monitor(address, read)).rejects.toMatchObject({
          safeDiagnostic: 'graph_monitor_link_refused',
        });
      expect([server.asked, other.asked]).toEqual([[], []]);
    } finally {
      await other.close();
    }
  });

  test('labels are assigned by the remediation identity alone', async () => {
    answers = () => ({
      status: 202,
      headers: { location: 'https://contoso.sharepoint.com/_api/v2.0/monitor/1' },
    });
    const options = { schema: z.undefined(), signal: never, body: { sensitivityLabelId: '' } };
    await expect(make().client.call('label_assign', item, options)).rejects.toMatchObject({
      safeDiagnostic: 'graph_label_assign_not_allowed',
    });
    expect(server.asked).toEqual([]);
    expect(await make({ writesLabels: true }).client.call('label_assign', item, options)).toEqual({
      ok: true,
      status: 202,
      body: undefined,
      location: 'https://contoso.sharepoint.com/_api/v2.0/monitor/1',
    });
  });

  test('a header cannot begin another', async () => {
    const headers = { Prefer: 'a\r\nX-Other: 1' };
    await expect(make().client.call('item', item, { ...read, headers })).rejects.toBeInstanceOf(
      ConnectorError,
    );
    expect(server.asked).toEqual([]);
  });

  test('a monitor is asked without the bearer', async () => {
    const other = await listen(() => ({ body: { name: 'completed' } }));
    try {
      const { client, counts } = testClient(cloudAt(server.origin, [other.origin]));
      expect(await client.monitor(`${other.origin}/monitor/1`, read)).toMatchObject({
        body: { name: 'completed' },
      });
      expect(other.asked[0]?.headers.authorization).toBeUndefined();
      expect(counts).toEqual(['monitor 2xx']);
    } finally {
      await other.close();
    }
  });
});
