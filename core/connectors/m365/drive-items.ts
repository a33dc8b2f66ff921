import type { LeftOut } from '../../kernel/vocabulary.ts';
import type { NotRead, SourceFolder, SourceItem } from '../connector.ts';
import type { DriveItem } from './graph-answers.ts';
import { accountOf } from './identities.ts';

/** What an entry of a drive is to the service. */
export type Entry =
  /** `folder`: what is in it is listed too. */
  | { type: 'item'; item: SourceItem; folder?: SourceFolder }
  | { type: 'folder'; folder: SourceFolder }
  | { type: 'gone'; externalId: string }
  | { type: 'left_out'; reason: LeftOut };

/** The fields of an item that the service reads. */
export const ITEM_FIELDS =
  'id,name,size,eTag,cTag,webUrl,createdDateTime,lastModifiedDateTime,lastModifiedBy,parentReference,file,folder,package,root,deleted,malware,remoteItem,shared';

/**
 * A shortcut is left out: the item that it points at is an item of its own drive. A notebook (`package`) is an item
 * without content that can be read, and a folder to its sections.
 * @param entry null if it cannot be read
 */
export function entryOf(entry: DriveItem | null): Entry {
  if (entry === null) return { type: 'left_out', reason: 'unreadable' };
  const { id } = entry;
  if (isThere(entry.deleted)) return { type: 'gone', externalId: id };
  if (isThere(entry.root))
    return { type: 'folder', folder: { externalId: id, parentExternalId: null, name: '' } };
  if (isThere(entry.remoteItem)) return { type: 'left_out', reason: 'shortcut' };
  const folder = {
    externalId: id,
    parentExternalId: entry.parentReference?.id ?? null,
    name: entry.name ?? '',
  };
  if (isThere(entry.package)) return { type: 'item', item: itemOf(entry), folder };
  if (isThere(entry.folder)) return { type: 'folder', folder };
  if (!isThere(entry.file)) return { type: 'left_out', reason: 'no_content' };
  return { type: 'item', item: itemOf(entry) };
}

const isThere = (facet: unknown): boolean => facet !== undefined && facet !== null;

function itemOf(entry: DriveItem): SourceItem {
  const name = entry.name || entry.id;
  const notRead = notReadOf(entry);
  return {
    externalId: entry.id,
    name,
    path: [folderPath(entry), name].filter(Boolean).join('/'),
    parentExternalId: entry.parentReference?.id ?? null,
    kind: 'file',
    sizeBytes: entry.size ?? 0,
    mimeType: entry.file?.mimeType ?? null,
    sourceUrl: entry.webUrl ?? null,
    sourceVersion: versionOf(entry),
    contentVersion: contentVersionOf(entry),
    createdAt: entry.createdDateTime ?? null,
    modifiedAt: entry.lastModifiedDateTime ?? null,
    modifiedBy: accountOf(entry.lastModifiedBy?.user ?? undefined),
    ...(notRead !== null && { notRead }),
  };
}

/** Changes on any change of the item. */
export const versionOf = (entry: DriveItem): string => entry.eTag ?? contentVersionOf(entry);

/** How far an entry is shared, as `shared` says: '' if it is not. The facet may keep its form while people are added. */
export const sharingOf = ({ shared }: DriveItem): string =>
  shared ? `shared ${shared.scope ?? ''} ${shared.sharedDateTime ?? ''}`.trim() : '';

function notReadOf(entry: DriveItem): NotRead | null {
  if (isThere(entry.malware)) return 'malware';
  return isThere(entry.package) ? 'package' : null;
}

/**
 * Changes with the content alone. `eTag` would change with a name or a label too. Without tag and hash, time and size are
 * the best that Graph reports.
 */
function contentVersionOf({ cTag, file, lastModifiedDateTime, size }: DriveItem): string {
  const quickXorHash = file?.hashes?.quickXorHash;
  return cTag ?? (quickXorHash ? `xor:${quickXorHash}` : `at:${lastModifiedDateTime ?? ''}:${size ?? 0}`);
}

/** The path of the folder within the drive. Graph writes it after `root:`, encoded, and leaves it out in a delta. */
function folderPath({ parentReference }: DriveItem): string {
  const [, encoded = ''] = /\/root:\/?(.*)$/s.exec(parentReference?.path ?? '') ?? [];
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
