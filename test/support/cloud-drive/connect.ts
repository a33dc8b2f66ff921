import {
  type CloudDriveOptions,
  createCloudDriveConnector,
} from '../../../core/connectors/cloud-drive/drive-connector.ts';
import type { CallGate } from '../../../core/connectors/cloud-http/call-gate.ts';
import type { DriveFake } from './drive-fake.ts';

export const ADMIN = 'admin@nordwind.example';

const openGate: CallGate = { enter: async () => ({ leave: () => undefined }) };

/** Where a fake answers, also one in another process. */
export type DriveSource = Pick<DriveFake, 'cloud' | 'key'>;

/** How a fake is read, without waits between two tries. */
export const driveOptions = (fake: DriveSource, drives: readonly string[]): CloudDriveOptions => ({
  cloud: fake.cloud,
  keyNow: () => fake.key,
  admin: ADMIN,
  drives,
  domains: [],
  label: null,
  gate: openGate,
  priority: 'background',
  clock: Date.now,
  count: () => undefined,
  wait: async () => undefined,
});

/** A connector to a fake. */
export const connectDrive = (
  fake: DriveSource,
  drives: readonly string[],
  more: Partial<CloudDriveOptions> = {},
) => createCloudDriveConnector({ ...driveOptions(fake, drives), ...more });
