import { z } from 'zod';
import { accountNameIn, mailIn } from '../../kernel/account-name.ts';
import { ConnectorError } from '../connector.ts';
import { byName, containing, inOrder, longestPart, textsOfPerson } from '../containing.ts';
import type { Directory, DirectoryGroup, DirectoryPerson } from '../directory.ts';
import { Group, Person, page } from './graph-answers.ts';
import type { CallHeaders, GraphClient } from './graph-client.ts';
import { pagesOf } from './pages.ts';

const PersonPage = page(Person);
const GroupPage = page(Group);
/** Owners are of several types. A group of Microsoft 365 has at most 100, which one page holds. */
const Owner = Person.extend({ '@odata.type': z.string().nullish() });
const OwnerPage = page(Owner);
const PERSON_FIELDS = 'id,displayName,mail,userPrincipalName,jobTitle,department';
/** Searching, counting and ordering by a cast need it. */
const ADVANCED: CallHeaders = { ConsistencyLevel: 'eventual' };
/** Looked at for one search. Graph matches one word of the text, the service the others. */
const CONSIDERED = 200;
const MAX_PAGES = 20;
const DIRECTORY_ID = /^[0-9a-fA-F-]{36}$/;

/** People and groups of Entra ID. */
export function createGraphDirectory(client: GraphClient): Directory {
  const people = async (query: { $search?: string; $filter?: string }, signal: AbortSignal) => {
    const answer = await client.batched(
      'users',
      {},
      {
        query: { ...query, $select: PERSON_FIELDS, $top: CONSIDERED, $count: 'true' },
        headers: ADVANCED,
        schema: PersonPage,
        signal,
      },
    );
    return answer.body.value.map(shown);
  };

  return {
    searchPeople: async (text, limit, signal) => {
      const word = longestPart(text);
      if (word === null) return [];
      const found = await Promise.all([
        people(
          { $search: ['displayName', 'mail'].map((field) => `"${field}:${word}"`).join(' OR ') },
          signal,
        ),
        people({ $filter: `startswith(department,${literal(word)})` }, signal),
      ]);
      return containing(text, inOrder(found.flat()), textsOfPerson).slice(0, limit);
    },

    person: async (directoryId, signal) => {
      if (!DIRECTORY_ID.test(directoryId)) return null;
      const answer = await client.call(
        'user',
        { userId: directoryId },
        { query: { $select: PERSON_FIELDS }, schema: Person, expect: [404], signal },
      );
      return answer.ok ? shown(answer.body) : null;
    },

    managersOf: async (directoryIds, signal) => {
      const managers = await Promise.all(
        directoryIds
          .filter((id) => DIRECTORY_ID.test(id))
          .map(async (userId) => {
            const answer = await client.batched(
              'user_manager',
              { userId },
              { query: { $select: PERSON_FIELDS }, schema: Person, expect: [404], signal },
            );
            return answer.ok ? [[userId, shown(answer.body)] as const] : [];
          }),
      );
      return new Map(managers.flat());
    },

    peopleBehind: async (identities, signal) => {
      const filters = new Set(identities.map(filterFor));
      const found = await Promise.all([...filters].map(($filter) => people({ $filter }, signal)));
      return inOrder(found.flat());
    },

    ownersOfGroups: async (groups, signal) => {
      const owners = await Promise.all(
        groups.map(async (group) => [group, await ownersOf(client, group, signal)] as const),
      );
      return new Map(owners.flatMap(([group, people]) => (people === null ? [] : [[group, people]])));
    },

    searchGroups: async (text, limit, signal) => {
      const word = longestPart(text);
      if (word === null) return [];
      const answer = await client.call(
        'groups',
        {},
        {
          query: {
            $search: `"displayName:${word}"`,
            $select: 'id,displayName',
            $top: CONSIDERED,
            $count: 'true',
          },
          headers: ADVANCED,
          schema: GroupPage,
          signal,
        },
      );
      const groups = answer.body.value.map(
        ({ id, displayName }): DirectoryGroup => ({ groupId: id, displayName: displayName ?? id }),
      );
      return containing(text, groups.sort(byName), (group) => [group.displayName]).slice(0, limit);
    },

    membersOf: (groupId, limit, signal) => membersOf(client, groupId, limit, signal),
  };
}

async function membersOf(
  client: GraphClient,
  groupId: string,
  limit: number,
  signal: AbortSignal,
): Promise<DirectoryPerson[] | null> {
  if (!DIRECTORY_ID.test(groupId)) return null;
  const answer = await pagesOf(
    client,
    'group_members',
    { groupId },
    {
      headers: ADVANCED,
      schema: PersonPage,
      signal,
      maxPages: MAX_PAGES,
      enough: limit,
      query: { $select: PERSON_FIELDS, $top: CONSIDERED, $count: 'true' },
      expect: [404],
    },
  );
  return answer.ok ? inOrder(answer.body.map(shown)).slice(0, limit) : null;
}

/** The owners of a group by its id or name; null where that names no group, or several. */
async function ownersOf(
  client: GraphClient,
  group: string,
  signal: AbortSignal,
): Promise<DirectoryPerson[] | null> {
  const groupId = DIRECTORY_ID.test(group) ? group : await groupNamed(client, group, signal);
  if (groupId === null) return null;
  const answer = await client.batched(
    'group_owners',
    { groupId },
    { query: { $select: PERSON_FIELDS }, schema: OwnerPage, expect: [404], signal },
  );
  return answer.ok ? inOrder(answer.body.value.filter(isPerson).map(shown)) : null;
}

/** The id of the group with this name; null for none, and for a name that several groups have. */
async function groupNamed(client: GraphClient, name: string, signal: AbortSignal): Promise<string | null> {
  const answer = await client.batched(
    'groups',
    {},
    {
      query: { $filter: `displayName eq ${literal(name)}`, $select: 'id,displayName', $top: 2 },
      schema: GroupPage,
      signal,
    },
  );
  const [found, ...others] = answer.body.value;
  return found === undefined || others.length > 0 ? null : found.id;
}

/** A group may be owned by an application too. */
const isPerson = (owner: z.infer<typeof Owner>): boolean =>
  (owner['@odata.type'] ?? '#microsoft.graph.user') === '#microsoft.graph.user';

const shown = ({
  id,
  displayName,
  mail,
  userPrincipalName,
  jobTitle,
  department,
}: Person): DirectoryPerson => ({
  directoryId: id,
  displayName: displayName || userPrincipalName || id,
  title: jobTitle ?? '',
  department: department ?? '',
  email: mail || (userPrincipalName?.includes('@') ? userPrincipalName : null),
});

/** A text of OData. */
function literal(text: string): string {
  if (!text.isWellFormed()) throw new ConnectorError('permanent', 'graph_users_value_refused');
  return `'${text.replaceAll("'", "''")}'`;
}

/** Whom an identity of a source may mean: by id, by address, or by the name of the person or of the account. */
function filterFor(identity: string): string {
  if (DIRECTORY_ID.test(identity)) return `id eq ${literal(identity)}`;
  const mail = mailIn(identity);
  if (mail !== null) return `mail eq ${literal(mail)} or userPrincipalName eq ${literal(mail)}`;
  const account = accountNameIn(identity);
  return `displayName eq ${literal(account)} or startswith(userPrincipalName,${literal(`${account}@`)})`;
}
