import { type LocalCloud, MAX_CALLS, startLocalCloud } from '../../local-clouds/local-cloud.ts';
import { startBoxFake } from '../box-fake.ts';
import { boxActs } from './box-acts.ts';
import { fillBox } from './box-company.ts';

/** Starts a fake of Box with the made-up company, and a page to act in it. */
export async function startLocalBox(): Promise<LocalCloud> {
  const fake = await startBoxFake();
  const folders = fillBox(fake);
  const { clientId, clientSecret } = fake.authority;
  return startLocalCloud({
    acted: boxActs(fake.world, folders),
    forgetCalls: () => {
      for (const kept of [fake.requests, fake.outputs]) if (kept.length > MAX_CALLS) kept.length = 0;
    },
    clouds: { fileBox: fake.cloud },
    settings: {
      SVC_FILE_BOX_ENABLED: 'true',
      SVC_FILE_BOX_CLIENT_ID: clientId,
      SVC_FILE_BOX_CLIENT_SECRET_REF: 'LOCAL_BOX_SECRET',
      LOCAL_BOX_SECRET: clientSecret,
      SVC_FILE_BOX_ENTERPRISE_ID: fake.world.enterprise.id,
      SVC_FILE_BOX_FOLDERS: folders.join(','),
      SVC_FILE_BOX_EVENTS: 'true',
    },
    close: fake.stop,
  });
}
