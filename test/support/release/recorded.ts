import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { FilledDatabase } from './filled-database.ts';

/** What is known of a release beside its database and code. */
export type ReleaseNote = {
  version: string;
  /** The commit whose sources the code was built from. */
  commit: string;
  recordedAt: string;
  /** The number of rows in each table. */
  rows: Readonly<Record<string, number>>;
};

/** A release below `test/releases/`. */
export type RecordedRelease = { version: string; folder: string };

export const RELEASES = path.resolve(import.meta.dirname, '../../releases');

export const FILES = {
  note: 'release.json',
  schema: 'schema.sql',
  database: 'database.json.br',
  code: 'code.json.br',
} as const;

/** All recorded releases, the oldest first. */
export async function recordedReleases(): Promise<RecordedRelease[]> {
  const entries = await readdir(RELEASES, { withFileTypes: true });
  const versions = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return versions.sort(byVersion).map((version) => ({ version, folder: path.join(RELEASES, version) }));
}

/**
 * The release that an installation is upgraded from: the newest one that is not `present`. Before there is another
 * one, the present release itself.
 */
export function releaseBefore(present: string, releases: readonly RecordedRelease[]): RecordedRelease {
  const found = releases.findLast(({ version }) => byVersion(version, present) < 0) ?? releases.at(-1);
  if (found === undefined) throw new Error('No release is recorded: npm run release:record');
  return found;
}

/** Compares versions of the form `year.month.day.x`. */
function byVersion(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  const at = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  return at === -1 ? 0 : (a?.[at] ?? 0) - (b?.[at] ?? 0);
}

/** The version of the sources. */
export const presentVersion = async (): Promise<string> =>
  (await readFile(path.join(RELEASES, '../../VERSION'), 'utf8')).trim();

/** The files of an application by their paths. */
export type Code = Readonly<Record<string, string>>;

export const readDatabase = ({ folder }: RecordedRelease): Promise<FilledDatabase> =>
  readPacked(path.join(folder, FILES.database));
export const readCode = ({ folder }: RecordedRelease): Promise<Code> =>
  readPacked(path.join(folder, FILES.code));

/** Writes the migrations of a release to a folder of their own below `into`. */
export async function unpackMigrations(release: RecordedRelease, into: string): Promise<string> {
  const folder = path.join(into, release.version);
  for (const [file, text] of Object.entries(await readCode(release))) {
    if (!file.startsWith('migrations/')) continue;
    const target = path.join(folder, path.relative('migrations', file));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return folder;
}

async function readPacked<T>(file: string): Promise<T> {
  return JSON.parse((await promisify(brotliDecompress)(await readFile(file))).toString()) as T;
}

/** Stores a release in `folder`. */
export async function writeRelease(
  folder: string,
  {
    note,
    schema,
    database,
    code,
  }: { note: ReleaseNote; schema: string; database: FilledDatabase; code: Code },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, FILES.note), `${JSON.stringify(note, null, 2)}\n`);
  await writeFile(path.join(folder, FILES.schema), schema);
  await writeFile(path.join(folder, FILES.database), await packed(database));
  await writeFile(path.join(folder, FILES.code), await packed(code));
}

const packed = (value: object): Promise<Buffer> => {
  const text = JSON.stringify(value);
  return promisify(brotliCompress)(text, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });
};
