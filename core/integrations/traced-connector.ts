import { type Connector, ConnectorError } from '../connectors/connector.ts';
import { inSpan } from '../observability/traces.ts';
import type { SourceOperation } from '../observability/vocabulary.ts';

/** The same connector. Each call to the source is a span, without anything that it was asked or answered. */
export function tracedConnector(connector: Connector): Connector {
  const call = <T>(operation: SourceOperation, ask: () => Promise<T>): Promise<T> =>
    inSpan(
      'source',
      { 'svc.source.family': connector.family, 'svc.source.operation': operation },
      async (span) => {
        try {
          return await ask();
        } catch (thrown) {
          if (thrown instanceof ConnectorError) span.describe({ 'svc.retry_class': thrown.retryClass });
          throw thrown;
        }
      },
    );
  const { notifications, countedBytes } = connector;
  const traced = {
    ...(notifications && {
      notifications: {
        subscribe: (...args) => call('subscribe', () => notifications.subscribe(...args)),
        renew: (...args) => call('renew_subscription', () => notifications.renew(...args)),
      },
    }),
    ...(countedBytes && { countedBytes: (...args) => call('count_bytes', () => countedBytes(...args)) }),
    listScopes: (...args) => call('list_scopes', () => connector.listScopes(...args)),
    listLabels: (...args) => call('list_labels', () => connector.listLabels(...args)),
    listItems: (...args) => call('list_items', () => connector.listItems(...args)),
    getItem: (...args) => call('get_item', () => connector.getItem(...args)),
    getPermissions: (...args) => call('get_permissions', () => connector.getPermissions(...args)),
    getLabel: (...args) => call('get_label', () => connector.getLabel(...args)),
    readContent: (...args) => call('read_content', () => connector.readContent(...args)),
  } satisfies Partial<Connector>;
  if (connector.delta === 'comparison') return { ...connector, ...traced };
  return {
    ...connector,
    ...traced,
    listDelta: (...args) => call('list_changes', () => connector.listDelta(...args)),
  };
}
