import type { Clock } from '../../kernel/clock.ts';
import { BoxCollaborations, BoxEntry } from './box-answers.ts';
import { type BoxClient, markedPages } from './box-client.ts';
import type { BoxSharing } from './box-grants.ts';
import type { BoxPlace } from './item-id.ts';
import { REFUSED } from './scope-refusal.ts';

/** Collaborations of one page, and pages of one item. Box allows fewer on one item. */
const PAGE_SIZE = 1_000;
const MAX_PAGES = 50;
const FIELDS = 'accessible_by,invite_email,role,status,expires_at,is_access_only';
/** Folders whose sharing is kept. */
const MOST_KEPT = 5_000;

/** The fields of a folder that say how it is shared. */
const SHARING_FIELDS = 'type,id,name,owned_by,shared_link,has_collaborations,is_externally_owned';

/** The collaborations that an item has itself. Null if Box refuses to list them, or one cannot be read. */
async function collaborationsOf(
  client: BoxClient,
  { kind, id }: BoxPlace,
  signal: AbortSignal,
): Promise<BoxSharing['collaborations']> {
  const page = async (marker: string | null) => {
    const query = { fields: FIELDS, limit: PAGE_SIZE, ...(marker !== null && { marker }) };
    const options = { query, schema: BoxCollaborations, expect: REFUSED, signal };
    const answer =
      kind === 'file'
        ? await client.get('file_collaborations', { fileId: id }, options)
        : await client.get('folder_collaborations', { folderId: id }, options);
    return answer.ok ? answer.body : null;
  };
  const entries = await markedPages(page, MAX_PAGES);
  return entries?.every((entry) => entry !== null) ? entries.filter((entry) => entry !== null) : null;
}

/** How a file or folder is shared by itself. One that says that it has no collaborations costs no call for them. */
export const sharingOf = async (
  client: BoxClient,
  entry: BoxEntry,
  kind: BoxPlace['kind'],
  signal: AbortSignal,
): Promise<BoxSharing> => ({
  owner: entry.owned_by ?? null,
  isOwnedOutside: entry.is_externally_owned === true,
  link: entry.shared_link ?? null,
  collaborations:
    entry.has_collaborations === false ? [] : await collaborationsOf(client, { kind, id: entry.id }, signal),
});

export type FolderSharing = {
  /** Null if Box does not show the folder. */
  of(folderId: string, signal: AbortSignal): Promise<BoxSharing | null>;
  /** Whatever is asked for from now on is read again. */
  forget(): void;
};

/**
 * How folders are shared, each kept for a short time, since all that is in a folder asks for it and for those above it.
 * @param keptMs how long it is taken for true
 */
export function folderSharing(client: BoxClient, clock: Clock, keptMs: number): FolderSharing {
  const kept = new Map<string, { at: number; sharing: Promise<BoxSharing | null> }>();

  const read = async (folderId: string, signal: AbortSignal): Promise<BoxSharing | null> => {
    // The folder of all files of an account is shared with nobody.
    if (folderId === '0') return { owner: null, isOwnedOutside: false, link: null, collaborations: [] };
    const answer = await client.get(
      'folder',
      { folderId },
      { query: { fields: SHARING_FIELDS }, schema: BoxEntry, expect: REFUSED, signal },
    );
    return answer.ok ? sharingOf(client, answer.body, 'folder', signal) : null;
  };

  return {
    of: (folderId, signal) => {
      const found = kept.get(folderId);
      if (found !== undefined && Math.abs(clock() - found.at) < keptMs) return found.sharing;
      const sharing = read(folderId, signal);
      kept.delete(folderId);
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      const entry = { at: clock(), sharing };
      kept.set(folderId, entry);
      // A failure is of this caller alone.
      sharing.catch(() => kept.get(folderId) === entry && kept.delete(folderId));
      return sharing;
    },
    forget: () => kept.clear(),
  };
}
