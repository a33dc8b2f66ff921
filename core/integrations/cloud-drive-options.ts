import type { Config } from '../config/config.ts';
import { GOOGLE } from '../connectors/cloud-drive/drive-cloud.ts';
import type { CloudDriveOptions } from '../connectors/cloud-drive/drive-connector.ts';
import type { CallPriority } from '../connectors/cloud-http/call-gate.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { CallPace } from './call-pace.ts';
import { sharedPause } from './call-pause.sql.ts';

/**
 * How the cloud drive is read. All processes share the pauses that Google asks for; one that cannot be shared is kept by
 * its process. The key is found again for each token, so that another one takes effect without a restart.
 */
export const cloudDriveOptions = (
  { config, db, clock }: { config: Config; db: Db; clock: Clock },
  priority: CallPriority,
): CloudDriveOptions => ({
  cloud: GOOGLE,
  keyNow: () => config.secret('SVC_CLOUD_DRIVE_CREDENTIALS_REF'),
  admin: config.SVC_CLOUD_DRIVE_ADMIN ?? '',
  drives: config.SVC_CLOUD_DRIVE_IDS,
  domains: config.SVC_CLOUD_DRIVE_DOMAINS,
  gate: new CallPace(sharedPause(db, 'cloud_drive'), () => undefined),
  priority,
  clock,
});
