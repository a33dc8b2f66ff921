import { callSlots } from '../call-slots.ts';
import type { Answer } from '../cloud-http/calls.ts';
import type { ContentRead } from '../connector.ts';
import { callPath } from '../m365/call-path.ts';
import { graphLink } from '../m365/follow-link.ts';
import type { GraphClient } from '../m365/graph-client.ts';
import type { GraphCloud } from '../m365/graph-cloud.ts';
import { pagesOf } from '../m365/pages.ts';
import { REFUSED, type RefusedStatus } from '../m365/scope-refusal.ts';
import {
  type Attachment,
  AttachmentPage,
  Folder,
  FolderPage,
  MESSAGE_FIELDS,
  Message,
  type MessageFields,
  MessagePage,
} from './mail-answers.ts';
import type { Mailbox } from './mailboxes.ts';

/** Entries of a page of messages. */
export const PAGE_SIZE = 50;
/** Exchange's limit for one application and mailbox. */
const MOST_AT_ONCE = 4;
const MAX_PAGES = 100;

/** On every call, also of links: without the first, ids are others, which change when a message moves. */
const PREFER = { Prefer: `IdType="ImmutableId", odata.maxpagesize=${PAGE_SIZE}` } as const;
const ATTACHMENT_REFUSED = [...REFUSED, 405, 422] as const;
type AttachmentStatus = (typeof ATTACHMENT_REFUSED)[number];

/** All calls about one mailbox. There is no other way to one, and none to a mailbox that is not selected. */
export type MailboxCalls = {
  inbox(signal: AbortSignal): Promise<Answer<Folder, RefusedStatus>>;
  /** The folders in a folder, hidden ones too. */
  folders(folderId: string, signal: AbortSignal): Promise<Answer<Folder[], RefusedStatus>>;
  /** @param link as `storedLink` gave it; '' for the beginning */
  messages(
    folderId: string,
    link: string,
    fields: MessageFields,
    signal: AbortSignal,
  ): Promise<Answer<MessagePage, RefusedStatus>>;
  /** The query of a link to further messages, without the path, which names the mailbox. */
  storedLink(folderId: string, link: string): string;
  message(
    messageId: string,
    fields: MessageFields,
    signal: AbortSignal,
  ): Promise<Answer<Message, 403 | 404 | 410>>;
  attachments(messageId: string, signal: AbortSignal): Promise<Answer<Attachment[], AttachmentStatus>>;
  content(
    messageId: string,
    attachmentId: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Answer<ContentRead, AttachmentStatus>>;
};

export function mailboxCalls(client: GraphClient, cloud: GraphCloud, mailbox: Mailbox): MailboxCalls {
  const slot = callSlots(MOST_AT_ONCE);
  const read = { headers: PREFER, expect: REFUSED };
  return {
    inbox: (signal) => {
      const options = { ...read, query: { $select: 'id' }, schema: Folder, signal };
      return slot(signal, () => client.call('mail_folder', { mailbox, folderId: 'inbox' }, options));
    },
    folders: (folderId, signal) => {
      const query = { $select: 'id,childFolderCount', $top: 100, includeHiddenFolders: 'true' };
      const options = { ...read, query, schema: FolderPage, maxPages: MAX_PAGES, signal };
      return slot(signal, () => pagesOf(client, 'mail_folders', { mailbox, folderId }, options));
    },
    messages: (folderId, link, fields, signal) => {
      const values = { mailbox, folderId };
      const options = { ...read, schema: MessagePage, signal };
      return slot(signal, () =>
        link === ''
          ? client.call('mail_delta', values, { ...options, query: { $select: MESSAGE_FIELDS[fields] } })
          : client.follow('mail_delta', values, `${callPath('mail_delta', values)}${link}`, options),
      );
    },
    // Graph may write the mailbox in another way than it was asked for. The path is always ours.
    storedLink: (folderId, link) => graphLink(cloud, 'mail_delta', { folderId }, link).search,
    message: (messageId, fields, signal) => {
      const options = { headers: PREFER, expect: [403, 404, 410] as const, schema: Message, signal };
      const query = { $select: MESSAGE_FIELDS[fields] };
      return slot(signal, () => client.call('mail_message', { mailbox, messageId }, { ...options, query }));
    },
    attachments: (messageId, signal) => {
      const query = { $select: 'id,name,contentType,size' };
      const options = { headers: PREFER, expect: ATTACHMENT_REFUSED, query, signal };
      return slot(signal, () =>
        pagesOf(
          client,
          'mail_attachments',
          { mailbox, messageId },
          {
            ...options,
            schema: AttachmentPage,
            maxPages: MAX_PAGES,
          },
        ),
      );
    },
    content: (messageId, attachmentId, maxBytes, signal) => {
      const options = { headers: PREFER, expect: ATTACHMENT_REFUSED, maxBytes, signal };
      return slot(signal, () =>
        client.bytes('mail_attachment', { mailbox, messageId, attachmentId }, options),
      );
    },
  };
}
