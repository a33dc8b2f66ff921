import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PACKAGE = 'mariadb-server-core';
const UNPACKED = fileURLToPath(new URL('../../../node_modules/.cache/mariadb', import.meta.url));

/** The folder that holds `usr` of MariaDB's package. */
export type MariaDbPrograms = { root: string; libraries: string };

/**
 * The programs of Debian's package: those that are installed, or unpacked once into a folder of this checkout. Nothing is
 * installed on the machine, so it takes no rights of an administrator.
 */
export async function mariaDbPrograms(): Promise<MariaDbPrograms> {
  if (await isThere('/usr/sbin/mariadbd')) return { root: '/', libraries: '' };
  if (!(await isThere(UNPACKED))) await unpack();
  const [architecture = ''] = (await readdir(path.join(UNPACKED, 'usr/lib'))).filter((name) =>
    name.endsWith('-linux-gnu'),
  );
  return { root: UNPACKED, libraries: path.join(UNPACKED, 'usr/lib', architecture) };
}

/** False, with a warning, if they are not installed and this machine reaches no mirror of Debian. */
export async function canHaveMariaDb(): Promise<boolean> {
  try {
    await mariaDbPrograms();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'stderr' in error)) throw error;
    console.warn(`MariaDB is not here, and its package cannot be fetched: ${error.stderr}`);
    return false;
  }
}

async function unpack(): Promise<void> {
  await mkdir(path.dirname(UNPACKED), { recursive: true });
  const folder = await mkdtemp(`${UNPACKED}-`);
  try {
    await run('apt-get', ['download', ...(await packages())], { cwd: folder });
    for (const file of await readdir(folder)) {
      if (!file.endsWith('.deb')) continue;
      await run('dpkg-deb', ['--extract', file, '.'], { cwd: folder });
      await rm(path.join(folder, file));
    }
    await rename(folder, UNPACKED).catch(async (error) => {
      if (!(await isThere(UNPACKED))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With what it needs and this machine lacks. The lists of packages are fetched if the machine has none. */
async function packages(): Promise<string[]> {
  const simulated = () => run('apt-get', ['install', '--simulate', '--no-install-recommends', PACKAGE]);
  const { stdout } = await simulated().catch(async () => {
    await run('apt-get', ['update']);
    return simulated();
  });
  return Array.from(stdout.matchAll(/^Inst (\S+)/gm), ([, name = '']) => name);
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
