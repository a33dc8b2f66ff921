import { afterEach, expect, it } from 'vitest';
import { countedAs } from '../../../core/integrations/count-calls.ts';
import { createMetrics } from '../../../core/observability/metrics.ts';
import { ADMIN, connectDrive } from '../../support/cloud-drive/connect.ts';
import { startDriveFake } from '../../support/cloud-drive/drive-fake.ts';
import { startBoxFake } from '../../support/file-box/box-fake.ts';
import { failed } from '../../support/file-box/box-routes.ts';
import { connectToBox } from '../../support/file-box/box-source.ts';

const never = new AbortController().signal;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

it('counts calls of Google Drive, also a 403 that asks to wait', async () => {
  const fake = await startDriveFake();
  stops.push(fake.stop);
  fake.act.addPerson(ADMIN);
  fake.act.add(ADMIN, 'note.txt', 'text');
  fake.fail(/files$/, 403, 'userRateLimitExceeded');
  fake.fail(/files\/root$/, 503, 'backendError');
  const metrics = createMetrics();
  const connector = connectDrive(fake, [ADMIN], countedAs(metrics, 'cloud_drive'));
  await connector.listItems(`person:${ADMIN}`, null, never);
  expect(metrics.snapshot().counters).toEqual({
    'cloud_drive_calls:file:2xx': 1,
    'cloud_drive_calls:file:5xx': 1,
    'cloud_drive_calls:files:2xx': 1,
    'cloud_drive_calls:files:4xx': 1,
    'cloud_drive_calls:start_token:2xx': 1,
    'cloud_drive_calls:token:2xx': 1,
    'cloud_drive_retries:file': 1,
    'cloud_drive_retries:files': 1,
    'cloud_drive_throttled:403': 1,
    'cloud_drive_throttled:503': 1,
  });
});

it('counts calls of Box, of its tokens and of contents elsewhere', async () => {
  const fake = await startBoxFake();
  stops.push(fake.stop);
  const top = fake.world.addFolder('top');
  fake.world.invite('folder', top, { role: 'viewer', userId: fake.authority.accountId });
  const file = fake.world.addFile('note.txt', top, 'text', { unready: 0 });
  let refusals = 1;
  fake.instead = ({ path }) =>
    path.endsWith('/items') && refusals-- > 0 ? failed(429, 'rate_limit_exceeded') : null;
  const metrics = createMetrics();
  const more = { folders: [top], readsEvents: false, ...countedAs(metrics, 'box') };
  const connector = connectToBox(fake, more);
  await connector.listItems(top, null, never);
  await connector.readContent(top, file, 1_000, never);
  expect(metrics.snapshot().counters).toMatchObject({
    'box_calls:items:2xx': 1,
    'box_calls:items:4xx': 1,
    'box_calls:content:3xx': 1,
    'box_calls:download:2xx': 1,
    // The service account, and the token for downloads alone.
    'box_calls:token:2xx': 2,
    'box_retries:items': 1,
    'box_throttled:429': 1,
  });
});
