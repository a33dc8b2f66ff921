import { throwIfAborted } from '../abort.ts';
import { assertPresent, readFolder, type Share } from './share.ts';
import { ioFailure, refusalOf } from './share-error.ts';
import { fromBytes, joinPath } from './share-path.ts';

/** A path and all folders that it leads through, below the share. */
const partsOf = (path: string): string[] => {
  const names = path.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
};

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * Those of these paths that no entry has exactly. Folders are listed for it: a file system without case finds an entry by
 * other spellings too. A path below a folder that cannot be listed counts as present.
 */
export async function missingPaths(
  share: Share,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  const byFolder = Map.groupBy(new Set(paths.flatMap(partsOf)), folderOf);
  for (const [folder, entries] of byFolder)
    for (const absent of await absentFrom(share, folder, entries, signal)) missing.add(absent);
  return new Set(paths.filter((path) => partsOf(path).some((part) => missing.has(part))));
}

async function absentFrom(
  share: Share,
  folder: string,
  entries: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const left = new Set(entries);
  try {
    for await (const entry of readFolder(share, folder)) {
      throwIfAborted(signal);
      left.delete(joinPath(folder, fromBytes(entry.name)));
      if (left.size === 0) break;
    }
    return left;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === 'failed') throw ioFailure(error);
    await assertPresent(share);
    return refusal === 'denied' ? new Set() : left;
  }
}
