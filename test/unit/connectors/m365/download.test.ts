import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, type Asked, cloudAt, listen, testClient } from '../../../support/graph-server.ts';

let graph: Awaited<ReturnType<typeof listen>>;
let host: Awaited<ReturnType<typeof listen>>;
let answerHost: (asked: Asked) => Answer | Promise<Answer | undefined>;
let address: () => string;
let answerGraph: () => Answer;
beforeEach(async () => {
  host = await listen((asked) => answerHost(asked));
  address = () => `${host.origin}/download?tempauth=canary-auth`;
  answerGraph = () => ({ status: 302, headers: { location: address() } });
  graph = await listen(() => answerGraph());
});
afterEach(() => Promise.all([graph.close(), host.close()]));

const never = new AbortController().signal;
const item = { driveId: 'd', itemId: 'i' };
const make = () => testClient(cloudAt(graph.origin, [host.origin]));
const bytesOf = (text: string) => ({ state: 'available', bytes: Buffer.from(text) });

test('the content is read at its address, without the bearer', async () => {
  answerHost = () => ({ body: 'content' });
  const { client, counts } = make();
  expect(await client.download(item, 100, never)).toEqual(bytesOf('content'));
  expect(graph.asked.map(({ url }) => url)).toEqual(['/v1.0/drives/d/items/i/content']);
  expect(host.asked).toHaveLength(1);
  expect(host.asked[0]?.headers).not.toHaveProperty('authorization');
  expect(counts).toEqual(['content 3xx', 'download 2xx']);
});

test('an empty file is read as empty', async () => {
  answerHost = () => ({ body: '' });
  expect(await make().client.download(item, 100, never)).toEqual(bytesOf(''));
});

test('a content that is too large is not read, whether its length is told or not', async () => {
  answerHost = () => ({ body: 'x'.repeat(101) });
  expect(await make().client.download(item, 100, never)).toEqual({ state: 'too_large', sizeBytes: 101 });
  graph.asked.length = 0;
  answerHost = () => ({ body: 'x'.repeat(5_000), headers: { 'transfer-encoding': 'chunked' } });
  expect(await make().client.download(item, 100, never)).toMatchObject({ state: 'too_large' });
  answerHost = () => ({ body: 'x'.repeat(100) });
  expect(await make().client.download(item, 100, never)).toEqual(bytesOf('x'.repeat(100)));
});

test.each([401, 403, 404, 410])('after %s the address is asked for once more', async (status) => {
  let asked = 0;
  answerHost = () => (asked++ === 0 ? { status } : { body: 'second' });
  expect(await make().client.download(item, 100, never)).toEqual(bytesOf('second'));
  answerHost = () => ({ status });
  expect(await make().client.download(item, 100, never)).toEqual({ state: 'inaccessible' });
  expect([graph.asked.length, host.asked.length]).toEqual([4, 4]);
});

test.each([403, 404, 410, 423])('a content that Graph refuses with %s is inaccessible', async (status) => {
  answerGraph = () => ({ status });
  expect(await make().client.download(item, 100, never)).toEqual({ state: 'inaccessible' });
  expect([graph.asked.length, host.asked.length]).toEqual([1, 0]);
});

test.each([
  'http://169.254.169.254/metadata/identity/oauth2/token',
  'https://127.0.0.1/',
  'https://evil.example/',
  'https://contoso.sharepoint.com:444/',
  '/relative',
  '',
])('an address that is none of a content is not asked: %s', async (elsewhere) => {
  address = () => elsewhere;
  await expect(make().client.download(item, 100, never)).rejects.toMatchObject({
    retryClass: 'permanent',
    safeDiagnostic: 'graph_download_link_refused',
  });
  expect(host.asked).toEqual([]);
});

test('a redirect of the host is followed only to a host of contents, and not for ever', async () => {
  answerHost = ({ url }) =>
    url === '/end' ? { body: 'end' } : { status: 307, headers: { location: `${host.origin}/end` } };
  expect(await make().client.download(item, 100, never)).toEqual(bytesOf('end'));
  const refused = { safeDiagnostic: 'graph_download_link_refused' };
  answerHost = () => ({ status: 302, headers: { location: `${graph.origin}/v1.0/me` } });
  await expect(make().client.download(item, 100, never)).rejects.toMatchObject(refused);
  expect(graph.asked.every(({ url }) => url.endsWith('/content'))).toBe(true);
  host.asked.length = 0;
  answerHost = () => ({ status: 302, headers: { location: address() } });
  await expect(make().client.download(item, 100, never)).rejects.toMatchObject(refused);
  expect(host.asked).toHaveLength(3);
});

test('a host of contents that asks to wait is waited for', async () => {
  let asked = 0;
  answerHost = () => (asked++ === 0 ? { status: 429, headers: { 'retry-after': '4' } } : { body: 'x' });
  const { client, waits, counts } = make();
  expect(await client.download(item, 100, never)).toEqual(bytesOf('x'));
  expect(waits).toEqual([4_000]);
  expect(counts).toEqual(['content 3xx', 'download 4xx 429', 'download 2xx']);
});

test('a content that breaks off is read again, and never given in part', async () => {
  let asked = 0;
  await host.close();
  host = await listen((_asked, response) => {
    if (asked++ > 0) return { body: 'whole' };
    response.writeHead(200, { 'content-length': '5' });
    response.write('wh');
    setTimeout(() => response.destroy(), 10);
    return undefined;
  });
  expect(await make().client.download(item, 100, never)).toEqual(bytesOf('whole'));
});

test('neither the address nor what it answers is told', async () => {
  answerHost = () => ({ status: 400, body: { error: { code: 'canary', message: 'canary' } } });
  const error: unknown = await make()
    .client.download(item, 100, never)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ safeDiagnostic: 'graph_download_400' });
  const told = JSON.stringify(error, Object.getOwnPropertyNames(error));
  expect(told).not.toContain('canary');
  expect(told).not.toContain(host.origin);
});
