import { openShare, readFolder } from '../../core/connectors/smb/share.ts';
import { fromBytes, fromText, joinPath } from '../../core/connectors/smb/share-path.ts';

/** Sentences for what a scan of the folder skips: symbolic links and special files. Empty if there are none. */
export async function passedOver(folder: string, signal: AbortSignal): Promise<string[]> {
  const share = await openShare(fromText(folder), '');
  let links = 0;
  let special = 0;
  const folders = [''];
  for (let path = folders.pop(); path !== undefined && !signal.aborted; path = folders.pop()) {
    try {
      for await (const entry of readFolder(share, path)) {
        if (entry.isDirectory()) folders.push(joinPath(path, fromBytes(entry.name)));
        else if (entry.isSymbolicLink()) links++;
        else if (!entry.isFile()) special++;
      }
    } catch {
      // A folder that cannot be read is an asset, which the tables count as inaccessible.
    }
  }
  return [
    ...sentence(links, 'symbolic link', 'a link is never followed'),
    ...sentence(special, 'special file', 'pipes, sockets and devices are never opened'),
  ];
}

const sentence = (count: number, what: string, why: string): string[] =>
  count === 0 ? [] : [`${count} ${what}${count === 1 ? ' was' : 's were'} passed over: ${why}.`];
