import { spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The identity of the server if this process is root, as which Postgres refuses to run. Undefined means the current
 * user.
 */
export type Identity = { uid: number; gid: number } | undefined;

const NOBODY = { uid: 65534, gid: 65534 };

export const isRoot = () => process.getuid?.() === 0;

/** `nobody` for root, and the current user otherwise. */
export async function defaultIdentity(): Promise<Identity> {
  if (!isRoot()) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? [];
  return uid === undefined || gid === undefined ? NOBODY : { uid: Number(uid), gid: Number(gid) };
}

/** Options of a child process with this identity, a folder that it can enter, and an empty environment. */
export const spawnAs = (identity: Identity) => ({
  ...identity,
  cwd: '/',
  env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
});

/** Whether the identity can enter the folder. It is tried, because file modes alone do not decide. */
export const canEnter = (identity: Identity, folder: string) =>
  identity === undefined ||
  spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...spawnAs(identity), stdio: 'ignore' })
    .status === 0;

/** Where root stores what the server must reach. Folders that are never cleaned up come first. */
const SHARED_PARENTS = ['/var/lib', '/var/tmp', tmpdir()];

/**
 * A folder outside the checkout that only this user can write and that the identity can enter. A folder that another
 * user created or may write is not trusted.
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
    'No folder for the local database is writable for this user alone and accessible to the database server.',
  );
}

async function isOurs(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
  } catch {
    // It exists already or cannot be created. The checks below decide.
  }
  const stats = await lstat(folder).catch(() => undefined);
  return (
    stats?.isDirectory() === true &&
    (process.getuid === undefined || stats.uid === process.getuid()) &&
    (stats.mode & 0o022) === 0
  );
}
