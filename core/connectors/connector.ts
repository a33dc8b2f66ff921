import type { RetryClass } from '../kernel/vocabulary.ts';

/**
 * What every source family implements. A connector reads; it never writes to its source, never touches the
 * database, and never returns more than one bounded page. `test/contract/connector.exercise.ts` holds them to it.
 */
export const SOURCE_FAMILIES = [
  'm365',
  'drive',
  'blob',
  'smb',
  'sql',
  'cloud_drive',
  'file_box',
  'chat',
  'mail',
] as const;
export type SourceFamily = (typeof SOURCE_FAMILIES)[number];

export type ConnectorMode = 'mock' | 'live';

/** One sensitivity label of a source's catalog. */
export type SensitivityLabel = { guid: string; name: string };

/** A scannable container. `externalId` is the source's own stable identity of it. */
export type SourceScope = { externalId: string; name: string; kind: string };

/** What a listing tells of one item. Both version signals are opaque and change as the specification says. */
export type SourceItem = {
  externalId: string;
  name: string;
  /** Path of the item inside its scope, with `/`, for people. Never used as identity. */
  path: string;
  kind: 'file' | 'folder' | 'message' | 'table';
  sizeBytes: number;
  mimeType: string | null;
  sourceUrl: string | null;
  /** Changes on any change of the item (name, permissions, label, content). */
  sourceVersion: string;
  /** Changes only when the content does. */
  contentVersion: string;
  createdAt: string | null;
  modifiedAt: string | null;
  modifiedBy: string | null;
};

export type InventoryPage = {
  items: SourceItem[];
  /** Opaque; null on the last page. */
  nextPageToken: string | null;
  /** Set on the last page only, by a `feed` connector: where the next delta starts. It covers the whole walk. */
  deltaCursor: string | null;
};

export type DeltaChange = { type: 'upsert'; item: SourceItem } | { type: 'delete'; externalId: string };

export type DeltaPage = {
  changes: DeltaChange[];
  nextPageToken: string | null;
  /** Set on the last page only. */
  deltaCursor: string | null;
};

export type Grant = {
  /** Who: a user, group, link or everyone, as the source names it. */
  principal: string;
  principalKind: 'user' | 'group' | 'link' | 'organization' | 'anyone';
  external: boolean;
  role: 'read' | 'write' | 'owner';
  inherited: boolean;
};

/** `complete: false` where the source does not tell all: absence of a grant is not evidence of absence. */
export type Permissions = { grants: Grant[]; complete: boolean };

export type LabelObservation =
  | { state: 'labeled'; labelGuid: string; labelName: string }
  | { state: 'unlabeled' }
  /** The source has no labels, or would not say. */
  | { state: 'unknown' };

export type ContentRead =
  | { state: 'available'; bytes: Uint8Array }
  /** Larger than `maxBytes`: nothing was read. */
  | { state: 'too_large'; sizeBytes: number }
  /** 403 or 404 for the content. */
  | { state: 'inaccessible' };

/** The only error that a connector throws. `safeDiagnostic` never holds a name, path, URL or content. */
export class ConnectorError extends Error {
  readonly retryClass: RetryClass;
  readonly safeDiagnostic: string;
  /** Milliseconds that the source asked to wait, if it did. */
  readonly retryAfterMs: number | null;

  constructor(retryClass: RetryClass, safeDiagnostic: string, retryAfterMs: number | null = null) {
    super(safeDiagnostic);
    this.name = 'ConnectorError';
    this.retryClass = retryClass;
    this.safeDiagnostic = safeDiagnostic;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown by `listDelta` when the source no longer knows the cursor (HTTP 410). */
export class DeltaCursorInvalid extends ConnectorError {
  constructor() {
    super('permanent', 'delta_cursor_invalid');
    this.name = 'DeltaCursorInvalid';
  }
}

/** How a source is asked to tell of changes. The one thing that it keeps for us; it changes nothing that it holds. */
export type ChangeNotifications = {
  /** Asks for notifications of a scope. The source may call `notificationUrl` before this resolves. */
  subscribe(
    request: {
      scopeExternalId: string;
      /** Comes back with every notification. */
      clientState: string;
      notificationUrl: string;
      lifecycleUrl: string;
      expiresAt: Date;
    },
    signal: AbortSignal,
  ): Promise<{ externalId: string; expiresAt: Date }>;
  /** Prolongs a subscription. `expiresAt` of the answer is what the source grants. */
  renew(externalId: string, expiresAt: Date, signal: AbortSignal): Promise<{ expiresAt: Date }>;
};

type Reads = {
  readonly family: SourceFamily;
  readonly mode: ConnectorMode;
  /** Absent where the source never tells of changes by itself. */
  readonly notifications?: ChangeNotifications;
  /** The scopes that the configuration selects, in a stable order. */
  listScopes(signal: AbortSignal): Promise<SourceScope[]>;
  /** The catalog of sensitivity labels, the weakest first; empty where the source has none or does not tell. */
  listLabels(signal: AbortSignal): Promise<SensitivityLabel[]>;
  /**
   * One page of the walk over a scope; `pageToken` null starts it. At most 200 items. A source that cannot be
   * reached throws: an empty listing always means an empty scope.
   */
  listItems(scopeExternalId: string, pageToken: string | null, signal: AbortSignal): Promise<InventoryPage>;
  /** The item as it is now, null when it is gone, or `denied` where the source refuses to tell. */
  getItem(
    scopeExternalId: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<SourceItem | 'denied' | null>;
  /** No grants and `complete: false` for an item that is gone. */
  getPermissions(scopeExternalId: string, externalId: string, signal: AbortSignal): Promise<Permissions>;
  getLabel(scopeExternalId: string, externalId: string, signal: AbortSignal): Promise<LabelObservation>;
  readContent(
    scopeExternalId: string,
    externalId: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ContentRead>;
};

/** The source keeps a feed of its changes, and says where in it a walk began. */
export type FeedConnector = Reads & {
  readonly delta: 'feed';
  /** Changes since `cursor` (first call) or the next page of them (`pageToken`). Throws `DeltaCursorInvalid`. */
  listDelta(
    scopeExternalId: string,
    cursor: string,
    pageToken: string | null,
    signal: AbortSignal,
  ): Promise<DeltaPage>;
};

/**
 * The source has no feed: a delta is a whole walk, set page by page against what is already known. The connector
 * holds no state for it, so no cursor grows with the source.
 */
export type ComparisonConnector = Reads & { readonly delta: 'comparison' };

export type Connector = FeedConnector | ComparisonConnector;
