import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createGoogleDirectory,
  googleDirectoryClients,
  probeGoogleDirectory,
} from '../../../core/connectors/cloud-drive/google-directory.ts';
import { addressBookOf, type Directory } from '../../../core/connectors/directory.ts';
import { ADMIN, driveOptions } from '../../support/cloud-drive/connect.ts';
import type { FakeAccount } from '../../support/cloud-drive/directory-routes.ts';
import { type DriveFake, READS_DIRECTORY, startDriveFake } from '../../support/cloud-drive/drive-fake.ts';

const SCHEMA = path.join(import.meta.dirname, '../../support/cloud-drive/directory.schema.json');
const live = new AbortController().signal;
const account = (n: number, fullName: string, about: Partial<FakeAccount> = {}): FakeAccount => ({
  id: `1000000000000000000${String(n).padStart(2, '0')}`,
  email: `${fullName.split(' ')[0]?.toLowerCase()}@nordwind.example`,
  ...{ fullName, title: 'Clerk', department: 'Sales', ...about },
});
const OLGA = account(1, 'Olga Brandt', { title: 'Head', department: 'Finance Control' });
const PIA = account(2, 'Pia Okafor', { manager: OLGA.email });
const GONE = account(3, 'Gil Gone', { suspended: true });
const SHOWN = { displayName: 'Olga Brandt', title: 'Head', department: 'Finance Control', email: OLGA.email };

let fake: DriveFake;
let directory: Directory;
beforeAll(async () => {
  fake = await startDriveFake();
  fake.act.addPerson(ADMIN);
  for (const scope of READS_DIRECTORY) fake.delegated.add(scope);
  fake.directory.accounts.push(OLGA, PIA, GONE);
  fake.directory.groups.push(
    {
      ...{ id: 'g01', email: 'finance@nordwind.example', name: 'Finance team' },
      members: { [OLGA.email]: 'OWNER', [GONE.email]: 'MANAGER', 'all@nordwind.example': 'MEMBER' },
    },
    { id: 'g02', email: 'all@nordwind.example', name: 'All', members: { [PIA.email]: 'MEMBER' } },
  );
  directory = createGoogleDirectory(googleDirectoryClients(driveOptions(fake, [])));
});
afterAll(() => fake.stop());

test('finds people by words of name, address and department, without who has left', async () => {
  const idsOf = async (text: string) =>
    (await directory.searchPeople(text, 10, live)).map(({ directoryId }) => directoryId);
  expect(await idsOf('olg bra')).toEqual([OLGA.id]);
  expect(await idsOf('control')).toEqual([OLGA.id]);
  expect(await idsOf('pia')).toEqual([PIA.id]);
  expect(await idsOf('gil')).toEqual([]);
  expect(await idsOf("' OR *")).toEqual([]);
});

test('a person is known by the id that Google signs them in with', async () => {
  expect(await directory.person(OLGA.id, live)).toEqual({ directoryId: OLGA.id, ...SHOWN });
  expect(await directory.person(OLGA.email, live)).toBeNull();
  expect(await directory.person(GONE.id, live)).toBeNull();
  const managers = await directory.managersOf([PIA.id, OLGA.id, 'nobody'], live);
  expect([...managers].map(([id, { directoryId }]) => [id, directoryId])).toEqual([[PIA.id, OLGA.id]]);
});

test('finds whom an identity means, and nobody of another domain', async () => {
  const identities = ['OLGA@nordwind.example', PIA.id, 'okafor pia', 'uma@partner.example', '-'];
  const found = await directory.peopleBehind(identities, live);
  expect(found.map(({ directoryId }) => directoryId)).toEqual([OLGA.id, PIA.id]);
});

test('knows groups, who owns them and who is in them through others', async () => {
  expect(await directory.searchGroups('team fin', 5, live)).toEqual([
    { groupId: 'g01', displayName: 'Finance team' },
  ]);
  const owners = await directory.ownersOfGroups(['finance@nordwind.example', 'Finance team', 'x@y.zz'], live);
  expect([...owners]).toEqual([['finance@nordwind.example', [{ directoryId: OLGA.id, ...SHOWN }]]]);
  const members = await directory.membersOf('g01', 10, live);
  expect(members?.map(({ directoryId }) => directoryId)).toEqual([OLGA.id, PIA.id]);
  for (const group of ['g99', '..', '']) expect(await directory.membersOf(group, 10, live)).toBeNull();
});

test('as an address book it gives no ids', async () => {
  const book = addressBookOf(directory);
  expect(await book.peopleAt([OLGA.email], live)).toEqual([SHOWN]);
  expect([...(await book.ownersOfGroups(['finance@nordwind.example'], live))]).toEqual([
    ['finance@nordwind.example', [SHOWN]],
  ]);
});

test('the probe says which scopes are optional, and which an administrator lacks', async () => {
  const probe = () => probeGoogleDirectory(driveOptions(fake, []), live);
  const missing = ['admin.directory.user.readonly', 'admin.directory.group.readonly'];
  expect(await probe()).toEqual({ state: 'ok' });
  fake.fail(/directory\/v1\/groups$/, 403, 'forbidden', 1);
  expect(await probe()).toEqual({
    state: 'blocked',
    reason: 'missing_permission',
    missing: missing.slice(1),
  });
  fake.delegated.delete(READS_DIRECTORY[0] ?? '');
  expect(await probe()).toEqual({ state: 'not_configured', reason: 'optional_permission', missing });
  fake.delegated.add(READS_DIRECTORY[0] ?? '');
});

test('answers of the fake satisfy the description of the vendor', () => {
  const ajv = new Ajv({ strict: false }).addSchema(JSON.parse(readFileSync(SCHEMA, 'utf8')), 'directory');
  const kinds = new Set(fake.outputs.map(({ kind }) => kind.replace('admin#directory#', '')));
  expect(kinds).toEqual(new Set(['user', 'users', 'groups', 'members']));
  for (const { kind, body } of fake.outputs) {
    const check = ajv.getSchema(`directory#/definitions/${kind.replace('admin#directory#', '')}`);
    expect([kind, check?.(body), check?.errors]).toEqual([kind, true, null]);
  }
});
