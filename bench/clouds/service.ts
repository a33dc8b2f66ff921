import { loadConfig } from '../../core/config/config.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { connectDrive, type DriveSource } from '../../test/support/cloud-drive/connect.ts';
import { type BoxSource, connectToBox } from '../../test/support/file-box/box-source.ts';
import { taskOfParent } from '../support/child.ts';
import { scanParts, serveScans } from '../support/scan-service.ts';

export type CloudSource =
  | { family: 'cloud_drive'; fake: DriveSource; drive: string }
  | { family: 'file_box'; fake: BoxSource; folder: string };
export type CloudServiceTask = { databaseUrl: string; tenantId: TenantId; source: CloudSource };

const { databaseUrl, tenantId, source } = await taskOfParent<CloudServiceTask>();
const config = loadConfig({ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: databaseUrl });
const connector =
  source.family === 'cloud_drive'
    ? connectDrive(source.fake, [source.drive])
    : connectToBox(source.fake, { folders: [source.folder], sharingKeptMs: 5_000 });
await serveScans(scanParts(config, databaseUrl), tenantId, connector);
