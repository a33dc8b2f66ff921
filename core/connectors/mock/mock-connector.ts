import { hash } from 'node:crypto';
import { untilAborted } from '../abort.ts';
import {
  ConnectorError,
  type ContentRead,
  DeltaCursorInvalid,
  type DeltaPage,
  type FeedConnector,
  type InventoryPage,
  type LabelObservation,
  type Permissions,
  ScopeRefused,
  type SourceItem,
} from '../connector.ts';
import { fixtureBytes } from './fixture-content.ts';
import type { FixtureItem, FixtureScope, FixtureStore } from './fixture-store.ts';
import { FORMATS, isFormat } from './formats/format.ts';
import { LABEL_CATALOG, labelByGuid } from './label-catalog.ts';

export type MockOptions = { store: FixtureStore };

/** Small, so that a scope of two dozen items takes more than one page. */
const PAGE_SIZE = 20;

/**
 * The connector of the fixture tenant. Its feed is the numbered changes of a scope. A cursor consists of the number
 * to continue from and the epoch in which it was issued.
 */
export function createMockConnector({ store }: MockOptions): FeedConnector {
  async function scopeOf(externalId: string): Promise<FixtureScope> {
    const scope = (await store.scopes()).find((candidate) => candidate.externalId === externalId);
    if (scope === undefined) throw new ScopeRefused('not_found', 'scope_unknown');
    return scope;
  }

  /** Runs `read` on the item. Returns `absent` if the item does not exist. */
  function withItem<T>(
    scopeId: string,
    externalId: string,
    absent: T,
    signal: AbortSignal,
    read: (item: FixtureItem) => T,
  ): Promise<T> {
    return untilAborted(signal, async () => {
      await scopeOf(scopeId);
      const item = await store.item(scopeId, externalId);
      return item === null || item.deleted ? absent : read(item);
    });
  }

  return {
    family: 'm365',
    mode: 'mock',
    delta: 'feed',

    // The fixture never notifies by itself. Each registration gets an id of its own.
    notifications: {
      subscribe: ({ scopeExternalId, clientState, expiresAt }, signal) =>
        untilAborted(signal, async () => {
          await scopeOf(scopeExternalId);
          const registration = `${scopeExternalId} ${clientState} ${expiresAt.toISOString()}`;
          return { externalId: `mock-${hash('sha256', registration).slice(0, 32)}`, expiresAt };
        }),
      renew: (_, expiresAt, signal) => untilAborted(signal, async () => ({ expiresAt })),
    },

    listScopes: (pageToken, signal) =>
      untilAborted(signal, async () => {
        if (pageToken !== null) throw new DeltaCursorInvalid();
        const scopes = await store.scopes();
        return {
          scopes: scopes.map(({ externalId, name, kind }) => ({ externalId, name, kind })),
          nextPageToken: null,
        };
      }),

    listLabels: async () => LABEL_CATALOG.map(({ guid, name }) => ({ guid, name })),

    listItems: (scopeId, pageToken, signal) =>
      untilAborted(signal, async () => {
        const { cursorEpoch, changeSeq } = await scopeOf(scopeId);
        // The cursor is the feed position at the start of the walk, so that no change during the walk is missed.
        const start =
          pageToken === null
            ? { cursor: cursorOf(cursorEpoch, changeSeq), after: null }
            : parsePageToken(pageToken);
        return inventoryPage(await store.items(scopeId, start.after, PAGE_SIZE + 1), start.cursor);
      }),

    listDelta: (scopeId, cursor, pageToken, signal) =>
      untilAborted(signal, async () => {
        const scope = await scopeOf(scopeId);
        const from = parseCursor(pageToken ?? cursor);
        if (from === null || from.epoch !== scope.cursorEpoch) throw new DeltaCursorInvalid();
        return deltaPage(await store.changes(scopeId, from.seq, PAGE_SIZE + 1), from);
      }),

    getItem: (scopeId, externalId, signal) =>
      withItem<SourceItem | null>(scopeId, externalId, null, signal, itemOf),

    getPermissions: (scopeId, externalId, signal) =>
      withItem<Permissions>(scopeId, externalId, { grants: [], complete: false }, signal, (item) => ({
        grants: item.grants,
        complete: true,
      })),

    getLabel: (scopeId, externalId, signal) =>
      withItem<LabelObservation>(scopeId, externalId, { state: 'unknown' }, signal, (item) => {
        const label = item.labelGuid === null ? undefined : labelByGuid(item.labelGuid);
        return label === undefined
          ? { state: 'unlabeled' }
          : { state: 'labeled', labelGuid: label.guid, labelName: label.name };
      }),

    readContent: (scopeId, externalId, maxBytes, signal) =>
      withItem<ContentRead>(scopeId, externalId, { state: 'inaccessible' }, signal, (item) => {
        if (item.sizeBytes > maxBytes) return { state: 'too_large', sizeBytes: item.sizeBytes };
        return item.readable ? { state: 'available', bytes: fixtureBytes(item) } : { state: 'inaccessible' };
      }),
  };
}

/** @param rows one more than a page if there are more */
function inventoryPage(rows: readonly FixtureItem[], cursor: string): InventoryPage {
  const page = rows.slice(0, PAGE_SIZE);
  const last = rows.length > PAGE_SIZE ? page.at(-1) : undefined;
  return {
    items: page.map(itemOf),
    nextPageToken: last === undefined ? null : `${cursor}/${last.externalId}`,
    deltaCursor: last === undefined ? cursor : null,
  };
}

/** @param rows one more than a page if there are more */
function deltaPage(rows: readonly FixtureItem[], from: { epoch: number; seq: number }): DeltaPage {
  const page = rows.slice(0, PAGE_SIZE);
  const next = cursorOf(from.epoch, page.at(-1)?.changeSeq ?? from.seq);
  const more = rows.length > PAGE_SIZE;
  return {
    changes: page.map((row) =>
      row.deleted ? { type: 'delete', externalId: row.externalId } : { type: 'upsert', item: itemOf(row) },
    ),
    nextPageToken: more ? next : null,
    deltaCursor: more ? null : next,
  };
}

const cursorOf = (epoch: number, seq: number) => `${epoch}.${seq}`;

function parseCursor(cursor: string): { epoch: number; seq: number } | null {
  const match = /^(\d{1,9})\.(\d{1,15})$/.exec(cursor);
  return match === null ? null : { epoch: Number(match[1]), seq: Number(match[2]) };
}

function parsePageToken(token: string): { cursor: string; after: string } {
  const match = /^(\d{1,9}\.\d{1,15})\/(.{1,100})$/.exec(token);
  const [, cursor, after] = match ?? [];
  if (cursor === undefined || after === undefined)
    throw new ConnectorError('permanent', 'page_token_invalid');
  return { cursor, after };
}

/** A fixture row as a listed item. */
export function itemOf(row: FixtureItem): SourceItem {
  const path = row.folder === '' ? row.name : `${row.folder}/${row.name}`;
  return {
    externalId: row.externalId,
    name: row.name,
    path,
    kind: 'file',
    sizeBytes: row.sizeBytes,
    mimeType: mimeTypeOf(row.name),
    sourceUrl: `https://nordwind.example/${row.scopeExternalId}/${path.split('/').map(encodeURIComponent).join('/')}`,
    sourceVersion: `${row.metadataRevision}.${row.contentRevision}`,
    contentVersion: `${row.contentRevision}`,
    createdAt: row.createdAt,
    modifiedAt: row.modifiedAt,
    modifiedBy: row.modifiedBy,
  };
}

function mimeTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return isFormat(extension) ? FORMATS[extension].mimeType : 'application/octet-stream';
}
