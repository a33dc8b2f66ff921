/** Somebody of the organization. `email` is the primary address. */
export type FakeAccount = {
  id: string;
  email: string;
  aliases?: readonly string[];
  nonEditableAliases?: readonly string[];
  fullName: string;
  title: string;
  department: string;
  manager?: string;
  suspended?: boolean;
};
type FakeGroup = {
  id: string;
  email: string;
  name: string;
  /** Keys are addresses of accounts or of groups. */
  members: Readonly<Record<string, 'OWNER' | 'MANAGER' | 'MEMBER'>>;
};
export type FakeDirectory = { accounts: FakeAccount[]; groups: FakeGroup[] };

type Refuse = (status: number, reason: string) => never;

/** The fields that a search of people names, with what they are compared with. */
const FIELDS: Readonly<Record<string, (account: FakeAccount) => readonly string[]>> = {
  givenName: ({ fullName }) => [fullName.split(' ')[0] ?? ''],
  familyName: ({ fullName }) => [fullName.split(' ').slice(1).join(' ')],
  email: (account) => addressesOf(account),
  orgDepartment: ({ department }) => [department],
};
const addressesOf = ({ email, aliases = [], nonEditableAliases = [] }: FakeAccount): string[] => [
  ...[email, ...aliases, ...nonEditableAliases],
];
/** A field, and a value in which an apostrophe is written after a backslash. */
const CLAUSE = /^(\w+):((?:[^*'\\\s]|\\')+)(\*?)$/;

/** Answers below `/admin/directory/v1` as the vendor describes: `users`, `users/KEY`, `groups`, `groups/KEY/members`. */
export function directoryAnswer(
  { accounts, groups }: FakeDirectory,
  [first, key, third]: readonly string[],
  query: URLSearchParams,
  refuse: Refuse,
): object {
  if (key === undefined && query.get('customer') !== 'my_customer') return refuse(400, 'badRequest');
  const asked = CLAUSE.exec(query.get('query') ?? '');
  const [, field = '', written = '', star] = asked ?? [];
  const word = written.replaceAll("\\'", "'");
  const matches = (text: string) => {
    const its = text.toLowerCase();
    return star === '*' ? its.startsWith(word.toLowerCase()) : its.includes(word.toLowerCase());
  };
  const page = <T>(all: readonly T[]) => {
    const from = Number(query.get('pageToken') ?? 0);
    const end = from + Math.min(200, Number(query.get('maxResults') ?? 100));
    return { some: all.slice(from, end), ...(end < all.length && { nextPageToken: String(end) }) };
  };
  if (first === 'users' && key === undefined) {
    const textOf = FIELDS[field];
    if (query.has('query') && (asked === null || textOf === undefined)) return refuse(400, 'invalidInput');
    const { some, ...rest } = page(accounts.filter((each) => textOf?.(each).some(matches) ?? true));
    return { kind: 'admin#directory#users', users: some.map(accountJson), ...rest };
  }
  if (first === 'users') {
    const found = accounts.find((each) => [each.id, ...addressesOf(each)].includes(key?.toLowerCase() ?? ''));
    if (found !== undefined) return accountJson(found);
    return key?.includes('@') && !key.endsWith('@nordwind.example')
      ? refuse(403, 'forbidden')
      : refuse(404, 'notFound');
  }
  if (key === undefined) {
    if (query.has('query') && field !== 'name') return refuse(400, 'invalidInput');
    const { some, ...rest } = page(groups.filter(({ name }) => asked === null || matches(name)));
    return { kind: 'admin#directory#groups', groups: some.map(groupJson), ...rest };
  }
  const group = groups.find(({ id, email }) => id === key || email === key);
  if (group === undefined || third !== 'members') return refuse(404, 'notFound');
  const { some, ...rest } = page(membersOf({ accounts, groups }, group, query));
  return { kind: 'admin#directory#members', members: some, ...rest };
}

function membersOf(directory: FakeDirectory, group: FakeGroup, query: URLSearchParams): object[] {
  const roles = query.get('roles')?.split(',');
  return Object.entries(group.members)
    .filter(([, role]) => roles?.includes(role) ?? true)
    .flatMap(([email, role]) => {
      const inner = directory.groups.find((each) => each.email === email);
      const account = directory.accounts.find((each) => each.email === email);
      const type = inner === undefined ? 'USER' : 'GROUP';
      const status = account?.suspended ? 'SUSPENDED' : 'ACTIVE';
      const id = (inner ?? account)?.id ?? email;
      const direct = { kind: 'admin#directory#member', id, email, role, type, status };
      const isDerived = query.get('includeDerivedMembership') === 'true' && inner !== undefined;
      return [direct, ...(isDerived ? membersOf(directory, inner, query) : [])];
    });
}

const accountJson = ({
  id,
  email,
  aliases,
  nonEditableAliases,
  fullName,
  title,
  department,
  manager,
  suspended = false,
}: FakeAccount) => ({
  kind: 'admin#directory#user',
  id,
  primaryEmail: email,
  ...(aliases && { aliases }),
  ...(nonEditableAliases && { nonEditableAliases }),
  name: {
    fullName,
    givenName: fullName.split(' ')[0],
    familyName: fullName.split(' ').slice(1).join(' '),
  },
  suspended,
  archived: false,
  organizations: [
    { title: 'Former', department: 'Former', primary: false },
    { title, department, primary: true },
  ],
  ...(manager !== undefined && { relations: [{ value: manager, type: 'manager' }] }),
});

const groupJson = ({ id, email, name, members }: FakeGroup) => ({
  kind: 'admin#directory#group',
  id,
  email,
  name,
  directMembersCount: String(Object.keys(members).length),
});
