import { digest } from '../../kernel/digest.ts';
import type { LeftOut } from '../../kernel/vocabulary.ts';
import type { NotRead, SourceFacts, SourceFolder, SourceItem } from '../connector.ts';
import { mimeTypeOf } from '../mime-types.ts';
import type { BoxEntry } from './box-answers.ts';
import { externalIdOf } from './item-id.ts';

/** What an entry is to the service. */
export type Listed =
  | { type: 'item'; item: SourceItem }
  | { type: 'folder'; folder: SourceFolder; id: string }
  | { type: 'gone'; externalId: string }
  | { type: 'left_out'; reason: LeftOut };

/**
 * @param entry null if it cannot be read
 * @param scopeFolderId the folder of the scope, which has the name '' and no parent
 */
export function listedOf(entry: BoxEntry | null, scopeFolderId: string): Listed {
  if (entry === null || !entry.name) return { type: 'left_out', reason: 'unreadable' };
  // A web link has an address and no content. A request for files is a part of its folder, and never an entry.
  if (entry.type === 'web_link') return { type: 'left_out', reason: 'no_content' };
  if (!isActive(entry)) return { type: 'gone', externalId: externalIdOf({ kind: entry.type, id: entry.id }) };
  if (entry.type === 'file') return { type: 'item', item: itemOf(entry, scopeFolderId) };
  return { type: 'folder', id: entry.id, folder: folderOf(entry, entry.parent?.id ?? null, scopeFolderId) };
}

/** Whether it is neither in the trash nor deleted. A state that is not known ends nothing. */
export const isActive = ({ item_status: status }: BoxEntry): boolean =>
  status !== 'trashed' && status !== 'deleted';

export const folderOf = (
  { id, name }: { id: string; name?: string | null | undefined },
  parentId: string | null,
  scopeFolderId: string,
): SourceFolder => {
  const externalId = externalIdOf({ kind: 'folder', id });
  return id === scopeFolderId
    ? { externalId, parentExternalId: null, name: '' }
    : {
        externalId,
        parentExternalId: parentId === null ? null : externalIdOf({ kind: 'folder', id: parentId }),
        name: name ?? '',
      };
};

/** The folders above an entry from that of the scope down. Null if the entry is not in the scope. */
export function foldersWithin(entry: BoxEntry, scopeFolderId: string): { id: string; name: string }[] | null {
  const above = (entry.path_collection?.entries ?? []).map(({ id, name }) => ({ id, name: name ?? '' }));
  const top = above.findIndex(({ id }) => id === scopeFolderId);
  if (top !== -1) return above.slice(top);
  return entry.type === 'folder' && entry.id === scopeFolderId ? [] : null;
}

function itemOf(entry: BoxEntry, scopeFolderId: string): SourceItem {
  const { id, parent, size, created_at, modified_at, modified_by, etag } = entry;
  const name = entry.name ?? '';
  const within = foldersWithin(entry, scopeFolderId) ?? [];
  const notRead = notReadOf(entry);
  const facts = factsOf(entry);
  return {
    externalId: id,
    name,
    path: [...within.slice(1).map((folder) => folder.name), name].join('/'),
    parentExternalId: parent ? externalIdOf({ kind: 'folder', id: parent.id }) : null,
    kind: 'file',
    sizeBytes: size ?? 0,
    mimeType: mimeTypeOf(name),
    sourceUrl: `https://app.box.com/file/${id}`,
    sourceVersion: `${etag ?? ''}.${digest(unversioned(entry))}`,
    contentVersion: contentVersionOf(entry),
    createdAt: created_at ?? null,
    modifiedAt: modified_at ?? null,
    modifiedBy: modified_by?.login || modified_by?.name || null,
    ...(facts !== null && { facts }),
    ...(notRead !== null && { notRead }),
  };
}

/** What may change while the counter of the item (`etag`) does not. */
const unversioned = (entry: BoxEntry) => {
  const { shared_link: link, classification, permissions, has_collaborations: has, lock } = entry;
  return [
    link && [link.effective_access, link.effective_permission, link.is_password_enabled, link.unshared_at],
    classification?.name,
    permissions?.can_download,
    has,
    Boolean(lock),
    entry.is_externally_owned,
    entry.watermark_info?.is_watermarked,
  ];
};

/** Also the same after an older version was made the newest one again. */
const contentVersionOf = ({ sha1, file_version, modified_at, size }: BoxEntry): string =>
  sha1 ?? (file_version?.id ? `version:${file_version.id}` : `at:${modified_at ?? ''}:${size ?? 0}`);

const notReadOf = ({ permissions }: BoxEntry): NotRead | null =>
  permissions?.can_download === false ? 'no_download' : null;

function factsOf(entry: BoxEntry): SourceFacts | null {
  const tags = [
    ...(entry.is_externally_owned ? [{ name: 'externally owned', value: 'yes' }] : []),
    ...(entry.lock ? [{ name: 'locked', value: entry.lock.expired_at ?? 'yes' }] : []),
    // Downloads of such a file come out changed.
    ...(entry.watermark_info?.is_watermarked ? [{ name: 'watermarked', value: 'yes' }] : []),
  ];
  return tags.length === 0 ? null : { tags, retention: null };
}
