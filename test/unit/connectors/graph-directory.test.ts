import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Directory } from '../../../core/connectors/directory.ts';
import { createGraphDirectory } from '../../../core/connectors/m365/graph-directory.ts';
import { clientOf } from '../../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../../support/graph/graph-fake.ts';
import type { Person } from '../../support/graph/state.ts';

const READER = 'reader';
const live = new AbortController().signal;
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const person = (n: number, displayName: string, about: Partial<Person> = {}): Person => ({
  ...{ id: id(n), displayName, mail: `${displayName.split(' ')[0]?.toLowerCase()}@contoso.example` },
  ...{ userPrincipalName: `p${n}@contoso.example`, jobTitle: 'Clerk', department: 'Sales', managerId: null },
  ...{ guest: false, ...about },
});
const ADA = person(1, 'Ada Lovelace', { department: 'Research', managerId: id(2) });
const BEA = person(2, "Bea O'Neill", { mail: null, userPrincipalName: 'bea.oneill@contoso.example' });
const OTHERS = Array.from({ length: 30 }, (_, n) => person(10 + n, `Carla Number${n}`));

let fake: GraphFake;
let directory: Directory;
beforeAll(async () => {
  fake = await startGraphFake({
    tenants: [
      {
        name: 'Contoso',
        apps: [{ clientId: READER, permissions: ['User.Read.All', 'GroupMember.Read.All'] }],
        sites: [],
        people: [ADA, BEA, ...OTHERS],
        groups: [
          {
            id: id(900),
            displayName: 'Research Team',
            memberIds: [ADA.id],
            groupIds: [id(901)],
            ownerIds: [BEA.id, ADA.id],
          },
          {
            id: id(901),
            displayName: 'Sales',
            memberIds: OTHERS.map((each) => each.id),
            groupIds: [],
            ownerIds: [],
          },
          ...[902, 903].map((n) => ({
            ...{ id: id(n), displayName: 'Two of a name', memberIds: [], groupIds: [] },
            ownerIds: [ADA.id],
          })),
        ],
      },
    ],
  });
  directory = createGraphDirectory(clientOf(fake, READER));
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

test('finds people by words of name, address and department', async () => {
  expect(await directory.searchPeople('love ada', 10, live)).toEqual([
    {
      directoryId: ADA.id,
      displayName: 'Ada Lovelace',
      title: 'Clerk',
      department: 'Research',
      email: 'ada@contoso.example',
    },
  ]);
  expect(await directory.searchPeople('research', 10, live)).toHaveLength(1);
  expect(await directory.searchPeople('carla', 5, live)).toHaveLength(5);
  expect(await directory.searchPeople('ada research nobody', 10, live)).toEqual([]);
  expect(await directory.searchPeople('") OR "', 10, live)).toEqual([]);
});

test('reads one person, and nobody by an id that nobody has', async () => {
  expect(await directory.person(BEA.id, live)).toMatchObject({ email: 'bea.oneill@contoso.example' });
  expect(await directory.person(id(777), live)).toBeNull();
  expect(await directory.person('../groups', live)).toBeNull();
});

test('reads the managers of many in a few round trips', async () => {
  fake.clearCalls();
  const managers = await directory.managersOf([ADA.id, ...OTHERS.map((each) => each.id)], live);
  expect([...managers]).toEqual([[ADA.id, expect.objectContaining({ directoryId: BEA.id })]]);
  expect(fake.callsOf('batch')).toHaveLength(2);
});

test('finds whom identities mean, and quotes in names end no filter', async () => {
  const ids = async (...identities: string[]) =>
    (await directory.peopleBehind(identities, live)).map((each) => each.directoryId);
  expect(await ids('ada@contoso.example', 'i:0#.f|membership|P2@contoso.example')).toEqual([ADA.id]);
  expect(await ids("Bea O'Neill")).toEqual([BEA.id]);
  expect(await ids('bea.oneill')).toEqual([BEA.id]);
  expect(await ids(ADA.id, "' or true or '")).toEqual([ADA.id]);
});

test('finds groups, and the people in them through groups inside', async () => {
  expect(await directory.searchGroups('team', 10, live)).toEqual([
    { groupId: id(900), displayName: 'Research Team' },
  ]);
  expect(await directory.membersOf(id(900), 100, live)).toHaveLength(31);
  expect(await directory.membersOf(id(900), 4, live)).toHaveLength(4);
  expect(await directory.membersOf(id(999), 4, live)).toBeNull();
});

test('reads the owners of groups by name or id, in two round trips', async () => {
  fake.clearCalls();
  const asked = ['Research Team', id(900), 'Sales', 'Two of a name', "Nobody's", id(999)];
  const owners = await directory.ownersOfGroups(asked, live);
  expect([...owners].map(([group, people]) => [group, people.map((each) => each.directoryId)])).toEqual([
    ['Research Team', [ADA.id, BEA.id]],
    [id(900), [ADA.id, BEA.id]],
    ['Sales', []],
  ]);
  expect(fake.callsOf('batch').length).toBeLessThanOrEqual(2);
});

test('says which permission is missing by the class of its error', async () => {
  const app = fake.app(READER);
  const { permissions } = app;
  app.permissions = [];
  await expect(directory.searchPeople('ada', 5, live)).rejects.toMatchObject({ name: 'ConnectorError' });
  app.permissions = permissions;
});
