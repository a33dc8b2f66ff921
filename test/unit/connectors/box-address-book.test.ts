import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBoxAddressBook, probeBoxGroups } from '../../../core/connectors/file-box/box-address-book.ts';
import { type BoxFake, startBoxFake } from '../../support/file-box/box-fake.ts';
import { boxClients } from '../../support/file-box/box-source.ts';

const live = new AbortController().signal;
const ADA = 'ada@nordwind.example';
const SHOWN = { displayName: 'Ada Ames', title: 'Head of Finance', department: '', email: ADA };

let fake: BoxFake;
beforeAll(async () => {
  fake = await startBoxFake();
  Object.assign(fake.world.users.get('101') ?? expect.unreachable(), { jobTitle: 'Head of Finance' });
  fake.world.addUser('103', 'ada@nordwind.example.org', 'ada@nordwind.example.org');
  fake.world.addGroup('500', 'Finance', ['101', '102'], false, ['101']);
});
beforeEach(() => fake.scopes.add('manage_groups').add('manage_managed_users'));
afterAll(async () => {
  expect(fake.offences).toEqual([]);
  await fake.stop();
});
const book = () => createBoxAddressBook(boxClients(fake).admin);

test('knows colleagues by their whole address, and nobody outside', async () => {
  expect(await book().peopleAt(['ADA@nordwind.example', 'ad', 'uma@partner.example'], live)).toEqual([SHOWN]);
});

test('the owners of a group are its administrators', async () => {
  const owners = await book().ownersOfGroups(['500', 'Finance', 'finance@nordwind.example', '501'], live);
  expect([...owners]).toEqual([['500', [SHOWN]]]);
});

test('who administers several groups is asked for once, and twenty people at most', async () => {
  const crowd = Array.from({ length: 30 }, (_, at) => String(900 + at));
  for (const id of crowd) fake.world.addUser(id, `Person ${id}`, `p${id}@nordwind.example`);
  fake.world.addGroup('601', 'One', ['101', ...crowd], false, ['101', ...crowd]);
  fake.world.addGroup('602', 'Two', ['101'], false, ['101']);
  fake.requests.length = 0;
  const owners = await book().ownersOfGroups(['601', '602'], live);
  expect(fake.requests.filter(({ path }) => path === '/2.0/users')).toHaveLength(20);
  expect(owners.get('601')).toHaveLength(20);
  expect(owners.get('602')).toEqual([SHOWN]);
});

test('what the application may not ask is nothing, and the probe names the right', async () => {
  expect(await probeBoxGroups(boxClients(fake).admin, live)).toEqual({ state: 'ok' });
  fake.scopes.delete('manage_groups');
  fake.scopes.delete('manage_managed_users');
  expect(await book().peopleAt([ADA], live)).toEqual([]);
  expect(await book().ownersOfGroups(['500'], live)).toEqual(new Map());
  expect(await probeBoxGroups(boxClients(fake).admin, live)).toEqual({
    ...{ state: 'not_configured', reason: 'optional_permission', missing: ['manage_groups'] },
  });
});
