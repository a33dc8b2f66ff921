import type { Config } from '../config/config.ts';
import { type DriveCloud, GOOGLE } from '../connectors/cloud-drive/drive-cloud.ts';
import type { CloudDriveOptions } from '../connectors/cloud-drive/drive-connector.ts';
import { createGoogleDirectory } from '../connectors/cloud-drive/google-directory.ts';
import type { CallPriority } from '../connectors/cloud-http/call-gate.ts';
import type { Directory } from '../connectors/directory.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { CallPace } from './call-pace.ts';
import { sharedPause } from './call-pause.sql.ts';
import { countedAs } from './count-calls.ts';
import { missingFor } from './integrations.ts';

type CloudDriveAccessParts = { config: Config; db: Db; clock: Clock; metrics: Metrics; log: Logger };

/** The way of this process to Google Drive, with one pace of calls. */
export type CloudDriveAccess = {
  /** Null where the configuration is not complete. */
  reads(priority: CallPriority): CloudDriveOptions | null;
  /** One for all questions, so that its tokens are kept. Null as `reads`. */
  directory(): Directory | null;
};

/** Google allows 12,000 calls a minute to a project, and as many to a person. */
const MOST_A_SECOND = 12_000 / 60;

/** @param cloud another than Google: that of a fake */
export function createCloudDriveAccess(
  { config, db, clock, metrics, log }: CloudDriveAccessParts,
  cloud: DriveCloud = GOOGLE,
): CloudDriveAccess {
  const counts = countedAs(metrics, 'cloud_drive');
  const onFailure = (error: unknown) => log.warn('call_pause_failed', {}, error);
  const gate = new CallPace(sharedPause(db, 'cloud_drive'), onFailure, MOST_A_SECOND);
  const optionsFor = (priority: CallPriority): CloudDriveOptions => ({
    cloud,
    // The key is found again for each token, so that another one takes effect without a restart.
    keyNow: () => config.secret('SVC_CLOUD_DRIVE_CREDENTIALS_REF'),
    admin: config.SVC_CLOUD_DRIVE_ADMIN ?? '',
    drives: config.SVC_CLOUD_DRIVE_IDS,
    domains: config.SVC_CLOUD_DRIVE_DOMAINS,
    label: config.SVC_CLOUD_DRIVE_LABEL ?? null,
    gate,
    priority,
    clock,
    ...counts,
  });
  const directory = createGoogleDirectory(optionsFor('interactive'));
  const isComplete = () => missingFor(config, 'cloudDriveConnector').length === 0;
  return {
    reads: (priority) => (isComplete() ? optionsFor(priority) : null),
    directory: () => (isComplete() ? directory : null),
  };
}
