import type { Grant } from '../connector.ts';
import type { TemplateName } from './documents/templates.ts';
import type { Format } from './formats/format.ts';

export type FixtureScope = {
  externalId: string;
  name: string;
  kind: 'site';
  /** Number of the latest change in the scope. */
  changeSeq: number;
  /** Raised by `request_resync`: cursors of an earlier epoch are no longer known. */
  cursorEpoch: number;
};

export type FixtureItem = {
  scopeExternalId: string;
  externalId: string;
  name: string;
  /** Folder inside the scope, without slashes at its ends; '' is the top. */
  folder: string;
  format: Format | 'corrupt' | 'encrypted' | 'binary' | 'empty';
  template: TemplateName;
  /** Items with the same key, revision and override hold the same bytes. */
  contentKey: string;
  contentRevision: number;
  /** Text that replaces what the template writes. */
  content: string | null;
  sizeBytes: number;
  /** False where the source lists the item and refuses its content. */
  readable: boolean;
  metadataRevision: number;
  labelGuid: string | null;
  grants: Grant[];
  deleted: boolean;
  /** Number of the latest change of this item within its scope. */
  changeSeq: number;
  createdAt: string;
  modifiedAt: string;
  modifiedBy: string;
};

export type Fixture = { scopes: FixtureScope[]; items: FixtureItem[] };

/** The rows after an action: the scope, and the item if the action was about one. */
export type FixtureChange = { scope: FixtureScope; item: FixtureItem | null };

/** Where the rows of one tenant live. Ids are ordered by their bytes. */
export type FixtureStore = {
  scopes(): Promise<FixtureScope[]>;
  /** Items that are not deleted, by id, after the given one. */
  items(scopeExternalId: string, after: string | null, limit: number): Promise<FixtureItem[]>;
  /** The row, deleted or not. */
  item(scopeExternalId: string, externalId: string): Promise<FixtureItem | null>;
  /** Rows with a greater `changeSeq`, deleted ones too, by `changeSeq`. */
  changes(scopeExternalId: string, afterSeq: number, limit: number): Promise<FixtureItem[]>;
  /**
   * Locks the scope, hands its row and the item's to `change`, stores what it returns. Null when there is no such
   * scope. What `change` throws undoes everything.
   */
  update(
    scopeExternalId: string,
    externalId: string | null,
    change: (scope: FixtureScope, item: FixtureItem | null) => FixtureChange,
  ): Promise<FixtureChange | null>;
};
