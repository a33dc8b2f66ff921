import type { CallGate } from '../../../core/connectors/cloud-http/call-gate.ts';
import { createGraphClient } from '../../../core/connectors/m365/graph-client.ts';
import { createMailSource } from '../../../core/connectors/mail/mail-source.ts';
import { selectedMailboxes } from '../../../core/connectors/mail/mailboxes.ts';
import type { MessageSource, SourceMessage } from '../../../core/connectors/message-source.ts';
import { cloudOf, WITHOUT_BOUND } from './connect.ts';
import type { GraphFake } from './graph-fake.ts';
import { smallFake } from './small-tenant.ts';
import type { Quirks } from './state.ts';

export const ADA = 'ada@small.example';
export const BEN = 'ben@small.example';
/** In no configuration, and out of the scope of the application. */
export const EVE = 'eve@small.example';
/** May read what Exchange lets it, and has no permission for mail in Entra. */
export const MAIL_APP = '11111111-2222-4333-8444-555555555555';

/** A tenant with three mailboxes, and an application that may read the first two. */
export const mailFake = (quirks: Partial<Quirks> = {}, clock: () => number = Date.now): Promise<GraphFake> =>
  smallFake(
    quirks,
    { clock },
    {
      apps: [{ clientId: MAIL_APP, permissions: ['Organization.Read.All'], mailboxes: [ADA, BEN] }],
      mailboxes: [ADA, BEN, EVE],
      domains: ['small.example'],
    },
  );

export function mailSourceOf(
  fake: GraphFake,
  { selected = [ADA], gate = WITHOUT_BOUND }: { selected?: readonly string[]; gate?: CallGate } = {},
): MessageSource {
  const mailboxes = selectedMailboxes(selected);
  const client = createGraphClient({
    ...{ cloud: cloudOf(fake), gate, priority: 'background', clock: fake.now, mailboxes },
    ...{ writesLabels: false, count: () => undefined, wait: async () => undefined },
    tokens: { token: async () => fake.token(MAIL_APP) },
  });
  return createMailSource({ client, cloud: cloudOf(fake), mailboxes, clock: fake.now });
}

const live = new AbortController().signal;

/** What a sync stores of a mailbox: the messages, and a cursor of each folder. It does as `message-source.ts` says. */
export function mirrorOf(source: MessageSource, externalId = ADA) {
  const messages = new Map<string, { message: SourceMessage; walk: number }>();
  const feeds = new Map<string, { cursor: string | null; walk: number }>();
  const readPage = async (feed: string): Promise<boolean> => {
    const known = feeds.get(feed) ?? { cursor: null, walk: 1 };
    feeds.set(feed, known);
    const page = await source.listMessages(externalId, feed, known.cursor, live).catch((error: unknown) => {
      if (known.cursor === null || !(error instanceof Error) || error.message !== 'delta_cursor_invalid')
        throw error;
      return null;
    });
    if (page === null) {
      feeds.set(feed, { cursor: null, walk: known.walk + 1 });
      return false;
    }
    for (const message of page.messages) messages.set(message.externalId, { message, walk: known.walk });
    for (const id of page.gone) messages.delete(id);
    if (page.isWhole)
      for (const [id, { message, walk }] of messages)
        if (message.feed === feed && walk < known.walk) messages.delete(id);
    feeds.set(feed, { ...known, cursor: page.cursor });
    return page.isCaughtUp;
  };
  return {
    feeds,
    get: (id: string) => messages.get(id)?.message,
    /** Folder and read flag apart, what is known by the id of each. */
    folders: () => new Map([...messages].map(([id, { message }]) => [id, message.feed])),
    sync: async (): Promise<void> => {
      const listed = await source.listFeeds(externalId, live);
      for (const feed of new Set([...listed, ...feeds.keys()])) {
        for (let left = 1000; !(await readPage(feed)); left--)
          if (left === 0) throw new Error('The feed has no end.');
        if (!listed.includes(feed)) feeds.delete(feed);
      }
    },
  };
}
