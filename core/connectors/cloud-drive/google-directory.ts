import { z } from 'zod';
import { accountNameIn, mailIn } from '../../kernel/account-name.ts';
import { words } from '../../kernel/words.ts';
import { list, optional, text } from '../cloud-http/answer-fields.ts';
import { byName, containing, inOrder, longestWord, textsOfPerson } from '../containing.ts';
import type { Directory, DirectoryGroup, DirectoryPerson } from '../directory.ts';
import { blocked, notConfigured, OK, type Probed } from '../probe.ts';
import { createDriveClients, type DriveClient } from './drive-client.ts';
import type { CloudDriveOptions } from './drive-connector.ts';
import { isNotDelegated, READS_GROUPS, READS_PEOPLE } from './service-account.ts';

const flag = optional(z.boolean());
const Id = z.string().min(1).max(255);
const GooglePerson = z.object({
  id: Id,
  primaryEmail: text,
  name: optional(z.object({ fullName: text })),
  suspended: flag,
  archived: flag,
  organizations: optional(list(z.object({ title: text, department: text, primary: flag }))),
  relations: optional(list(z.object({ type: text, value: text }))),
});
type GooglePerson = z.infer<typeof GooglePerson>;
const People = z.object({ users: optional(list(GooglePerson)) });
const Groups = z.object({ groups: optional(list(z.object({ id: Id, name: text }))) });
const Members = z.object({
  members: optional(list(z.object({ type: text, id: Id, email: text }))),
  nextPageToken: text,
});

const PERSON = 'id,primaryEmail,name,suspended,archived,organizations,relations';
const ORGANIZATION = { customer: 'my_customer' };
/** Looked at for one search. Google matches one word of the text, the service the others. */
const CONSIDERED = 200;
const MAX_PAGES = 20;
/** Words of a group's name that are looked for. */
const MOST_WORDS = 5;
/** Owners of one group that are looked up. */
const MOST_OWNERS = 20;
/** What Google answers for who is unknown, is of another organization, or is no key at all. */
const NOBODY = [400, 403, 404] as const;
const GOOGLE_ID = /^\d{1,30}$/;
const GROUP_KEY = /^\w[\w.@+'-]{0,254}$/;

/** Clients in the name of the administrator. Each scope has tokens of its own. */
type DirectoryClients = { people: DriveClient; groups: DriveClient };

export const googleDirectoryClients = (options: CloudDriveOptions): DirectoryClients => ({
  people: createDriveClients(options, READS_PEOPLE)(options.admin),
  groups: createDriveClients(options, READS_GROUPS)(options.admin),
});

/**
 * People and groups of Google Workspace. The id of a person is the subject with which Google signs them in. Who is suspended
 * or archived is left out. A group is known by its address.
 */
export function createGoogleDirectory({ people, groups }: DirectoryClients): Directory {
  const personAt = async (userKey: string, signal: AbortSignal): Promise<GooglePerson | null> => {
    const options = { query: { fields: PERSON }, schema: GooglePerson, expect: NOBODY, signal };
    const answer = await people.call('person', { userKey }, options);
    return answer.ok && isActive(answer.body) ? answer.body : null;
  };
  const peopleAt = async (keys: readonly string[], signal: AbortSignal): Promise<DirectoryPerson[]> =>
    (await Promise.all(keys.map((key) => personAt(key, signal)))).flatMap((each) =>
      each ? [shown(each)] : [],
    );
  const search = async (query: string, signal: AbortSignal): Promise<DirectoryPerson[]> => {
    const asked = { ...ORGANIZATION, query, maxResults: CONSIDERED, fields: `users(${PERSON})` };
    const answer = await people.call('people', {}, { query: asked, schema: People, signal });
    return (answer.body.users ?? []).filter(isActive).map(shown);
  };
  const named = async (word: string, signal: AbortSignal): Promise<DirectoryPerson[]> => {
    const queries = ['givenName', 'familyName', 'email'].map((field) => `${field}:${word}*`);
    return (await Promise.all(queries.map((query) => search(query, signal)))).flat();
  };
  const behind = async (identity: string, signal: AbortSignal): Promise<DirectoryPerson[]> => {
    const key = GOOGLE_ID.test(identity) ? identity : mailIn(identity);
    if (key !== null) return peopleAt([key], signal);
    const word = longestWord(accountNameIn(identity));
    return word === null ? [] : named(word, signal);
  };
  const managerOf = async (directoryId: string, signal: AbortSignal) => {
    const person = await personAt(directoryId, signal);
    const address = person?.relations?.find(({ type }) => type === 'manager')?.value;
    const manager = address ? await personAt(address, signal) : null;
    return manager === null ? [] : [[directoryId, shown(manager)] as const];
  };

  return {
    searchPeople: async (sought, limit, signal) => {
      const word = longestWord(sought);
      if (word === null) return [];
      const found = await Promise.all([named(word, signal), search(`orgDepartment:${word}`, signal)]);
      return containing(sought, inOrder(found.flat()), textsOfPerson).slice(0, limit);
    },
    person: async (directoryId, signal) =>
      GOOGLE_ID.test(directoryId) ? ((await peopleAt([directoryId], signal))[0] ?? null) : null,
    managersOf: async (ids, signal) => {
      const known = ids.filter((id) => GOOGLE_ID.test(id));
      return new Map((await Promise.all(known.map((id) => managerOf(id, signal)))).flat());
    },
    peopleBehind: async (identities, signal) =>
      inOrder((await Promise.all(identities.map((each) => behind(each, signal)))).flat()),
    ownersOfGroups: async (keys, signal) => {
      const addresses = keys.filter((key) => mailIn(key) !== null);
      const owners = await Promise.all(
        addresses.map(async (groupKey) => {
          const ids = await memberIds(groups, groupKey, { roles: 'OWNER,MANAGER' }, MOST_OWNERS, signal);
          return ids === null ? [] : [[groupKey, inOrder(await peopleAt(ids, signal))] as const];
        }),
      );
      return new Map(owners.flat());
    },
    // Google compares the beginning of the whole name, so any of the words may be the one.
    searchGroups: async (sought, limit, signal) => {
      const found = await Promise.all(
        words(sought)
          .slice(0, MOST_WORDS)
          .map((word) => groupsNamed(groups, word, signal)),
      );
      const once = [...new Map(found.flat().map((group) => [group.groupId, group])).values()];
      return containing(sought, once.sort(byName), ({ displayName }) => [displayName]).slice(0, limit);
    },
    membersOf: async (groupId, limit, signal) => {
      if (!GROUP_KEY.test(groupId)) return null;
      const ids = await memberIds(groups, groupId, { includeDerivedMembership: 'true' }, limit, signal);
      return ids === null ? null : inOrder(await peopleAt(ids, signal));
    },
  };
}

async function groupsNamed(
  client: DriveClient,
  word: string,
  signal: AbortSignal,
): Promise<DirectoryGroup[]> {
  const query = { ...ORGANIZATION, query: `name:${word}*`, maxResults: CONSIDERED };
  const answer = await client.call('groups', {}, { query, schema: Groups, signal });
  return (answer.body.groups ?? []).map(({ id, name }) => ({ groupId: id, displayName: name || id }));
}

type WhichMembers = { roles: string } | { includeDerivedMembership: string };

/** The ids of people in a group, at most `limit`; null where there is no such group. */
async function memberIds(
  client: DriveClient,
  groupKey: string,
  which: WhichMembers,
  limit: number,
  signal: AbortSignal,
): Promise<string[] | null> {
  const read = (pageToken: string | null) => {
    const query = { ...which, maxResults: CONSIDERED, ...(pageToken !== null && { pageToken }) };
    return client.call('group_members', { groupKey }, { query, schema: Members, expect: NOBODY, signal });
  };
  const ids: string[] = [];
  let next: string | null = null;
  for (let page = 0; page < MAX_PAGES && ids.length < limit; page++) {
    const answer = await read(next);
    if (!answer.ok) return null;
    ids.push(...(answer.body.members ?? []).flatMap(({ type, id }) => (type === 'USER' ? [id] : [])));
    next = answer.body.nextPageToken || null;
    if (next === null) break;
  }
  return ids.slice(0, limit);
}

const isActive = ({ suspended, archived }: GooglePerson): boolean => !suspended && !archived;

function shown({ id, primaryEmail, name, organizations }: GooglePerson): DirectoryPerson {
  const place = organizations?.find(({ primary }) => primary) ?? organizations?.[0];
  return {
    directoryId: id,
    displayName: name?.fullName || primaryEmail || id,
    title: place?.title ?? '',
    department: place?.department ?? '',
    email: primaryEmail || null,
  };
}

const OPTIONAL_SCOPES = ['admin.directory.user.readonly', 'admin.directory.group.readonly'] as const;

/** Whether the administrator lists people and groups. A drive is scanned without that. */
export async function probeGoogleDirectory(options: CloudDriveOptions, signal: AbortSignal): Promise<Probed> {
  const { people, groups } = googleDirectoryClients(options);
  const asked = { query: { ...ORGANIZATION, maxResults: 1 }, expect: [403] as const, signal };
  try {
    const listed = [
      await people.call('people', {}, { ...asked, schema: People }),
      await groups.call('groups', {}, { ...asked, schema: Groups }),
    ];
    const refused = OPTIONAL_SCOPES.filter((_, at) => listed[at]?.ok === false);
    return refused.length === 0 ? OK : blocked('missing_permission', ...refused);
  } catch (error) {
    if (isNotDelegated(error)) return notConfigured('optional_permission', ...OPTIONAL_SCOPES);
    throw error;
  }
}
