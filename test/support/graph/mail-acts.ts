import { tokenOf } from './ids.ts';
import { type FakeMailbox, type Mail, type MailAttachment, RECOVERABLE, TOP } from './mail-state.ts';
import type { Quirks } from './state.ts';

type AttachmentSpec =
  | { file: string; bytes: Uint8Array | string; contentType?: string; inline?: boolean; broken?: boolean }
  | { item: string; mime: string; broken?: boolean }
  | { reference: string };

export type MailSpec = Partial<
  Pick<Mail, 'isDraft' | 'subject' | 'body' | 'from' | 'to' | 'cc' | 'bcc' | 'headers'>
> & { attachments?: readonly AttachmentSpec[] };

/** Well-known folders of a new mailbox, by their names in the paths of Graph. */
const WELL_KNOWN = {
  inbox: 'Inbox',
  drafts: 'Drafts',
  sentitems: 'Sent Items',
  deleteditems: 'Deleted Items',
};

export const folderIdOf = (address: string, key: string): string => `AAMkAF${tokenOf(`${address}/${key}`)}==`;

export function createMailbox(address: string): FakeMailbox {
  const folders = Object.entries(WELL_KNOWN).map(([key, name]) => {
    const id = folderIdOf(address, key);
    return [id, { id, name, parentId: TOP, hidden: false, search: false }] as const;
  });
  return {
    ...{ address, folders: new Map(folders), mails: new Map(), log: [], epoch: 0, refusal: null },
  };
}

export type MailboxActs = ReturnType<typeof mailboxActs>;

/** What people do in a mailbox. */
export function mailboxActs(mailbox: FakeMailbox, quirks: Quirks, clock: () => number) {
  const { address, folders, mails, log } = mailbox;
  const mailOf = (id: string): Mail => {
    const mail = mails.get(id);
    if (mail === undefined) throw new Error('There is no such mail.');
    return mail;
  };
  const note = (folderId: string | null, mailId: string, kind: 'changed' | 'read' | 'removed') => {
    if (folderId !== null) log.push({ folderId, mailId, kind });
  };
  const touch = (mail: Mail, kind: 'changed' | 'read' = 'changed') => {
    mail.revision += 1;
    mail.modifiedAt = clock();
    note(mail.folderId, mail.id, kind);
  };
  const leave = (mail: Mail, folderId: string | null) => {
    note(mail.folderId, mail.id, 'removed');
    mail.folderId = folderId;
    mail.moves += 1;
    mail.revision += 1;
  };
  const addFolder = (name: string, { parentId = TOP, hidden = false, search = false } = {}): string => {
    const id = folderIdOf(address, `${folders.size}/${name}`);
    folders.set(id, { ...{ id, name, parentId, hidden, search } });
    return id;
  };
  const erase = (id: string) => leave(mailOf(id), null);
  const deleteFolder = (id: string): void => {
    for (const child of [...folders.values()].filter(({ parentId }) => parentId === id))
      deleteFolder(child.id);
    // No feed reports the messages of a folder that is gone.
    for (const mail of mails.values()) if (mail.folderId === id) mail.folderId = null;
    folders.delete(id);
  };

  return {
    address,
    mailbox,
    folder: (key: keyof typeof WELL_KNOWN): string => folderIdOf(address, key),
    ...{ addFolder, deleteFolder, erase },
    renameFolder: (id: string, name: string): void => {
      const folder = folders.get(id);
      if (folder !== undefined) folder.name = name;
    },
    deliver: (folderId: string, spec: MailSpec = {}): string => {
      const nr = mails.size;
      const id = `AAkALg${tokenOf(`${address}/${nr}`)}=`;
      const at = clock();
      mails.set(id, {
        ...{ id, nr, folderId, moves: 0, revision: 0, isRead: false, categories: [] },
        ...{ isDraft: false, subject: `Subject ${nr}`, body: { contentType: 'text', content: `Text ${nr}` } },
        ...{ from: address, to: [address], cc: [], bcc: [], headers: [], createdAt: at, modifiedAt: at },
        ...spec,
        attachments: (spec.attachments ?? []).map((each, place) => attachmentOf(id, each, place)),
      });
      note(folderId, id, 'changed');
      return id;
    },
    editDraft: (id: string, changes: Pick<MailSpec, 'subject' | 'body' | 'to'>): void => {
      const mail = mailOf(id);
      Object.assign(mail, changes);
      touch(mail);
    },
    markRead: (id: string, isRead = true): void => {
      const mail = mailOf(id);
      mail.isRead = isRead;
      touch(mail, 'read');
    },
    categorize: (id: string, category: string): void => {
      const mail = mailOf(id);
      mail.categories.push(category);
      touch(mail);
    },
    removeAttachment: (id: string, name: string): void => {
      const mail = mailOf(id);
      mail.attachments = mail.attachments.filter((attachment) => attachment.name !== name);
      touch(mail);
    },
    move: (id: string, folderId: string): void => {
      const mail = mailOf(id);
      leave(mail, folderId);
      if (quirks.mailMovesShowInTarget) note(folderId, id, 'changed');
    },
    /** Out of the deleted items too: nobody sees it, and Graph still answers for it. */
    toRecoverable: (id: string): void => leave(mailOf(id), RECOVERABLE),
    /** What feeds have reported is forgotten. */
    forgetFeeds: (): void => {
      mailbox.epoch += 1;
    },
    /** All that is in the folders now, as a person sees it. */
    present: (): Mail[] =>
      [...mails.values()].filter(({ folderId }) => folderId !== null && folders.has(folderId)),
  };
}

function attachmentOf(mailId: string, spec: AttachmentSpec, place: number): MailAttachment {
  const id = `AAkALgAtt${tokenOf(`${mailId}/${place}`)}=`;
  if ('reference' in spec) return { id, name: spec.reference, kind: 'reference' };
  const { broken = false } = spec;
  if ('item' in spec) return { id, name: spec.item, kind: 'item', mime: spec.mime, broken };
  const { file: name, bytes, contentType = 'application/octet-stream', inline = false } = spec;
  return { ...{ id, name, kind: 'file', contentType, inline, broken }, bytes: Buffer.from(bytes) };
}
