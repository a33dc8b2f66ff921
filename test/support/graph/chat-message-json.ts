import { moreReplies } from './chat-links.ts';
import type { Channel, ChatAuthor, ChatMessage } from './chat-state.ts';
import type { Call } from './route.ts';
import type { ChatMessageJson } from './schemas.ts';
import type { Tenant } from './state.ts';

const at = (ms: number): string => new Date(ms).toISOString();
const orNull = (ms: number | null): string | null => (ms === null ? null : at(ms));

const userOf = ({ id, displayName, kind, tenantId }: ChatAuthor) => ({
  ...{ '@odata.type': '#microsoft.graph.teamworkUserIdentity', id, displayName },
  ...{ userIdentityType: kind, tenantId },
});

/** As recorded answers have it. A type that the caller did not ask for by `Prefer` comes as `unknownFutureValue`. */
export function messageJson(
  { id: tenantId }: Tenant,
  channel: Channel,
  message: ChatMessage,
): ChatMessageJson {
  const { id, rootId, author, type } = message;
  const channelPath = encodeURIComponent(channel.id);
  return {
    ...{ id, replyToId: rootId, etag: String(message.modifiedAt) },
    messageType: type === 'message' ? 'message' : 'unknownFutureValue',
    ...{ createdDateTime: at(message.createdAt), lastModifiedDateTime: at(message.modifiedAt) },
    ...{ lastEditedDateTime: orNull(message.editedAt), deletedDateTime: orNull(message.deletedAt) },
    ...{ subject: message.subject, summary: null, chatId: null, importance: 'normal', locale: 'en-us' },
    webUrl: `https://teams.microsoft.com/l/message/${channelPath}/${id}?groupId=${channel.teamId}&tenantId=${tenantId}`,
    ...{ policyViolation: null, eventDetail: null },
    from: author && { application: null, device: null, user: userOf(author) },
    body: { contentType: 'html', content: message.html },
    channelIdentity: { teamId: channel.teamId, channelId: channel.id },
    attachments: message.attachments.map((attachment) => ({
      ...{ ...attachment, thumbnailUrl: null, teamsAppId: null },
    })),
    mentions: [],
    reactions: message.reactions.map((by) => ({
      ...{ reactionType: 'like', displayName: 'Like', createdDateTime: at(message.modifiedAt) },
      ...{ reactionContentUrl: null, user: { application: null, device: null, user: userOf(by) } },
    })),
  };
}

/** A root, with its newest replies if they are asked for. A link leads to the others. */
export function rootJson(call: Call, channel: Channel, root: ChatMessage, expand: boolean): ChatMessageJson {
  const json = messageJson(call.tenant, channel, root);
  if (!expand) return json;
  const { expandedReplies } = call.tenant.quirks;
  const replies = [...(channel.replies.get(root.id) ?? [])].reverse();
  return {
    ...json,
    'replies@odata.count': Math.min(replies.length, expandedReplies),
    ...(replies.length > expandedReplies && {
      'replies@odata.nextLink': moreReplies(call, root, expandedReplies),
    }),
    replies: replies.slice(0, expandedReplies).map((reply) => messageJson(call.tenant, channel, reply)),
  };
}
