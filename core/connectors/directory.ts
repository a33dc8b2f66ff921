/** A person of the organisation's directory. Everything but `directoryId` is displayed only. */
export type DirectoryPerson = {
  /** Immutable. The identity provider sends it at sign-in, and so the person is recognised. */
  directoryId: string;
  displayName: string;
  title: string;
  department: string;
  email: string | null;
  /** Further addresses of the same person. */
  aliases?: readonly string[];
};

export type DirectoryGroup = { groupId: string; displayName: string };

/**
 * The people and groups of an organisation. Implementations throw `ConnectorError`s, as connectors do. Lists are in the
 * order of names. One call is one round trip or a few, whatever the number of ids in it.
 */
export type Directory = {
  /**
   * People of whom each word of `text` begins a word of the name, the e-mail address or the department, without case and
   * accents; at most `limit`.
   */
  searchPeople(text: string, limit: number, signal: AbortSignal): Promise<DirectoryPerson[]>;
  /** Null where the directory has nobody of this id. */
  person(directoryId: string, signal: AbortSignal): Promise<DirectoryPerson | null>;
  /** Managers, by the id of whom they manage. Who is unknown or has no manager is left out. */
  managersOf(
    directoryIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, DirectoryPerson>>;
  /**
   * Whom identities of a source may mean: everybody whose id, e-mail address, name or account name
   * (`core/kernel/account-name.ts`) is one of them. May name more people; the caller compares.
   */
  peopleBehind(identities: readonly string[], signal: AbortSignal): Promise<DirectoryPerson[]>;
  /**
   * The people who own each of the groups, by the id or the whole name of a group as a source gives it. A name that no
   * group or more than one has is left out.
   */
  ownersOfGroups(
    groups: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, DirectoryPerson[]>>;
  /** Groups of which each word of `text` begins a word of the name; at most `limit`. */
  searchGroups(text: string, limit: number, signal: AbortSignal): Promise<DirectoryGroup[]>;
  /** At most `limit` people in the group, also through groups inside it. Null where there is no such group. */
  membersOf(groupId: string, limit: number, signal: AbortSignal): Promise<DirectoryPerson[] | null>;
};

/** Somebody as a source lists them. The address joins them with others: an id of the source recognises nobody at sign-in. */
export type ListedPerson = Omit<DirectoryPerson, 'directoryId' | 'email'> & { email: string };

/** What a source says of people by their addresses. Implementations throw `ConnectorError`s. */
export type AddressBook = {
  /** Who is listed with these addresses. Who is not is left out. */
  peopleAt(addresses: readonly string[], signal: AbortSignal): Promise<ListedPerson[]>;
  /** The people who own or manage each of the groups, by the id or the address of a group as the source gives it. */
  ownersOfGroups(
    groups: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ListedPerson[]>>;
};

/** A directory whose ids recognise nobody who signs in. */
export const addressBookOf = ({ peopleBehind, ownersOfGroups }: Directory): AddressBook => ({
  peopleAt: async (addresses, signal) =>
    addresses.length === 0 ? [] : listed(await peopleBehind(addresses, signal)),
  ownersOfGroups: async (groups, signal) => {
    const owners = groups.length === 0 ? new Map() : await ownersOfGroups(groups, signal);
    return new Map(Array.from(owners, ([group, people]) => [group, listed(people)]));
  },
});

const listed = (people: readonly DirectoryPerson[]): ListedPerson[] =>
  people.flatMap(({ directoryId: _, email, ...person }) => (email === null ? [] : [{ ...person, email }]));
