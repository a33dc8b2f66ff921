import type { LeftOut, RetryClass, ScopeRefusal, SOURCE_FAMILIES } from '../kernel/vocabulary.ts';

/**
 * What every connector implements. A connector only reads. It never writes to its source, never accesses the
 * database, and never returns more than one bounded page. `test/contract/connector.exercise.ts` tests this.
 */
export type SourceFamily = (typeof SOURCE_FAMILIES)[number];

export type ConnectorMode = 'mock' | 'live';

/** One sensitivity label of a source's catalog. */
export type SensitivityLabel = { guid: string; name: string };

/** A container that can be scanned. `externalId` is its stable identity at the source. */
export type SourceScope = {
  externalId: string;
  name: string;
  kind: string;
  /** What the source or the configuration calls the site that it is in, in lower case. Absent if it is in none. */
  siteIds?: readonly string[];
};

/** A site whose scopes the source refused to list. `siteId` is one of the `siteIds` of its scopes. */
export type RefusedSite = { siteId: string; name: string; reason: ScopeRefusal };

/** `nextPageToken`: opaque; null on the last page. A scope may be on two pages. */
export type ScopePage = {
  scopes: SourceScope[];
  refused?: readonly RefusedSite[];
  nextPageToken: string | null;
};

/** An item in a listing. Both version signals are opaque. See their fields for when they change. */
export type SourceItem = {
  externalId: string;
  name: string;
  /** The path of the item within its scope, with `/`, for display. It is never used as identity. */
  path: string;
  /** The folder that the item is in, if the source reports folders (`SourceFolder`). The service then derives the path. */
  parentExternalId?: string | null;
  kind: 'file' | 'folder' | 'message' | 'table';
  sizeBytes: number;
  mimeType: string | null;
  sourceUrl: string | null;
  /** Changes on any change of the item (name, permissions, label, content). */
  sourceVersion: string;
  /** Changes only when the content changes. */
  contentVersion: string;
  createdAt: string | null;
  modifiedAt: string | null;
  modifiedBy: string | null;
  /** Absent if the source has none or does not report them. */
  facts?: SourceFacts;
  /** Why the content is never read. Absent if it can be. */
  notRead?: NotRead;
};

/** What a source says of an item that is neither its content nor a label. */
export type SourceFacts = {
  tags: readonly { name: string; value: string }[];
  /** What keeps the item from being changed or deleted. Null if nothing is known to. */
  retention: SourceRetention | null;
};

/** `immutable`: a policy by time covers the item. `immutableUntil`: null if the source does not say when it ends. */
export type SourceRetention = { legalHold: boolean; immutable: boolean; immutableUntil: string | null };

/**
 * `package`: several parts without one content, such as a notebook. `malware`: the source found it harmful. `archived`: it
 * must be restored before it can be read. `no_download`: the source shows the item to the service, and no content.
 * `encrypted`: by its owner, before it came to the source.
 */
export type NotRead = 'package' | 'malware' | 'archived' | 'no_download' | 'encrypted';

/**
 * A folder of a source that reports a renamed folder and not what is in it. The service keeps such folders and derives
 * the paths of their items. The top of the scope has the name '' and no parent.
 */
export type SourceFolder = { externalId: string; parentExternalId: string | null; name: string };

/**
 * How far items and folders are shared, by id, in an opaque form. Another form means that sharing has changed. The same
 * form proves nothing: one more person may have access.
 */
export type SharingMarks = Readonly<Record<string, string>>;

export type InventoryPage = {
  items: SourceItem[];
  /** Absent if the items have the paths of the source. */
  folders?: readonly SourceFolder[];
  /** Absent if the source reports no sharing in a listing. */
  sharing?: SharingMarks;
  /** Ids of items and folders of earlier pages that were deleted meanwhile. */
  gone?: readonly string[];
  /** Entries of the source that are no items. */
  leftOut?: readonly LeftOut[];
  /** Opaque; null on the last page. */
  nextPageToken: string | null;
  /** Where the next delta starts. Set by a `feed` connector on the last page only. It covers the whole walk. */
  deltaCursor: string | null;
};

/** A deleted folder stands for all that is in it. */
export type DeltaChange =
  | { type: 'upsert'; item: SourceItem }
  | { type: 'folder'; folder: SourceFolder }
  | { type: 'delete'; externalId: string };

export type DeltaPage = {
  changes: DeltaChange[];
  leftOut?: readonly LeftOut[];
  nextPageToken: string | null;
  /** Set on the last page only. */
  deltaCursor: string | null;
};

export type Grant = {
  /** A user, a group, a link or everyone, as the source names it. */
  principal: string;
  principalKind: 'user' | 'group' | 'link' | 'organization' | 'anyone';
  external: boolean;
  role: 'read' | 'write' | 'owner';
  /** True if something above the item has the grant, false if the item has it itself, null if the source does not say. */
  inherited: boolean | null;
  /** Set if a setting may close what the grant opens, and the source does not show that setting. Absent otherwise. */
  unconfirmed?: true;
  /** The id of a group in the directory, in lower case. Its name may be another there. Absent if the source has none. */
  groupId?: string;
};

/** `complete: false` if the source does not report all grants. A grant that is not reported can still exist. */
export type Permissions = { grants: Grant[]; complete: boolean };

/** A label that another organization gave to an item. It says nothing to the people of this one. */
export type ForeignLabel = { tenantId: string; labelGuid: string };

/** `foreign`: labels of other organizations. An item that has only such labels is `unlabeled`. */
export type LabelObservation =
  | { state: 'labeled'; labelGuid: string; labelName: string; foreign?: readonly ForeignLabel[] }
  | { state: 'unlabeled'; foreign?: readonly ForeignLabel[] }
  /** The source has no labels or does not report them. */
  | { state: 'unknown' };

export type ContentRead =
  | { state: 'available'; bytes: Uint8Array }
  /** Larger than `maxBytes`. Nothing was read. */
  | { state: 'too_large'; sizeBytes: number }
  /** The source answered 403 or 404 for the content. `reason`: if it says why. */
  | { state: 'inaccessible'; reason?: Exclude<NotRead, 'package'> };

/** The only error that a connector throws. `safeDiagnostic` never contains a name, path, URL or content. */
export class ConnectorError extends Error {
  readonly retryClass: RetryClass;
  readonly safeDiagnostic: string;
  /** The delay that the source asked for in milliseconds, or null. */
  readonly retryAfterMs: number | null;

  constructor(retryClass: RetryClass, safeDiagnostic: string, retryAfterMs: number | null = null) {
    super(safeDiagnostic);
    this.name = 'ConnectorError';
    this.retryClass = retryClass;
    this.safeDiagnostic = safeDiagnostic;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether the source answers that nobody granted the scope of a call. */
export const isNotGranted = (error: unknown): boolean =>
  error instanceof ConnectorError && /_(?:not_delegated|scope_missing)$/.test(error.safeDiagnostic);

/**
 * Thrown when the source refuses the whole scope: by `listItems` and `listDelta`, and by the calls about an item if they
 * find that its scope is refused.
 */
export class ScopeRefused extends ConnectorError {
  readonly reason: ScopeRefusal;

  constructor(
    reason: ScopeRefusal,
    safeDiagnostic: string,
    retryClass: RetryClass = 'permanent',
    retryAfterMs: number | null = null,
  ) {
    super(retryClass, safeDiagnostic, retryAfterMs);
    this.name = 'ScopeRefused';
    this.reason = reason;
  }
}

/**
 * Thrown by `listDelta` when the source no longer knows the cursor (HTTP 410), and by `listItems` and `listScopes` when it
 * no longer knows the place of a walk.
 */
export class DeltaCursorInvalid extends ConnectorError {
  /** Where the source says that a new walk begins, as a page token; null for its usual beginning. */
  readonly restartAt: string | null;

  constructor(restartAt: string | null = null) {
    super('permanent', 'delta_cursor_invalid');
    this.name = 'DeltaCursorInvalid';
    this.restartAt = restartAt;
  }
}

/**
 * Subscriptions to changes. They are the only thing that a source stores for the service. They change none of its
 * content.
 */
export type ChangeNotifications = {
  /**
   * Subscribes to changes of a scope. The source may call `notificationUrl` before this resolves. A scope that has a
   * subscription gets a new one with this client state; the former ends at once or when it expires.
   */
  subscribe(
    request: {
      scopeExternalId: string;
      /** The source returns it with every notification. */
      clientState: string;
      notificationUrl: string;
      lifecycleUrl: string;
      expiresAt: Date;
    },
    signal: AbortSignal,
  ): Promise<{ externalId: string; expiresAt: Date }>;
  /** Extends a subscription. Returns the expiry that the source granted. */
  renew(externalId: string, expiresAt: Date, signal: AbortSignal): Promise<{ expiresAt: Date }>;
};

type Reads = {
  readonly family: SourceFamily;
  readonly mode: ConnectorMode;
  /** Absent if the source never notifies. */
  readonly notifications?: ChangeNotifications;
  /**
   * Set if files inherit permissions from their folders, so that permissions change while the version of the file stays
   * the same. An inventory then reads all permissions again, and a feed that reports an item with the known version, or
   * a folder, may report a change of sharing.
   */
  readonly inheritsPermissions?: true;
  /**
   * Those of these items whose exact path no entry has. Set if the path is the identity and people rename by case alone:
   * such an item keeps its asset. A source without case finds an item by other spellings of its path too.
   */
  missingPaths?(
    scopeExternalId: string,
    externalIds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>>;
  /** The ids of all its scopes, if the configuration alone says them. A source that names only sites has none. */
  readonly scopeIds?: ReadonlySet<string>;
  /**
   * One page of the scopes that the configuration selects, in a stable order. A null `pageToken` starts the list. Throws
   * `DeltaCursorInvalid` for a token that the source does not know.
   */
  listScopes(pageToken: string | null, signal: AbortSignal): Promise<ScopePage>;
  /**
   * Of the rights that are not needed to list and read, those that the source refuses, as its vendor names them. Null if a
   * scope has none that a call could test. Absent for the same of all scopes.
   */
  refusedRights?(scopeExternalId: string, signal: AbortSignal): Promise<string[] | null>;
  /** The catalog of sensitivity labels, the weakest first. Empty if the source has none or does not report them. */
  listLabels(signal: AbortSignal): Promise<SensitivityLabel[]>;
  /**
   * One page of at most 200 items of a walk over a scope. A null `pageToken` starts the walk.
   * Throws if the source cannot be reached, so an empty listing always means an empty scope.
   */
  listItems(scopeExternalId: string, pageToken: string | null, signal: AbortSignal): Promise<InventoryPage>;
  /**
   * The bytes that the source's own counter says of a scope, also of what it does not list, such as old versions. Null if it
   * does not say. Absent if the source has no counter.
   */
  countedBytes?(scopeExternalId: string, signal: AbortSignal): Promise<number | null>;
  /** The item in its current state, null if it no longer exists, or `denied` if the source refuses to report it. */
  getItem(
    scopeExternalId: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<SourceItem | 'denied' | null>;
  /**
   * No grants and `complete: false` if the item no longer exists, or `denied` if the source refuses to answer: what was
   * known of the item stays.
   */
  getPermissions(
    scopeExternalId: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<Permissions | 'denied'>;
  /**
   * `denied` if the source refuses to answer, or does not answer what labels are called: the label that was known stays
   * until the item changes or an inventory asks again.
   */
  getLabel(
    scopeExternalId: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<LabelObservation | 'denied'>;
  readContent(
    scopeExternalId: string,
    externalId: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ContentRead>;
};

/** A source that keeps a feed of its changes and reports the feed position at which a walk began. */
export type FeedConnector = Reads & {
  readonly delta: 'feed';
  /**
   * Whether the feed reports changes of sharing. If it does not, a delta compares the marks of a listing. Absent if the
   * feed always does.
   */
  reportsSharing?(signal: AbortSignal): Promise<boolean>;
  /** Changes since `cursor` (first call) or the next page of them (`pageToken`). Throws `DeltaCursorInvalid`. */
  listDelta(
    scopeExternalId: string,
    cursor: string,
    pageToken: string | null,
    signal: AbortSignal,
  ): Promise<DeltaPage>;
};

/**
 * A source without a feed. A delta is a whole walk, compared page by page with the stored assets. The connector keeps
 * no state, so no cursor grows with the source.
 */
export type ComparisonConnector = Reads & { readonly delta: 'comparison' };

export type Connector = FeedConnector | ComparisonConnector;
