/** What is attached to a mail. `broken`: Exchange cannot convert it, and says so with 500. */
export type MailAttachment = { id: string; name: string } & (
  | { kind: 'file'; contentType: string; bytes: Uint8Array; inline: boolean; broken: boolean }
  | { kind: 'item'; mime: string; broken: boolean }
  | { kind: 'reference' }
);

export type Mail = {
  /** The immutable one. */
  id: string;
  /** In the order in which they came. */
  nr: number;
  /** Null: it is in no store any more. */
  folderId: string | null;
  /** The other id changes with each. */
  moves: number;
  /** The number in the change key. */
  revision: number;
  isDraft: boolean;
  isRead: boolean;
  categories: string[];
  subject: string;
  body: { contentType: 'text' | 'html'; content: string };
  from: string;
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
  headers: readonly { name: string; value: string }[];
  createdAt: number;
  modifiedAt: number;
  attachments: MailAttachment[];
};

export type MailFolder = {
  id: string;
  name: string;
  parentId: string;
  hidden: boolean;
  /** It shows messages of other folders. */
  search: boolean;
};

/** What Exchange answers to everything that is asked of a mailbox: a policy, or a mailbox that is not in the cloud. */
type MailboxRefusal = 'policy' | 'inactive';

export type FakeMailbox = {
  address: string;
  folders: Map<string, MailFolder>;
  mails: Map<string, Mail>;
  /** What feeds report, the oldest first. `read`: the read flag alone. */
  log: { folderId: string; mailId: string; kind: 'changed' | 'read' | 'removed' }[];
  /** Delta tokens of an earlier epoch are gone. */
  epoch: number;
  refusal: MailboxRefusal | null;
};

/** Not below the top, so no list of folders has it. */
export const RECOVERABLE = 'recoverableitemsdeletions';
export const TOP = 'msgfolderroot';
