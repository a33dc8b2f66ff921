import { z } from 'zod';
import { answerMessages, answerMessagesDelta, answerReplies } from './chat-feed.ts';
import type { Channel, Team, TeamMember } from './chat-state.ts';
import { driveItemJson } from './drive-item-json.ts';
import { type Answer, GraphError, itemNotFound } from './errors.ts';
import { pageOfList } from './lists.ts';
import { type Call, READ_FILES, type Route } from './route.ts';
import { channelMember } from './schemas.ts';
import type { Tenant } from './state.ts';
import { assertServes, siteSeen } from './visible.ts';

const at = (ms: number): string => new Date(ms).toISOString();

const notFound = (what: string): GraphError => new GraphError(404, 'NotFound', `No ${what} found.`);

function teamNamed({ tenant, values }: Call): Team {
  const team = tenant.teams.get((values.team ?? '').toLowerCase());
  if (team === undefined) throw notFound('team');
  return team;
}

function channelNamed(call: Call): Channel {
  const channel = teamNamed(call).channels.find(({ id }) => id === call.values.channel);
  if (channel === undefined) throw notFound('channel');
  return channel;
}

/** The messages of a channel, unless the service refuses them. */
function messagesNamed(call: Call): Channel {
  const channel = channelNamed(call);
  if (channel.refusal === 'gone') throw notFound('thread');
  if (channel.refusal === 'denied')
    throw new GraphError(403, 'Forbidden', 'The caller may not read the channel.');
  return channel;
}

const teamJson = ({ id: tenantId }: Tenant, { id, name, visibility, createdAt }: Team) => ({
  ...{ id, displayName: name, description: null, visibility, tenantId, isArchived: false },
  createdDateTime: at(createdAt),
});

const channelJson = ({ base }: Call, { id, name, kind, tenantId, teamId, createdAt }: Channel) => ({
  '@odata.id': `${base}/tenants/${tenantId}/teams/${teamId}/channels/${id}`,
  ...{
    id,
    displayName: name,
    description: null,
    membershipType: kind,
    tenantId,
    createdDateTime: at(createdAt),
  },
});

function allChannels(call: Call): Answer {
  const team = teamNamed(call);
  const channels = [...team.channels, ...team.incoming].map((channel) => channelJson(call, channel));
  return pageOfList(call, channels, 'Collection(channel)');
}

/** No type of the metadata. As the documentation prints it (`team-list-members`, `channel-list-allmembers`). */
const memberJson = ({ id, displayName, role, tenantId }: TeamMember) => ({
  '@odata.type': '#microsoft.graph.aadUserConversationMember',
  ...{ id: Buffer.from(`membership/${id}`).toString('base64'), roles: role === null ? [] : [role] },
  ...{ displayName, userId: id, email: `${displayName.toLowerCase()}@members.example`, tenantId },
  visibleHistoryStartDateTime: '0001-01-01T00:00:00Z',
});

const MEMBERS = z.strictObject({
  ...{ '@odata.context': z.string(), '@odata.nextLink': z.url().optional() },
  value: z.array(channelMember),
});

const members = (call: Call, of: readonly TeamMember[]): Answer =>
  pageOfList(call, of.map(memberJson), 'members');

/** Seen where nobody has opened the files (microsoftgraph/microsoft-graph-docs-contrib#4477). */
const noFolder = (): GraphError => new GraphError(404, 'ItemNotFound', 'Sharepoint folder not found.');

function filesFolder(call: Call): Answer {
  const channel = channelNamed(call);
  // Documented (`channel-post`): the call makes the site of a private or shared channel.
  if (channel.kind !== 'standard') channel.madeSite = true;
  const drive = call.tenant.drives.get(channel.folder?.driveId ?? '');
  const item = drive?.items.get(channel.folder?.itemId ?? '');
  if (drive === undefined || item === undefined) throw noFolder();
  return { status: 200, body: driveItemJson(call.tenant, drive, item) };
}

/** The item of an address, which is encoded as documented (`shares-get`). */
function sharedItem(call: Call): Answer {
  const [, encoded] = /^u!([\w-]+)$/.exec(call.values.share ?? '') ?? [];
  const address = URL.parse(Buffer.from(encoded ?? '', 'base64url').toString());
  if (address === null) throw new GraphError(400, 'invalidRequest', 'The sharing token is malformed.');
  if (address.host !== call.tenant.hostName) throw new GraphError(403, 'accessDenied', 'Access denied');
  for (const drive of call.tenant.drives.values()) {
    if (!address.href.startsWith(drive.webUrl)) continue;
    const items = [...drive.items.values()].filter(({ deleted }) => !deleted);
    const json = items
      .map((item) => driveItemJson(call.tenant, drive, item))
      .find(({ webUrl }) => URL.parse(webUrl ?? '')?.href === address.href);
    if (json === undefined) continue;
    assertServes(call.tenant, drive);
    siteSeen(
      call,
      call.tenant.sites.find(({ id }) => id === drive.siteId),
    );
    return { status: 200, body: json };
  }
  throw itemNotFound();
}

const READ_MESSAGES = ['ChannelMessage.Read.All'];
const READ_CHANNELS = ['Channel.ReadBasic.All', 'ChannelSettings.Read.All'];

export const CHAT_ROUTES: readonly Route[] = [
  {
    ...{ family: 'team', method: 'GET', path: '/teams/{team}', of: 'team' },
    permissions: ['Team.ReadBasic.All', 'TeamSettings.Read.All'],
    answer: (call) => ({ status: 200, body: teamJson(call.tenant, teamNamed(call)) }),
  },
  {
    ...{ family: 'channels', method: 'GET', path: '/teams/{team}/allChannels', of: 'channel', list: true },
    ...{ permissions: READ_CHANNELS, answer: allChannels },
  },
  {
    ...{ family: 'channel', method: 'GET', path: '/teams/{team}/channels/{channel}', of: 'channel' },
    permissions: READ_CHANNELS,
    answer: (call) => ({ status: 200, body: channelJson(call, channelNamed(call)) }),
  },
  {
    ...{ family: 'team_members', method: 'GET', path: '/teams/{team}/members', schema: MEMBERS },
    permissions: ['TeamMember.Read.All'],
    answer: (call) => members(call, teamNamed(call).members),
  },
  {
    ...{ family: 'channel_members', method: 'GET', path: '/teams/{team}/channels/{channel}/allMembers' },
    ...{ schema: MEMBERS, permissions: ['ChannelMember.Read.All'] },
    answer: (call) => members(call, channelNamed(call).members),
  },
  {
    ...{ family: 'channel_delta', method: 'GET', path: '/teams/{team}/channels/{channel}/messages/delta' },
    ...{ of: 'chatMessage', list: true, permissions: READ_MESSAGES },
    answer: (call) => answerMessagesDelta(call, messagesNamed(call)),
  },
  {
    ...{ family: 'channel_messages', method: 'GET', path: '/teams/{team}/channels/{channel}/messages' },
    ...{ of: 'chatMessage', list: true, permissions: READ_MESSAGES },
    answer: (call) => answerMessages(call, messagesNamed(call)),
  },
  {
    ...{ family: 'channel_replies', method: 'GET' },
    path: '/teams/{team}/channels/{channel}/messages/{message}/replies',
    ...{ of: 'chatMessage', list: true, permissions: READ_MESSAGES },
    answer: (call) => answerReplies(call, messagesNamed(call)),
  },
  {
    ...{ family: 'channel_files', method: 'GET', path: '/teams/{team}/channels/{channel}/filesFolder' },
    ...{ of: 'driveItem', permissions: READ_FILES, answer: filesFolder },
  },
  {
    ...{ family: 'shared_item', method: 'GET', path: '/shares/{share}/driveItem', of: 'driveItem' },
    // Microsoft documents a permission to write. Two reports say that reading is enough (microsoft-graph-docs#17015).
    ...{ permissions: READ_FILES, answer: sharedItem },
  },
];
