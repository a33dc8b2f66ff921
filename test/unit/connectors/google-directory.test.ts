import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createGoogleDirectory,
  probeGoogleDirectory,
} from '../../../core/connectors/cloud-drive/google-directory.ts';
import { ConnectorError } from '../../../core/connectors/connector.ts';
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
  directory = createGoogleDirectory(driveOptions(fake, []));
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

test('finds names that are one word with capitals, an apostrophe or a hyphen in it', async () => {
  const names = ['Rae McDonald', "Sam O'Brien", 'Anne-Marie Vaux'];
  const added = names.map((name, at) => account(20 + at, name, { email: `x${at}@nordwind.example` }));
  fake.directory.accounts.push(...added);
  for (const [at, text] of ['mcdonald', "O'Brien", 'Anne-Marie'].entries())
    expect((await directory.searchPeople(text, 10, live)).map(({ displayName }) => displayName)).toEqual([
      names[at],
    ]);
  expect((await directory.peopleBehind(names, live)).map(({ displayName }) => displayName)).toEqual(
    names.toSorted(),
  );
  fake.directory.accounts.splice(-added.length);
});

test('a name of more people than Google answers at once means nobody', async () => {
  const first = account(40, 'Lena Longname');
  fake.directory.accounts.push(first);
  const idsBehind = async () =>
    (await directory.peopleBehind(['Lena Longname'], live)).map(({ directoryId }) => directoryId);
  expect(await idsBehind()).toEqual([first.id]);
  const crowd = Array.from({ length: 200 }, (_, at) =>
    account(100 + at, 'Tom Longname', { email: `t${at}@nordwind.example` }),
  );
  fake.directory.accounts.push(...crowd);
  expect(await idsBehind()).toEqual([]);
  fake.directory.accounts.splice(-crowd.length - 1);
});

test('somebody has all their addresses, and is found by each', async () => {
  const aliases = ['li@nordwind.example', 'li@nordwind.example.test-google-a.com'];
  const [alias = '', fixed = ''] = aliases;
  fake.directory.accounts.push(account(50, 'Lin Alias', { aliases: [alias], nonEditableAliases: [fixed] }));
  for (const address of aliases)
    expect(await directory.peopleBehind([address], live)).toMatchObject([
      { displayName: 'Lin Alias', aliases },
    ]);
  fake.directory.accounts.pop();
});

test('a right that the administrator lacks is a refusal, and no answer', async () => {
  const lacking = async (path: RegExp, ask: () => Promise<unknown>) => {
    fake.fail(path, 403, 'forbidden', 1);
    return ask().then(
      () => 'answered',
      (error: unknown) => (error instanceof ConnectorError ? error.safeDiagnostic : error),
    );
  };
  for (const key of [OLGA.id, OLGA.email])
    expect(await lacking(/users\//, () => directory.peopleBehind([key], live))).toBe(
      'cloud_drive_person_403',
    );
  expect(await lacking(/users\//, () => directory.peopleBehind(['uma@partner.example'], live))).toBe(
    'answered',
  );
  expect(await lacking(/members$/, () => directory.membersOf('g01', 10, live))).toBe(
    'cloud_drive_group_members_403',
  );
});

test('a group is listed until enough of its people are active', async () => {
  const gone = Array.from({ length: 210 }, (_, at) =>
    account(300 + at, 'Zed Gone', { email: `z${at}@nordwind.example`, suspended: true }),
  );
  fake.directory.accounts.push(...gone);
  const addresses = [...gone.map(({ email }) => email), OLGA.email, PIA.email];
  const members = Object.fromEntries(addresses.map((email) => [email, 'MEMBER' as const]));
  fake.directory.groups.push({ id: 'g03', email: 'old@nordwind.example', name: 'Old', members });
  const listed = await directory.membersOf('g03', 2, live);
  expect(listed?.map(({ directoryId }) => directoryId)).toEqual([OLGA.id, PIA.id]);
  fake.directory.groups.pop();
  fake.directory.accounts.splice(-gone.length);
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
  const optional = { state: 'not_configured', reason: 'optional_permission' };
  expect(await probe()).toEqual({ ...optional, missing: missing.slice(0, 1) });
  fake.delegated.add(READS_DIRECTORY[0] ?? '');
  fake.fail(/directory\/v1\/groups$/, 403, 'insufficientPermissions', 1);
  expect(await probe()).toEqual({ ...optional, missing: missing.slice(1) });
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
