import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { proveReadOnly } from '../../core/connectors/cloud-drive/prove-read-only.ts';
import { besideRepository } from '../support/beside-repository.ts';
import { ADMIN, connectDrive } from '../support/cloud-drive/connect.ts';
import { FOLDER, READS_LABELS, startDriveFake, userPermission } from '../support/cloud-drive/drive-fake.ts';

const SCHEMAS = besideRepository('vendor-schemas');
const VENDOR = path.join(SCHEMAS, 'google-drive.schema.json');
const live = new AbortController().signal;
const DRIVE = '0AShared';
const SCOPE = `drive:${DRIVE}`;

const DEFINITION: Readonly<Record<string, string>> = {
  'drive#drive': 'drive#/definitions/Drive',
  'drive#fileList': 'drive#/definitions/FileList',
  'drive#file': 'drive#/definitions/File',
  'drive#permissionList': 'drive#/definitions/PermissionList',
  'drive#changeList': 'drive#/definitions/ChangeList',
  'drive#startPageToken': 'drive#/definitions/StartPageToken',
  'drive#labelList': 'drive#/definitions/LabelList',
  label: 'drivelabels#/definitions/GoogleAppsDriveLabelsV2Label',
};

test.skipIf(!existsSync(VENDOR))('answers of the fake satisfy the schema of the vendor', async () => {
  const fake = await startDriveFake();
  const manager = 'olga@nordwind.example';
  for (const person of [ADMIN, manager]) fake.act.addPerson(person);
  fake.act.addDrive(DRIVE, 'shared', [userPermission(manager, 'organizer')]);
  fake.act.add(DRIVE, 'folder', '', { mimeType: FOLDER });
  const id = fake.act.add(DRIVE, 'a.txt', 'a', {
    isEncrypted: true,
    permissions: [{ id: '1', type: 'anyone', role: 'reader', allowFileDiscovery: false, view: 'published' }],
  });
  fake.delegated.add(READS_LABELS);
  fake.act.publishLabel('l', { fieldId: 'f', title: 'Secrecy', choices: { c: 'Secret' } });
  fake.act.label(id, 'l', 'c');
  const connector = connectDrive(fake, [DRIVE, manager], { label: 'l' });
  await connector.listScopes(null, live);
  await connector.listItems(SCOPE, null, live);
  await connector.listDelta(SCOPE, '1', null, live);
  await connector.getItem(SCOPE, id, live);
  await connector.getPermissions(SCOPE, id, live);
  await connector.getLabel(SCOPE, id, live);
  await fake.stop();

  const ajv = new Ajv({ strict: false });
  for (const api of ['drive', 'drivelabels'])
    ajv.addSchema(JSON.parse(readFileSync(path.join(SCHEMAS, `google-${api}.schema.json`), 'utf8')), api);
  expect(new Set(fake.outputs.map(({ kind }) => kind))).toEqual(new Set(Object.keys(DEFINITION)));
  for (const { kind, body } of fake.outputs) {
    const validate = ajv.getSchema(DEFINITION[kind] ?? '');
    expect([kind, validate?.(body), validate?.errors]).toEqual([kind, true, null]);
  }
});

test('a service account that may write is refused, and one that only reads is proved', async () => {
  const fake = await startDriveFake();
  fake.act.addPerson(ADMIN);
  const account = { cloud: fake.cloud, keyNow: () => fake.key, admin: ADMIN, count: () => undefined };
  expect(await proveReadOnly(account, live)).toEqual({ state: 'ok' });
  fake.delegated.add('https://www.googleapis.com/auth/drive');
  expect(await proveReadOnly(account, live)).toMatchObject({ state: 'blocked', reason: 'login_can_write' });
  await expect(proveReadOnly({ ...account, keyNow: () => '{}' }, live)).rejects.toMatchObject({
    safeDiagnostic: 'cloud_drive_token_key_malformed',
  });
  await fake.stop();
});
