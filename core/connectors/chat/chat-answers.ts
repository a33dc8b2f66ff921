import { z } from 'zod';
import { list, optional, text, time } from '../cloud-http/answer-fields.ts';
import { Id, page } from '../m365/graph-answers.ts';

/** What is read of Graph's answers about teams, as in `graph-answers.ts`. */
export const Team = z.object({ displayName: text, tenantId: text, visibility: text });
export type Team = z.infer<typeof Team>;

export const Channel = z.object({
  id: Id,
  displayName: text,
  membershipType: text,
  tenantId: text,
  /** Names the team that hosts the channel. */
  '@odata.id': text,
});
export type Channel = z.infer<typeof Channel>;

export const ChannelPage = page(Channel);

const Member = z.object({ roles: optional(list(z.string().toLowerCase())), tenantId: text });
export type Member = z.infer<typeof Member>;
export const MemberPage = page(Member);

/** The time at which a message was sent, in milliseconds. No separator of paths is let in. */
const MessageId = z.string().regex(/^[\w.:=-]{1,200}$/);

const Attachment = z.object({ id: text, contentType: text, contentUrl: text, content: text, name: text });
export type Attachment = z.infer<typeof Attachment>;

const Author = z.object({ tenantId: text, userIdentityType: text });
export type Author = z.infer<typeof Author>;

const ChatMessage = z.object({
  id: MessageId,
  messageType: text,
  etag: text,
  createdDateTime: time,
  lastModifiedDateTime: time,
  lastEditedDateTime: time,
  /** Only whether it is there is read. */
  deletedDateTime: z.unknown().optional(),
  subject: text,
  from: optional(z.object({ user: optional(Author) })),
  body: optional(z.object({ contentType: text, content: text })),
  attachments: optional(list(Attachment)),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

const RootMessage = ChatMessage.extend({
  replies: optional(list(ChatMessage)),
  'replies@odata.nextLink': text,
});
export type RootMessage = z.infer<typeof RootMessage>;

export const RootMessagePage = page(RootMessage);
export type RootMessagePage = z.infer<typeof RootMessagePage>;
export const ReplyPage = page(ChatMessage);
