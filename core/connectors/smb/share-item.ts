import type { BigIntStats } from 'node:fs';
import type { Grant, Permissions, SourceItem } from '../connector.ts';
import { mimeTypeOf } from '../mime-types.ts';
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

/** Grants from the mode bits. Access lists of the server are not visible, so the result is never complete. */
export function permissionsOf(stat: BigIntStats): Permissions {
  const mode = Number(stat.mode);
  const grants: Grant[] = [grant(`uid:${stat.uid}`, 'user', 'owner')];
  const others: [principal: string, kind: Grant['principalKind'], bits: number][] = [
    [`gid:${stat.gid}`, 'group', (mode >> 3) & 7],
    ['others', 'organization', mode & 7],
  ];
  for (const [principal, kind, bits] of others)
    if ((bits & 6) !== 0) grants.push(grant(principal, kind, (bits & 2) !== 0 ? 'write' : 'read'));
  return { grants, complete: false };
}

const grant = (principal: string, principalKind: Grant['principalKind'], role: Grant['role']): Grant => ({
  principal,
  principalKind,
  external: false,
  role,
  // The mounting host may make the mode up, or derive it from lists that the server inherits.
  inherited: null,
});
