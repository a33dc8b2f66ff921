import type { LeftOut } from '../../kernel/vocabulary.ts';
import type { DeltaChange, NotRead, SourceFolder, SourceItem } from '../connector.ts';
import type { Change, DriveFile } from './drive-answers.ts';
import { labelVersionOf } from './drive-labels.ts';
import { exportedAs, FOLDER, isNative, SHORTCUT } from './native-formats.ts';

/** What an entry of a drive is to the service. */
export type Entry =
  | { type: 'item'; item: SourceItem }
  | { type: 'folder'; folder: SourceFolder }
  | { type: 'gone'; externalId: string }
  | { type: 'left_out'; reason: LeftOut };

/**
 * The drive that is read: a shared one, or what a person owns. `rootId` is its top folder. `labelId`: of the label that is
 * asked for with each file; null if none is selected, or Google does not have it.
 */
export type Drive = { kind: 'shared' | 'person'; rootId: string; labelId: string | null };

/**
 * A shortcut is left out: what it points at is an item of its own drive. What is in the trash, or has left the drive, is gone.
 * @param entry null if it cannot be read
 */
export function entryOf(entry: DriveFile | null, drive: Drive): Entry {
  if (entry === null || !entry.name) return { type: 'left_out', reason: 'unreadable' };
  const { id, name, mimeType } = entry;
  const isOurs = isOf(entry, drive);
  if (isOurs === null) return { type: 'left_out', reason: 'unreadable' };
  if (entry.trashed === true || !isOurs) return { type: 'gone', externalId: id };
  if (mimeType === SHORTCUT) return { type: 'left_out', reason: 'shortcut' };
  // Absent where the person has no access to the folder: the path is unknown then, and not the top.
  const parentExternalId = entry.parents?.[0] ?? null;
  if (mimeType !== FOLDER)
    return { type: 'item', item: itemOf(entry, name, parentExternalId, drive.labelId) };
  return id === drive.rootId
    ? { type: 'folder', folder: topOf(drive) }
    : { type: 'folder', folder: { externalId: id, parentExternalId, name } };
}

export const topOf = ({ rootId }: Pick<Drive, 'rootId'>): SourceFolder => ({
  externalId: rootId,
  parentExternalId: null,
  name: '',
});

/** A person's changes also report what others own, which is an item of theirs. Null if the entry does not say whose it is. */
function isOf({ driveId, ownedByMe }: DriveFile, { kind, rootId }: Drive): boolean | null {
  if (kind === 'shared') return driveId === rootId;
  return driveId ? false : (ownedByMe ?? null);
}

function itemOf(
  entry: DriveFile,
  name: string,
  parentExternalId: string | null,
  labelId: string | null,
): SourceItem {
  const { id, mimeType, createdTime, modifiedTime, webViewLink } = entry;
  const asOffice = exportedAs(mimeType);
  const notRead = notReadOf(entry);
  const modifier = entry.lastModifyingUser;
  return {
    externalId: id,
    name,
    path: name,
    parentExternalId,
    kind: 'file',
    sizeBytes: isNative(mimeType) ? 0 : (entry.size ?? 0),
    mimeType: asOffice ?? mimeType ?? null,
    sourceUrl: webViewLink ?? null,
    sourceVersion: (entry.version ?? contentVersionOf(entry)) + labelVersionOf(entry, labelId),
    contentVersion: contentVersionOf(entry),
    createdAt: createdTime ?? null,
    modifiedAt: modifiedTime ?? null,
    modifiedBy: modifier?.emailAddress ?? modifier?.displayName ?? null,
    ...(notRead !== null && { notRead }),
  };
}

/** Why the content is never read; null if it can be. */
export function notReadOf({ mimeType, clientEncryptionDetails, capabilities }: DriveFile): NotRead | null {
  if (isNative(mimeType) && exportedAs(mimeType) === null) return 'package';
  if (clientEncryptionDetails) return 'encrypted';
  return capabilities?.canDownload === false ? 'no_download' : null;
}

/** A native document has no checksum. Its time can be set by clients, so the version goes with it. */
const contentVersionOf = (entry: DriveFile): string =>
  entry.sha256Checksum ??
  entry.md5Checksum ??
  entry.headRevisionId ??
  `at:${entry.modifiedTime ?? ''}:${entry.version ?? ''}`;

/**
 * A change of a shared drive itself may be one of its members, so it is a change of its top folder: the service reads again
 * who has access to what is in it.
 */
export function entryOfChange(change: Change | null, drive: Drive): Entry | null {
  if (change === null) return { type: 'left_out', reason: 'unreadable' };
  const { changeType, driveId, fileId, removed, file } = change;
  if (changeType === 'drive')
    return drive.kind === 'shared' && driveId === drive.rootId && removed !== true
      ? { type: 'folder', folder: topOf(drive) }
      : null;
  if (!fileId) return null;
  return removed === true ? { type: 'gone', externalId: fileId } : entryOf(file ?? null, drive);
}

export function changesOf(entry: Entry): DeltaChange[] {
  switch (entry.type) {
    case 'item':
      return [{ type: 'upsert', item: entry.item }];
    case 'folder':
      return [{ type: 'folder', folder: entry.folder }];
    case 'gone':
      return [{ type: 'delete', externalId: entry.externalId }];
    case 'left_out':
      return [];
  }
}

export const leftOutOf = (entries: readonly Entry[]): LeftOut[] =>
  entries.flatMap((entry) => (entry.type === 'left_out' ? [entry.reason] : []));
