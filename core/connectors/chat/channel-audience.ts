import type { GraphClient } from '../m365/graph-client.ts';
import { pagesOf } from '../m365/pages.ts';
import { REFUSED } from '../m365/scope-refusal.ts';
import type { Audience } from '../message-source.ts';
import type { ChannelId, ChannelKind } from './channel-id.ts';
import { readTeam } from './channel-list.ts';
import { type Member, MemberPage } from './chat-answers.ts';

/** Members of a page, at most. Some lists end there without a link to more. */
const PAGE_SIZE = 999;
/** A team has at most 25,000 members. Graph may send pages of 100. */
const MAX_PAGES = 300;

/**
 * How many people can read a channel: the members of the team, or of the channel if it has its own.
 * @param ourTenant null if it is not known
 */
export async function readAudience(
  client: GraphClient,
  { teamId, channelId, kind }: ChannelId & { kind: ChannelKind },
  ourTenant: string | null,
  signal: AbortSignal,
): Promise<Audience | 'denied'> {
  const options = { schema: MemberPage, maxPages: MAX_PAGES, expect: REFUSED, signal };
  const answer = await (kind === 'standard'
    ? pagesOf(client, 'team_members', { teamId }, { ...options, query: { $top: PAGE_SIZE } })
    : pagesOf(client, 'channel_members', { teamId, channelId }, options));
  if (!answer.ok) return 'denied';
  const members = answer.body;
  // Everybody may join the team, and by that its standard channels alone.
  const team = kind === 'standard' ? await readTeam(client, teamId, signal) : null;
  const guests = members.filter(isGuest);
  return {
    members: members.length,
    guests: guests.length,
    outsiders: members.filter((member) => !isGuest(member) && isOfAnother(member, ourTenant)).length,
    isOpen: team?.ok === true && team.body.visibility?.toLowerCase() === 'public',
    complete: members.length !== PAGE_SIZE && ourTenant !== null && team?.ok !== false,
  };
}

const isGuest = ({ roles }: Member): boolean => (roles ?? []).includes('guest');

const isOfAnother = ({ tenantId }: Member, ourTenant: string | null): boolean =>
  Boolean(tenantId) && ourTenant !== null && tenantId?.toLowerCase() !== ourTenant;
