import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connector, ConnectorError } from '../../core/connectors/connector.ts';
import { ADMIN, connectDrive } from '../support/cloud-drive/connect.ts';
import {
  type DriveFake,
  READS_LABELS,
  startDriveFake,
  userPermission,
} from '../support/cloud-drive/drive-fake.ts';
import { DAMAGES, damaged } from '../support/damaged.ts';
import { type BoxFake, startBoxFake } from '../support/file-box/box-fake.ts';
import { connectToBox } from '../support/file-box/box-source.ts';

const live = new AbortController().signal;

/** What a read ends with. Anything but a `ConnectorError` fails the test. */
async function ended<T>(read: Promise<T>): Promise<T | 'error'> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return 'error';
  }
}

/** A file that is there and labelled is never reported as gone, as nobody's, or as unlabelled. */
async function staysKnown(connector: Connector, scope: string, file: string, cursor: string): Promise<void> {
  expect(await ended(connector.getItem(scope, file, live))).not.toBeNull();
  expect(await ended(connector.getLabel(scope, file, live))).not.toMatchObject({ state: 'unlabeled' });
  await ended(connector.getPermissions(scope, file, live));
  await ended(connector.readContent(scope, file, 1_000, live));
  await ended(connector.listItems(scope, null, live));
  if (connector.delta !== 'feed') return;
  const delta = await ended(connector.listDelta(scope, cursor, null, live));
  if (delta !== 'error') expect(delta.changes.map(({ type }) => type)).not.toContain('delete');
}

describe('damaged answers of Google Drive', () => {
  const DRIVE = '0AShared';
  const SCOPE = `drive:${DRIVE}`;
  let fake: DriveFake;
  let file: string;
  beforeEach(async () => {
    fake = await startDriveFake();
    for (const person of [ADMIN, 'olga@nordwind.example']) fake.act.addPerson(person);
    fake.act.addDrive(DRIVE, 'shared', [userPermission('olga@nordwind.example', 'organizer')]);
    fake.delegated.add(READS_LABELS);
    fake.act.publishLabel('l', { fieldId: 'f', title: 'Secrecy', choices: { c: 'Secret' } });
    file = fake.act.add(DRIVE, 'a.txt', 'a');
    fake.act.label(file, 'l', 'c');
  });
  afterEach(() => fake.stop());

  // A file without `driveId` has left the shared drive. A list that is left out is empty, by its `kind`.
  const FIELDS = ['id', 'name', 'mimeType', 'parents', 'size', 'version', 'sha256Checksum', 'modifiedTime'];
  const OTHERS = [
    'trashed',
    'removed',
    'changeType',
    'fileId',
    'role',
    'type',
    'fields',
    'selection',
    'kind',
  ];

  test.each([...FIELDS, ...OTHERS])('with a damaged %s say nothing false', async (name) => {
    const connector = connectDrive(fake, [DRIVE], { label: 'l' });
    await connector.getLabel(SCOPE, file, live);
    for (const [kind, damage] of Object.entries(DAMAGES)) {
      // Another id is another thing, and no fault.
      if (name === 'id' && kind === 'an unknown word') continue;
      fake.state.damage = (body) => damaged(body, name, damage);
      await staysKnown(connector, SCOPE, file, '1');
    }
  });

  test.each([[{}], [[]], ['text'], [null]])('of another form (%j) are errors', async (body) => {
    const connector = connectDrive(fake, [DRIVE]);
    await connector.getItem(SCOPE, file, live);
    fake.state.damage = () => body;
    for (const read of [
      connector.getItem(SCOPE, file, live),
      connector.getPermissions(SCOPE, file, live),
      connector.listItems(SCOPE, null, live),
      connector.listDelta(SCOPE, '1', null, live),
    ])
      expect(await ended<unknown>(read)).toBe('error');
  });
});

describe('damaged answers of Box', () => {
  let fake: BoxFake;
  let top: string;
  let file: string;
  beforeEach(async () => {
    fake = await startBoxFake();
    top = fake.world.addFolder('Contracts');
    fake.world.invite('folder', top, { role: 'viewer', userId: fake.authority.accountId });
    file = fake.world.addFile('a.txt', top, 'a');
  });
  afterEach(() => fake.stop());

  const cursorNow = async (connector: Connector) =>
    (await connector.listItems(top, null, live)).deltaCursor ?? '';

  const FIELDS = ['type', 'id', 'name', 'etag', 'sha1', 'size', 'parent', 'path_collection', 'item_status'];
  const OTHERS = [
    'entries',
    'owned_by',
    'shared_link',
    'permissions',
    'source',
    'event_type',
    'event_id',
    'role',
  ];

  test.each([...FIELDS, ...OTHERS])('with a damaged %s say nothing false', async (name) => {
    const connector = connectToBox(fake, { folders: [top] });
    const cursor = await cursorNow(connector);
    fake.world.edit(file, 'b');
    for (const damage of Object.values(DAMAGES)) {
      fake.damage = (body) => damaged(body, name, damage);
      const item = await ended(connector.getItem(top, file, live));
      expect(item).not.toBeNull();
      for (const read of [
        connector.getPermissions(top, file, live),
        connector.getLabel(top, file, live),
        connector.listItems(top, null, live),
      ])
        await ended<unknown>(read);
      const delta = connector.delta === 'feed' && (await ended(connector.listDelta(top, cursor, null, live)));
      if (delta && delta !== 'error') expect(delta.changes.map(({ type }) => type)).not.toContain('delete');
    }
  });

  test.each([[{}], [[]], ['text'], [null]])('of another form (%j) are errors', async (body) => {
    const connector = connectToBox(fake, { folders: [top] });
    const cursor = await cursorNow(connector);
    fake.damage = () => body;
    for (const read of [
      connector.getItem(top, file, live),
      connector.getPermissions(top, file, live),
      connector.listItems(top, null, live),
      connector.delta === 'feed' ? connector.listDelta(top, cursor, null, live) : null,
    ])
      if (read !== null) expect(await ended<unknown>(read)).toBe('error');
  });
});
