import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Answer, cloudAt, listen, testClient } from '../../../support/graph-server.ts';

type Entry = { id: string; method: string; url: string; headers?: Record<string, string> };
type EntryAnswer = { status: number; headers?: Record<string, unknown>; body?: unknown };

let answerEntry: (entry: Entry) => EntryAnswer | undefined;
let answerBatch: (() => Answer) | undefined;
let server: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  answerBatch = undefined;
  server = await listen(({ url, body }) => {
    if (url !== '/v1.0/$batch') return { body: { name: 'alone' } };
    if (answerBatch !== undefined) return answerBatch();
    const { requests } = JSON.parse(body) as { requests: Entry[] };
    const responses = requests.flatMap((entry) => {
      const answer = answerEntry(entry);
      return answer === undefined ? [] : [{ id: entry.id, ...answer }];
    });
    return { body: { responses: responses.toReversed() } };
  });
});
afterEach(() => server.close());

const never = new AbortController().signal;
const Named = z.object({ name: z.string() });
const read = { schema: Named, signal: never };
const item = (at: number) => ({ driveId: 'd', itemId: `i${at}` });
const many = (count: number) => Array.from({ length: count }, (_, at) => at);
const named = (entry: Entry): EntryAnswer => ({ status: 200, body: { name: entry.url.split('/')[4] ?? '' } });
const batches = () =>
  server.asked
    .filter(({ url }) => url.endsWith('$batch'))
    .map(({ body }) => (JSON.parse(body) as { requests: Entry[] }).requests);

test('45 calls at once leave as three batches, and each gets its own answer', async () => {
  answerEntry = named;
  const { client, counts, gate } = testClient(cloudAt(server.origin));
  const found = await Promise.all(many(45).map((at) => client.batched('permissions', item(at), read)));
  expect(found.map(({ body }) => body.name)).toEqual(many(45).map((at) => `i${at}`));
  expect(batches().map((requests) => requests.length)).toEqual([20, 20, 5]);
  expect(batches()[0]?.[0]).toEqual({
    id: '0',
    method: 'GET',
    url: '/drives/d/items/i0/permissions',
    headers: { Accept: 'application/json' },
  });
  expect(counts.filter((each) => each === 'batch 2xx')).toHaveLength(3);
  expect(counts.filter((each) => each === 'permissions 2xx')).toHaveLength(45);
  expect(gate.ends).toHaveLength(3);
});

test('a call that nobody joins leaves alone', async () => {
  const { client, counts } = testClient(cloudAt(server.origin));
  expect(await client.batched('item', item(1), read)).toMatchObject({ body: { name: 'alone' } });
  expect(counts).toEqual(['item 2xx']);
});

test('a call that is told to wait is repeated alone, and the others are done', async () => {
  let refusals = 0;
  answerEntry = (entry) =>
    entry.url.includes('i1/') && refusals++ === 0
      ? { status: 429, headers: { 'retry-after': '11' }, body: { error: { code: 'TooManyRequests' } } }
      : named(entry);
  const { client, waits, counts, gate } = testClient(cloudAt(server.origin));
  const found = await Promise.all(many(3).map((at) => client.batched('permissions', item(at), read)));
  expect(found.map(({ body }) => body.name)).toEqual(['i0', 'alone', 'i2']);
  expect(waits).toEqual([11_000]);
  expect(counts).toContain('permissions 4xx 429');
  expect(batches()).toHaveLength(1);
  expect(gate.ends[0]).toEqual({ kind: 'throttled', retryAfterMs: 11_000 });
});

test('each call is refused by itself, with its status, codes and header', async () => {
  answerEntry = (entry) =>
    entry.url.includes('i1/')
      ? {
          status: 423,
          headers: { Location: 'x' },
          body: { error: { code: 'locked', innererror: { code: 'c' } } },
        }
      : entry.url.includes('i2/')
        ? { status: 404 }
        : named(entry);
  const { client } = testClient(cloudAt(server.origin));
  const [first, second, third] = await Promise.allSettled(
    many(3).map((at) => client.batched('labels_extract', item(at), { ...read, expect: [423] })),
  );
  expect(first).toMatchObject({ value: { ok: true } });
  expect(second).toMatchObject({ value: { ok: false, status: 423, codes: ['locked', 'c'], location: 'x' } });
  expect(third).toMatchObject({ reason: { safeDiagnostic: 'graph_labels_extract_404' } });
  expect(batches()[0]?.[0]?.method).toBe('POST');
});

test('a batch that leaves an answer out does not give another call its answer', async () => {
  answerEntry = (entry) => (entry.url.includes('i1/') ? undefined : named(entry));
  const { client } = testClient(cloudAt(server.origin));
  const [first, second] = await Promise.allSettled(
    many(2).map((at) => client.batched('permissions', item(at), read)),
  );
  expect(first).toMatchObject({ value: { body: { name: 'i0' } } });
  expect(second).toMatchObject({
    reason: { retryClass: 'transient', safeDiagnostic: 'graph_permissions_malformed' },
  });
});

test('the status of a batch is not taken for the one that a call expects', async () => {
  answerBatch = () => ({ status: 403 });
  const { client } = testClient(cloudAt(server.origin));
  const both = many(2).map((at) => client.batched('permissions', item(at), { ...read, expect: [403] }));
  for (const one of await Promise.allSettled(both))
    expect(one).toMatchObject({ reason: { retryClass: 'auth', safeDiagnostic: 'graph_batch_403' } });
});

test('a batch that is told to wait is repeated with all its calls', async () => {
  let refusals = 0;
  answerEntry = named;
  answerBatch = () => {
    refusals++;
    answerBatch = undefined;
    return { status: 503, headers: { 'retry-after': '3' } };
  };
  const { client, waits, counts } = testClient(cloudAt(server.origin));
  await Promise.all(many(4).map((at) => client.batched('permissions', item(at), read)));
  expect([refusals, waits]).toEqual([1, [3_000, 3_000, 3_000, 3_000]]);
  expect(batches().map((requests) => requests.length)).toEqual([4, 4]);
  expect(counts.filter((each) => each.endsWith('503'))).toEqual(['batch 5xx 503']);
});

test('a caller whose signal fires leaves, and the others get their answers', async () => {
  answerEntry = named;
  const { client } = testClient(cloudAt(server.origin));
  const stop = new AbortController();
  const calls = many(3).map((at) =>
    client.batched('permissions', item(at), { ...read, signal: at === 1 ? stop.signal : never }),
  );
  stop.abort();
  const [first, second, third] = await Promise.allSettled(calls);
  expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(second).toMatchObject({ reason: { safeDiagnostic: 'aborted' } });
  expect(batches().map((requests) => requests.length)).toEqual([2]);
});

test.each(['label_assign', 'subscription_delete', 'content', 'batch'] as const)(
  '%s is in no batch',
  async (name) => {
    const { client } = testClient(cloudAt(server.origin), { writesLabels: true });
    const values = { ...item(1), subscriptionId: 's' };
    await expect(client.batched(name, values, read)).rejects.toMatchObject({
      safeDiagnostic: `graph_${name}_not_allowed`,
    });
    expect(server.asked).toEqual([]);
  },
);

test('an entry that cannot be read fails its own call alone', async () => {
  answerEntry = (entry) =>
    entry.url.includes('i1/') ? { status: 'ok' as never } : { ...named(entry), headers: null as never };
  const { client } = testClient(cloudAt(server.origin));
  const found = await Promise.allSettled(many(3).map((at) => client.batched('permissions', item(at), read)));
  expect(found).toMatchObject([
    { value: { body: { name: 'i0' } } },
    { reason: { retryClass: 'transient', safeDiagnostic: 'graph_permissions_malformed' } },
    { value: { body: { name: 'i2' } } },
  ]);
});

test.each([[{}], [{ body: null }], [{ body: { error: { code: 'generalException' } } }]])(
  'an entry of status 200 with %j is no answer',
  async (hollow) => {
    answerEntry = (entry) =>
      entry.url.includes('i1/') ? { id: entry.id, status: 200, ...hollow } : named(entry);
    const { client } = testClient(cloudAt(server.origin));
    const lax = { schema: z.unknown(), signal: never };
    const [first, second] = await Promise.allSettled(
      many(2).map((at) => client.batched('labels_extract', item(at), lax)),
    );
    expect(first).toMatchObject({ value: { ok: true } });
    expect(second).toMatchObject({
      reason: { retryClass: 'transient', safeDiagnostic: 'graph_labels_extract_malformed' },
    });
  },
);
