import { tokenOf } from './ids.ts';
import type { AttachmentJson, MailFolderJson, MessageJson } from './mail-schemas.ts';
import type { FakeMailbox, Mail, MailAttachment, MailFolder } from './mail-state.ts';

const recipient = (address: string) => ({ emailAddress: { name: address.split('@')[0] ?? '', address } });
const time = (at: number) => new Date(at).toISOString();

/** Ids that a client gets without asking for immutable ones. Another one after each move. */
export const regularIdOf = ({ id, moves }: Mail): string => `AAMkAG${tokenOf(`${id}/${moves}`)}=`;

const hasAttachments = ({ attachments }: Mail): boolean =>
  attachments.some((attachment) => attachment.kind !== 'file' || !attachment.inline);

export function messageJson(mail: Mail, id: string): MessageJson {
  const changeKey = `CQAAABYAAAC${tokenOf(`${mail.id}/${mail.revision}`)}`;
  return {
    ...{ '@odata.type': '#microsoft.graph.message', '@odata.etag': `W/"${changeKey}"`, id, changeKey },
    ...{ categories: mail.categories, createdDateTime: time(mail.createdAt) },
    ...{ lastModifiedDateTime: time(mail.modifiedAt), receivedDateTime: time(mail.createdAt) },
    ...{ sentDateTime: time(mail.createdAt), hasAttachments: hasAttachments(mail), subject: mail.subject },
    ...{ internetMessageId: `<${tokenOf(mail.id)}@${mail.from.split('@')[1]}>`, body: mail.body },
    ...{ bodyPreview: mail.body.content.slice(0, 255), isRead: mail.isRead, isDraft: mail.isDraft },
    // Seen (microsoft-graph-docs#18761): messages that were sent from here have none.
    ...(mail.headers.length > 0 && { internetMessageHeaders: [...mail.headers] }),
    ...(mail.folderId !== null && { parentFolderId: mail.folderId }),
    ...{ from: recipient(mail.from), sender: recipient(mail.from) },
    ...{ toRecipients: mail.to.map(recipient), ccRecipients: mail.cc.map(recipient) },
    bccRecipients: mail.bcc.map(recipient),
  };
}

export function folderJson({ folders, mails }: FakeMailbox, folder: MailFolder): MailFolderJson {
  const held = [...mails.values()].filter(({ folderId }) => folderId === folder.id);
  return {
    ...(folder.search && { '@odata.type': '#microsoft.graph.mailSearchFolder' }),
    ...{ id: folder.id, displayName: folder.name, parentFolderId: folder.parentId, isHidden: folder.hidden },
    childFolderCount: [...folders.values()].filter(({ parentId }) => parentId === folder.id).length,
    ...{ totalItemCount: held.length, unreadItemCount: held.filter(({ isRead }) => !isRead).length },
  };
}

export function attachmentJson(mail: Mail, attachment: MailAttachment): AttachmentJson {
  const shown = {
    ...{ id: attachment.id, name: attachment.name, lastModifiedDateTime: time(mail.modifiedAt) },
    isInline: attachment.kind === 'file' && attachment.inline,
  };
  switch (attachment.kind) {
    case 'file': {
      const { bytes, contentType } = attachment;
      return {
        ...{ '@odata.type': '#microsoft.graph.fileAttachment', '@odata.mediaContentType': contentType },
        // Seen: what the store adds counts too.
        ...{ ...shown, contentType, size: bytes.length + 130, contentId: null, contentLocation: null },
        contentBytes: Buffer.from(bytes).toString('base64'),
      };
    }
    case 'item':
      return {
        ...{ '@odata.type': '#microsoft.graph.itemAttachment', ...shown, contentType: null },
        size: attachment.mime.length,
      };
    case 'reference':
      return { '@odata.type': '#microsoft.graph.referenceAttachment', ...shown, contentType: null, size: 0 };
  }
}
