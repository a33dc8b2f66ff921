import { compareText } from '../../kernel/compare-text.ts';
import type { ScopeRefusal } from '../../kernel/vocabulary.ts';
import type { Answer } from '../cloud-http/calls.ts';
import type { GraphClient } from '../m365/graph-client.ts';
import { pagesOf } from '../m365/pages.ts';
import { REFUSED, type RefusedStatus, scopeRefusalOf } from '../m365/scope-refusal.ts';
import type { MessageContainer, RefusedContainer } from '../message-source.ts';
import { type ChannelKind, channelName, entryOf } from './channel-id.ts';
import { type Channel, ChannelPage, Team } from './chat-answers.ts';

/** A team has at most 1,000 channels, deleted ones included. */
const MAX_PAGES = 100;

type Listed = { containers: MessageContainer[]; refused: RefusedContainer[] };

/** The selected channels, each once, by team and name. An entry that leads to no channel is refused. */
export async function listChannels(
  client: GraphClient,
  entries: readonly string[],
  signal: AbortSignal,
): Promise<Listed> {
  const refused: RefusedContainer[] = [];
  const wanted = entries.flatMap((name) => {
    const entry = entryOf(name);
    if (entry === null) refused.push({ name, reason: 'malformed_id' });
    return entry === null ? [] : [{ ...entry, name }];
  });
  const containers = new Map<string, MessageContainer>();
  for (const [teamId, ofTeam] of Map.groupBy(wanted, (entry) => entry.teamId)) {
    const hosted = await channelsOf(client, teamId, signal);
    for (const { name, channelId } of ofTeam) {
      if ('reason' in hosted) {
        refused.push({ name, reason: hosted.reason });
        continue;
      }
      const found = hosted.channels.filter(({ id }) => channelId === null || channelId === id);
      if (found.length === 0) refused.push({ name, reason: 'not_found' });
      for (const channel of found) {
        const container = containerOf(name, teamId, hosted.team, channel);
        if (!containers.has(container.externalId)) containers.set(container.externalId, container);
      }
    }
  }
  const sorted = [...containers.values()].sort(
    (a, b) =>
      compareText(a.groupName ?? '', b.groupName ?? '') ||
      compareText(a.name, b.name) ||
      compareText(a.externalId, b.externalId),
  );
  return { containers: sorted, refused };
}

const containerOf = (entry: string, teamId: string, team: Team, channel: Channel): MessageContainer => ({
  externalId: channelName({ teamId, channelId: channel.id }),
  entry,
  name: channel.displayName || channel.id,
  kind: kindOf(channel),
  groupName: team.displayName || teamId,
});

/** A kind that is not known counts as private, which is read with the least assumptions. */
export function kindOf({ membershipType }: Pick<Channel, 'membershipType'>): ChannelKind {
  const kind = membershipType?.toLowerCase();
  return kind === 'standard' || kind === 'shared' ? kind : 'private';
}

/** The channels that a team hosts, or why Graph does not say, and to which call. */
export async function channelsOf(
  client: GraphClient,
  teamId: string,
  signal: AbortSignal,
): Promise<{ team: Team; channels: Channel[] } | { reason: ScopeRefusal; call: 'team' | 'channels' }> {
  const team = await readTeam(client, teamId, signal);
  if (!team.ok) return { reason: scopeRefusalOf(team.status), call: 'team' };
  const answer = await pagesOf(
    client,
    'channels',
    { teamId },
    {
      query: { $select: 'id,displayName,membershipType,tenantId' },
      schema: ChannelPage,
      maxPages: MAX_PAGES,
      expect: REFUSED,
      signal,
    },
  );
  if (!answer.ok) return { reason: scopeRefusalOf(answer.status), call: 'channels' };
  return { team: team.body, channels: answer.body.filter((channel) => isHosted(channel, teamId, team.body)) };
}

export const readTeam = (
  client: GraphClient,
  teamId: string,
  signal: AbortSignal,
): Promise<Answer<Team, RefusedStatus>> =>
  client.call(
    'team',
    { teamId },
    {
      query: { $select: 'displayName,tenantId,visibility' },
      schema: Team,
      expect: REFUSED,
      signal,
    },
  );

/**
 * Whether the channel is of this team. The list has channels that other teams and organizations share with it: their
 * address names their own team and tenant. A shared channel without an address is left out.
 */
function isHosted(channel: Channel, teamId: string, team: Team): boolean {
  const { tenantId, '@odata.id': address } = channel;
  const [, host] = /\/teams(?:\/|\(')([0-9a-f-]{36})/i.exec(address ?? '') ?? [];
  if (tenantId && team.tenantId && tenantId.toLowerCase() !== team.tenantId.toLowerCase()) return false;
  return host === undefined ? kindOf(channel) !== 'shared' : host.toLowerCase() === teamId;
}
