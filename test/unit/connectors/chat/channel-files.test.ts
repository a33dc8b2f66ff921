import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MessageSource } from '../../../../core/connectors/message-source.ts';
import { CHAT_APP, channelSourceOf, chatFake } from '../../../support/graph/chat-tenant.ts';
import type { FakeChannel, GraphFake } from '../../../support/graph/graph-fake.ts';

const live = new AbortController().signal;
let fake: GraphFake;
let general: FakeChannel;
let source: MessageSource;

beforeEach(async () => {
  fake = await chatFake();
  general = fake.channel('Sales', 'General');
  source = channelSourceOf(fake, [general.team.id]);
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

test('the folder of the files is an item of a library, once somebody has opened it', async () => {
  expect(await source.readFilesFolder(general.externalId, live)).toBeNull();
  const library = fake.library('Sales');
  const itemId = library.addFolder('General');
  general.openFiles({ driveId: library.id, itemId });
  expect(await source.readFilesFolder(general.externalId, live)).toEqual({
    ...{ scopeExternalId: library.id, externalId: itemId },
  });
});

test.each([403, 404, 410, 423, 502])('the folder is unknown while Graph answers %i', async (status) => {
  general.openFiles({
    driveId: fake.library('Sales').id,
    itemId: fake.library('Sales').addFolder('General'),
  });
  fake.fail({ on: 'channel_files', fault: { kind: 'error', status, code: 'any' } });
  expect(await source.readFilesFolder(general.externalId, live)).toBeNull();
  expect(fake.callsOf('channel_files')).toHaveLength(1);
});

test.each([
  ['an error', { kind: 'error', status: 500, code: 'generalException' }],
  ['a page of the web', { kind: 'html', status: 200 }],
] as const)('the folder is unknown, and no failure, while Graph answers with %s', async (_, fault) => {
  fake.fail({ on: 'channel_files', fault, times: 9 });
  expect(await source.readFilesFolder(general.externalId, live)).toBeNull();
});

test.each(['Board', 'Partners'])('the site of %s is not made by asking for its files', async (name) => {
  const { externalId, channel } = fake.channel('Sales', name);
  expect(await source.readFilesFolder(externalId, live)).toBeNull();
  await source.listContainers(live);
  expect(await source.readFilesFolder(externalId, live)).toBeNull();
  expect([channel.madeSite, fake.callsOf('channel_files')]).toEqual([false, []]);
});

test('the address of an attachment leads to the item of its library', async () => {
  const library = fake.library('Sales');
  const externalId = library.add('General/Preise für März.xlsx', 'x');
  const webUrl = `${library.drive.webUrl}/General/${encodeURIComponent('Preise für März.xlsx')}`;
  const found = { scopeExternalId: library.id, externalId };
  expect(await source.findBackingItem(webUrl, live)).toEqual(found);
  // Teams also writes addresses without any encoding.
  expect(await source.findBackingItem(decodeURI(webUrl), live)).toEqual(found);
});

test('an address that is refused, gone or no document is no item', async () => {
  const library = fake.library('Sales');
  library.add('a.txt', 'x');
  const there = `${library.drive.webUrl}/a.txt`;
  const addresses = [
    `${library.drive.webUrl}/none.txt`,
    'https://elsewhere.sharepoint.com/sites/x/a.txt',
    'http://small.sharepoint.com/sites/Sales/a.txt',
    'file:///etc/passwd',
    'no address',
    `https://small.sharepoint.com/${'a'.repeat(5000)}`,
  ];
  for (const address of addresses)
    expect([address, await source.findBackingItem(address, live)]).toEqual([address, null]);
  for (const status of [400, 401, 403, 404, 410, 422, 423, 501]) {
    fake.fail({
      on: 'shared_item',
      fault: { kind: 'error', status, code: 'any' },
      times: status === 401 ? 2 : 1,
    });
    expect([status, await source.findBackingItem(there, live)]).toEqual([status, null]);
  }
  fake.fail({ on: 'shared_item', fault: { kind: 'error', status: 500, code: 'generalException' }, times: 3 });
  expect(await source.findBackingItem(there, live)).toBeNull();
  fake.app(CHAT_APP.clientId).permissions = ['ChannelMessage.Read.All'];
  expect(await source.findBackingItem(there, live)).toBeNull();
});

test('a link is looked at, and never redeemed', async () => {
  const sent: (string | null)[] = [];
  const { fetch: original } = globalThis;
  globalThis.fetch = (input, init) => {
    sent.push(new Headers(init?.headers).get('prefer'));
    return original(input, init);
  };
  try {
    await source.findBackingItem(`${fake.library('Sales').drive.webUrl}/a.txt`, live);
  } finally {
    globalThis.fetch = original;
  }
  expect(sent).toEqual([null]);
});
