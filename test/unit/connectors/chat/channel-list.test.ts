import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScopeRefused } from '../../../../core/connectors/connector.ts';
import { CHAT_APP, channelSourceOf, chatFake } from '../../../support/graph/chat-tenant.ts';
import type { GraphFake } from '../../../support/graph/graph-fake.ts';
import { guidOf } from '../../../support/graph/ids.ts';

const live = new AbortController().signal;
let fake: GraphFake;

beforeEach(async () => {
  fake = await chatFake();
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

const teamId = (name: string) => fake.channel(name, 'General').team.id;
const listed = (...selected: string[]) => channelSourceOf(fake, selected).listContainers(live);
const without = (permission: string) => {
  const app = fake.app(CHAT_APP.clientId);
  app.permissions = app.permissions.filter((each) => each !== permission);
};

test('a selected team is all channels that it hosts, and none that are shared with it', async () => {
  const { containers, refused } = await listed(teamId('Sales').toUpperCase());
  expect(refused).toEqual([]);
  expect(containers.map(({ name, kind, groupName }) => [groupName, name, kind])).toEqual([
    ['Sales', 'Board', 'private'],
    ['Sales', 'General', 'standard'],
    ['Sales', 'Partners', 'shared'],
  ]);
  expect(containers.map(({ externalId }) => externalId)).toEqual(
    ['Board', 'General', 'Partners'].map((name) => fake.channel('Sales', name).externalId),
  );
});

test('nothing is selected by default, and one channel is that channel alone', async () => {
  expect(await listed()).toEqual({ containers: [], refused: [] });
  expect(fake.calls).toEqual([]);
  const board = fake.channel('Sales', 'Board').externalId;
  const { containers } = await listed(board);
  expect(containers.map(({ name, entry }) => [name, entry])).toEqual([['Board', board]]);
});

test('a channel that two entries select is listed once, by the first', async () => {
  const general = fake.channel('Support', 'General').externalId;
  const { containers } = await listed(teamId('Support'), general);
  expect(containers.map(({ entry }) => entry)).toEqual([teamId('Support')]);
});

test('entries that lead to no channel of ours are refused by name', async () => {
  const shared = fake.channel('Sales', 'Partners').channel.id;
  const entries = [
    guidOf('nowhere'),
    'Sales',
    `${teamId('Support')}/19:none@thread.tacv2`,
    // Shared with the team, and hosted by another one.
    `${teamId('Support')}/${shared}`,
    `${teamId('Sales')}/../${teamId('Support')}`,
  ];
  const { containers, refused } = await listed(...entries);
  expect(containers).toEqual([]);
  expect(Object.fromEntries(refused.map(({ name, reason }) => [name, reason]))).toEqual({
    [entries[0] ?? '']: 'not_found',
    Sales: 'malformed_id',
    [entries[2] ?? '']: 'not_found',
    [entries[3] ?? '']: 'not_found',
    [entries[4] ?? '']: 'malformed_id',
  });
});

test.each(['Team.ReadBasic.All', 'Channel.ReadBasic.All'])(
  'without %s the team is refused',
  async (permission) => {
    without(permission);
    const { refused } = await listed(teamId('Sales'));
    expect(refused).toEqual([{ name: teamId('Sales'), reason: 'denied' }]);
  },
);

test('a channel that is not selected is not read', async () => {
  const source = channelSourceOf(fake, [fake.channel('Sales', 'Board').externalId]);
  const general = fake.channel('Sales', 'General').externalId;
  for (const read of [
    () => source.listMessages(general, '', null, live),
    () => source.readAudience(general, live),
    () => source.readFilesFolder(general, live),
    () => source.listMessages(teamId('Sales'), '', null, live),
  ]) {
    await expect(read()).rejects.toBeInstanceOf(ScopeRefused);
  }
  expect(fake.calls).toEqual([]);
});

test('a standard channel has the members of its team, which is open if it is public', async () => {
  const source = channelSourceOf(fake, [teamId('Sales'), teamId('Support')]);
  expect(await source.readAudience(fake.channel('Sales', 'General').externalId, live)).toEqual({
    ...{ members: 3, guests: 1, outsiders: 0, isOpen: true, complete: true },
  });
  expect(await source.readAudience(fake.channel('Support', 'General').externalId, live)).toEqual({
    ...{ members: 1, guests: 0, outsiders: 0, isOpen: false, complete: true },
  });
});

test('a private or shared channel has members of its own and is never open', async () => {
  const source = channelSourceOf(fake, [teamId('Sales')]);
  expect(await source.readAudience(fake.channel('Sales', 'Board').externalId, live)).toEqual({
    ...{ members: 1, guests: 0, outsiders: 0, isOpen: false, complete: true },
  });
  expect(await source.readAudience(fake.channel('Sales', 'Partners').externalId, live)).toEqual({
    ...{ members: 2, guests: 0, outsiders: 1, isOpen: false, complete: true },
  });
});

test('who is an outsider is incomplete while our tenant is not known', async () => {
  // The application may not read the organization, which knows the id behind a domain name.
  const source = channelSourceOf(fake, [teamId('Sales')], { tenantId: 'small.example' });
  expect(await source.readAudience(fake.channel('Sales', 'Partners').externalId, live)).toMatchObject({
    ...{ members: 2, outsiders: 0, complete: false },
  });
});

test('a list that ends at its limit is incomplete', async () => {
  const { channel } = fake.channel('Sales', 'Partners');
  const [first] = channel.members;
  if (first !== undefined) channel.members = Array.from({ length: 999 }, () => first);
  const source = channelSourceOf(fake, [teamId('Sales')]);
  expect(await source.readAudience(fake.channel('Sales', 'Partners').externalId, live)).toMatchObject({
    ...{ members: 999, complete: false },
  });
});

test.each([
  ['General', 'TeamMember.Read.All'],
  ['Partners', 'ChannelMember.Read.All'],
])('the audience of %s is denied without %s', async (name, permission) => {
  without(permission);
  const { externalId } = fake.channel('Sales', name);
  expect(await channelSourceOf(fake, [externalId]).readAudience(externalId, live)).toBe('denied');
});
