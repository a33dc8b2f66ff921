import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startAzurite } from '../infra/local/azurite.ts';
import { blobAt, blobWrites } from '../infra/local/blob-writes.ts';
import { renderTable } from '../infra/local/table.ts';
import { startFilesFake } from '../test/support/files/files-fake.ts';
import { startS3Fake } from '../test/support/s3/s3-fake.ts';
import { eachAtOnce } from './sources/each-at-once.ts';
import type { ListingReady, ListingTask } from './sources/listing-process.ts';
import type { ReadAsked, ReaderTask, Reading, Source } from './sources/reader-process.ts';
import { startChild, startProcess } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { compare } from './support/comparison.ts';
import { interleaved, median } from './support/rounds.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- sources [--assets N] [--json]

Lists a source of each family and reads all its files through the connector, and with a bare client in another process.
Then lists a container of N blobs that a server makes up. Measures assets per second, calls, bytes and peak memory.

  --assets N  blobs of the container that is only listed (default 1000000)
  --json      end with one JSON object on the last line`;

const options = readOptions(USAGE, { assets: 1_000_000 });

const FOLDERS = 10;
const PER_FOLDER = options.smoke ? 25 : 200;
const ROUNDS = options.smoke ? 1 : 5;
/** Of the process that reads. A listing that is kept in memory ends it. */
const HEAP_MB = 64;
const READER = new URL('./sources/reader-process.ts', import.meta.url);

const files = Array.from({ length: FOLDERS * PER_FOLDER }, (_, n) => ({
  folder: `folder ${n % FOLDERS}`,
  name: `file ${n}.txt`,
  text: `Note ${n}. ${'Nothing much. '.repeat(300)}`,
}));

async function fillShare({ folder: root }: Workspace): Promise<Source> {
  const share = 'share';
  for (let at = 0; at < FOLDERS; at++)
    await mkdir(path.join(root, share, `folder ${at}`), { recursive: true });
  await eachAtOnce(files, ({ folder, name, text }) => writeFile(path.join(root, share, folder, name), text));
  return { family: 'smb', root, share };
}

async function fillContainer({ untilEnd }: Workspace): Promise<Source> {
  const { blobUrl, accountKey } = await untilEnd(startAzurite({ inMemory: true, log: () => undefined }));
  const write = blobWrites(blobUrl, accountKey);
  const container = 'files';
  await write('PUT', `/${container}?restype=container`);
  const headers = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'text/plain' };
  await eachAtOnce(files, async ({ folder, name, text }) => {
    await write('PUT', blobAt(container, `${folder}/${name}`), headers, text);
  });
  return { family: 'blob', accountUrl: blobUrl, sas: signatureOf(blobUrl, accountKey), container };
}

/** The share is the strict fake of the tests, in this process: it costs both sides the same. */
async function fillFileShare({ atEnd }: Workspace): Promise<Source> {
  const account = await startFilesFake();
  atEnd(account.stop);
  const share = 'files';
  account.createShare(share);
  for (const { folder, name, text } of files) account.put(share, `${folder}/${name}`, text);
  return { family: 'files', filesUrl: account.url, sas: account.signature(), share };
}

/** The store is the strict fake of the tests, in this process: it costs both sides the same. */
async function fillBucket({ atEnd }: Workspace): Promise<Source> {
  const store = await startS3Fake();
  atEnd(store.stop);
  const bucket = 'files';
  for (const { folder, name, text } of files) store.put(bucket, `${folder}/${name}`, text);
  return { family: 's3', url: store.url, keys: [store.keys.id, store.keys.secret], bucket };
}

/** A shared access signature of the account that lists and reads, as a query. */
function signatureOf(blobUrl: string, accountKey: string): string {
  const account = new URL(blobUrl).pathname.split('/')[1] ?? '';
  const [permissions, services, types, version] = ['rlt', 'b', 'co', '2021-12-02'];
  const expiry = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`;
  const signed = [account, permissions, services, types, '', expiry, '', '', version, '', ''].join('\n');
  const sig = createHmac('sha256', Buffer.from(accountKey, 'base64')).update(signed).digest('base64');
  return new URLSearchParams({
    sv: version,
    ss: services,
    srt: types,
    sp: permissions,
    se: expiry,
    sig,
  }).toString();
}

async function reader(
  workspace: Workspace,
  task: ReaderTask,
): Promise<(asked: ReadAsked) => Promise<Reading>> {
  const settings = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const { child } = await startProcess(workspace, READER, task, settings);
  return (asked) => ask(child, asked);
}

async function ask(child: ChildProcess, asked: ReadAsked): Promise<Reading> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('A process of the bench ended before it answered');
  });
  child.send(asked);
  const [reading] = await Promise.race([once(child, 'message'), ended]);
  return reading as Reading;
}

const READS = { onlyLists: false };

async function measureFamily(workspace: Workspace, source: Source) {
  const ours = await reader(workspace, { side: 'ours', source });
  const bare = await reader(workspace, { side: 'bare', source });
  const samples = await interleaved(
    ROUNDS,
    () => ours(READS),
    () => bare(READS),
  );
  for (const { assets } of [...samples.ours, ...samples.bare])
    if (assets !== files.length) throw new Error(`${assets} of ${files.length} files were read`);
  const figures = (side: readonly Reading[]) => ({
    perSecond: Math.round((files.length * 1_000) / median(side.map(({ ms }) => ms))),
    callsPer1000: Math.round((median(side.map(({ calls }) => calls)) * 1_000) / files.length),
    megabytes: Number((median(side.map(({ bytes }) => bytes)) / 1e6).toFixed(1)),
    peakMb: Math.max(...side.map(({ peakMb }) => peakMb)),
  });
  const time = { ours: samples.ours.map(({ ms }) => ms), bare: samples.bare.map(({ ms }) => ms) };
  const { ratio } = compare(time);
  return { family: source.family, ours: figures(samples.ours), bare: figures(samples.bare), ratio };
}

async function measureListing(workspace: Workspace) {
  const task: ListingTask = { items: options.assets };
  const module = new URL('./sources/listing-process.ts', import.meta.url);
  const { url } = await startChild<ListingReady>(workspace, module, task);
  const source: Source = { family: 'blob', accountUrl: url, sas: 'sv=1&sig=none', container: 'made-up' };
  const list = await reader(workspace, { side: 'ours', source });
  const { assets, calls, ms, peakMb } = await list({ onlyLists: true });
  if (assets !== options.assets) throw new Error(`${assets} of ${options.assets} blobs were listed`);
  return {
    assets,
    perSecond: Math.round((assets * 1_000) / ms),
    callsPer1000: (calls * 1_000) / assets,
    peakMb,
  };
}

const { families, listing } = await inWorkspace(async (workspace) => {
  const families = [];
  for (const fill of [fillShare, fillContainer, fillFileShare, fillBucket])
    families.push(await measureFamily(workspace, await fill(workspace)));
  return { families, listing: await measureListing(workspace) };
});
console.log(
  renderTable(
    ['Family', 'side', 'assets/s', 'calls for 1,000', 'MB of content', 'peak memory, MB', 'time to bare'],
    families.flatMap(({ family, ours, bare, ratio }) => [
      [family, 'connector', ours.perSecond, ours.callsPer1000, ours.megabytes, ours.peakMb, ratio],
      [family, 'bare', bare.perSecond, bare.callsPer1000, bare.megabytes, bare.peakMb, 1],
    ]),
  ),
);
console.log(
  `${listing.assets} blobs listed: ${listing.perSecond} a second, ${listing.callsPer1000} calls for 1,000, ` +
    `peak memory ${listing.peakMb} MB with a heap of ${HEAP_MB} MB`,
);
if (options.json) console.log(JSON.stringify({ families, listing }));
