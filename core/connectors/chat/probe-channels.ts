import { z } from 'zod';
import type { GraphClient } from '../m365/graph-client.ts';
import { withoutPermission } from '../m365/without-permission.ts';
import { blocked, notConfigured, OK, type Probed, probed, type SourceProbe } from '../probe.ts';
import { readAudience } from './channel-audience.ts';
import { type ChannelId, type ChannelKind, entryOf } from './channel-id.ts';
import { channelsOf, kindOf } from './channel-list.ts';

/** Of a long selection, the first entries. */
const ENTRIES = 20;
/** The answers of a folder that Graph may look for and does not have. */
const NO_FOLDER = [404, 410, 423, 502] as const;

const Any = z.looseObject({});

type Found = ChannelId & { kind: ChannelKind };

/**
 * Tests chat channels, right by right: whether the selected teams and channels are listed (`sites`), the messages of one
 * are read (`drive`), members are counted (`sharing`) and documents are found (`files`).
 */
export async function probeChannels(
  client: GraphClient,
  selected: readonly string[],
  signal: AbortSignal,
): Promise<Pick<SourceProbe, 'sites' | 'drive' | 'sharing' | 'files'>> {
  const found: Found[] = [];
  const sites = await probed(() => probeListing(client, selected, found, signal), signal);
  const [first] = found;
  if (first === undefined) {
    const none = sites.state === 'ok' ? blocked('no_site') : sites;
    return { sites, drive: none, sharing: none, files: none };
  }
  const [drive, sharing, files] = await Promise.all([
    probed(() => probeMessages(client, first, signal), signal),
    probed(() => probeMembers(client, found, signal), signal),
    probed(() => probeFolder(client, found, signal), signal),
  ]);
  return { sites, drive, sharing, files };
}

/** @param found gets the channels that the entries lead to */
async function probeListing(
  client: GraphClient,
  selected: readonly string[],
  found: Found[],
  signal: AbortSignal,
): Promise<Probed> {
  let first: Probed = OK;
  for (const [at, name] of selected.slice(0, ENTRIES).entries()) {
    const problem = await probeEntry(client, name, found, signal);
    if (problem.state === 'ok' || first.state !== 'ok') continue;
    // A missing permission is one of the whole application.
    first = problem.reason === 'missing_permission' ? problem : { ...problem, position: at + 1 };
  }
  return first;
}

async function probeEntry(
  client: GraphClient,
  name: string,
  found: Found[],
  signal: AbortSignal,
): Promise<Probed> {
  const entry = entryOf(name);
  if (entry === null) return blocked('site_not_found');
  const { teamId, channelId } = entry;
  const listed = await channelsOf(client, teamId, signal);
  if ('reason' in listed)
    return listed.reason === 'denied' ? withoutPermission(listed.call) : blocked('site_not_found');
  const channels = listed.channels.filter(({ id }) => channelId === null || channelId === id);
  found.push(...channels.map((channel) => ({ teamId, channelId: channel.id, kind: kindOf(channel) })));
  return channels.length > 0 ? OK : blocked('site_not_found');
}

async function probeMessages(
  client: GraphClient,
  { teamId, channelId }: Found,
  signal: AbortSignal,
): Promise<Probed> {
  const options = { query: { $top: 1 }, schema: Any, expect: [403] as const, signal };
  const answer = await client.call('channel_delta', { teamId, channelId }, options);
  return answer.ok ? OK : withoutPermission('channel_delta');
}

/** Members of a team, and of a channel that has its own: each needs another right. */
async function probeMembers(
  client: GraphClient,
  found: readonly Found[],
  signal: AbortSignal,
): Promise<Probed> {
  const ofTeam = found.find(({ kind }) => kind === 'standard');
  const ofChannel = found.find(({ kind }) => kind !== 'standard');
  const isDenied = async (channel: Found | undefined) =>
    channel !== undefined && (await readAudience(client, channel, null, signal)) === 'denied';
  const [team, channel] = await Promise.all([isDenied(ofTeam), isDenied(ofChannel)]);
  if (!team && !channel) return OK;
  return withoutPermission(
    ...(team ? (['team_members'] as const) : []),
    ...(channel ? (['channel_members'] as const) : []),
  );
}

async function probeFolder(
  client: GraphClient,
  found: readonly Found[],
  signal: AbortSignal,
): Promise<Probed> {
  const standard = found.find(({ kind }) => kind === 'standard');
  // A call for another channel would make its site.
  if (standard === undefined) return notConfigured('not_part_of_source');
  const { teamId, channelId } = standard;
  const options = { schema: Any, expect: [403, ...NO_FOLDER] as const, signal };
  const answer = await client.call('channel_files', { teamId, channelId }, options);
  return answer.ok || answer.status !== 403 ? OK : withoutPermission('channel_files');
}
