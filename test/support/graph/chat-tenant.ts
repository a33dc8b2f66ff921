import { createChannelSource } from '../../../core/connectors/chat/channel-source.ts';
import type { MessageSource, SourceMessage } from '../../../core/connectors/message-source.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import type { TeamSpec } from './chat-state.ts';
import { clientOf, cloudOf } from './connect.ts';
import { type GraphFake, startGraphFake } from './graph-fake.ts';
import { guidOf } from './ids.ts';
import { CHAT_PERMISSIONS } from './permissions.ts';
import type { Quirks } from './state.ts';

/** Has what chat needs, and nothing else. */
export const CHAT_APP = { clientId: guidOf('application/chat'), secret: 'chat-secret' } as const;

const TEAMS: readonly TeamSpec[] = [
  {
    name: 'Sales',
    visibility: 'public',
    members: [
      { name: 'Ada', role: 'owner' },
      { name: 'Ben' },
      { name: 'Gil', role: 'guest', tenant: 'Elsewhere' },
    ],
    channels: [
      { name: 'General' },
      { name: 'Board', kind: 'private', members: [{ name: 'Ada', role: 'owner' }] },
      {
        ...{
          name: 'Partners',
          kind: 'shared',
          members: [{ name: 'Ada' }, { name: 'Olga', tenant: 'Elsewhere' }],
        },
        sharedWith: ['Support'],
      },
    ],
  },
  { name: 'Support', members: [{ name: 'Ben', role: 'owner' }], channels: [{ name: 'General' }] },
  {
    ...{ name: 'Foreign', tenant: 'Elsewhere' },
    channels: [{ name: 'Joint', kind: 'shared', sharedWith: ['Sales'] }],
  },
];

/** Two teams with channels of each kind. One gets channels from the other and from another organization. */
export const chatFake = (
  options: { quirks?: Partial<Quirks>; clock?: Clock; validates?: boolean } = {},
): Promise<GraphFake> =>
  startGraphFake({
    ...(options.clock && { clock: options.clock }),
    ...(options.validates !== undefined && { validates: options.validates }),
    tenants: [
      {
        ...{ name: 'Small', apps: [{ ...CHAT_APP, permissions: [...CHAT_PERMISSIONS] }], teams: TEAMS },
        ...{ sites: [{ name: 'Sales', libraries: ['Documents'] }], quirks: options.quirks ?? {} },
      },
    ],
  });

export const channelSourceOf = (
  fake: GraphFake,
  selected: readonly string[],
  { tenantId = fake.tenant().id }: { tenantId?: string | null } = {},
): MessageSource =>
  createChannelSource({
    ...{
      client: clientOf(fake, CHAT_APP.clientId),
      cloud: cloudOf(fake),
      selected,
      tenantId,
      clock: fake.now,
    },
  });

/** What a reader knows of a channel that has followed it. */
export type Followed = {
  messages: Map<string, SourceMessage>;
  gone: Set<string>;
  cursor: string | null;
  /** Messages of each page. */
  pages: number[];
};

/** Reads pages until the channel is caught up, as a sync does. A walk that showed all removes what it did not show. */
export async function followed(
  source: MessageSource,
  container: string,
  before: Partial<Followed> = {},
  signal = new AbortController().signal,
): Promise<Followed> {
  const state: Followed = {
    messages: new Map(before.messages),
    gone: new Set(),
    cursor: before.cursor ?? null,
    pages: [],
  };
  const shown = new Set<string>();
  for (let left = 5000; left > 0; left--) {
    const page = await source.listMessages(container, '', state.cursor, signal);
    state.pages.push(page.messages.length + page.gone.length);
    for (const message of page.messages) {
      state.messages.set(message.externalId, message);
      shown.add(message.externalId);
    }
    for (const id of page.gone) {
      state.gone.add(id);
      state.messages.delete(id);
    }
    state.cursor = page.cursor;
    if (page.isWhole) for (const id of state.messages.keys()) if (!shown.has(id)) state.messages.delete(id);
    if (page.isCaughtUp) return state;
  }
  throw new Error('The channel has no end.');
}
