import { ConnectorError, DeltaCursorInvalid, ScopeRefused } from '../../core/connectors/connector.ts';
import type {
  Audience,
  BackingItem,
  MessageContainer,
  MessageFamily,
  MessageSource,
  RefusedContainer,
  SourceAttachment,
  SourceMessage,
} from '../../core/connectors/message-source.ts';
import type { ScopeRefusal } from '../../core/kernel/vocabulary.ts';

/** What people do to a message. Omitted members are those of a plain note. */
export type Note = Partial<Omit<SourceMessage, 'body' | 'externalId'>> & { text: string };

/** Which feeds report a move: the old one, which looks where the message is now (`found`), or the new one as well. */
type MoveReport = 'both' | 'found';

type Change = { feed: string; id: string };
type Place = {
  container: MessageContainer;
  feeds: Set<string>;
  messages: Map<string, SourceMessage>;
  attachments: Map<string, SourceAttachment[]>;
  /** What each feed reports, in order. A cursor is a position in it. */
  changes: Change[];
  /** Of the cursors that the source still knows. */
  epoch: number;
  audience: Audience | 'denied';
  folder: BackingItem | null;
  refusal: ScopeRefusal | null;
};

const NOBODY_ELSE: Audience = { members: 3, guests: 0, outsiders: 0, isOpen: false, complete: true };

/** Channels or mailboxes in memory that change while they are read, and fail as sources do. */
export function changingMessages(family: MessageFamily, pageSize = 3) {
  const places = new Map<string, Place>();
  const refusedEntries: RefusedContainer[] = [];
  const calls = { listings: 0, pages: 0, attachments: 0, backing: 0, others: 0 };
  const backing = new Map<string, BackingItem>();
  let failing: ((call: keyof typeof calls) => ConnectorError | null) | null = null;
  let versions = 0;

  const count = (call: keyof typeof calls, signal: AbortSignal) => {
    calls[call]++;
    if (signal.aborted) throw new ConnectorError('transient', 'aborted');
    const error = failing?.(call);
    if (error) throw error;
  };
  const placeOf = (externalId: string): Place => {
    const place = places.get(externalId);
    if (place === undefined) throw new ScopeRefused('not_found', 'scope_unknown');
    if (place.refusal !== null) throw new ScopeRefused(place.refusal, 'scope_unknown');
    return place;
  };
  /** Mail says of a message whether it has attachments, and lists them apart. */
  const shown = (message: SourceMessage): SourceMessage =>
    family === 'mail' && message.attachments.length > 0 ? { ...message, attachments: 'unread' } : message;

  function page(place: Place, feed: string, cursor: string | null) {
    const [kind = 'walk', epoch = place.epoch, at = place.changes.length, after = ''] =
      cursor?.split('|').map((part, n) => (n === 1 || n === 2 ? Number(part) : part)) ?? [];
    if (epoch !== place.epoch) throw new DeltaCursorInvalid();
    if (!place.feeds.has(feed)) throw new ScopeRefused('not_found', 'scope_unknown');
    const to = (next: string) => `${next}`;
    if (kind === 'walk') {
      const ids = [...place.messages.values()]
        .filter((message) => message.feed === feed && message.externalId > String(after))
        .map(({ externalId }) => externalId)
        .sort();
      const some = ids.slice(0, pageSize);
      const isWhole = some.length === ids.length;
      return {
        messages: some.map((id) => shown(place.messages.get(id) as SourceMessage)),
        gone: [],
        cursor: to(isWhole ? `delta|${epoch}|${at}` : `walk|${epoch}|${at}|${some.at(-1)}`),
        isCaughtUp: isWhole && place.changes.length === at,
        isWhole,
      };
    }
    let position = Number(at);
    const touched = new Map<string, Change>();
    while (position < place.changes.length && touched.size < pageSize) {
      const change = place.changes[position++];
      if (change?.feed === feed) touched.set(change.id, change);
    }
    const last = [...touched.values()];
    return {
      messages: last.flatMap(({ id }) => place.messages.get(id) ?? []).map(shown),
      gone: last.filter(({ id }) => !place.messages.has(id)).map(({ id }) => id),
      cursor: to(`delta|${epoch}|${position}`),
      isCaughtUp: position >= place.changes.length,
      isWhole: false,
    };
  }

  const source: MessageSource = {
    family,
    mode: 'mock',
    listContainers: async (signal) => {
      count('listings', signal);
      return {
        containers: [...places.values()].map(({ container }) => container),
        refused: [...refusedEntries],
      };
    },
    readAudience: async (externalId, signal) => {
      count('others', signal);
      return placeOf(externalId).audience;
    },
    readFilesFolder: async (externalId, signal) => {
      count('others', signal);
      return placeOf(externalId).folder;
    },
    listFeeds: async (externalId, signal) => {
      count('others', signal);
      return [...placeOf(externalId).feeds];
    },
    listMessages: async (externalId, feed, cursor, signal) => {
      count('pages', signal);
      return page(placeOf(externalId), feed, cursor);
    },
    readAttachments: async (externalId, messageId, maxBytes, signal) => {
      count('attachments', signal);
      const attached = placeOf(externalId).attachments.get(messageId) ?? [];
      return attached.map((each) =>
        each.content.state === 'available' && each.content.bytes.length > maxBytes
          ? { ...each, content: { state: 'too_large' } }
          : each,
      );
    },
    findBackingItem: async (url, signal) => {
      count('backing', signal);
      return backing.get(url) ?? null;
    },
  };

  return {
    source,
    calls,
    places,
    refusedEntries,
    backing,
    /** Every call asks `fail` first; null lets it pass. */
    fail: (fail: typeof failing) => {
      failing = fail;
    },
    add(externalId: string, about: Partial<MessageContainer> & { feeds?: string[] } = {}) {
      const { feeds = [''], ...given } = about;
      const kind = family === 'chat' ? 'standard' : 'mailbox';
      const container = {
        externalId,
        entry: externalId,
        name: externalId,
        kind,
        groupName: null,
        ...given,
      } as const;
      const place: Place = {
        ...{
          container,
          feeds: new Set(feeds),
          messages: new Map(),
          attachments: new Map(),
          changes: [],
          epoch: 1,
        },
        ...{ audience: NOBODY_ELSE, folder: null, refusal: null },
      };
      places.set(externalId, place);
      return {
        place,
        /** Writes a message, or edits the one with this id. */
        write(id: string, { text, attachments = [], ...note }: Note) {
          const version = String(++versions);
          const feed = note.feed ?? place.messages.get(id)?.feed ?? feeds[0] ?? '';
          place.messages.set(id, {
            ...{
              externalId: id,
              feed,
              rootExternalId: null,
              sourceVersion: version,
              contentVersion: version,
            },
            ...{ sentAt: '2026-11-01T10:00:00.000Z', editedAt: null, hasOutsiders: null, subject: null },
            ...{ body: { mimeType: 'text/plain', text }, attachments },
            ...note,
          });
          if (attachments !== 'unread') place.attachments.set(id, [...attachments]);
          place.changes.push({ feed, id });
        },
        /** Changes nothing of its content, as a reaction does. */
        touch(id: string) {
          const message = place.messages.get(id);
          if (message === undefined) return;
          place.messages.set(id, { ...message, sourceVersion: String(++versions) });
          place.changes.push({ feed: message.feed, id });
        },
        remove(id: string) {
          const message = place.messages.get(id);
          if (message === undefined) return;
          place.messages.delete(id);
          place.changes.push({ feed: message.feed, id });
        },
        move(id: string, feed: string, report: MoveReport) {
          const message = place.messages.get(id);
          if (message === undefined || message.feed === feed) return;
          place.messages.set(id, { ...message, feed, sourceVersion: String(++versions) });
          place.changes.push({ feed: message.feed, id });
          if (report === 'both') place.changes.push({ feed, id });
        },
        /** The source forgets all cursors. */
        forget() {
          place.epoch++;
        },
      };
    },
  };
}
