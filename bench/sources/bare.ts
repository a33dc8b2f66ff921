import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { AwsClient } from 'aws4fetch';
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
    await readEach(read, namesIn(xml, /<Name>([^<]*)<\/Name>/g), (blob) =>
      fetch(`${accountUrl}/${container}/${blob}?${sas}`),
    );
    marker = /<NextMarker>([^<]+)<\/NextMarker>/.exec(xml)?.[1] ?? '';
  } while (marker !== '');
  return read;
}

/** Lists each folder of a share of files and reads its files, with nothing but `fetch`. `sas` begins with `?`. */
export async function readFileShare(filesUrl: string, share: string, sas: string): Promise<Read> {
  const read: Read = { assets: 0, bytes: 0 };
  const headers = { 'x-ms-version': '2024-11-04', 'x-ms-file-extended-info': 'true' };
  const include = 'Timestamps,ETag,Attributes,PermissionKey';
  const folders = [''];
  for (const folder of folders) {
    let marker = '';
    do {
      const query = `restype=directory&comp=list&maxresults=${PAGE}&include=${include}`;
      const next = marker && `&marker=${encodeURIComponent(marker)}`;
      const address = `${filesUrl}/${share}${folder}`;
      const xml = await (await fetch(`${address}${sas}&${query}${next}`, { headers })).text();
      for (const name of namesIn(xml, /<Directory>.*?<Name>([^<]*)<\/Name>/gs))
        folders.push(`${folder}/${name}`);
      const names = namesIn(xml, /<File>.*?<Name>([^<]*)<\/Name>/gs);
      await readEach(read, names, (name) => fetch(`${address}/${name}${sas}`, { headers }));
      marker = /<NextMarker>([^<]+)<\/NextMarker>/.exec(xml)?.[1] ?? '';
    } while (marker !== '');
  }
  return read;
}

/** Lists a bucket and reads its objects, with nothing but `fetch` and signatures. */
export async function readBucket(url: string, bucket: string, [id, secret]: Keys): Promise<Read> {
  const client = new AwsClient({
    accessKeyId: id,
    secretAccessKey: secret,
    service: 's3',
    region: 'eu-central-1',
    retries: 0,
  });
  const read: Read = { assets: 0, bytes: 0 };
  let token = '';
  do {
    const next = token && `&continuation-token=${encodeURIComponent(token)}`;
    const listed = await client.fetch(`${url}/${bucket}?list-type=2&max-keys=${PAGE}${next}`);
    const xml = await listed.text();
    await readEach(read, namesIn(xml, /<Key>([^<]*)<\/Key>/g), (key) =>
      client.fetch(`${url}/${bucket}/${key}`),
    );
    token = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1] ?? '';
  } while (token !== '');
  return read;
}

export type Keys = [id: string, secret: string];

/** The names in a page of a listing, as parts of an address. */
const namesIn = (xml: string, names: RegExp): string[] =>
  [...xml.matchAll(names)].map(([, name = '']) => textOf(name).split('/').map(encodeURIComponent).join('/'));

const readEach = (read: Read, names: readonly string[], get: (name: string) => Promise<Response>) =>
  eachAtOnce(names, async (name) => {
    const { byteLength } = await (await get(name)).arrayBuffer();
    read.bytes += byteLength;
    read.assets++;
  });
