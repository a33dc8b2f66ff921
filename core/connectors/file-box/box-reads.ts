import type { Clock } from '../../kernel/clock.ts';
import {
  ConnectorError,
  type ContentRead,
  DeltaCursorInvalid,
  type LabelObservation,
  type Permissions,
  type RefusedSite,
  type ScopePage,
  ScopeRefused,
  type SourceItem,
  type SourceScope,
} from '../connector.ts';
import { kept, orNull } from '../kept.ts';
import { BOX_ID, BoxEntry, ENTRY_FIELDS } from './box-answers.ts';
import type { BoxClient } from './box-client.ts';
import { permissionsOf } from './box-grants.ts';
import { foldersWithin, listedOf } from './box-item.ts';
import { readCatalogue, readLabel } from './box-labels.ts';
import { readCaller, readColleagues } from './box-people.ts';
import { type FolderSharing, sharingOf } from './folder-sharing.ts';
import { placeOf } from './item-id.ts';
import { REFUSED, scopeFolder } from './scope-refusal.ts';

export type BoxReadsParts = {
  /** Reads folders and files. */
  reader: BoxClient;
  /** Reads the people, the classifications and the events of the enterprise. */
  admin: BoxClient;
  /** Reads contents below one folder, with a token for nothing else. */
  contents: (folderId: string) => BoxClient;
  sharing: FolderSharing;
  clock: Clock;
};

/** How long the people and the classifications of the enterprise are taken for true. */
const DIRECTORY_KEPT_MS = 10 * 60_000;
const NO_PERMISSIONS: Permissions = { grants: [], complete: false };

/** Reads of single things in the folder of a scope. */
export function createBoxReads({ reader, admin, contents, sharing, clock }: BoxReadsParts) {
  const catalogue = kept(clock, DIRECTORY_KEPT_MS, (signal) => readCatalogue(admin, signal));
  const colleagues = kept(clock, DIRECTORY_KEPT_MS, (signal) => readColleagues(admin, signal));
  const caller = kept(clock, DIRECTORY_KEPT_MS, (signal) => readCaller(reader, signal));

  /** The file or folder, if it is in the scope. */
  const entryAt = async (
    folderId: string,
    externalId: string,
    signal: AbortSignal,
  ): Promise<BoxEntry | 'denied' | null> => {
    const place = placeOf(externalId);
    if (place === null) return null;
    const options = { query: { fields: ENTRY_FIELDS }, schema: BoxEntry, expect: REFUSED, signal };
    const answer =
      place.kind === 'file'
        ? await reader.get('file', { fileId: place.id }, options)
        : await reader.get('folder', { folderId: place.id }, options);
    if (!answer.ok) {
      await scopeFolder(reader, folderId, 'type,id', signal);
      return answer.status === 403 ? 'denied' : null;
    }
    const entry = answer.body;
    // Without its path nobody knows whether it is still in the scope.
    if (!entry.path_collection) throw new ConnectorError('permanent', `box_${place.kind}_malformed`);
    const isThere = foldersWithin(entry, folderId) !== null && listedOf(entry, folderId).type !== 'gone';
    return isThere ? entry : null;
  };

  return {
    labels: catalogue,

    item: async (
      folderId: string,
      externalId: string,
      signal: AbortSignal,
    ): Promise<SourceItem | 'denied' | null> => {
      const entry = await entryAt(folderId, externalId, signal);
      if (entry === null || entry === 'denied') return entry;
      const listed = listedOf(entry, folderId);
      // What cannot be read is not gone.
      if (listed.type === 'left_out' && listed.reason === 'unreadable')
        throw new ConnectorError('permanent', 'box_file_malformed');
      return listed.type === 'item' ? listed.item : null;
    },

    permissions: async (
      folderId: string,
      externalId: string,
      signal: AbortSignal,
    ): Promise<Permissions | 'denied'> => {
      const entry = await entryAt(folderId, externalId, signal);
      if (entry === null) return NO_PERMISSIONS;
      if (entry === 'denied') return entry;
      const above = entry.path_collection?.entries ?? [];
      const [own, inherited, people, self] = await Promise.all([
        sharingOf(reader, entry, entry.type === 'file' ? 'file' : 'folder', signal),
        Promise.all(above.map(({ id }) => sharing.of(id, signal))),
        orNull(() => colleagues(signal)),
        orNull(() => caller(signal)),
      ]);
      const known = { colleagues: people, callerId: self?.id ?? null, now: clock() };
      return permissionsOf(own, inherited, known);
    },

    label: async (folderId: string, externalId: string, signal: AbortSignal): Promise<LabelObservation> => {
      const entry = await entryAt(folderId, externalId, signal);
      if (entry === null || entry === 'denied' || entry.type !== 'file') return { state: 'unknown' };
      return readLabel(reader, entry, async (it) => (await orNull(() => catalogue(it))) ?? [], signal);
    },

    content: async (
      folderId: string,
      externalId: string,
      maxBytes: number,
      signal: AbortSignal,
    ): Promise<ContentRead> => {
      const place = placeOf(externalId);
      if (place?.kind !== 'file') return { state: 'inaccessible' };
      return contents(folderId).content(place.id, maxBytes, signal);
    },
  };
}

/**
 * The selected folders, each a scope. One inside another is left out, since its files would be two assets each. A folder that
 * Box does not show is named.
 * @param folders ids, by the id of the scope
 */
export async function listFolders(
  reader: BoxClient,
  folders: ReadonlyMap<string, string>,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<ScopePage> {
  if (pageToken !== null) throw new DeltaCursorInvalid();
  const selected = new Set(folders.values());
  const scopes: SourceScope[] = [];
  const refused: RefusedSite[] = [];
  for (const [externalId, folderId] of folders) {
    if (!BOX_ID.test(folderId)) throw new ConnectorError('permanent', 'box_selection_invalid');
    const siteId = `folder:${folderId}`;
    try {
      const { name, path_collection } = await scopeFolder(
        reader,
        folderId,
        'type,id,name,path_collection',
        signal,
      );
      if (path_collection?.entries.some(({ id }) => selected.has(id))) continue;
      scopes.push({ externalId, name: name || folderId, kind: 'folder', siteIds: [siteId] });
    } catch (error) {
      if (!(error instanceof ScopeRefused)) throw error;
      refused.push({ siteId, name: folderId, reason: error.reason });
    }
  }
  return { scopes, refused, nextPageToken: null };
}
