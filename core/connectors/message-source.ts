import type { MESSAGE_FAMILIES, ScopeRefusal } from '../kernel/vocabulary.ts';
import type { ConnectorMode } from './connector.ts';

/**
 * What the sources of messages implement: chat channels and mailboxes. Like a connector, a source only reads, never
 * accesses the database, returns one bounded page at a time, and throws `ConnectorError`s alone.
 */
export type MessageFamily = (typeof MESSAGE_FAMILIES)[number];

/** A channel or a mailbox. `externalId` is its stable identity at the source. */
export type MessageContainer = {
  externalId: string;
  /** What `RefusedContainer.name` is if the source refuses it: the entry of the configuration that selects it. */
  entry: string;
  /** Of the channel; the address of the mailbox, as configured. */
  name: string;
  kind: 'standard' | 'private' | 'shared' | 'mailbox';
  /** The name of the team; null for a mailbox. */
  groupName: string | null;
};

/**
 * What the configuration selects and the source does not show. `name` is the entry of the configuration. A container whose
 * messages the source denies is listed as well.
 */
export type RefusedContainer = { name: string; reason: ScopeRefusal };

/** How many people can read a container. `complete: false` if the source does not report all of them. */
export type Audience = {
  members: number;
  /** Members with a guest account. */
  guests: number;
  /** Members of other organizations. */
  outsiders: number;
  /** Whether everybody in the organization may join. */
  isOpen: boolean;
  complete: boolean;
};

/** An item of the main source: what an attachment of a channel, or its files folder, really is. */
export type BackingItem = { scopeExternalId: string; externalId: string };

/**
 * `reference`: a link to a file at the source. `file` and `item` (a message, an event): a copy inside the message.
 * `card`: text in a frame, which belongs to the message.
 */
export type AttachmentKind = 'reference' | 'file' | 'item' | 'card';

export type SourceAttachment = {
  kind: AttachmentKind;
  name: string | null;
  mimeType: string | null;
  sizeBytes: number | null;
  /** The address that `findBackingItem` takes. Null for a copy. It is never stored. */
  url: string | null;
  /** The bytes of a copy, or the text of a card. `link`: there are none to read here. */
  content: { state: 'available'; bytes: Uint8Array } | { state: 'link' | 'too_large' | 'inaccessible' };
};

export type SourceMessage = {
  externalId: string;
  /** The part of the container that it is in now. */
  feed: string;
  /** The message that this one replies to; null for a root. */
  rootExternalId: string | null;
  /** Changes on any change, also on a reaction or a read flag. */
  sourceVersion: string;
  /** Changes only when the text or the attachments change. */
  contentVersion: string;
  sentAt: string | null;
  editedAt: string | null;
  /** Whether somebody outside the organization wrote or received it; null if the source does not say. */
  hasOutsiders: boolean | null;
  subject: string | null;
  /** Null if the source keeps the text from readers, such as a protected message. */
  body: { mimeType: 'text/html' | 'text/plain'; text: string } | null;
  /** What a listing reports. `unread`: `readAttachments` must be asked. */
  attachments: readonly SourceAttachment[] | 'unread';
};

/**
 * `gone`: ids of messages that no longer exist, or are in no folder that is read. A gone root stands for itself alone.
 * `cursor`: continues the feed, now or in a later sync. `isCaughtUp`: nothing newer is known to the source.
 * `isWhole`: this page ends a walk that showed all messages of the feed, so what it did not show no longer exists.
 */
export type MessagePage = {
  messages: SourceMessage[];
  gone: readonly string[];
  cursor: string;
  isCaughtUp: boolean;
  isWhole: boolean;
};

export type MessageSource = {
  readonly family: MessageFamily;
  readonly mode: ConnectorMode;
  /** The containers that the configuration selects, and no others. */
  listContainers(
    signal: AbortSignal,
  ): Promise<{ containers: MessageContainer[]; refused: RefusedContainer[] }>;
  readAudience(containerExternalId: string, signal: AbortSignal): Promise<Audience | 'denied'>;
  /** The folder of a channel's files. Null if it is unknown: refused, or nobody has opened it yet. */
  readFilesFolder(containerExternalId: string, signal: AbortSignal): Promise<BackingItem | null>;
  /** The parts of a container that have cursors of their own: the folders of a mailbox, `['']` for a channel. */
  listFeeds(containerExternalId: string, signal: AbortSignal): Promise<string[]>;
  /**
   * One page of at most 50 messages. A null cursor starts a walk over all messages. Throws `DeltaCursorInvalid` when the
   * source no longer knows the cursor, and `ScopeRefused` when it refuses the container (403, 404).
   */
  listMessages(
    containerExternalId: string,
    feed: string,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<MessagePage>;
  /** Empty if they cannot be read. A copy of more than `maxBytes` is `too_large`. */
  readAttachments(
    containerExternalId: string,
    messageExternalId: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<SourceAttachment[]>;
  /** The item that the address of an attachment leads to. Null if it is unknown or refused. */
  findBackingItem(url: string, signal: AbortSignal): Promise<BackingItem | null>;
};
