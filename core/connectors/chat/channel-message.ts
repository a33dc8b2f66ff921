import { createHash } from 'node:crypto';
import type { SourceAttachment, SourceMessage } from '../message-source.ts';
import { cardText } from './card-text.ts';
import type { Attachment, Author, ChatMessage } from './chat-answers.ts';

/** A message as a page of Graph has it. `rootId`: the message that it replies to, null for a root. */
export type Posted = { message: ChatMessage; rootId: string | null };

/** A reply is known below its root only, so its id names both. */
export const externalIdOf = ({ message, rootId }: Posted): string =>
  rootId === null ? message.id : `${rootId}/${message.id}`;

export const isDeleted = ({ message: { deletedDateTime } }: Posted): boolean =>
  deletedDateTime !== undefined && deletedDateTime !== null;

/** Null for what people did not write: events of the system, and kinds that are not known. */
export function messageOf(posted: Posted, ourTenant: string | null): SourceMessage | null {
  const { message, rootId } = posted;
  if (message.messageType !== 'message') return null;
  const { createdDateTime, lastEditedDateTime, lastModifiedDateTime, attachments, from, body } = message;
  return {
    externalId: externalIdOf(posted),
    feed: '',
    rootExternalId: rootId,
    sourceVersion: message.etag || lastModifiedDateTime || createdDateTime || '',
    contentVersion: contentVersionOf(message),
    sentAt: createdDateTime ?? null,
    editedAt: lastEditedDateTime ?? null,
    hasOutsiders: from?.user ? isFromOutside(from.user, ourTenant) : null,
    subject: message.subject || null,
    body: body
      ? { mimeType: body.contentType === 'html' ? 'text/html' : 'text/plain', text: body.content ?? '' }
      : null,
    attachments: (attachments ?? []).map(attachmentOf),
  };
}

/** A reaction moves the etag, and neither of these. */
function contentVersionOf({ createdDateTime, lastEditedDateTime, attachments }: ChatMessage): string {
  const parts = (attachments ?? []).map(({ id, contentUrl, name }) => id || contentUrl || name || '').sort();
  const version = JSON.stringify([lastEditedDateTime ?? createdDateTime ?? null, parts]);
  return createHash('sha256').update(version).digest('base64url');
}

/** Kinds of accounts that are not of our directory. */
const OUTSIDE = new Set<string | null | undefined>([
  'anonymousGuest',
  'federatedUser',
  'personalMicrosoftAccountUser',
  'skypeUser',
  'phoneUser',
  'azureCommunicationServicesUser',
]);

/** Guests have an account in our tenant that looks like any other, so a message never proves that its author is ours. */
function isFromOutside({ tenantId, userIdentityType }: Author, ourTenant: string | null): true | null {
  const isOfAnother = Boolean(tenantId) && ourTenant !== null && tenantId?.toLowerCase() !== ourTenant;
  return OUTSIDE.has(userIdentityType) || isOfAnother ? true : null;
}

function attachmentOf({ contentType, contentUrl, content, name }: Attachment): SourceAttachment {
  const common = { name: name || null, sizeBytes: null };
  const text = content ? cardText(content) : null;
  if (text) {
    const bytes = Buffer.from(text);
    return {
      ...common,
      kind: 'card',
      mimeType: 'text/plain',
      sizeBytes: bytes.byteLength,
      url: null,
      content: { state: 'available', bytes },
    };
  }
  return {
    ...common,
    kind: contentType === 'reference' ? 'reference' : 'card',
    mimeType: null,
    url: contentType === 'reference' ? (contentUrl ?? null) : null,
    content: { state: 'link' },
  };
}
