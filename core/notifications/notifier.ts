import type { ChangeNotifications, Connector, ConnectorMode, SourceFamily } from '../connectors/connector.ts';
import { connectorFor, type SourceParts } from '../integrations/connector-for.ts';
import { missingFor } from '../integrations/integrations.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Metrics } from '../observability/metrics.ts';

/** The parts of the process that subscribing and renewing use. */
export type SubscriptionParts = SourceParts & {
  metrics: Metrics;
  /** For tests: replaces the connectors of the configuration. */
  connectorOf?: (tenantId: TenantId, family: SourceFamily) => Connector;
};

export type Notifier = ChangeNotifications & { mode: ConnectorMode };

/**
 * The subscription interface of a source. Throws `blocked_capability`. The message names the missing settings, or
 * says that the source does not support notifications.
 */
export function notifierFor(parts: SubscriptionParts, tenantId: TenantId, family: SourceFamily): Notifier {
  const { config } = parts;
  if (family === 'm365' && config.SVC_CONNECTOR_MODE === 'graph') {
    const missing = missingFor(config, 'changeNotifications');
    if (missing.length > 0) {
      throw new ServiceError(
        'blocked_capability',
        `Change notifications are not configured: set ${missing.join(', ')}.`,
      );
    }
  }
  const connector = parts.connectorOf?.(tenantId, family) ?? connectorFor(parts, tenantId, family);
  if (connector.notifications === undefined) {
    throw new ServiceError(
      'blocked_capability',
      `The source ${family} does not support change notifications. Set SVC_DELTA_SCHEDULE to scan it on a schedule.`,
    );
  }
  return { ...connector.notifications, mode: connector.mode };
}
