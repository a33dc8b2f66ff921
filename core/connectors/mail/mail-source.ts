import type { Clock } from '../../kernel/clock.ts';
import { ConnectorError, ScopeRefused } from '../connector.ts';
import type { GraphClient } from '../m365/graph-client.ts';
import type { GraphCloud } from '../m365/graph-cloud.ts';
import type { OwnDomains } from '../m365/identities.ts';
import { keptOrganization } from '../m365/organization.ts';
import { scopeRefusalOf, scopeRefused } from '../m365/scope-refusal.ts';
import type { MessageContainer, MessageSource, RefusedContainer, SourceMessage } from '../message-source.ts';
import type { Message } from './mail-answers.ts';
import { readMailAttachments } from './mail-attachments.ts';
import { listFolders } from './mail-folders.ts';
import { hasHead, isWhole, toSourceMessage } from './mail-message.ts';
import { type MailboxCalls, mailboxCalls } from './mailbox-calls.ts';
import { findMailbox, type Mailbox } from './mailboxes.ts';
import { orTooLarge, readMessageFeed } from './message-feed.ts';

export type MailSourceOptions = {
  client: GraphClient;
  cloud: GraphCloud;
  mailboxes: readonly Mailbox[];
  clock: Clock;
};

/**
 * Reads the selected mailboxes of Microsoft 365. A container is a mailbox, a feed is one of its folders. Names of folders
 * and addresses are read and not passed on.
 */
export function createMailSource({ client, cloud, mailboxes, clock }: MailSourceOptions): MessageSource {
  const organization = keptOrganization(client, clock);
  const made = new Map<Mailbox, MailboxCalls>();
  /** The folders as they were listed last. */
  const folders = new Map<MailboxCalls, ReadonlySet<string>>();

  const callsOf = (mailbox: Mailbox): MailboxCalls => {
    const calls = made.get(mailbox) ?? mailboxCalls(client, cloud, mailbox);
    made.set(mailbox, calls);
    return calls;
  };
  const callsTo = (externalId: string): MailboxCalls => {
    const mailbox = findMailbox(mailboxes, externalId);
    if (mailbox === null) throw new ScopeRefused('not_found', 'scope_unknown');
    return callsOf(mailbox);
  };
  const foldersOf = async (calls: MailboxCalls, signal: AbortSignal): Promise<ReadonlySet<string>> => {
    const listed = new Set(await listFolders(calls, signal));
    folders.set(calls, listed);
    return listed;
  };

  return {
    family: 'mail',
    mode: 'live',

    listContainers: async (signal) => {
      const answers = await Promise.all(
        mailboxes.map(async (mailbox) => ({ mailbox, answer: await callsOf(mailbox).inbox(signal) })),
      );
      const containers: MessageContainer[] = [];
      const refused: RefusedContainer[] = [];
      for (const { mailbox: name, answer } of answers) {
        if (answer.ok || answer.status === 403)
          containers.push({ externalId: name, name, entry: name, kind: 'mailbox', groupName: null });
        if (!answer.ok) refused.push({ name, reason: scopeRefusalOf(answer.status) });
      }
      return { containers, refused };
    },

    // Its owner. Graph does not say who else may open it.
    readAudience: async () => ({ members: 1, guests: 0, outsiders: 0, isOpen: false, complete: false }),
    readFilesFolder: async () => null,
    findBackingItem: async () => null,

    listFeeds: async (externalId, signal) => [...(await foldersOf(callsTo(externalId), signal))],

    listMessages: async (externalId, feed, cursor, signal) => {
      const calls = callsTo(externalId);
      const { entries, ...page } = await readMessageFeed(calls, feed, cursor, signal);
      const ownDomains = (await organization(signal))?.domains ?? null;
      let listed: Promise<ReadonlySet<string>> | undefined;
      const isRead = async (folderId: string) => {
        if (folderId === feed || folders.get(calls)?.has(folderId)) return true;
        // It may be a folder that was made meanwhile. Recoverable Items is in no list.
        listed ??= foldersOf(calls, signal);
        return (await listed).has(folderId);
      };
      const known = { calls, feed, ownDomains, isRead, signal };
      // Of a message that was reported more than once, the last report counts.
      const latest = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
      const found = await Promise.all(latest.map((entry) => presentState(entry, known)));
      return {
        messages: found.filter((message) => typeof message !== 'string'),
        gone: found.filter((message) => typeof message === 'string'),
        ...page,
      };
    },

    readAttachments: (externalId, messageId, maxBytes, signal) =>
      readMailAttachments(callsTo(externalId), messageId, maxBytes, signal),
  };
}

type Known = {
  calls: MailboxCalls;
  feed: string;
  ownDomains: OwnDomains;
  isRead: (folderId: string) => Promise<boolean>;
  signal: AbortSignal;
};

/**
 * The message of an entry as it is now, or its id if it is gone. A folder that no longer has a message says that it was
 * removed, also if it is in another folder, or back in this one.
 */
async function presentState(entry: Message, known: Known): Promise<SourceMessage | string> {
  const { feed, ownDomains } = known;
  if (!entry['@removed'] && isWhole(entry)) return toSourceMessage(entry, feed, ownDomains);
  const message = await readMessage(entry.id, known);
  const folderId = message?.parentFolderId;
  if (!message || !folderId || !(await known.isRead(folderId))) return entry.id;
  return toSourceMessage({ ...message, id: entry.id }, folderId, ownDomains);
}

/** Null if it is gone. Without its body if that is too large. */
async function readMessage(id: string, { calls, signal }: Known): Promise<Message | null> {
  const whole = await orTooLarge(() => calls.message(id, 'whole', signal));
  const answer = whole === 'too_large' ? await calls.message(id, 'lean', signal) : whole;
  if (answer.ok) {
    // A part of a message would pass for another one.
    if (!hasHead(answer.body)) throw new ConnectorError('transient', 'graph_mail_message_malformed');
    return answer.body;
  }
  if (answer.status === 403) throw scopeRefused('mail_message', answer.status);
  return null;
}
