import type { ChangeNotifications, Connector } from '../../core/connectors/connector.ts';
import { createMockConnector } from '../../core/connectors/mock/mock-connector.ts';
import { memoryFixtureStore } from './memory-fixture-store.ts';

type Subscribed = Parameters<ChangeNotifications['subscribe']>[0];

export type NotifyingSource = {
  connector: Connector;
  /** What was asked of the source, in order. */
  subscribed: Subscribed[];
  renewed: string[];
  /** Runs before each answer: throws what the source refuses with, or waits as long as the source takes. */
  before: (call: 'subscribe' | 'renew', externalId: string) => Promise<void>;
  /** How long a renewal lives. */
  grant: (asked: Date) => Date;
};

/** A source that only notifies, with an id of its own for each registration. It grants what it is asked for. */
export function notifyingSource(): NotifyingSource {
  const source: NotifyingSource = {
    connector: {
      ...createMockConnector({ store: memoryFixtureStore({ scopes: [], items: [] }) }),
      notifications: {
        subscribe: async (request) => {
          source.subscribed.push(request);
          const externalId = `ext-${source.subscribed.length}-${request.clientState.slice(0, 8)}`;
          await source.before('subscribe', externalId);
          return { externalId, expiresAt: request.expiresAt };
        },
        renew: async (externalId, expiresAt) => {
          source.renewed.push(externalId);
          await source.before('renew', externalId);
          return { expiresAt: source.grant(expiresAt) };
        },
      },
    },
    subscribed: [],
    renewed: [],
    before: async () => undefined,
    grant: (asked) => asked,
  };
  return source;
}
