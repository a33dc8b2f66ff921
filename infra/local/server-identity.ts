import { spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whom the server runs as when we are root, which Postgres refuses to be. Undefined: as ourselves. */
export type Identity = { uid: number; gid: number } | undefined;

const NOBODY = { uid: 65534, gid: 65534 };

export const isRoot = () => process.getuid?.() === 0;

/** `nobody` for root, ourselves for anybody else. */
export async function defaultIdentity(): Promise<Identity> {
  if (!isRoot()) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? [];
  return uid === undefined || gid === undefined ? NOBODY : { uid: Number(uid), gid: Number(gid) };
}

/** Options of a child process with that identity, in a folder that it can enter, without our environment. */
export const spawnAs = (identity: Identity) => ({
  ...identity,
  cwd: '/',
  env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
});

/** Whether that identity can enter the folder. Tried rather than computed: modes are not the whole truth. */
export const canEnter = (identity: Identity, folder: string) =>
  identity === undefined ||
  spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...spawnAs(identity), stdio: 'ignore' })
    .status === 0;

/** Where root keeps what the server's identity must reach: first what is never cleaned up behind our back. */
const SHARED_PARENTS = ['/var/lib', '/var/tmp', tmpdir()];

/**
 * A folder outside the checkout that only we write to and that the identity can enter. One that somebody else made
 * under that name, or may write to, is not trusted.
 */
export async function sharedFolder(
  identity: Identity,
  parents: readonly string[] = isRoot() ? SHARED_PARENTS : [tmpdir()],
): Promise<string> {
  for (const parent of parents) {
    const folder = path.join(parent, `data-governance-local-${process.getuid?.() ?? 0}`);
    if ((await isOurs(folder)) && canEnter(identity, folder)) return folder;
  }
  throw new Error(
    'There is no folder for the local database that only this user writes to and its server can enter',
  );
}

async function isOurs(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
  } catch {
    // There already, or not possible here: what is there decides.
  }
  const stats = await lstat(folder).catch(() => undefined);
  return (
    stats?.isDirectory() === true &&
    (process.getuid === undefined || stats.uid === process.getuid()) &&
    (stats.mode & 0o022) === 0
  );
}
