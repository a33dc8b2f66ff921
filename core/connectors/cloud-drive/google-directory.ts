import { z } from 'zod';
import { accountNameIn, mailIn, nameKey } from '../../kernel/account-name.ts';
import { fewAtATime } from '../../kernel/few-at-a-time.ts';
import { words } from '../../kernel/words.ts';
import { list, optional, text } from '../cloud-http/answer-fields.ts';
import { ConnectorError, isNotGranted } from '../connector.ts';
import { byName, containing, inOrder, longestPart, textsOfPerson } from '../containing.ts';
import type { Directory, DirectoryGroup, DirectoryPerson } from '../directory.ts';
import { blocked, notConfigured, OK, type Probed } from '../probe.ts';
import { createDriveClients, type DriveClient } from './drive-client.ts';
import { type CloudDriveOptions, domainsOf } from './drive-connector.ts';
import { READS_GROUPS, READS_PEOPLE } from './service-account.ts';

const flag = optional(z.boolean());
const Id = z.string().min(1).max(255);
const GooglePerson = z.object({
  id: Id,
  primaryEmail: text,
  aliases: optional(z.array(z.string())),
  nonEditableAliases: optional(z.array(z.string())),
  name: optional(z.object({ fullName: text })),
  suspended: flag,
  archived: flag,
  organizations: optional(list(z.object({ title: text, department: text, primary: flag }))),
  relations: optional(list(z.object({ type: text, value: text }))),
});
type GooglePerson = z.infer<typeof GooglePerson>;
const People = z.object({ users: optional(list(GooglePerson)), nextPageToken: text });
const Groups = z.object({ groups: optional(list(z.object({ id: Id, name: text }))) });
const Members = z.object({
  members: optional(list(z.object({ type: text, id: Id, email: text, status: text }))),
  nextPageToken: text,
});

const PERSON = 'id,primaryEmail,aliases,nonEditableAliases,name,suspended,archived,organizations,relations';
const ORGANIZATION = { customer: 'my_customer' };
/** Looked at for one search. Google matches one word of the text, the service the others. */
const CONSIDERED = 200;
const MAX_PAGES = 20;
/** Words of a group's name that are looked for. */
const MOST_WORDS = 5;
/** People, or identities of people, that one question looks up. Those whom the most assets name come first. */
const MOST_LOOKED_UP = 20;
/** What Google answers for who is unknown, or is no key at all. */
const NOBODY = [400, 403, 404] as const;
const GOOGLE_ID = /^\d{1,30}$/;
const GROUP_KEY = /^\w[\w.@+'-]{0,254}$/;

/** Clients in the name of the administrator. Each scope has tokens of its own. */
type DirectoryClients = { people: DriveClient; groups: DriveClient };

const clientsOf = (options: CloudDriveOptions): DirectoryClients => ({
  people: createDriveClients(options, READS_PEOPLE)(options.admin),
  groups: createDriveClients(options, READS_GROUPS)(options.admin),
});

/** How people are asked for. Throws as a `Directory`. */
function lookUps(people: DriveClient, own: ReadonlySet<string>) {
  const personAt = async (userKey: string, signal: AbortSignal): Promise<GooglePerson | null> => {
    const asked = { query: { fields: PERSON }, schema: GooglePerson, expect: NOBODY, signal };
    const answer = await people.call('person', { userKey }, asked);
    if (!answer.ok) refuseUnlessOutside('person', answer.status, userKey, own);
    return answer.ok && isActive(answer.body) ? answer.body : null;
  };
  /** By their keys. Who is not there is left out. */
  const peopleAt = async (keys: readonly string[], signal: AbortSignal) => {
    const found = await fewAtATime(
      [...new Set(keys)],
      async (key) => [key, await personAt(key, signal)] as const,
    );
    return new Map(
      found.flatMap(([key, person]) => (person === null ? [] : [[key, shown(person)] as const])),
    );
  };
  const search = async (query: string, signal: AbortSignal) => {
    const fields = `nextPageToken,users(${PERSON})`;
    const asked = { ...ORGANIZATION, query, maxResults: CONSIDERED, fields };
    const { body } = await people.call('people', {}, { query: asked, schema: People, signal });
    return { some: (body.users ?? []).filter(isActive).map(shown), isCut: Boolean(body.nextPageToken) };
  };
  const named = (word: string, signal: AbortSignal) =>
    Promise.all(
      ['givenName', 'familyName', 'email'].map((field) => search(`${field}:${literal(word)}*`, signal)),
    );
  return { personAt, peopleAt, search, named };
}

/**
 * People and groups of Google Workspace. The id of a person is the subject with which Google signs them in. Who is suspended
 * or archived is left out. A group is known by its address.
 */
export function createGoogleDirectory(options: CloudDriveOptions): Directory {
  const { people, groups } = clientsOf(options);
  const own = domainsOf(options);
  const { personAt, peopleAt, search, named } = lookUps(people, own);
  const behind = async (identity: string, signal: AbortSignal): Promise<DirectoryPerson[]> => {
    const key = GOOGLE_ID.test(identity) ? identity : mailIn(identity);
    if (key !== null) return [...(await peopleAt([key], signal)).values()];
    const name = accountNameIn(identity);
    const word = longestPart(name.replaceAll(/[._]/g, ' '));
    if (word === null) return [];
    const found = await named(word, signal);
    // Of more people than Google answers at once, nobody knows whether another has the name.
    if (found.some(({ isCut }) => isCut)) return [];
    return found.flatMap(({ some }) => some).filter((person) => goesBy(person, name));
  };
  const managerOf = async (directoryId: string, signal: AbortSignal) => {
    const person = await personAt(directoryId, signal);
    const address = person?.relations?.find(({ type }) => type === 'manager')?.value;
    const manager = address ? await personAt(address, signal) : null;
    return manager === null ? [] : [[directoryId, shown(manager)] as const];
  };

  return {
    searchPeople: async (sought, limit, signal) => {
      const word = longestPart(sought);
      if (word === null) return [];
      const found = await Promise.all([
        named(word, signal),
        search(`orgDepartment:${literal(word)}`, signal),
      ]);
      const people = found.flat().flatMap(({ some }) => some);
      return containing(sought, inOrder(people), textsOfPerson).slice(0, limit);
    },
    person: async (directoryId, signal) =>
      GOOGLE_ID.test(directoryId) ? ((await peopleAt([directoryId], signal)).get(directoryId) ?? null) : null,
    managersOf: async (ids, signal) => {
      const known = ids.filter((id) => GOOGLE_ID.test(id));
      return new Map((await fewAtATime(known, (id) => managerOf(id, signal))).flat());
    },
    peopleBehind: async (identities, signal) =>
      inOrder((await fewAtATime(identities.slice(0, MOST_LOOKED_UP), (each) => behind(each, signal))).flat()),
    ownersOfGroups: async (keys, signal) => {
      const addresses = keys.filter((key) => mailIn(key) !== null);
      const pages = await fewAtATime(addresses, (key) =>
        memberPage(groups, own, key, { roles: 'OWNER,MANAGER' }, null, signal),
      );
      const keysOf = pages.map((page) => page?.keys ?? null);
      const owners = await peopleAt(
        [...new Set(keysOf.flatMap((each) => each ?? []))].slice(0, MOST_LOOKED_UP),
        signal,
      );
      return new Map(
        addresses.flatMap((address, at) => {
          const theirs = keysOf[at]?.flatMap((key) => owners.get(key) ?? []);
          return theirs === undefined ? [] : [[address, inOrder(theirs)] as const];
        }),
      );
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
      const members = new Map<string, DirectoryPerson>();
      let token: string | null = null;
      for (let at = 0; at < MAX_PAGES && members.size < limit; at++) {
        const page: MemberPage | null = await memberPage(
          groups,
          own,
          groupId,
          { includeDerivedMembership: 'true' },
          token,
          signal,
        );
        if (page === null) return null;
        for (let from = 0; from < page.keys.length && members.size < limit; from += limit) {
          const found = await peopleAt(page.keys.slice(from, from + limit), signal);
          for (const person of found.values()) members.set(person.directoryId, person);
        }
        token = page.next;
        if (token === null) break;
      }
      return inOrder([...members.values()].slice(0, limit));
    },
  };
}

/**
 * Google answers 403 for an address outside of the organization, and for all keys if the administrator lacks the right.
 * Throws `ConnectorError` for the latter.
 */
function refuseUnlessOutside(
  call: 'person' | 'group_members',
  status: number,
  key: string,
  own: ReadonlySet<string>,
): void {
  const domain = key.includes('@') ? key.slice(key.lastIndexOf('@') + 1).toLowerCase() : null;
  if (status === 403 && (domain === null || own.has(domain)))
    throw new ConnectorError('auth', `cloud_drive_${call}_403`);
}

/** A value of a query. Nothing but an apostrophe could end it. */
const literal = (word: string): string => word.replaceAll("'", "\\'");

/** Whether this is the name of the person, or of an account of theirs. */
const goesBy = ({ displayName, email, aliases = [] }: DirectoryPerson, name: string): boolean =>
  [displayName, ...[email ?? '', ...aliases].map(accountNameIn)].map(nameKey).includes(nameKey(name));

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

/** `keys`: of people, each once. An address shows whether somebody is of the organization. */
type MemberPage = { keys: string[]; next: string | null };

/** A page of a group; null where there is no such group. */
async function memberPage(
  client: DriveClient,
  own: ReadonlySet<string>,
  groupKey: string,
  which: WhichMembers,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<MemberPage | null> {
  const query = { ...which, maxResults: CONSIDERED, ...(pageToken !== null && { pageToken }) };
  const asked = { query, schema: Members, expect: NOBODY, signal };
  const answer = await client.call('group_members', { groupKey }, asked);
  if (!answer.ok) {
    refuseUnlessOutside('group_members', answer.status, groupKey, own);
    return null;
  }
  const people = (answer.body.members ?? []).filter(
    ({ type, status }) => type === 'USER' && status !== 'SUSPENDED',
  );
  const keys = people.map(({ id, email }) => email || id);
  return { keys: [...new Set(keys)], next: answer.body.nextPageToken || null };
}

const isActive = ({ suspended, archived }: GooglePerson): boolean => !suspended && !archived;

function shown({ id, primaryEmail, name, organizations, ...person }: GooglePerson): DirectoryPerson {
  const place = organizations?.find(({ primary }) => primary) ?? organizations?.[0];
  const aliases = [...(person.aliases ?? []), ...(person.nonEditableAliases ?? [])];
  return {
    directoryId: id,
    displayName: name?.fullName || primaryEmail || id,
    title: place?.title ?? '',
    department: place?.department ?? '',
    email: primaryEmail || null,
    ...(aliases.length > 0 && { aliases }),
  };
}

/** Whether the administrator lists people and groups. A drive is scanned without that. */
export async function probeGoogleDirectory(options: CloudDriveOptions, signal: AbortSignal): Promise<Probed> {
  const { people, groups } = clientsOf(options);
  const asked = { query: { ...ORGANIZATION, maxResults: 1 }, expect: [403] as const, signal };
  const states = [
    await scopeState(async () => (await people.call('people', {}, { ...asked, schema: People })).ok),
    await scopeState(async () => (await groups.call('groups', {}, { ...asked, schema: Groups })).ok),
  ];
  const missing = ['admin.directory.user.readonly', 'admin.directory.group.readonly'].filter(
    (_, at) => states[at] !== 'ok',
  );
  if (missing.length === 0) return OK;
  return states.includes('refused')
    ? blocked('missing_permission', ...missing)
    : notConfigured('optional_permission', ...missing);
}

/** `refused`: the scope is delegated, and the administrator lacks the right. */
async function scopeState(lists: () => Promise<boolean>): Promise<'ok' | 'refused' | 'not_delegated'> {
  try {
    return (await lists()) ? 'ok' : 'refused';
  } catch (error) {
    if (isNotGranted(error)) return 'not_delegated';
    throw error;
  }
}
