import { lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeAzurite } from './azurite.ts';
import { removePostgres } from './postgres.ts';
import { keptData } from './postgres-home.ts';

/** What the local stack keeps in its data folder. */
export const postgresIn = (dataDir: string) => path.join(dataDir, 'postgres');
export const azuriteIn = (dataDir: string) => path.join(dataDir, 'azurite');
export const secretsIn = (dataDir: string) => path.join(dataDir, 'secrets.json');

/** Written before anything else is, so that what lies beside it under our names is ours to remove. */
const markerIn = (dataDir: string) => path.join(dataDir, '.data-governance-local');

/**
 * Makes the data folder, or takes it: one that holds other things is fine as long as none has a name of ours.
 * Throws an error for the person who named it.
 */
export async function claimDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch(cannotServe);
  if (await exists(markerIn(dataDir))) return;
  const names = [postgresIn(dataDir), azuriteIn(dataDir), secretsIn(dataDir)];
  if ((await Promise.all(names.map(exists))).includes(true)) {
    throw new Error(
      'The data folder already holds a postgres, azurite or secrets.json that the local stack did not make: name another folder with --data',
    );
  }
  await writeFile(markerIn(dataDir), 'The local stack keeps its data here; --fresh removes them.\n').catch(
    cannotServe,
  );
}

/** As `mkdir -p`. Node's own, asked for a folder in a file system that makes none, such as /proc, never returns. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}

const isFolder = (file: string) =>
  stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );

function cannotServe(error: NodeJS.ErrnoException): never {
  throw new Error(`The data folder cannot be made or written (${error.code}): name another one with --data.`);
}

/** Removes what the stack keeps in a folder that it has claimed. Throws `LockHeldError` while another one runs there. */
export async function emptyDataFolder(dataDir: string): Promise<void> {
  await removePostgres(postgresIn(dataDir));
  await removeAzurite(azuriteIn(dataDir));
  await rm(secretsIn(dataDir), { force: true });
}

/**
 * Throws when a scan of the share would read the stack's own secrets and database. Writes nothing. Root's cluster may
 * lie outside the data folder, and is there to be seen only when it has been made.
 */
export async function refuseToScanDataFolder(share: string, dataDir: string): Promise<void> {
  const scanned = await realpath(share);
  const data = await realpath(dataDir).catch(() => dataDir);
  const cluster = await keptData(postgresIn(dataDir));
  for (const ours of [data, cluster]) {
    if (ours !== null && isWithin(ours, scanned)) {
      throw new Error(
        'The folder to scan contains the data of the local stack: keep them elsewhere with --data',
      );
    }
  }
}

function isWithin(inner: string, outer: string): boolean {
  const [first] = path.relative(outer, inner).split(path.sep);
  return first !== '..';
}

const exists = (file: string) =>
  lstat(file).then(
    () => true,
    () => false,
  );
