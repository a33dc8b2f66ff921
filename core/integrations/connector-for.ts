import type { Config } from '../config.ts';
import type { Connector, ConnectorMode, SourceFamily } from '../connectors/connector.ts';
import { connectorFactories } from '../connectors/index.ts';
import type { Db } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { createFixtureStore } from './fixture-store.sql.ts';
import { type IntegrationName, missingFor } from './integrations.ts';

const INTEGRATION_OF: Readonly<Record<SourceFamily, IntegrationName>> = {
  m365: 'connector',
  drive: 'driveConnector',
  blob: 'blobConnector',
  smb: 'smbConnector',
  sql: 'sqlConnector',
  cloud_drive: 'cloudDriveConnector',
  file_box: 'fileBoxConnector',
  chat: 'chatConnector',
  mail: 'mailConnector',
};

/**
 * The connector of a family, as the configuration has it now. Throws `blocked_capability` naming what is missing;
 * it never falls back to the fixture.
 */
export function connectorFor(config: Config, db: Db, tenantId: TenantId, family: SourceFamily): Connector {
  if (family === 'm365' && config.SVC_CONNECTOR_MODE === 'mock') {
    return connectorFactories.m365.mock({ store: createFixtureStore(db, tenantId) });
  }
  const missing = missingFor(config, INTEGRATION_OF[family]);
  if (missing.length > 0) {
    throw new ServiceError(
      'blocked_capability',
      `The source ${family} is not configured: set ${missing.join(', ')}.`,
    );
  }
  if (family === 'smb' && config.SVC_SMB_ROOT !== undefined) {
    return connectorFactories.smb.live({ root: config.SVC_SMB_ROOT, shares: config.SVC_SMB_SHARES });
  }
  throw new ServiceError('blocked_capability', `This release cannot read the source ${family}.`);
}

/** Whether the configuration reads what was registered of a source, in the mode in which it was. */
export function canRead(
  config: Config,
  db: Db,
  tenantId: TenantId,
  { family, mode }: { family: SourceFamily; mode: ConnectorMode },
): boolean {
  try {
    return connectorFor(config, db, tenantId, family).mode === mode;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'blocked_capability') return false;
    throw error;
  }
}

/** Far more than the pairs of tenant and family that a process serves in a while. */
const KEPT_MAX = 500;

/**
 * `connectorFor` with each connector kept, since what it remembers of a walk serves the pages that follow. The
 * oldest goes when there are too many: it costs the next one who asks a walk read anew.
 */
export function keptConnectors(
  config: Config,
  db: Db,
): (tenantId: TenantId, family: SourceFamily) => Connector {
  const kept = new Map<string, Connector>();
  return (tenantId, family) => {
    const key = `${family} ${tenantId}`;
    const connector = kept.get(key) ?? connectorFor(config, db, tenantId, family);
    kept.set(key, connector);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return connector;
  };
}
