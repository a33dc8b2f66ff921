import type { BigIntStats } from 'node:fs';
import type { Grant } from '../connector.ts';
import { grantTo, roleOfMask } from '../windows-grants.ts';

/** An access list as the kernel gives it. `posix`: of Linux and NFS. `windows`: of a server for Windows. */
export type AccessList = { kind: 'posix' | 'windows'; bytes: Buffer };

const MAX_GRANTS = 1_000;

/** The grants of an access list. Null if its bytes are no such list. */
export const grantsOfList = ({ kind, bytes }: AccessList, stat: BigIntStats): Grant[] | null =>
  kind === 'posix' ? posixGrants(bytes, stat) : windowsGrants(bytes);

const POSIX_VERSION = 2;
const ENTRY_BYTES = 8;
const TAG = { owner: 0x01, user: 0x02, owningGroup: 0x04, group: 0x08, mask: 0x10, others: 0x20 } as const;
const READS = 4;
const WRITES = 2;

/** `system.posix_acl_access`: a version, and entries of tag, permissions and id. The mask bounds all but owner and others. */
function posixGrants(bytes: Buffer, stat: BigIntStats): Grant[] | null {
  if (bytes.length < 4 || (bytes.length - 4) % ENTRY_BYTES !== 0 || bytes.readUInt32LE(0) !== POSIX_VERSION)
    return null;
  const entries = Array.from({ length: (bytes.length - 4) / ENTRY_BYTES }, (_, n) => {
    const at = 4 + n * ENTRY_BYTES;
    return {
      tag: bytes.readUInt16LE(at),
      bits: bytes.readUInt16LE(at + 2),
      id: bytes.readUInt32LE(at + 4),
    };
  });
  const mask = entries.find(({ tag }) => tag === TAG.mask)?.bits ?? 7;
  return entries
    .flatMap(({ tag, bits, id }) => {
      switch (tag) {
        case TAG.owner:
          return [posixGrant(`uid:${stat.uid}`, 'user', 'owner')];
        case TAG.user:
          return granted(`uid:${id}`, 'user', bits & mask);
        case TAG.owningGroup:
          return granted(`gid:${stat.gid}`, 'group', bits & mask);
        case TAG.group:
          return granted(`gid:${id}`, 'group', bits & mask);
        case TAG.others:
          return granted('others', 'organization', bits);
        default:
          return [];
      }
    })
    .slice(0, MAX_GRANTS);
}

/** The grants of permission bits, none if they neither read nor write. */
export const granted = (principal: string, kind: Grant['principalKind'], bits: number): Grant[] =>
  (bits & (READS | WRITES)) === 0
    ? []
    : [posixGrant(principal, kind, (bits & WRITES) !== 0 ? 'write' : 'read')];

export const posixGrant = (
  principal: string,
  principalKind: Grant['principalKind'],
  role: Grant['role'],
): Grant => ({
  principal,
  principalKind,
  external: false,
  role,
  // The mounting host may make the mode up, or derive it from lists that the server inherits.
  inherited: null,
});

const DESCRIPTOR_BYTES = 20;
const HAS_LIST = 0x0004;
const ALLOWS = new Set([0x00, 0x05, 0x09, 0x0b]);
const WITH_OBJECT = new Set([0x05, 0x0b]);
const INHERIT_ONLY = 0x08;
const INHERITED = 0x10;

/**
 * `system.cifs_acl`: a security descriptor of Windows (MS-DTYP 2.4.6). What denies access is not subtracted, and a
 * condition counts as met. A list that is missing gives everybody everything.
 */
function windowsGrants(bytes: Buffer): Grant[] | null {
  if (bytes.length < DESCRIPTOR_BYTES || bytes[0] !== 1) return null;
  const at = bytes.readUInt32LE(16);
  if ((bytes.readUInt16LE(2) & HAS_LIST) === 0 || at === 0) return [grantTo('S-1-1-0', 'owner', false)];
  if (at + 8 > bytes.length) return null;
  const count = bytes.readUInt16LE(at + 4);
  const grants: Grant[] = [];
  let from = at + 8;
  for (let n = 0; n < count && grants.length < MAX_GRANTS; n++) {
    if (from + 8 > bytes.length) return null;
    const size = bytes.readUInt16LE(from + 2);
    if (size < 8 || from + size > bytes.length) return null;
    grants.push(...entryGrant(bytes.subarray(from, from + size)));
    from += size;
  }
  return grants;
}

function entryGrant(entry: Buffer): Grant[] {
  const type = entry.readUInt8(0);
  const flags = entry.readUInt8(1);
  const role = roleOfMask(entry.readUInt32LE(4));
  if (!ALLOWS.has(type) || role === null || (flags & INHERIT_ONLY) !== 0) return [];
  const sid = sidOf(entry.subarray(8 + (WITH_OBJECT.has(type) ? objectBytes(entry) : 0)));
  return sid === null ? [] : [grantTo(sid, role, (flags & INHERITED) !== 0)];
}

/** The bytes before the identifier in an entry about an object: flags, and a GUID for each of two of them. */
function objectBytes(entry: Buffer): number {
  if (entry.length < 12) return entry.length;
  const flags = entry.readUInt32LE(8);
  return 4 + ((flags & 1) !== 0 ? 16 : 0) + ((flags & 2) !== 0 ? 16 : 0);
}

/** A security identifier as text (MS-DTYP 2.4.2). Null if the bytes are none. */
function sidOf(bytes: Buffer): string | null {
  const parts = bytes[1] ?? 0;
  if (bytes[0] !== 1 || parts > 15 || bytes.length < 8 + parts * 4) return null;
  const authority = bytes.readUIntBE(2, 6);
  const rest = Array.from({ length: parts }, (_, n) => bytes.readUInt32LE(8 + n * 4));
  return ['S-1', authority, ...rest].join('-');
}
