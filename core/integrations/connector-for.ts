import type { Config } from '../config/config.ts';
import type { CallPriority } from '../connectors/cloud-http/call-gate.ts';
import type { Connector, ConnectorMode, SourceFamily } from '../connectors/connector.ts';
import { connectorFactories } from '../connectors/index.ts';
import { type InstancePart, joinedConnector } from '../connectors/joined-connector.ts';
import type { SuiteSelection } from '../connectors/m365/graph-connector.ts';
import type { SiteSelection } from '../connectors/m365/sites.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { CloudDriveAccess } from './cloud-drive-access.ts';
import type { FileBoxAccess } from './file-box-access.ts';
import type { FixtureCompany } from './fixture-company.ts';
import type { GraphAccess } from './graph-access.ts';
import { type IntegrationName, missingFor } from './integrations.ts';
import {
  blobInstances,
  type MissingSetting,
  type SourceInstance,
  s3Instances,
  sqlInstances,
} from './source-instances.ts';
import { tracedConnector } from './traced-connector.ts';

export const INTEGRATION_OF = {
  m365: 'connector',
  drive: 'driveConnector',
  blob: 'blobConnector',
  s3: 's3Connector',
  smb: 'smbConnector',
  sql: 'sqlConnector',
  cloud_drive: 'cloudDriveConnector',
  file_box: 'fileBoxConnector',
  chat: 'chatConnector',
  mail: 'mailConnector',
} as const satisfies Readonly<Record<SourceFamily, IntegrationName>>;

/** Why a source cannot be read: the missing settings. Empty if this release has no connector for the family. */
export type SourceBlock = { missing: readonly MissingSetting[] };

/** The parts of the process of which connectors are made. */
export type SourceParts = {
  config: Config;
  db: Db;
  clock: Clock;
  graph: GraphAccess;
  /** Absent where nothing reads Google Drive. */
  cloudDrive?: CloudDriveAccess;
  /** Absent where nothing reads Box. */
  fileBox?: FileBoxAccess;
  /** Null outside development, and where it is not installed. */
  fixture: FixtureCompany | null;
};

/**
 * The connector of a family under the current configuration, of all instances that are complete. It never falls back to
 * the fixture.
 */
export function findConnector(
  { config, db, clock, graph, cloudDrive, fileBox, fixture }: SourceParts,
  tenantId: TenantId,
  family: SourceFamily,
  priority: CallPriority = 'interactive',
): Connector | SourceBlock {
  if (family === 'm365' && config.SVC_CONNECTOR_MODE === 'mock') {
    if (fixture === null) return { missing: ['SVC_CONNECTOR_MODE'] };
    return tracedConnector(fixture.connector(db, tenantId));
  }
  const missing = missingFor(config, INTEGRATION_OF[family]);
  if (missing.length === 0 && family === 'smb' && config.SVC_SMB_ROOT !== undefined) {
    return tracedConnector(
      connectorFactories.smb.live({ root: config.SVC_SMB_ROOT, shares: config.SVC_SMB_SHARES }),
    );
  }
  if (family === 'cloud_drive') {
    const options = cloudDrive?.reads(priority);
    if (options) return tracedConnector(connectorFactories.cloud_drive.live(options));
  }
  if (family === 'file_box') {
    const options = fileBox?.reads(priority);
    if (options) return tracedConnector(connectorFactories.file_box.live(options));
  }
  const [first, ...others] = completeInstances(config, family);
  if (first !== undefined) return tracedConnector(joinedConnector(first, ...others));
  if (missing.length === 0 && (family === 'm365' || family === 'drive')) {
    const client = graph.reads(priority);
    const selected = suiteSelection(config, family);
    if (selected === null) return { missing: ['SVC_GRAPH_SITES'] };
    if (client !== null) {
      return connectorFactories[family].live({
        client,
        clock,
        cloud: graph.cloud,
        selected,
        tenantId: config.SVC_GRAPH_TENANT_ID ?? null,
        readsLabels: config.SVC_LABEL_READ_ENABLED,
      });
    }
  }
  return { missing };
}

function suiteSelection(config: Config, family: 'm365' | 'drive'): SuiteSelection | null {
  if (family === 'drive') return { family, drives: config.SVC_DRIVE_IDS };
  const sites = graphSites(config);
  return sites && { family, sites };
}

/** The complete instances of a family that is switched on and can have several. */
function completeInstances(config: Config, family: SourceFamily): InstancePart[] {
  const { blob, s3, sql } = connectorFactories;
  if (family === 'blob' && config.SVC_BLOB_ENABLED) return completeOf(blobInstances(config), blob.live);
  if (family === 's3' && config.SVC_S3_ENABLED) return completeOf(s3Instances(config), s3.live);
  if (family === 'sql' && config.SVC_SQL_ENABLED) return completeOf(sqlInstances(config), sql.live);
  return [];
}

const completeOf = <Options>(
  instances: readonly SourceInstance<Options>[],
  connectorOf: (options: Options) => InstancePart['connector'],
): InstancePart[] =>
  instances.flatMap(({ name, options }) =>
    options === null ? [] : [{ name, connector: connectorOf(options) }],
  );

/** The sites that are selected, null if none is. */
export function graphSites({ SVC_GRAPH_SITES: sites }: Config): SiteSelection | null {
  if (sites.length === 0) return null;
  return sites.length === 1 && sites[0] === 'all' ? 'all' : sites;
}

/** For a request. Throws `blocked_capability` with the missing settings if nothing can read the source. */
export function connectorFor(parts: SourceParts, tenantId: TenantId, family: SourceFamily): Connector {
  const found = findConnector(parts, tenantId, family);
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

/** Whether the current configuration can read a registered scope in the mode in which it was registered. */
export function canRead(
  parts: SourceParts,
  tenantId: TenantId,
  { family, mode, externalId }: { family: SourceFamily; mode: ConnectorMode; externalId: string },
): boolean {
  const found = findConnector(parts, tenantId, family);
  return !('missing' in found) && found.mode === mode && found.scopeIds?.has(externalId) !== false;
}
