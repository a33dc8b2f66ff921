import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { besideRepository } from '../../support/beside-repository.ts';
import { asker } from '../../support/graph/ask.ts';
import { CHAT_APP, chatFake } from '../../support/graph/chat-tenant.ts';
import type { FakeChannel, GraphFake } from '../../support/graph/graph-fake.ts';
import { guidOf } from '../../support/graph/ids.ts';

const METADATA = besideRepository('vendor-schemas/graph.schema.json');

let fake: GraphFake;
let ask: ReturnType<typeof asker>;
let general: FakeChannel;

beforeAll(async () => {
  fake = await chatFake();
  ask = asker(fake, CHAT_APP.clientId);
  general = fake.channel('Sales', 'General');
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

const pathOf = ({ team, channel }: FakeChannel) =>
  `/teams/${team.id}/channels/${encodeURIComponent(channel.id)}`;

test.skipIf(!existsSync(METADATA))("the answers about teams fit the vendor's metadata", async () => {
  const ajv = new Ajv({ strict: false });
  ajv.addSchema(JSON.parse(readFileSync(METADATA, 'utf8')), 'graph');
  const fits = (type: string, value: unknown) => {
    const validate = ajv.getSchema(`graph#/definitions/${type}`);
    expect([type, validate?.(value), validate?.errors]).toEqual([type, true, null]);
  };
  const library = fake.library('Sales');
  general.openFiles({ driveId: library.id, itemId: library.addFolder('General') });
  const root = general.post('<p>Hello</p>', {
    attachments: [{ contentUrl: 'https://x.example', name: 'a.txt' }],
  });
  general.react(general.reply(root, 'Yes'));
  general.delete(general.reply(root, 'No'));
  general.systemEvent();
  fits('team', (await ask.get(`/teams/${general.team.id}`)).body);
  for (const channel of (await ask.get(`/teams/${general.team.id}/allChannels`)).body.value)
    fits('channel', channel);
  const listed = (await ask.get(`${pathOf(general)}/messages?$top=50&$expand=replies`)).body.value;
  expect(listed.map(({ messageType }) => messageType)).toEqual(['unknownFutureValue', 'message']);
  for (const message of listed) fits('chatMessage', message);
  fits('driveItem', (await ask.get(`${pathOf(general)}/filesFolder`)).body);
});

test('a channel that is shared with a team has the address of its host', async () => {
  const { body } = await ask.get(`/teams/${fake.channel('Support', 'General').team.id}/allChannels`);
  const shared = body.value.find(({ displayName }) => displayName === 'Partners');
  expect(shared?.['@odata.id']).toContain(`/teams/${general.team.id}/channels/19:`);
  expect(shared?.['@odata.id']).toContain(`/tenants/${fake.tenant().id}/`);
});

test('the messages take two parameters, and no others', async () => {
  const messages = `${pathOf(general)}/messages`;
  expect((await ask.get(`${messages}?$top=50`)).status).toBe(200);
  for (const query of ['$top=51', '$select=id', '$filter=id eq 1', '$expand=hostedContents']) {
    expect([query, (await ask.get(`${messages}?${query}`)).status]).toEqual([query, 400]);
  }
});

test('a call without its permission is refused as teams are', async () => {
  const app = fake.app(CHAT_APP.clientId);
  const { permissions } = app;
  app.permissions = permissions.filter((each) => each !== 'ChannelMessage.Read.All');
  const lesser = asker(fake, CHAT_APP.clientId);
  app.permissions = permissions;
  const { status, body } = await lesser.get(`${pathOf(general)}/messages/delta`);
  expect([status, body.error.code]).toEqual([403, 'Forbidden']);
  expect((await ask.get(`/teams/${guidOf('nowhere')}`)).status).toBe(404);
});
