import type { BigIntStats } from 'node:fs';
import type { Grant, Permissions, SourceItem } from '../connector.ts';
import { mimeTypeOf } from '../mime-types.ts';
import { type AccessList, granted, grantsOfList, posixGrant } from './share-acl.ts';
import { displayName, displayPath, encodePath } from './share-path.ts';

/**
 * The item at a path. Versions depend only on size and times, because on many shares the mounting host makes up inode
 * numbers, owners and modes.
 * An edit that keeps the size and resets the modification time therefore keeps `contentVersion`. It changes
 * `sourceVersion`, because no program can set the change time.
 */
export function itemOf(path: string, kind: 'file' | 'folder', stat: BigIntStats): SourceItem {
  const name = displayName(path.slice(path.lastIndexOf('/') + 1));
  const content = `${stat.size.toString(36)}.${stat.mtimeNs.toString(36)}`;
  return {
    externalId: encodePath(path),
    name,
    path: displayPath(path),
    kind,
    sizeBytes: kind === 'folder' ? 0 : Number(stat.size),
    mimeType: kind === 'folder' ? null : mimeTypeOf(name),
    sourceUrl: null,
    sourceVersion: `${content}.${stat.ctimeNs.toString(36)}`,
    contentVersion: content,
    createdAt: timeOf(stat.birthtimeMs),
    modifiedAt: timeOf(stat.mtimeMs),
    modifiedBy: null,
  };
}

const YEAR_10000_MS = 253_402_300_800_000n;

/** Null if the file system does not store this time, or if it is out of range for a date. */
function timeOf(ms: bigint): string | null {
  return ms <= 0n || ms >= YEAR_10000_MS ? null : new Date(Number(ms)).toISOString();
}

/**
 * The grants of an access list if the mount shows one, otherwise of the mode bits. Rights that the server has beside it,
 * such as those of the share, are not visible, so the result is never complete.
 */
export const permissionsOf = (stat: BigIntStats, list: AccessList | null): Permissions => ({
  grants: (list === null ? null : grantsOfList(list, stat)) ?? modeGrants(stat),
  complete: false,
});

function modeGrants(stat: BigIntStats): Grant[] {
  const mode = Number(stat.mode);
  return [
    posixGrant(`uid:${stat.uid}`, 'user', 'owner'),
    ...granted(`gid:${stat.gid}`, 'group', mode >> 3),
    ...granted('others', 'organization', mode),
  ];
}
