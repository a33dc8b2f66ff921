import type { Channel, ChatAttachment, ChatAuthor, ChatMessage } from './chat-state.ts';
import { guidOf } from './ids.ts';
import type { Tenant } from './state.ts';

export type PostOptions = {
  author?: ChatAuthor;
  subject?: string;
  attachments?: readonly Partial<ChatAttachment>[];
  /** Milliseconds; default: now. Two messages never have the same. */
  at?: number;
};

export type ChannelActs = ReturnType<typeof channelActs>;

/** What people do in a channel. Ids are those of messages. */
export function channelActs(tenant: Tenant, channel: Channel, clock: () => number) {
  const us: ChatAuthor = {
    ...{ id: guidOf('person/Ada'), displayName: 'Ada', kind: 'aadUser', tenantId: tenant.id },
  };
  const all = (): ChatMessage[] => [...channel.roots.values(), ...[...channel.replies.values()].flat()];

  const record = (message: ChatMessage) => {
    const rootId = message.rootId ?? message.id;
    channel.changed.set(rootId, channel.log.length);
    channel.log.push(rootId);
  };
  /** A time that no message and no change has had. */
  const nextTime = (): number => {
    channel.lastAt = Math.max(channel.lastAt + 1, clock());
    return channel.lastAt;
  };
  /** The same for a message of the past. */
  const timeAt = (at: number): number => {
    const taken = new Set(all().map(({ id }) => Number(id)));
    let time = at;
    while (taken.has(time)) time++;
    channel.lastAt = Math.max(channel.lastAt, time);
    return time;
  };
  const found = (id: string): ChatMessage => {
    const message = channel.roots.get(id) ?? all().find((each) => each.id === id);
    if (message === undefined) throw new Error(`There is no message ${id} in ${channel.name}.`);
    return message;
  };
  const touched = (message: ChatMessage, change: Partial<ChatMessage>) => {
    Object.assign(message, { modifiedAt: nextTime(), ...change });
    record(message);
  };
  const add = (
    html: string,
    rootId: string | null,
    options: PostOptions,
    type: ChatMessage['type'],
  ): string => {
    const at = options.at === undefined ? nextTime() : timeAt(options.at);
    const id = String(at);
    const message: ChatMessage = {
      ...{ id, rootId, createdAt: at, modifiedAt: at, editedAt: null, deletedAt: null, type, html },
      ...{ author: type === 'message' ? (options.author ?? us) : null, subject: options.subject ?? null },
      attachments: (options.attachments ?? []).map((each, n) => attachmentOf(each, `${id}/${n}`)),
      reactions: [],
    };
    if (rootId === null) channel.roots.set(id, message);
    else channel.replies.set(rootId, [...(channel.replies.get(rootId) ?? []), message]);
    record(message);
    return id;
  };

  return {
    post: (html: string, options: PostOptions = {}): string => add(html, null, options, 'message'),
    reply: (rootId: string, html: string, options: PostOptions = {}): string =>
      add(html, found(rootId).id, options, 'message'),
    /** As when somebody joins the team. */
    systemEvent: (): string => add('<systemEventMessage/>', null, {}, 'systemEventMessage'),
    edit: (id: string, html: string): void => {
      const message = found(id);
      touched(message, { html });
      message.editedAt = message.modifiedAt;
    },
    /** The message stays, without its text. */
    delete: (id: string): void => {
      const message = found(id);
      touched(message, { html: '', attachments: [], subject: null, author: null, reactions: [] });
      message.deletedAt = message.modifiedAt;
    },
    react: (id: string, by: ChatAuthor = us): void => {
      const message = found(id);
      touched(message, { reactions: [...message.reactions, by] });
    },
    refuse: (refusal: Channel['refusal']): void => {
      channel.refusal = refusal;
    },
    /** The service forgets the delta tokens of now. */
    forgetTokens: (): void => {
      channel.epoch += 1;
    },
    /** Somebody opens the files. */
    openFiles: (folder: { driveId: string; itemId: string }): void => {
      channel.folder = folder;
    },
  };
}

const attachmentOf = (spec: Partial<ChatAttachment>, key: string): ChatAttachment => ({
  ...{
    id: guidOf(`attachment/${key}`),
    contentType: 'reference',
    contentUrl: null,
    content: null,
    name: null,
  },
  ...spec,
});
