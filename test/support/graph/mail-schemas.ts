import { z } from 'zod';

/** The types of Exchange that the fake uses, with the properties that it gives. They are part of `GRAPH_TYPES`. */
const dateTime = z.iso.datetime({ offset: true });
const annotation = z.string();

const emailAddress = z.strictObject({ name: z.string(), address: z.string() });
const recipient = z.strictObject({ emailAddress });
const itemBody = z.strictObject({ contentType: z.enum(['text', 'html']), content: z.string() });
const internetMessageHeader = z.strictObject({ name: z.string(), value: z.string() });

const mailFolder = z.strictObject({
  '@odata.context': annotation.optional(),
  '@odata.type': annotation.optional(),
  id: z.string(),
  displayName: z.string(),
  parentFolderId: z.string(),
  childFolderCount: z.int().min(0),
  unreadItemCount: z.int().min(0),
  totalItemCount: z.int().min(0),
  isHidden: z.boolean(),
});

/** An entry of a feed may have its id and a flag alone. */
const message = z.strictObject({
  '@odata.context': annotation.optional(),
  '@odata.type': annotation.optional(),
  '@odata.etag': annotation.optional(),
  '@removed': z.strictObject({ reason: z.enum(['deleted', 'changed']) }).optional(),
  id: z.string(),
  changeKey: z.string().optional(),
  categories: z.array(z.string()).optional(),
  createdDateTime: dateTime.optional(),
  lastModifiedDateTime: dateTime.optional(),
  receivedDateTime: dateTime.optional(),
  sentDateTime: dateTime.optional(),
  hasAttachments: z.boolean().optional(),
  internetMessageId: z.string().optional(),
  internetMessageHeaders: z.array(internetMessageHeader).optional(),
  subject: z.string().nullable().optional(),
  bodyPreview: z.string().optional(),
  body: itemBody.optional(),
  parentFolderId: z.string().optional(),
  isRead: z.boolean().optional(),
  isDraft: z.boolean().optional(),
  from: recipient.optional(),
  sender: recipient.optional(),
  toRecipients: z.array(recipient).optional(),
  ccRecipients: z.array(recipient).optional(),
  bccRecipients: z.array(recipient).optional(),
});

const attachment = z.strictObject({
  '@odata.context': annotation.optional(),
  '@odata.type': annotation,
  '@odata.mediaContentType': annotation.optional(),
  id: z.string(),
  name: z.string(),
  contentType: z.string().nullable(),
  size: z.int().min(0),
  isInline: z.boolean(),
  lastModifiedDateTime: dateTime,
});
const fileAttachment = attachment.extend({
  contentId: z.string().nullable(),
  contentLocation: z.string().nullable(),
  contentBytes: z.base64(),
});
const itemAttachment = attachment.extend({});
const referenceAttachment = attachment.extend({});

export const MAIL_TYPES = {
  ...{ emailAddress, recipient, itemBody, internetMessageHeader, mailFolder, message },
  ...{ attachment, fileAttachment, itemAttachment, referenceAttachment },
} as const;

export type MessageJson = z.infer<typeof message>;
export type MailFolderJson = z.infer<typeof mailFolder>;
export type AttachmentJson =
  | z.infer<typeof fileAttachment>
  | z.infer<typeof itemAttachment>
  | z.infer<typeof referenceAttachment>;
