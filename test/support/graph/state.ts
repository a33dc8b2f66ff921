import type { Team } from './chat-state.ts';
import type { Grant } from './grants.ts';
import type { FakeMailbox } from './mail-state.ts';

/** Who did something, as `createdBy` and `lastModifiedBy` name them. */
export type Actor = { id: string; displayName: string };

/** Bytes of a file, made when they are needed, with their size and hash known before. */
export type Content = { bytes(): Uint8Array; readonly size: number; readonly hash: string };

export type Version = { id: string; at: number; by: Actor; content: Content };

/** Why a file cannot be opened, labelled or written. */
export type Lock =
  | 'fileDoubleKeyEncrypted'
  | 'fileDecryptionNotSupported'
  | 'fileDecryptionDeferred'
  | 'checkedOut'
  | 'openForEditing';

export type Assigned = { labelId: string; method: 'standard' | 'privileged' | 'auto' };

export type Item = {
  id: string;
  guid: string;
  kind: 'folder' | 'file' | 'package' | 'shortcut';
  name: string;
  /** Null for the root. */
  parentId: string | null;
  content: Content | null;
  /** The target of a shortcut: another drive and item. */
  target: { driveId: string; itemId: string } | null;
  createdAt: number;
  createdBy: Actor;
  modifiedAt: number;
  modifiedBy: Actor;
  /** The number in the eTag. */
  revision: number;
  /** The number in the cTag. */
  contentRevision: number;
  /** Those before the content of now, the newest first. */
  earlier: Version[];
  grants: Grant[];
  label: Assigned | null;
  /** Labels that other organizations gave, by their tenant. */
  foreignLabels: { labelId: string; tenantId: string }[];
  lock: Lock | null;
  malware: boolean;
  /** The service refuses the content with 403. */
  refused: boolean;
  deleted: boolean;
  /** Places in the drive's log: of the latest change, the latest that is not of sharing, and the latest grant. */
  changed: number;
  changedBeyondSharing: number;
  shared: number;
};

/** What the service answers to delta tokens from before a resync. */
export type Resync = {
  code:
    | 'resyncRequired'
    | 'resyncChangesApplyDifferences'
    | 'resyncChangesUploadDifferences'
    | 'SyncStateNotFound';
  withLocation: boolean;
};

/** What the service answers to everything that is asked of a site or library. */
export type Refusal = 'malformed' | 'denied' | 'gone' | 'locked';

export type Drive = {
  refusal: Refusal | null;
  key: string;
  idPrefix: string;
  id: string;
  guid: string;
  name: string;
  siteId: string;
  personal: boolean;
  webUrl: string;
  createdAt: number;
  rootId: string;
  items: Map<string, Item>;
  children: Map<string, Set<string>>;
  /** The item of each change, oldest first. The place of a change is its index. */
  log: { id: string; sharing: boolean }[];
  /** Delta tokens of an earlier epoch are gone. */
  epoch: number;
  resync: Resync;
};

export type Site = {
  refusal: Refusal | null;
  id: string;
  guid: string;
  webGuid: string;
  /** After the host, without slashes at the ends; empty for the root site. */
  path: string;
  name: string;
  personal: boolean;
  /** The person whose OneDrive it is. */
  ownerId: string | null;
  createdAt: number;
  drives: Drive[];
  /** Grants that every item inherits: the groups of the site. */
  grants: Grant[];
};

export type Person = {
  id: string;
  displayName: string;
  mail: string | null;
  userPrincipalName: string;
  jobTitle: string | null;
  department: string | null;
  managerId: string | null;
  guest: boolean;
};

export type Group = {
  id: string;
  displayName: string;
  memberIds: string[];
  groupIds: string[];
  ownerIds: string[];
};

export type Label = {
  id: string;
  name: string;
  priority: number;
  /** Files with it are encrypted. */
  hasProtection: boolean;
  sublabels: Label[];
};

/** A registered application: how it proves itself, and what an administrator let it do. */
export type App = {
  clientId: string;
  secret: string | null;
  /** PEM, of client assertions. */
  certificates: string[];
  permissions: string[];
  /** With `Sites.Selected`: the sites that it may see. */
  siteIds: string[];
  /** Addresses of the mailboxes that a role of Exchange lets it read. */
  mailboxes: string[];
  /** Whether a subscription pays for its metered calls. */
  metered: boolean;
};

export type Subscription = {
  id: string;
  appId: string;
  driveId: string;
  resource: string;
  notificationUrl: string;
  lifecycleUrl: string | null;
  clientState: string | null;
  expiresAt: number;
  /** Told of changes of sharing too. */
  security: boolean;
  /** Nothing is delivered until it is authorized again. */
  paused: boolean;
};

export type LabelOperation = {
  id: string;
  driveId: string;
  itemId: string;
  assigned: Assigned | null;
  polls: number;
  dueAt: number;
  fails: boolean;
  done: boolean;
};

/** Ways in which recorded tenants and the documentation differ. */
export type Quirks = {
  /** As documented for libraries on create and modify; recorded tenants send it on all items but the root. */
  deltaOmitsContentTag: boolean;
  /** The documentation says that delta never has `parentReference.path`. */
  deltaShowsPath: boolean;
  /** `inheritedFrom` on inherited grants: recorded as `{}`, documented as a reference, and some answers leave it out. */
  inherited: 'empty' | 'reference' | 'absent';
  /** Recorded: only direct grants to people change the eTag, links do not. */
  sharingChangesTag: 'people' | 'always' | 'never';
  /** Whether a label that is assigned changes the cTag, as a label is stored in the file. */
  labelChangesContentTag: boolean;
  /** Whether delta tells of a deleted folder only, or of each item that was in it. */
  deletedFolderAlone: boolean;
  /** `innererror` in errors, and fields that the metadata lacks in items, permissions and labels. */
  withUnknownFields: boolean;
  /** `labels` of an extraction at the top or under `value`. */
  labelsUnderValue: boolean;
  /** The form of links to further pages. */
  links: 'call' | 'query' | 'skiptoken' | 'keys';
  /** A second subscription to a resource. As documented; others report that it is allowed. */
  refusesDuplicateSubscriptions: boolean;
  /** How many items a delta page holds beyond `$top`. */
  pageOverflow: number;
  /** How many empty pages the delta of a channel begins with. */
  emptyDeltaPages: number;
  /** How many replies a root has with it. Documented: 1,000. */
  expandedReplies: number;
  /** Whether a folder reports a mail that was moved into it. Some reports say that it does not (wisecom-oy/atlas#48). */
  mailMovesShowInTarget: boolean;
};

export type Tenant = {
  id: string;
  hostName: string;
  sites: Site[];
  drives: Map<string, Drive>;
  teams: Map<string, Team>;
  people: Map<string, Person>;
  groups: Map<string, Group>;
  labels: Label[];
  /** Those that the organization has proven to own. */
  domains: string[];
  apps: Map<string, App>;
  /** By their addresses in lower case. */
  mailboxes: Map<string, FakeMailbox>;
  subscriptions: Map<string, Subscription>;
  operations: Map<string, LabelOperation>;
  quirks: Quirks;
};
