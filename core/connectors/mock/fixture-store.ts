import type { Grant } from '../connector.ts';
import type { TemplateName } from './documents/templates.ts';
import type { Format } from './formats/format.ts';

export type FixtureScope = {
  externalId: string;
  name: string;
  kind: 'site';
  /** The number of the latest change in the scope. */
  changeSeq: number;
  /** `request_resync` raises it. Cursors of an earlier epoch are invalid. */
  cursorEpoch: number;
};

export type FixtureItem = {
  scopeExternalId: string;
  externalId: string;
  name: string;
  /** The folder within the scope, without leading and trailing slashes. Empty for the top. */
  folder: string;
  format: Format | 'corrupt' | 'encrypted' | 'binary' | 'empty';
  template: TemplateName;
  /** Items with the same key, revision and override have the same bytes. */
  contentKey: string;
  contentRevision: number;
  /** Text that replaces the template's text. */
  content: string | null;
  sizeBytes: number;
  /** False if the source lists the item but refuses its content. */
  readable: boolean;
  metadataRevision: number;
  labelGuid: string | null;
  grants: Grant[];
  deleted: boolean;
  /** The number of the latest change of this item within its scope. */
  changeSeq: number;
  createdAt: string;
  modifiedAt: string;
  modifiedBy: string;
};

export type Fixture = { scopes: FixtureScope[]; items: FixtureItem[] };

/** The rows after an action: the scope, and the item if the action had one. */
export type FixtureChange = { scope: FixtureScope; item: FixtureItem | null };

/** Stores the rows of one tenant. Ids are ordered by their bytes. */
export type FixtureStore = {
  scopes(): Promise<FixtureScope[]>;
  /** Items with an id after `after` that are not deleted, by id. */
  items(scopeExternalId: string, after: string | null, limit: number): Promise<FixtureItem[]>;
  /** The row, even if it is deleted. */
  item(scopeExternalId: string, externalId: string): Promise<FixtureItem | null>;
  /** Rows with a greater `changeSeq`, including deleted ones, by `changeSeq`. */
  changes(scopeExternalId: string, afterSeq: number, limit: number): Promise<FixtureItem[]>;
  /**
   * Locks the scope, passes its row and the item's row to `change`, and stores the result. Returns null if the scope
   * does not exist. If `change` throws, nothing is stored.
   */
  update(
    scopeExternalId: string,
    externalId: string | null,
    change: (scope: FixtureScope, item: FixtureItem | null) => FixtureChange,
  ): Promise<FixtureChange | null>;
};
