import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import path from 'node:path';
import type { Connector } from '../../core/connectors/connector.ts';
import { connectorFactories } from '../../core/connectors/index.ts';
import { announce, taskOfParent } from '../support/child.ts';
import { type Keys, readBucket, readContainer, readFileShare, readShare } from './bare.ts';
import { eachAtOnce, type Read } from './each-at-once.ts';

export type Source =
  | { family: 'smb'; root: string; share: string }
  | { family: 'blob'; accountUrl: string; sas: string; container: string }
  | { family: 'files'; filesUrl: string; sas: string; share: string }
  | { family: 's3'; url: string; keys: Keys; bucket: string };
export type ReaderTask = { side: 'ours' | 'bare'; source: Source };
/** Asks for one reading. `onlyLists`: no content. */
export type ReadAsked = { onlyLists: boolean };
/** `calls`: to the source over HTTP. `peakMb`: resident memory of the process so far. */
export type Reading = Read & { calls: number; ms: number; peakMb: number };

const MIB = 1024 * 1024;
const task = await taskOfParent<ReaderTask>();
const signal = new AbortController().signal;

let calls = 0;
subscribe('http.client.request.start', (message) => {
  if ((message as { request?: ClientRequest }).request !== undefined) calls++;
});
subscribe('undici:request:create', () => {
  calls++;
});

async function readAll(connector: Connector, { onlyLists }: ReadAsked): Promise<Read> {
  const read: Read = { assets: 0, bytes: 0 };
  const { scopes } = await connector.listScopes(null, signal);
  const scope = scopes[0]?.externalId ?? '';
  let token: string | null = null;
  do {
    const page: Awaited<ReturnType<Connector['listItems']>> = await connector.listItems(scope, token, signal);
    if (onlyLists) read.assets += page.items.length;
    else
      await eachAtOnce(page.items, async ({ externalId }) => {
        const content = await connector.readContent(scope, externalId, MIB, signal);
        if (content.state === 'available') read.bytes += content.bytes.length;
        read.assets++;
      });
    token = page.nextPageToken;
  } while (token !== null);
  return read;
}

function connectorOf(source: Source): Connector {
  switch (source.family) {
    case 'smb':
      return connectorFactories.smb.live({ root: source.root, shares: [source.share] });
    case 'blob': {
      const { accountUrl, sas: secret, container } = source;
      return connectorFactories.blob.live({ accountUrl, secret, containers: [container] });
    }
    case 'files': {
      const { filesUrl, sas: secret, share } = source;
      return connectorFactories.blob.live({ filesUrl, secret, containers: [], shares: [share] });
    }
    case 's3': {
      const { url: endpoint, keys, bucket } = source;
      const store = { endpoint, region: 'eu-central-1', pathStyle: true };
      return connectorFactories.s3.live({ ...store, secret: () => keys.join(':'), buckets: [bucket] });
    }
  }
}

function bare(source: Source): Promise<Read> {
  switch (source.family) {
    case 'smb':
      return readShare(path.join(source.root, source.share));
    case 'blob':
      return readContainer(source.accountUrl, source.container, source.sas);
    case 'files':
      return readFileShare(source.filesUrl, source.share, source.sas);
    case 's3':
      return readBucket(source.url, source.bucket, source.keys);
  }
}

process.on('message', async (asked: ReadAsked) => {
  const before = calls;
  const began = performance.now();
  const read = await (task.side === 'ours' ? readAll(connectorOf(task.source), asked) : bare(task.source));
  const ms = performance.now() - began;
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  const reading: Reading = { ...read, calls: calls - before, ms, peakMb };
  process.send?.(reading);
});
announce({}, async () => undefined);
