import { isOurs, type OwnDomains } from '../m365/identities.ts';
import type { SourceMessage } from '../message-source.ts';
import type { Message } from './mail-answers.ts';

/**
 * Whether an answer has all that makes a message. The feed may report a change of the read flag with the id and the flag
 * alone.
 */
export const isWhole = (message: Message): boolean => message.body !== undefined && hasHead(message);

/** The same without the body. */
export const hasHead = ({ changeKey, parentFolderId, isDraft, hasAttachments }: Message): boolean =>
  Boolean(changeKey && parentFolderId) && typeof isDraft === 'boolean' && typeof hasAttachments === 'boolean';

/** @param feed the folder that it is in */
export function toSourceMessage(message: Message, feed: string, own: OwnDomains): SourceMessage {
  const { id, changeKey, isDraft, hasAttachments, lastModifiedDateTime, subject } = message;
  return {
    externalId: id,
    feed,
    rootExternalId: null,
    sourceVersion: changeKey ?? '',
    // A message that was sent stays as it is, but for attachments that are taken out. A draft does not.
    contentVersion: [
      isDraft ? `draft ${lastModifiedDateTime ?? changeKey}` : 'sent',
      hasAttachments ? 'with' : 'bare',
    ].join(' '),
    sentAt: isDraft ? null : (message.sentDateTime ?? message.receivedDateTime ?? null),
    editedAt: (isDraft && lastModifiedDateTime) || null,
    hasOutsiders: hasOutsiders(message, own),
    subject: subject ?? null,
    body: bodyOf(message),
    attachments: hasAttachments ? 'unread' : [],
  };
}

/** Null if no address says it: our domains are unknown, or nobody is named by an address of the web. */
function hasOutsiders(message: Message, own: OwnDomains): boolean | null {
  const { from, sender, toRecipients, ccRecipients, bccRecipients } = message;
  const people = [from, sender, ...[toRecipients, ccRecipients, bccRecipients].flatMap((list) => list ?? [])];
  const ours = people.flatMap((person) => isOurs(person?.emailAddress?.address, own) ?? []);
  return ours.length === 0 ? null : ours.includes(false);
}

/** Null for a message that is encrypted for its readers: its body is a text that says so. */
function bodyOf(message: Message): SourceMessage['body'] {
  const { body } = message;
  if (!body || isProtected(message)) return null;
  return {
    mimeType: body.contentType?.toLowerCase() === 'html' ? 'text/html' : 'text/plain',
    text: body.content ?? '',
  };
}

const PROTECTED_HEADERS: readonly (readonly [string, RegExp])[] = [
  // Rights management, whose message is in the attachment `message.rpmsg`.
  ['content-class', /^rpmsg\.message/i],
  // S/MIME.
  ['content-type', /^application\/(?:x-)?pkcs7-mime\b(?!.*smime-type="?signed-data)/is],
];

const isProtected = ({ internetMessageHeaders }: Message): boolean =>
  (internetMessageHeaders ?? []).some(({ name, value }) =>
    PROTECTED_HEADERS.some(
      ([header, pattern]) => name?.toLowerCase() === header && pattern.test(value?.trim() ?? ''),
    ),
  );
