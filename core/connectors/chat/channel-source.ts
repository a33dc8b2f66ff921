import type { Clock } from '../../kernel/clock.ts';
import { ScopeRefused } from '../connector.ts';
import type { GraphClient } from '../m365/graph-client.ts';
import type { GraphCloud } from '../m365/graph-cloud.ts';
import { keptOrganization, ourTenantId } from '../m365/organization.ts';
import { REFUSED } from '../m365/scope-refusal.ts';
import type { MessagePage, MessageSource } from '../message-source.ts';
import { readAudience } from './channel-audience.ts';
import { type KeptPage, readChannelPage } from './channel-feed.ts';
import { findItem, readFolder } from './channel-files.ts';
import { type ChannelId, type ChannelKind, entryOf } from './channel-id.ts';
import { kindOf, listChannels } from './channel-list.ts';
import { externalIdOf, isDeleted, messageOf, type Posted } from './channel-message.ts';
import { Channel } from './chat-answers.ts';

export type ChannelSourceOptions = {
  client: GraphClient;
  cloud: GraphCloud;
  /** A team, for all channels that it hosts, or `TEAM/CHANNEL`. */
  selected: readonly string[];
  /** As configured: an id or a domain name. */
  tenantId: string | null;
  clock: Clock;
};

/** Reads the channels of Microsoft Teams that are selected, and no others. */
export function createChannelSource({
  client,
  cloud,
  selected,
  tenantId,
  clock,
}: ChannelSourceOptions): MessageSource {
  const organization = keptOrganization(client, clock);
  const ourTenant = (signal: AbortSignal) => ourTenantId(tenantId, () => organization(signal));
  const kinds = new Map<string, ChannelKind>();
  const kept: KeptPage = { last: null };
  const channelOf = (container: string): ChannelId => selectedChannel(selected, container);

  /** Null if Graph does not say. */
  const readKind = async (container: string, signal: AbortSignal): Promise<ChannelKind | null> => {
    const known = kinds.get(container);
    if (known !== undefined) return known;
    const options = { query: { $select: 'id,membershipType' }, schema: Channel, expect: REFUSED, signal };
    const answer = await client.call('channel', channelOf(container), options);
    if (!answer.ok) return null;
    kinds.set(container, kindOf(answer.body));
    return kindOf(answer.body);
  };

  return {
    family: 'chat',
    mode: 'live',

    listContainers: async (signal) => {
      const listed = await listChannels(client, selected, signal);
      for (const { externalId, kind } of listed.containers)
        if (kind !== 'mailbox') kinds.set(externalId, kind);
      return listed;
    },

    readAudience: async (container, signal) => {
      const channel = channelOf(container);
      const kind = await readKind(container, signal);
      if (kind === null) return 'denied';
      return readAudience(client, { ...channel, kind }, await ourTenant(signal), signal);
    },

    readFilesFolder: async (container, signal) => {
      // Others have a site of their own, which this call would make.
      const isStandard = (await readKind(container, signal)) === 'standard';
      return isStandard ? readFolder(client, channelOf(container), signal) : null;
    },

    listFeeds: async () => [''],

    listMessages: async (container, _feed, cursor, signal) => {
      const source = { client, cloud, channel: channelOf(container), kept };
      const { posted, ...page } = await readChannelPage(source, cursor, signal);
      return { ...sorted(posted, await ourTenant(signal)), ...page };
    },

    // A listing has all of them.
    readAttachments: async () => [],

    findBackingItem: (url, signal) => findItem(client, url, signal),
  };
}

function selectedChannel(selected: readonly string[], container: string): ChannelId {
  const named = entryOf(container);
  const isSelected = selected.some((entry) => {
    const wanted = entryOf(entry);
    return (
      wanted?.teamId === named?.teamId &&
      (wanted?.channelId === null || wanted?.channelId === named?.channelId)
    );
  });
  if (named === null || named.channelId === null || !isSelected)
    throw new ScopeRefused('not_found', 'scope_unknown');
  return { teamId: named.teamId, channelId: named.channelId };
}

/** What is there and what is gone. A message that came twice is what it was last. */
function sorted(posted: readonly Posted[], ourTenant: string | null): Pick<MessagePage, 'messages' | 'gone'> {
  const latest = [...new Map(posted.map((each) => [externalIdOf(each), each])).values()];
  return {
    messages: latest.flatMap((each) => (isDeleted(each) ? [] : (messageOf(each, ourTenant) ?? []))),
    gone: latest.filter(isDeleted).map(externalIdOf),
  };
}
