import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DirectoryPerson } from '../../../core/connectors/directory.ts';
import { fold, words } from '../../../core/kernel/words.ts';
import { PERSONAS } from '../../../infra/local/fixture/development-tenant.ts';
import { fixtureDirectory as directory } from '../../../infra/local/fixture/fixture-directory.ts';
import { FIXTURE_GROUPS, FIXTURE_PEOPLE } from '../../../infra/local/fixture/fixture-people.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';

const live = new AbortController().signal;
const namesOf = (people: readonly DirectoryPerson[] | null) => people?.map(({ displayName }) => displayName);
const idsOf = (people: readonly DirectoryPerson[] | null) => people?.map(({ directoryId }) => directoryId);
const search = async (text: string, limit = 1_000) =>
  namesOf(await directory.searchPeople(text, limit, live));

describe('the staff', () => {
  test('is everybody once, each with a place, an address and a manager but for one', () => {
    expect(FIXTURE_PEOPLE.length).toBeGreaterThan(30);
    for (const key of ['directoryId', 'displayName', 'email'] as const)
      expect(new Set(FIXTURE_PEOPLE.map((person) => person[key])).size, key).toBe(FIXTURE_PEOPLE.length);
    for (const { displayName, title, department, email } of FIXTURE_PEOPLE) {
      expect(title, displayName).not.toBe('');
      expect(department, displayName).not.toBe('');
      expect(email, displayName).toMatch(/^[a-z]+(?:\.[a-z]+)+@nordwind\.example$/);
    }
    expect(FIXTURE_PEOPLE.filter(({ managerId }) => managerId === null)).toHaveLength(1);
  });

  test('has managers all the way up to one chief', () => {
    const managerOf = new Map(FIXTURE_PEOPLE.map(({ directoryId, managerId }) => [directoryId, managerId]));
    const tops = FIXTURE_PEOPLE.map(({ directoryId }) => {
      let at = directoryId;
      for (let steps = 0; steps < 5; steps++) at = managerOf.get(at) ?? at;
      return at;
    });
    expect(new Set(tops)).toEqual(new Set(['dir_greta_hoffmann']));
  });

  test('has the personas under their own ids, with their titles', () => {
    for (const { id, displayName, title, department } of PERSONAS)
      expect(FIXTURE_PEOPLE.find(({ directoryId }) => directoryId === id)).toMatchObject({
        ...{ displayName, title, department },
      });
  });

  test('has everybody who changed a document of the fixture last', async () => {
    const modifiers = [...new Set(seedFixture('development').items.map(({ modifiedBy }) => modifiedBy))];
    const found = await directory.peopleBehind(modifiers, live);
    expect(found.map(({ email }) => email).sort()).toEqual(modifiers.toSorted());
  });
});

describe('a search', () => {
  test.each([
    ['tomas', ['Tomás Ibarra']],
    ['Ibarra, TOM', ['Tomás Ibarra']],
    ['noor.haddad@nordwind', ['Noor Haddad']],
    ['priya information tech', ['Priya Nair']],
    ['haddad legal', []],
    ['addad', []],
    ['--', []],
  ])('for %s finds %j', async (text, names) => {
    expect(await search(text)).toEqual(names);
  });

  test('finds who has each of its words, by name, and stops at the limit', async () => {
    const word = fc.constantFrom('an', 'fischer', 'Fin', 'nordwind', 'legal', 'é', 'xyz');
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        async (asked, limit) => {
          const found = (await search(asked.join(' '))) ?? [];
          expect(found).toEqual([...found].sort((a, b) => a.localeCompare(b, 'en')));
          expect(await search(asked.join(' '), limit)).toEqual(found.slice(0, limit));
          const having = FIXTURE_PEOPLE.filter(({ displayName, email, department }) => {
            const theirs = [displayName, email ?? '', department].flatMap(words);
            return asked.every((each) => theirs.some((their) => their.startsWith(fold(each))));
          });
          expect(new Set(found)).toEqual(new Set(namesOf(having)));
        },
      ),
    );
  });

  test('for groups goes by their names', async () => {
    const found = async (text: string) =>
      (await directory.searchGroups(text, 50, live)).map(({ displayName }) => displayName);
    expect(await found('finance')).toEqual(['Finance Members', 'Finance Owners', 'Finance Visitors']);
    expect(await found('emp all')).toEqual(['All Employees']);
  });
});

describe('people and groups', () => {
  test('a person is found by id, and nobody by an unknown one', async () => {
    expect(await directory.person('pri_noor_haddad', live)).toEqual({
      ...{ directoryId: 'pri_noor_haddad', displayName: 'Noor Haddad', title: 'Office Assistant' },
      ...{ department: 'Facilities', email: 'noor.haddad@nordwind.example' },
    });
    expect(await directory.person('pri_nobody', live)).toBeNull();
  });

  test('managers are told of those who have one', async () => {
    const asked = ['pri_noor_haddad', 'pri_tomas_ibarra', 'dir_greta_hoffmann', 'pri_nobody'];
    expect(
      [...(await directory.managersOf(asked, live))].map(([id, { displayName }]) => [id, displayName]),
    ).toEqual([
      ['pri_noor_haddad', 'Paula Garcia'],
      ['pri_tomas_ibarra', 'Helena Brandt'],
    ]);
  });

  test('identities are found by id, address, name and account, and no others', async () => {
    const behind = async (...identities: string[]) => namesOf(await directory.peopleBehind(identities, live));
    expect(
      await behind('PRI_NOOR_HADDAD', 'Vogel, Lena', 'NW\\marcus.bell', 'Anna.Fischer@nordwind.example'),
    ).toEqual(['Anna Fischer', 'Lena Vogel', 'Marcus Bell', 'Noor Haddad']);
    expect(await behind('fixture@nordwind.example', 'Anna', '', '@', 'Finance')).toEqual([]);
  });

  test('a group has the people of the groups inside it, and each once', async () => {
    const membersOf = (groupId: string) => directory.membersOf(groupId, 1_000, live);
    const owners = await membersOf('grp_finance_owners');
    const members = (await membersOf('grp_finance_members')) ?? [];
    expect(namesOf(owners)).toEqual(['Amara Okafor']);
    expect(idsOf(members)).toContain('pri_amara_okafor');
    expect(new Set(idsOf(members)).size).toBe(members.length);
    expect(await membersOf('grp_finance_visitors')).toHaveLength(FIXTURE_PEOPLE.length);
    expect(await directory.membersOf('grp_all_employees', 7, live)).toHaveLength(7);
    expect(await membersOf('grp_nobody')).toBeNull();
    expect(new Set(FIXTURE_GROUPS.map(({ groupId }) => groupId)).size).toBe(FIXTURE_GROUPS.length);
  });

  test('a group has owners, by its id or its whole name', async () => {
    const asked = ['grp_finance_members', 'finance OWNERS', 'Finance', 'grp_nobody'];
    const owners = await directory.ownersOfGroups(asked, live);
    expect([...owners].map(([group, people]) => [group, namesOf(people)])).toEqual([
      ['grp_finance_members', ['Amara Okafor']],
      ['finance OWNERS', ['Amara Okafor']],
    ]);
  });

  test('nothing is told once the caller has given up', async () => {
    const over = AbortSignal.abort();
    for (const ask of [
      directory.searchPeople('noor', 5, over),
      directory.person('pri_noor_haddad', over),
      directory.managersOf(['pri_noor_haddad'], over),
      directory.peopleBehind(['Noor Haddad'], over),
      directory.ownersOfGroups(['grp_finance_owners'], over),
      directory.searchGroups('finance', 5, over),
      directory.membersOf('grp_all_employees', 5, over),
    ])
      await expect(ask).rejects.toMatchObject({ name: 'ConnectorError', safeDiagnostic: 'aborted' });
  });
});
