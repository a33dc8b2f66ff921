/** A person of the organisation's directory. Everything but `directoryId` is displayed only. */
export type DirectoryPerson = {
  /** Immutable. The identity provider tells it at sign-in, and so the person is recognised. */
  directoryId: string;
  displayName: string;
  title: string;
  department: string;
  email: string | null;
};

export type DirectoryGroup = { directoryId: string; displayName: string };

/**
 * The people and groups of an organisation. Implementations throw `SourceError`s like connectors do. Every list has at
 * most `limit` entries, in the order of names.
 */
export type Directory = {
  /** People whose name, e-mail address or department contains the words of `text`, without case and accents. */
  searchPeople(text: string, limit: number, signal: AbortSignal): Promise<DirectoryPerson[]>;
  /** Null where the directory has nobody of this id. */
  person(directoryId: string, signal: AbortSignal): Promise<DirectoryPerson | null>;
  /** Null where the person has no manager, or is unknown. */
  managerOf(directoryId: string, signal: AbortSignal): Promise<DirectoryPerson | null>;
  searchGroups(text: string, limit: number, signal: AbortSignal): Promise<DirectoryGroup[]>;
  /** People in the group, also through groups inside it. Empty where there is no such group. */
  membersOf(groupId: string, limit: number, signal: AbortSignal): Promise<DirectoryPerson[]>;
};
