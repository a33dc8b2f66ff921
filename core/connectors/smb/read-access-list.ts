import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { isOpenAt, type Share } from './share.ts';
import type { AccessList } from './share-acl.ts';
import { asBytes, joinPath } from './share-path.ts';

/** Opens a file without reading it: no right to its content is needed. Node has no name for it. */
const O_PATH = 0x200000;
/** The file systems of shares of Windows, by `statfs`. */
const WINDOWS = new Set([0xff534d42, 0xfe534d42]);
const WITHIN_MS = 5_000;
/** The most that Linux keeps in one attribute. */
const MAX_BYTES = 65_536;

/**
 * Reads access lists with `getfattr` of the host, since Node reads no extended attributes. The program gets the open file,
 * so that no path is on its command line, and no other file can take its place.
 * @param command its name or path
 */
export function accessLists(command: string) {
  let isAbsent = false;

  /** Null if there is none, or if it cannot be read. */
  return async (share: Share, path: string, signal: AbortSignal): Promise<AccessList | null> => {
    if (isAbsent || process.platform !== 'linux') return null;
    const file = await open(asBytes(joinPath(share.base, path)), O_PATH | constants.O_NOFOLLOW);
    try {
      if (!(await isOpenAt(share, path, file.fd))) return null;
      const kind = WINDOWS.has((await statfs(asBytes(share.base))).type >>> 0) ? 'windows' : 'posix';
      const name = kind === 'windows' ? 'system.cifs_acl' : 'system.posix_acl_access';
      const bytes = await attributeOf(command, file.fd, name, signal);
      if (bytes === 'no_program') isAbsent = true;
      return bytes === 'no_program' || bytes === null ? null : { kind, bytes };
    } finally {
      await file.close();
    }
  };
}

/** Null if the file has no such attribute, or none that is answered in time. */
function attributeOf(
  command: string,
  fd: number,
  name: string,
  signal: AbortSignal,
): Promise<Buffer | 'no_program' | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | 'no_program' | null>();
  const program = spawn(command, ['--absolute-names', '--only-values', '-n', name, '/proc/self/fd/3'], {
    stdio: ['ignore', 'pipe', 'ignore', fd],
    env: { LC_ALL: 'C' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
    killSignal: 'SIGKILL',
  });
  const parts: Buffer[] = [];
  let length = 0;
  program.stdout?.on('data', (part: Buffer) => {
    length += part.length;
    if (length > MAX_BYTES) program.kill('SIGKILL');
    else parts.push(part);
  });
  program.on('error', (error) => {
    const isAbsent = 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
    resolve(isAbsent ? 'no_program' : null);
  });
  program.on('close', (code) => resolve(code === 0 && length > 0 ? Buffer.concat(parts) : null));
  return promise;
}
