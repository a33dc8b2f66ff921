import { accountNameIn, mailIn, nameKey } from '../../kernel/account-name.ts';
import { fold } from '../../kernel/words.ts';
import { untilAborted } from '../abort.ts';
import { containing, textsOfPerson } from '../containing.ts';
import type { Directory, DirectoryPerson } from '../directory.ts';
import { FIXTURE_GROUPS, FIXTURE_PEOPLE, type FixturePerson } from './fixture-people.ts';

type Named = { displayName: string };
const byName = (a: Named, b: Named) => a.displayName.localeCompare(b.displayName, 'en');

const PEOPLE = FIXTURE_PEOPLE.toSorted(byName);
const GROUPS = FIXTURE_GROUPS.toSorted(byName);
const PERSON_BY_ID = new Map(PEOPLE.map((person) => [person.directoryId, person]));
const GROUP_BY_ID = new Map(GROUPS.map((group) => [group.groupId, group]));
const GROUPS_BY_KEY = Map.groupBy(
  GROUPS.flatMap((group) => [group.groupId, group.displayName].map((key) => ({ key: fold(key), group }))),
  ({ key }) => key,
);
const PEOPLE_BY_KEY = Map.groupBy(
  PEOPLE.flatMap((person) => keysOf(person).map((key) => ({ key, person }))),
  ({ key }) => key,
);

/** The directory of the fixture tenant. Its data never changes. */
export const fixtureDirectory: Directory = {
  searchPeople: (text, limit, signal) =>
    untilAborted(signal, async () => containing(text, PEOPLE, textsOfPerson).slice(0, limit).map(shown)),

  person: (directoryId, signal) =>
    untilAborted(signal, async () => {
      const person = PERSON_BY_ID.get(directoryId);
      return person === undefined ? null : shown(person);
    }),

  managersOf: (directoryIds, signal) =>
    untilAborted(
      signal,
      async () =>
        new Map(
          directoryIds.flatMap((directoryId) => {
            const manager = PERSON_BY_ID.get(PERSON_BY_ID.get(directoryId)?.managerId ?? '');
            return manager === undefined ? [] : [[directoryId, shown(manager)] as const];
          }),
        ),
    ),

  peopleBehind: (identities, signal) =>
    untilAborted(signal, async () => {
      const keys = identities.flatMap((identity) => [
        fold(identity),
        mailIn(identity) ?? '',
        nameKey(accountNameIn(identity)),
      ]);
      const people = new Set(
        keys.flatMap((key) => (PEOPLE_BY_KEY.get(key) ?? []).map(({ person }) => person)),
      );
      return [...people].toSorted(byName).map(shown);
    }),

  ownersOfGroups: (groups, signal) =>
    untilAborted(
      signal,
      async () =>
        new Map(
          groups.flatMap((asked) => {
            const [found, ...others] = GROUPS_BY_KEY.get(fold(asked)) ?? [];
            if (found === undefined || others.length > 0) return [];
            const owners = new Set(found.group.ownerIds);
            return [[asked, PEOPLE.filter(({ directoryId }) => owners.has(directoryId)).map(shown)] as const];
          }),
        ),
    ),

  searchGroups: (text, limit, signal) =>
    untilAborted(signal, async () =>
      containing(text, GROUPS, (group) => [group.displayName])
        .slice(0, limit)
        .map(({ groupId, displayName }) => ({ groupId, displayName })),
    ),

  membersOf: (groupId, limit, signal) =>
    untilAborted(signal, async () => {
      if (!GROUP_BY_ID.has(groupId)) return null;
      const members = new Set(memberIdsOf(groupId));
      return PEOPLE.filter(({ directoryId }) => members.has(directoryId))
        .slice(0, limit)
        .map(shown);
    }),
};

function keysOf({ directoryId, email, displayName }: DirectoryPerson): string[] {
  return [fold(directoryId), ...(email === null ? [] : [fold(email)]), nameKey(displayName)];
}

const shown = ({ managerId: _, ...person }: FixturePerson): DirectoryPerson => person;

const memberIdsOf = (groupId: string): string[] => {
  const group = GROUP_BY_ID.get(groupId);
  return group === undefined ? [] : [...group.memberIds, ...group.groupIds.flatMap(memberIdsOf)];
};
