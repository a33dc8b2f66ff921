import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AwsClient } from 'aws4fetch';
import { encoded } from '../../../core/connectors/s3/object-key.ts';

/** A store that somebody else wrote. It checks signatures, and lists and reads; it has no policies, blocks or owners. */
export type ForeignStore = {
  url: string;
  secret: string;
  createBucket(name: string): Promise<void>;
  put(bucket: string, key: string, text: string): Promise<void>;
  remove(bucket: string, key: string): Promise<void>;
  stop(): Promise<void>;
};

const PROGRAM = path.resolve(import.meta.dirname, 'foreign-server.ts');
/** The account that the server knows. */
const KEY = 'S3RVER';

export async function startForeignStore(): Promise<ForeignStore> {
  const directory = await mkdtemp(path.join(tmpdir(), 'foreign-store-'));
  const child = fork(PROGRAM, [directory], { execArgv: ['--openssl-legacy-provider'], stdio: 'inherit' });
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  const client = new AwsClient({
    accessKeyId: KEY,
    secretAccessKey: KEY,
    service: 's3',
    region: 'us-east-1',
  });
  const call = async (method: string, at: string, body?: string) => {
    const { ok, status } = await client.fetch(`${url}${at}`, { method, ...(body !== undefined && { body }) });
    if (!ok) throw new Error(`The store answered ${method} with ${status}`);
  };
  const at = (bucket: string, key: string) => `/${bucket}/${key.split('/').map(encoded).join('/')}`;
  return {
    url,
    secret: `${KEY}:${KEY}`,
    createBucket: (name) => call('PUT', `/${name}`),
    put: (bucket, key, text) => call('PUT', at(bucket, key), text),
    remove: (bucket, key) => call('DELETE', at(bucket, key)),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}
