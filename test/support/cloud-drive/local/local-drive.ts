import { type LocalCloud, MAX_CALLS, startLocalCloud } from '../../local-clouds/local-cloud.ts';
import { startDriveFake } from '../drive-fake.ts';
import { driveActs } from './drive-acts.ts';
import { ADMIN, fillDrives, SELECTED } from './drive-company.ts';

/** Starts a fake of Google Drive with the made-up company, and a page to act in it. */
export async function startLocalDrive(): Promise<LocalCloud> {
  const fake = await startDriveFake();
  fillDrives(fake);
  return startLocalCloud({
    acted: driveActs(fake),
    forgetCalls: () => {
      for (const kept of [fake.requests, fake.outputs]) if (kept.length > MAX_CALLS) kept.length = 0;
    },
    clouds: { cloudDrive: fake.cloud },
    settings: {
      SVC_CLOUD_DRIVE_ENABLED: 'true',
      SVC_CLOUD_DRIVE_CREDENTIALS_REF: 'LOCAL_DRIVE_KEY',
      LOCAL_DRIVE_KEY: fake.key,
      SVC_CLOUD_DRIVE_ADMIN: ADMIN,
      SVC_CLOUD_DRIVE_IDS: SELECTED.map(({ id }) => id).join(','),
    },
    close: fake.stop,
  });
}
