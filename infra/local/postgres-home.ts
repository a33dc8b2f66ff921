import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries } from './postgres-binaries.ts';
import {
  canEnter,
  defaultIdentity,
  type Identity,
  isRoot,
  sharedFolder,
  spawnAs,
} from './server-identity.ts';

/**
 * The files of one cluster. In the data folder: `cluster` (a folder, or a link to one in the shared folder if the
 * server cannot enter the data folder), `password` of the superuser, `lock`, `postgres.log`.
 */
export type Home = {
  /** PGDATA, as returned by `keptData`. */
  data: string;
  identity: Identity;
  binaries: Binaries;
  password: string;
};

export const SUPERUSER = 'postgres';

const clusterOf = (dataDir: string) => path.join(dataDir, 'cluster');
const passwordOf = (dataDir: string) => path.join(dataDir, 'password');
/** Where a cluster is created. A leftover there was never completed. */
const stagingOf = (dataDir: string) => path.join(dataDir, 'cluster.making');

/** PGDATA of the kept cluster with links resolved, or null if there is none. */
export async function keptData(dataDir: string): Promise<string | null> {
  const cluster = await realpath(clusterOf(dataDir)).catch(() => null);
  return cluster && path.join(cluster, 'data');
}

/** The kept cluster, or null if there is none. */
export async function openHome(dataDir: string): Promise<Home | null> {
  const data = await keptData(dataDir);
  if (data === null) return null;
  const cluster = path.dirname(data);
  const { uid, gid } = await lstat(cluster);
  const identity = isRoot() ? { uid, gid } : undefined;
  if (uid === 0 || (!isRoot() && uid !== process.getuid?.())) {
    throw new Error(
      'Another user created the local database. Start as that user or with another data folder.',
    );
  }
  if (!canEnter(identity, cluster)) {
    throw new Error(
      'The database server can no longer enter the folder of the local database. Use another data folder.',
    );
  }
  const password = await readFile(passwordOf(dataDir), 'utf8').catch(() => null);
  if (password === null)
    throw new Error('The password of the local database is missing. Start with --fresh.');
  return { data, identity, binaries: await findBinaries(identity), password };
}

/** Creates a cluster. It gets its name when it is complete, so an interrupted start leaves none. */
export async function createHome(
  dataDir: string,
  { durable, signal }: { durable: boolean; signal?: AbortSignal | undefined },
): Promise<Home> {
  await removeFolder(stagingOf(dataDir));
  await removeLink(clusterOf(dataDir));
  const identity = await defaultIdentity();
  const binaries = await findBinaries(identity);
  const folder = await stagingFolder(dataDir, identity);
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordOf(dataDir), password, { mode: 0o600 });
  const passwordFile = path.join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (identity !== undefined) {
    await chown(passwordFile, identity.uid, identity.gid);
    await chown(folder, identity.uid, identity.gid);
  }
  await promisify(execFile)(
    binaries.initdb,
    [
      `--pgdata=${path.join(folder, 'data')}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...spawnAs(identity), timeout: 120_000, ...(signal && { signal }) },
  );
  await unlink(passwordFile);
  await rename(stagingOf(dataDir), clusterOf(dataDir));
  const data = path.join(await realpath(clusterOf(dataDir)), 'data');
  return { data, identity, binaries, password };
}

/** Removes the cluster of a data folder, wherever it is, and the data folder. Nothing may be running there. */
export async function removeHome(dataDir: string): Promise<void> {
  await removeFolder(stagingOf(dataDir));
  await removeFolder(clusterOf(dataDir));
  await rm(dataDir, { recursive: true, force: true });
}

/** The staging folder, or a link to a folder that the server can enter. */
async function stagingFolder(dataDir: string, identity: Identity): Promise<string> {
  const staging = stagingOf(dataDir);
  if (canEnter(identity, dataDir)) {
    await mkdir(staging, { mode: 0o700 });
    return realpath(staging);
  }
  const folder = await mkdtemp(path.join(await sharedFolder(identity), 'cluster-'));
  await symlink(folder, staging);
  return folder;
}

/** Removes a folder, or a link together with its target. */
async function removeFolder(folder: string): Promise<void> {
  const target = await realpath(folder).catch(() => undefined);
  if (target !== undefined) await rm(target, { recursive: true, force: true });
  await removeLink(folder);
}

/** Removes a dangling link. Its target was cleaned up together with the data. */
const removeLink = (link: string) => rm(link, { force: true });
