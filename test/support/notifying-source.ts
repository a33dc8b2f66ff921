import type { ChangeNotifications, Connector } from '../../core/connectors/connector.ts';
import { createFixtureConnector } from '../../infra/local/fixture/fixture-connector.ts';
import { memoryFixtureStore } from './memory-fixture-store.ts';

type Subscribed = Parameters<ChangeNotifications['subscribe']>[0];

export type NotifyingSource = {
  connector: Connector;
  /** The requested subscriptions in order. */
  subscribed: Subscribed[];
  renewed: string[];
  /** Runs before each answer. It can throw to refuse the request, or delay the answer. */
  before: (call: 'subscribe' | 'renew', externalId: string) => Promise<void>;
  /** The expiry that a renewal grants. */
  grant: (asked: Date) => Date;
};

/** A source that only notifies, with a new id for each registration. It grants what is requested. */
export function notifyingSource(): NotifyingSource {
  const source: NotifyingSource = {
    connector: {
      ...createFixtureConnector({ store: memoryFixtureStore({ scopes: [], items: [] }) }),
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
