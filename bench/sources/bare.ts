import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { eachAtOnce, type Read } from './each-at-once.ts';

/** Walks a folder and reads its files, with nothing but the file system of Node. */
export async function readShare(folder: string): Promise<Read> {
  const read: Read = { assets: 0, bytes: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (!entry.isDirectory()) continue;
    const files = await readdir(place);
    await eachAtOnce(files, async (file) => {
      await lstat(path.join(place, file));
      const { length } = await readFile(path.join(place, file));
      read.bytes += length;
      read.assets++;
    });
  }
  return read;
}

const PAGE = 200;
const textOf = (encoded: string) => encoded.replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** Lists a container and reads its blobs, with nothing but `fetch`. `sas` is the signature, as a query. */
export async function readContainer(accountUrl: string, container: string, sas: string): Promise<Read> {
  const read: Read = { assets: 0, bytes: 0 };
  let marker = '';
  do {
    const address = `${accountUrl}/${container}?restype=container&comp=list&include=metadata,tags&maxresults=${PAGE}`;
    const listed = await fetch(`${address}&marker=${encodeURIComponent(marker)}&${sas}`);
    const xml = await listed.text();
    const names = [...xml.matchAll(/<Name>([^<]*)<\/Name>/g)].map(([, name = '']) => textOf(name));
    await eachAtOnce(names, async (name) => {
      const blob = name.split('/').map(encodeURIComponent).join('/');
      const answer = await fetch(`${accountUrl}/${container}/${blob}?${sas}`);
      const { byteLength } = await answer.arrayBuffer();
      read.bytes += byteLength;
      read.assets++;
    });
    marker = /<NextMarker>([^<]+)<\/NextMarker>/.exec(xml)?.[1] ?? '';
  } while (marker !== '');
  return read;
}
