import type { Config, SettingName } from '../config.ts';
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

/** Why a source cannot be read: the missing settings. Empty if this release has no connector for the family. */
export type SourceBlock = { missing: readonly SettingName[] };

/** The connector of a family under the current configuration. It never falls back to the fixture. */
export function findConnector(
  config: Config,
  db: Db,
  tenantId: TenantId,
  family: SourceFamily,
): Connector | SourceBlock {
  if (family === 'm365' && config.SVC_CONNECTOR_MODE === 'mock') {
    return connectorFactories.m365.mock({ store: createFixtureStore(db, tenantId) });
  }
  const missing = missingFor(config, INTEGRATION_OF[family]);
  if (missing.length === 0 && family === 'smb' && config.SVC_SMB_ROOT !== undefined) {
    return connectorFactories.smb.live({ root: config.SVC_SMB_ROOT, shares: config.SVC_SMB_SHARES });
  }
  return { missing };
}

/** For a request. Throws `blocked_capability` with the missing settings if nothing can read the source. */
export function connectorFor(config: Config, db: Db, tenantId: TenantId, family: SourceFamily): Connector {
  const found = findConnector(config, db, tenantId, family);
  if ('missing' in found) throw sourceBlocked(family, found);
  return found;
}

export const sourceBlocked = (family: SourceFamily, { missing }: SourceBlock) =>
  new ServiceError(
    'blocked_capability',
    missing.length > 0
      ? `The source ${family} is not configured: set ${missing.join(', ')}.`
      : `This release cannot read the source ${family}.`,
  );

/** Whether the current configuration can read a registered source in the mode in which it was registered. */
export function canRead(
  config: Config,
  db: Db,
  tenantId: TenantId,
  { family, mode }: { family: SourceFamily; mode: ConnectorMode },
): boolean {
  const found = findConnector(config, db, tenantId, family);
  return !('missing' in found) && found.mode === mode;
}
