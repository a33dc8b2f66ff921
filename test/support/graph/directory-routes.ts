import { z } from 'zod';
import { type Answer, objectNotFound } from './errors.ts';
import { pageOfList } from './lists.ts';
import { filterOf, searchOf, unsupportedQuery } from './odata-filter.ts';
import type { Call, Route } from './route.ts';
import type { Group, Person, Tenant } from './state.ts';

const READ_USERS = ['User.Read.All', 'User.ReadWrite.All', 'Directory.Read.All', 'Directory.ReadWrite.All'];
const READ_GROUPS = [
  ...['GroupMember.Read.All', 'Group.Read.All', 'Group.ReadWrite.All', 'Directory.Read.All'],
  'Directory.ReadWrite.All',
];

/** A person as the service has them, also in lists of members. */
function personJson(person: Person) {
  const [givenName = null, ...rest] = person.displayName.split(' ');
  return {
    ...{ id: person.id, displayName: person.displayName, mail: person.mail, givenName },
    ...{ userPrincipalName: person.userPrincipalName, surname: rest.length === 0 ? null : rest.join(' ') },
    ...{ jobTitle: person.jobTitle, department: person.department, accountEnabled: true },
    userType: person.guest ? ('Guest' as const) : ('Member' as const),
    ...{ businessPhones: [], mobilePhone: null, officeLocation: null, preferredLanguage: null },
  };
}

function groupJson(group: Group) {
  const mailNickname = group.displayName.replaceAll(/\W/g, '').toLowerCase();
  return {
    ...{ id: group.id, displayName: group.displayName, description: null, mail: null, mailEnabled: false },
    ...{ mailNickname, securityEnabled: true, groupTypes: [], visibility: null },
  };
}

/** `$expand=manager`, also with a selection of its own, on one person and on lists. */
function withManager(call: Call, person: Person, json: object): object {
  const expand = call.query.get('$expand');
  if (expand === null) return json;
  const match = /^manager(?:\(\$select=([\w,]+)\))?$/.exec(expand);
  if (match === null) throw unsupportedQuery(`The expansion '${expand}' is not supported.`);
  const manager = call.tenant.people.get(person.managerId ?? '');
  if (manager === undefined) return json;
  const names = match[1]?.split(',');
  const kept = Object.entries(personJson(manager)).filter(
    ([name]) => names === undefined || name === 'id' || names.includes(name),
  );
  return { ...json, manager: { '@odata.type': '#microsoft.graph.user', ...Object.fromEntries(kept) } };
}

const isAdvanced = ({ headers }: Call): boolean => headers.consistencylevel === 'eventual';

/** A list of objects by `$search` and `$filter`, in the order of names. */
function found(
  call: Call,
  all: readonly { json: Readonly<Record<string, unknown>>; shown: object }[],
  context: string,
) {
  const search = call.query.get('$search');
  const filter = call.query.get('$filter');
  const counts = call.query.get('$count') === 'true';
  // Documented (`aad-advanced-queries`): these need the header.
  if ((search !== null || counts) && !isAdvanced(call)) {
    throw unsupportedQuery(
      "Request with $search query parameter only works through MSGraph with a special request header: 'ConsistencyLevel: eventual'",
    );
  }
  if (call.query.has('$orderby') && (search !== null || filter !== null) && !(isAdvanced(call) && counts)) {
    throw unsupportedQuery('Sorting not supported for current query.');
  }
  const tests = [
    ...(search === null ? [] : [searchOf(search)]),
    ...(filter === null ? [] : [filterOf(filter)]),
  ];
  const value = all.filter(({ json }) => tests.every((test) => test(json))).map(({ shown }) => shown);
  return pageOfList(call, value, context, counts ? { more: { '@odata.count': value.length } } : {});
}

const byName = (a: { displayName: string }, b: { displayName: string }) =>
  a.displayName < b.displayName ? -1 : 1;

function people(call: Call): Answer {
  const all = [...call.tenant.people.values()].sort(byName).map((person) => {
    const json = personJson(person);
    return { json, shown: withManager(call, person, json) };
  });
  return found(call, all, 'users');
}

/** By id, or by the name with which they sign in. */
export function personNamed({ tenant, values }: Call): Person {
  const key = (values.user ?? '').toLowerCase();
  const person =
    tenant.people.get(key) ??
    [...tenant.people.values()].find(({ userPrincipalName }) => userPrincipalName.toLowerCase() === key);
  if (person === undefined) throw objectNotFound();
  return person;
}

function groupNamed({ tenant, values }: Call): Group {
  const group = tenant.groups.get(values.group ?? '');
  if (group === undefined) throw objectNotFound();
  return group;
}

/** The groups inside a group, at any depth, each once. */
function groupsWithin(tenant: Tenant, group: Group, seen = new Set<Group>()): Set<Group> {
  for (const id of group.groupIds) {
    const inner = tenant.groups.get(id);
    if (inner === undefined || seen.has(inner)) continue;
    seen.add(inner);
    groupsWithin(tenant, inner, seen);
  }
  return seen;
}

const typed = (type: 'user' | 'group', json: object) => ({
  '@odata.type': `#microsoft.graph.${type}`,
  ...json,
});

const peopleOf = (tenant: Tenant, ids: Iterable<string>): Person[] =>
  [...new Set(ids)].flatMap((id) => tenant.people.get(id) ?? []);

/** People and groups of a list of members; `only` leaves one kind, as a path that ends with a type does. */
function membersJson(
  tenant: Tenant,
  ids: Iterable<string>,
  groups: Iterable<Group>,
  only: string | undefined,
) {
  return [
    ...(only === 'group' ? [] : peopleOf(tenant, ids).map((person) => typed('user', personJson(person)))),
    ...(only === 'user' ? [] : [...groups].map((group) => typed('group', groupJson(group)))),
  ];
}

function members(call: Call, only?: 'user'): Answer {
  const { tenant } = call;
  const group = groupNamed(call);
  const inner = group.groupIds.flatMap((id) => tenant.groups.get(id) ?? []);
  return pageOfList(call, membersJson(tenant, group.memberIds, inner, only), 'directoryObjects');
}

function transitiveMembers(call: Call, only?: 'user'): Answer {
  const group = groupNamed(call);
  const inner = groupsWithin(call.tenant, group);
  const ids = [group, ...inner].flatMap(({ memberIds }) => memberIds);
  return pageOfList(call, membersJson(call.tenant, ids, inner, only), 'directoryObjects');
}

/** No type of the metadata. The list has one entry. */
const organizations = z.looseObject({
  value: z.array(
    z
      .strictObject({
        id: z.guid(),
        displayName: z.string(),
        verifiedDomains: z.array(
          z.strictObject({
            ...{ name: z.string(), type: z.string(), capabilities: z.string() },
            ...{ isDefault: z.boolean(), isInitial: z.boolean() },
          }),
        ),
      })
      .partial({ displayName: true, verifiedDomains: true }),
  ),
});

/** Documented (`organization-list`): it takes `$select`, and no paging. */
function organization(call: Call): Answer {
  const { tenant } = call;
  const verifiedDomains = tenant.domains.map((name, at) => ({
    ...{ name, type: 'Managed', capabilities: 'Email, OfficeCommunicationsOnline' },
    ...{ isDefault: at === tenant.domains.length - 1, isInitial: at === 0 },
  }));
  const [displayName = ''] = tenant.hostName.split('.');
  return pageOfList(call, [{ id: tenant.id, displayName, verifiedDomains }], 'organization');
}

export const DIRECTORY_ROUTES: readonly Route[] = [
  {
    ...{ family: 'organization', method: 'GET', path: '/organization' },
    permissions: [
      ...['Organization.Read.All', 'Directory.Read.All', 'Organization.ReadWrite.All'],
      'Directory.ReadWrite.All',
    ],
    schema: organizations,
    answer: organization,
  },
  {
    ...{ family: 'users', method: 'GET', path: '/users', of: 'user', list: true },
    permissions: READ_USERS,
    answer: people,
  },
  {
    ...{ family: 'user', method: 'GET', path: '/users/{user}', of: 'user', permissions: READ_USERS },
    answer: (call) => {
      const person = personNamed(call);
      return { status: 200, body: withManager(call, person, personJson(person)) };
    },
  },
  {
    ...{
      family: 'user_manager',
      method: 'GET',
      path: '/users/{user}/manager',
      of: 'user',
      permissions: READ_USERS,
    },
    answer: (call) => {
      const manager = call.tenant.people.get(personNamed(call).managerId ?? '');
      if (manager === undefined) throw objectNotFound();
      return { status: 200, body: typed('user', personJson(manager)) };
    },
  },
  {
    ...{
      family: 'groups',
      method: 'GET',
      path: '/groups',
      of: 'group',
      list: true,
      permissions: READ_GROUPS,
    },
    answer: (call) =>
      found(
        call,
        [...call.tenant.groups.values()].sort(byName).map((group) => {
          const json = groupJson(group);
          return { json, shown: json };
        }),
        'groups',
      ),
  },
  {
    ...{ family: 'group', method: 'GET', path: '/groups/{group}', of: 'group', permissions: READ_GROUPS },
    answer: (call) => ({ status: 200, body: groupJson(groupNamed(call)) }),
  },
  {
    ...{ family: 'group_members', method: 'GET', path: '/groups/{group}/members', of: 'member', list: true },
    permissions: READ_GROUPS,
    answer: (call) => members(call),
  },
  {
    ...{ family: 'group_members', method: 'GET', path: '/groups/{group}/members/microsoft.graph.user' },
    ...{ of: 'user', list: true, permissions: READ_GROUPS },
    answer: (call) => members(call, 'user'),
  },
  {
    ...{
      family: 'group_members',
      method: 'GET',
      path: '/groups/{group}/transitiveMembers',
      of: 'member',
      list: true,
    },
    permissions: READ_GROUPS,
    answer: (call) => transitiveMembers(call),
  },
  {
    ...{
      family: 'group_members',
      method: 'GET',
      path: '/groups/{group}/transitiveMembers/microsoft.graph.user',
    },
    ...{ of: 'user', list: true, permissions: READ_GROUPS },
    answer: (call) => transitiveMembers(call, 'user'),
  },
  {
    ...{ family: 'group_owners', method: 'GET', path: '/groups/{group}/owners', of: 'member', list: true },
    permissions: READ_GROUPS,
    answer: (call) => {
      const { ownerIds } = groupNamed(call);
      return pageOfList(call, membersJson(call.tenant, ownerIds, [], undefined), 'directoryObjects');
    },
  },
];
