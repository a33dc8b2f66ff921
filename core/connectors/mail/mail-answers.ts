import { z } from 'zod';
import { list, optional, text, time } from '../cloud-http/answer-fields.ts';
import { Id, page, pageOf, present } from '../m365/graph-answers.ts';

/** What is read of the answers of Exchange, as tolerant as for the other answers of Graph. */
export const Folder = z.object({
  '@odata.type': text,
  id: Id,
  childFolderCount: optional(z.int().min(0)),
});
export type Folder = z.infer<typeof Folder>;
export const FolderPage = page(Folder);

const Recipient = z.object({ emailAddress: optional(z.object({ address: text })) });
const recipients = optional(list(Recipient));

/** A message, or what a feed reports of one: its id with `@removed`, or its id and the read flag. */
export const Message = z.object({
  id: Id,
  '@removed': present,
  changeKey: text,
  parentFolderId: optional(Id),
  isDraft: optional(z.boolean()),
  hasAttachments: optional(z.boolean()),
  sentDateTime: time,
  receivedDateTime: time,
  lastModifiedDateTime: time,
  subject: text,
  /** Absent if it was not asked for, and in a part of a message. */
  body: optional(z.object({ contentType: text, content: text })),
  internetMessageHeaders: optional(list(z.object({ name: text, value: text }))),
  from: optional(Recipient),
  sender: optional(Recipient),
  toRecipients: recipients,
  ccRecipients: recipients,
  bccRecipients: recipients,
});
export type Message = z.infer<typeof Message>;
export const MessagePage = pageOf(list(Message));
export type MessagePage = z.infer<typeof MessagePage>;

const HEAD = [
  ...['id', 'changeKey', 'parentFolderId', 'isDraft', 'hasAttachments', 'sentDateTime', 'receivedDateTime'],
  ...['lastModifiedDateTime', 'subject', 'internetMessageHeaders'],
  ...['from', 'sender', 'toRecipients', 'ccRecipients', 'bccRecipients'],
].join(',');
/** `lean`: without the body, so that no body makes an answer too large. */
export const MESSAGE_FIELDS = { whole: `${HEAD},body`, lean: HEAD } as const;
export type MessageFields = keyof typeof MESSAGE_FIELDS;

export const Attachment = z.object({
  '@odata.type': text,
  id: Id,
  name: text,
  contentType: text,
  size: optional(z.int().min(0)),
});
export type Attachment = z.infer<typeof Attachment>;
export const AttachmentPage = page(Attachment);
