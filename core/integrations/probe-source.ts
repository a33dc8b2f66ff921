import type { Config } from '../config/config.ts';
import { labelClient } from '../connectors/cloud-drive/drive-connector.ts';
import { probeDriveLabel } from '../connectors/cloud-drive/drive-labels.ts';
import { probeGoogleDirectory } from '../connectors/cloud-drive/google-directory.ts';
import { proveReadOnly } from '../connectors/cloud-drive/prove-read-only.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import { probeBox } from '../connectors/file-box/probe-box.ts';
import { probeGraph } from '../connectors/m365/probe.ts';
import {
  everywhere,
  notConfigured,
  OK,
  type Probed,
  probeConnector,
  probed,
  type SourceProbe,
  type TestedSource,
} from '../connectors/probe.ts';
import type { TenantId } from '../kernel/ids.ts';
import { findConnector, graphSites, INTEGRATION_OF, type SourceParts } from './connector-for.ts';
import { instancesOf, missingFor } from './integrations.ts';
import { probeMessageSource } from './probe-message-source.ts';

/** Addresses of the webhooks. Whoever knows them is above this room. */
export type WebhookUrls = { notificationUrl: string; lifecycleUrl: string };

/**
 * Tests a source as it is configured: what of it can be reached and read. Throws nothing that the source does.
 * @param signal bounds the whole test
 */
export async function probeSource(
  parts: SourceParts,
  tenantId: TenantId,
  family: SourceFamily,
  webhooks: WebhookUrls,
  signal: AbortSignal,
): Promise<TestedSource> {
  if (family === 'chat' || family === 'mail') return probeMessageSource(parts, family, signal);
  const { config, clock, graph } = parts;
  const isGraph = family === 'm365' && config.SVC_CONNECTOR_MODE === 'graph';
  const missing = missingFor(config, INTEGRATION_OF[family]);
  const fresh = isGraph && missing.length === 0 ? graph.probes() : null;
  if (fresh !== null) {
    const probe = await probeGraph(
      {
        ...fresh,
        sites: graphSites(config),
        readsLabels: config.SVC_LABEL_READ_ENABLED,
        notifications: notificationsOf(parts, webhooks),
        now: clock(),
      },
      signal,
    );
    return { mode: 'live', probe };
  }
  const connector = findConnector(parts, tenantId, family);
  if ('missing' in connector) return { mode: null, probe: withoutConnector(connector.missing) };
  // The fixture has a directory; a share has none.
  const directory = connector.mode === 'mock' ? OK : notConfigured('not_part_of_source');
  const read = await probeConnector(connector, directory, signal);
  const probe = { ...read, ...(await ofFamily(parts, family, signal)) };
  if (connector.mode === 'mock' || missing.length === 0) return { mode: connector.mode, probe };
  const inOrder = placedAmongAll(config, family);
  const sites =
    probe.sites.state === 'ok' ? notConfigured('setting_missing', ...missing) : inOrder(probe.sites);
  return { mode: connector.mode, probe: { ...probe, sites, drive: inOrder(probe.drive) } };
}

/** What a family is asked besides the reads of a scan. */
async function ofFamily(
  parts: SourceParts,
  family: SourceFamily,
  signal: AbortSignal,
): Promise<Partial<SourceProbe>> {
  const options = family === 'cloud_drive' ? parts.cloudDrive?.reads('interactive') : null;
  if (options) {
    const { label } = options;
    const labels =
      label === null
        ? notConfigured('switched_off', 'SVC_CLOUD_DRIVE_LABEL')
        : await probed(() => probeDriveLabel(labelClient(options), label, signal), signal);
    return {
      token: await probed(() => proveReadOnly(options, signal), signal),
      labels,
      directory: await probed(() => probeGoogleDirectory(options, signal), signal),
    };
  }
  const box = family === 'file_box' ? parts.fileBox?.reads('interactive') : null;
  return box ? probeBox(box, signal) : {};
}

/** Instances that miss settings were not tested, and count in the order of the family. */
function placedAmongAll(config: Config, family: SourceFamily): (probed: Probed) => Probed {
  const tested = instancesOf(config, INTEGRATION_OF[family]).flatMap(({ options }, at) =>
    options === null ? [] : [at + 1],
  );
  return (probed) => {
    if (probed.state === 'ok' || probed.position === undefined) return probed;
    return { ...probed, position: tested[probed.position - 1] ?? probed.position };
  };
}

const withoutConnector = (missing: readonly string[]): SourceProbe =>
  everywhere(
    missing.length > 0 ? notConfigured('setting_missing', ...missing) : notConfigured('not_part_of_release'),
  );

function notificationsOf({ config }: SourceParts, webhooks: WebhookUrls): WebhookUrls | Probed {
  if (!config.SVC_CHANGE_NOTIFICATIONS_ENABLED)
    return notConfigured('switched_off', 'SVC_CHANGE_NOTIFICATIONS_ENABLED');
  const missing = missingFor(config, 'changeNotifications');
  return missing.length > 0 ? notConfigured('setting_missing', ...missing) : webhooks;
}
