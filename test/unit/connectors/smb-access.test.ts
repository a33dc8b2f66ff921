import type { BigIntStats } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Permissions } from '../../../core/connectors/connector.ts';
import { type AccessList, grantsOfList } from '../../../core/connectors/smb/share-acl.ts';
import { encodePath, fromText } from '../../../core/connectors/smb/share-path.ts';
import { createSmbConnector } from '../../../core/connectors/smb/smb-connector.ts';

const live = new AbortController().signal;
const STAT = { uid: 7n, gid: 8n, mode: 0o640n } as BigIntStats;

/** As `include/uapi/linux/posix_acl_xattr.h` of Linux lays it out. */
function posixList(entries: readonly (readonly [tag: number, bits: number, id?: number])[]): Buffer {
  const bytes = Buffer.alloc(4 + entries.length * 8);
  bytes.writeUInt32LE(2, 0);
  for (const [n, [tag, bits, id = 0xffffffff]] of entries.entries()) {
    bytes.writeUInt16LE(tag, 4 + n * 8);
    bytes.writeUInt16LE(bits, 6 + n * 8);
    bytes.writeUInt32LE(id, 8 + n * 8);
  }
  return bytes;
}
const OWNER = 0x01;
const USER = 0x02;
const OWNING_GROUP = 0x04;
const GROUP = 0x08;
const MASK = 0x10;
const OTHERS = 0x20;

/** As MS-DTYP 2.4.2 lays it out. */
function sid(authority: number, ...parts: number[]): Buffer {
  const bytes = Buffer.alloc(8 + parts.length * 4);
  bytes[0] = 1;
  bytes[1] = parts.length;
  bytes.writeUIntBE(authority, 2, 6);
  for (const [n, part] of parts.entries()) bytes.writeUInt32LE(part, 8 + n * 4);
  return bytes;
}
type Ace = { type?: number; flags?: number; mask: number; of: Buffer };
/** As MS-DTYP 2.4.6 and 2.4.5 lay it out. Null: a descriptor without a list. */
function descriptor(aces: readonly Ace[] | null): Buffer {
  const head = Buffer.alloc(20);
  head[0] = 1;
  head.writeUInt16LE(aces === null ? 0x8000 : 0x8004, 2);
  if (aces === null) return head;
  head.writeUInt32LE(20, 16);
  const entries = aces.map(({ type = 0, flags = 0, mask, of }) => {
    const ace = Buffer.alloc(8);
    ace[0] = type;
    ace[1] = flags;
    ace.writeUInt16LE(8 + of.length, 2);
    ace.writeUInt32LE(mask, 4);
    return Buffer.concat([ace, of]);
  });
  const list = Buffer.alloc(8);
  list[0] = 2;
  list.writeUInt16LE(
    entries.reduce((size, { length }) => size + length, 8),
    2,
  );
  list.writeUInt16LE(entries.length, 4);
  return Buffer.concat([head, list, ...entries]);
}

const READ = 0x120089;
const CHANGE = 0x1301bf;
const FULL = 0x1f01ff;
const EVERYONE = sid(1, 0);
const PERSON = sid(5, 21, 1, 2, 3, 1104);

const shown = (list: AccessList) =>
  grantsOfList(list, STAT)?.map(({ principal, principalKind, role, inherited }) => [
    principal,
    principalKind,
    role,
    inherited,
  ]);

describe('a list of POSIX', () => {
  it('names people and groups, bounded by its mask', () => {
    const bytes = posixList([
      [OWNER, 7],
      [USER, 7, 1001],
      [USER, 2, 1002],
      [OWNING_GROUP, 4],
      [GROUP, 6, 2001],
      [MASK, 5],
      [OTHERS, 4],
    ]);
    expect(shown({ kind: 'posix', bytes })).toEqual([
      ['uid:7', 'user', 'owner', null],
      ['uid:1001', 'user', 'read', null],
      ['gid:8', 'group', 'read', null],
      ['gid:2001', 'group', 'read', null],
      ['others', 'organization', 'read', null],
    ]);
  });

  it('that is none is not read as one', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(12), posixList([[OWNER, 7]]).subarray(0, 11)])
      expect(grantsOfList({ kind: 'posix', bytes }, STAT)).toBeNull();
  });
});

describe('a list of Windows', () => {
  it('names identifiers, and everybody as the organization', () => {
    const bytes = descriptor([
      { mask: FULL, of: sid(5, 32, 544) },
      { mask: CHANGE, of: PERSON, flags: 0x10 },
      { mask: READ, of: EVERYONE },
      { mask: READ, of: sid(5, 21, 1, 2, 3, 513), flags: 0x13 },
    ]);
    expect(shown({ kind: 'windows', bytes })).toEqual([
      ['Administrators', 'group', 'owner', false],
      ['S-1-5-21-1-2-3-1104', 'group', 'write', true],
      ['Everyone', 'organization', 'read', false],
      ['Domain users', 'organization', 'read', true],
    ]);
  });

  it('leaves out what denies, what is only inherited, and rights that reach no content', () => {
    const bytes = descriptor([
      { type: 1, mask: FULL, of: EVERYONE },
      { mask: FULL, of: EVERYONE, flags: 0x0b },
      { mask: 0x20000, of: EVERYONE },
    ]);
    expect(shown({ kind: 'windows', bytes })).toEqual([]);
  });

  it('that is missing gives everybody everything', () => {
    expect(shown({ kind: 'windows', bytes: descriptor(null) })).toEqual([
      ['Everyone', 'organization', 'owner', false],
    ]);
  });
});

it('damaged bytes are grants or none, whatever they are', () => {
  const damaged = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .tuple(fc.nat(60), fc.nat(255))
      .map(([at, byte]) => descriptor([{ mask: FULL, of: PERSON }]).fill(byte, at, at + 1)),
  );
  fc.assert(
    fc.property(damaged, fc.constantFrom('posix' as const, 'windows' as const), (bytes, kind) => {
      const grants = grantsOfList({ kind, bytes: Buffer.from(bytes) }, STAT);
      expect(grants === null || grants.length <= 1_000).toBe(true);
    }),
  );
});

describe('the mount', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'share-'));
    await writeFile(join(root, 'plain.txt'), 'plain');
    await chmod(join(root, 'plain.txt'), 0o640);
  });
  afterEach(() => rm(root, { recursive: true }));

  /** A program in the place of `getfattr`. It leaves what it was called with in files beside it. */
  async function program(lines: string): Promise<string> {
    const file = join(root, 'getfattr');
    await writeFile(
      file,
      `#!/bin/sh\ncd "$(dirname "$0")"\necho "$@" > asked\nreadlink /proc/self/fd/3 > file\n${lines}\n`,
    );
    await chmod(file, 0o755);
    return file;
  }
  const permissions = async (getfattr: string, path = 'plain.txt', signal = live): Promise<Permissions> => {
    const connector = createSmbConnector({ root, shares: ['.'], getfattr });
    const [scope] = (await connector.listScopes(null, live)).scopes;
    const read = await connector.getPermissions(scope?.externalId ?? '', encodePath(fromText(path)), signal);
    return read === 'denied' ? expect.unreachable() : read;
  };
  const kinds = ({ grants }: Permissions) => grants.map(({ principal }) => principal.replace(/\d+/, 'n'));

  it('shows the list of the open file, whose path is on no command line', async () => {
    const bytes = posixList([
      [OWNER, 6],
      [USER, 4, 1001],
      [OWNING_GROUP, 4],
      [MASK, 4],
      [OTHERS, 0],
    ]);
    await writeFile(join(root, 'list'), bytes);
    const getfattr = await program('cat list');
    expect(await permissions(getfattr)).toMatchObject({
      complete: false,
      grants: [{ role: 'owner' }, { principal: 'uid:1001', role: 'read' }, { principalKind: 'group' }],
    });
    const asked = await readFile(join(root, 'asked'), 'utf8');
    expect(asked.trim()).toBe('--absolute-names --only-values -n system.posix_acl_access /proc/self/fd/3');
    expect((await readFile(join(root, 'file'), 'utf8')).trim()).toBe(join(root, 'plain.txt'));
  });

  it.each([
    ['has no list', 'exit 1'],
    ['has one that is none', 'echo broken'],
    ['has too large a one', 'head -c 200000 /dev/zero'],
  ])('that %s shows the mode bits', async (_how, lines) => {
    expect(kinds(await permissions(await program(lines)))).toEqual(['uid:n', 'gid:n']);
  });

  it('of a host without the program shows the mode bits', async () => {
    expect(kinds(await permissions(join(root, 'none')))).toEqual(['uid:n', 'gid:n']);
  });

  it('that does not answer is left when the caller leaves', async () => {
    const getfattr = await program('sleep 60');
    const leaving = AbortSignal.timeout(200);
    await expect(permissions(getfattr, 'plain.txt', leaving)).rejects.toMatchObject({
      retryClass: 'transient',
    });
  });
});
