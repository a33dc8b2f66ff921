import { createBlobConnector } from './blob/blob-connector.ts';
import { createChannelSource } from './chat/channel-source.ts';
import { createCloudDriveConnector } from './cloud-drive/drive-connector.ts';
import { createFileBoxConnector } from './file-box/file-box-connector.ts';
import { createGraphConnector } from './m365/graph-connector.ts';
import { createMailSource } from './mail/mail-source.ts';
import { createS3Connector } from './s3/s3-connector.ts';
import { createSmbConnector } from './smb/smb-connector.ts';
import { createSqlConnector } from './sql/sql-connector.ts';

/** Every built-in connector: its factory, by family and mode. */
export const connectorFactories = {
  m365: { live: createGraphConnector },
  drive: { live: createGraphConnector },
  blob: { live: createBlobConnector },
  s3: { live: createS3Connector },
  smb: { live: createSmbConnector },
  sql: { live: createSqlConnector },
  cloud_drive: { live: createCloudDriveConnector },
  file_box: { live: createFileBoxConnector },
} as const;

/** Every built-in source of messages, in the same way. */
export const messageSourceFactories = {
  chat: { live: createChannelSource },
  mail: { live: createMailSource },
} as const;

/** The families that this release can read. */
export const BUILT_FAMILIES = Object.keys({
  ...connectorFactories,
  ...messageSourceFactories,
}) as (keyof typeof connectorFactories | keyof typeof messageSourceFactories)[];
