import { lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeAzurite } from './azurite.ts';
import { removePostgres } from './postgres.ts';
import { keptData } from './postgres-home.ts';

/** The content of the data folder. */
export const postgresIn = (dataDir: string) => path.join(dataDir, 'postgres');
export const azuriteIn = (dataDir: string) => path.join(dataDir, 'azurite');
export const secretsIn = (dataDir: string) => path.join(dataDir, 'secrets.json');
const settingsIn = (dataDir: string) => path.join(dataDir, 'service.env');

/** Written first. Its presence means that everything beside it with one of these names can be removed. */
const markerIn = (dataDir: string) => path.join(dataDir, '.data-governance-local');

/**
 * Creates or claims the data folder. It may contain other things, as long as none has a name that the stack uses.
 * Error messages are for the person who chose the folder.
 */
export async function claimDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch(cannotServe);
  if (await exists(markerIn(dataDir))) return;
  const names = [postgresIn(dataDir), azuriteIn(dataDir), secretsIn(dataDir)];
  if ((await Promise.all(names.map(exists))).includes(true)) {
    throw new Error(
      'The data folder contains a postgres, azurite or secrets.json that the local stack did not create. Choose another folder with --data.',
    );
  }
  await writeFile(
    markerIn(dataDir),
    'The local stack keeps its data here. --fresh removes the data.\n',
  ).catch(cannotServe);
}

/** Like `mkdir -p`. Node's recursive `mkdir` never returns in file systems that create no folders, such as /proc. */
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
  throw new Error(
    `The data folder cannot be created or written (${error.code}). Choose another one with --data.`,
  );
}

/** Removes the stack's data from a claimed folder. Throws `LockHeldError` while another stack runs there. */
export async function emptyDataFolder(dataDir: string): Promise<void> {
  await removePostgres(postgresIn(dataDir));
  await removeAzurite(azuriteIn(dataDir));
  await rm(secretsIn(dataDir), { force: true });
  await forgetSettings(dataDir);
}

/** Leaves the settings of the running service for `npm run doctor`, as an environment file of this user alone. */
export async function leaveSettings(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await forgetSettings(dataDir);
  const lines = Object.entries(settings).map(([name, value]) => {
    const quote = value.includes("'") ? '`' : "'";
    return `${name}=${quote}${value}${quote}\n`;
  });
  await writeFile(settingsIn(dataDir), lines.join(''), { mode: 0o600 });
}

export const forgetSettings = (dataDir: string): Promise<void> => rm(settingsIn(dataDir), { force: true });

/**
 * Throws if a scan of the share would read the stack's own secrets and database. Writes nothing.
 * As root, the database cluster can be outside the data folder and is found only after it was created.
 */
export async function refuseToScanDataFolder(share: string, dataDir: string): Promise<void> {
  const scanned = await realpath(share);
  const data = await realpath(dataDir).catch(() => dataDir);
  const cluster = await keptData(postgresIn(dataDir));
  for (const ours of [data, cluster]) {
    if (ours !== null && isWithin(ours, scanned)) {
      throw new Error(
        'The folder to scan contains the data of the local stack. Choose another data folder with --data.',
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
