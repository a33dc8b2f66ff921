import type { MessageContainer } from '../message-source.ts';

export type ChannelId = { teamId: string; channelId: string };

export type ChannelKind = Exclude<MessageContainer['kind'], 'mailbox'>;

const TEAM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** `19:…@thread.tacv2`, and `@thread.skype` of old channels. */
const CHANNEL = /^19:[\w.-]{1,200}@thread\.[\w.]{1,20}$/;

/** The identity of a channel. A channel stays in its team. */
export const channelName = ({ teamId, channelId }: ChannelId): string => `${teamId}/${channelId}`;

/** An entry of the configuration: a team, or one of its channels. Null if it cannot be either. */
export function entryOf(entry: string): { teamId: string; channelId: string | null } | null {
  const at = entry.indexOf('/');
  const teamId = (at === -1 ? entry : entry.slice(0, at)).toLowerCase();
  const channelId = at === -1 ? null : entry.slice(at + 1);
  return TEAM.test(teamId) && (channelId === null || CHANNEL.test(channelId)) ? { teamId, channelId } : null;
}
