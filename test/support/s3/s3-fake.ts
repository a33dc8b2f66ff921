import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  aclOutput,
  blockOutput,
  etagOf,
  type FakeBucket,
  type FakeObject,
  listOutput,
  type Output,
  settingOutput,
  xmlOf,
} from './s3-answers.ts';
import { type Keys, type Refusal, refusalOf } from './s3-signature.ts';

/** What the service may ask of a bucket or an object, with the members of its address. Anything else is a bug of it. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'list-type': ['prefix', 'max-keys', 'encoding-type', 'continuation-token', 'start-after'],
  policy: [],
  policyStatus: [],
  publicAccessBlock: [],
  ownershipControls: [],
  acl: [],
};
const HEADERS = /^x-amz-(?:date|content-sha256|security-token|account-id|optional-object-attributes)$/;

type Heard = { method: string; bucket: string; key: string; setting: string; query: URLSearchParams };

/**
 * A store of objects that answers as AWS S3 does, and stricter: it checks signatures, only reads, and notes what it was
 * asked that S3 does not know. Its buckets are in the path. People change it by its members.
 */
export type S3Fake = {
  url: string;
  keys: Keys;
  accountId: string;
  buckets: Map<string, FakeBucket>;
  /** Of the account. Null: there is none. */
  accountBlock: object | null;
  /** Operations that the credential may not do, such as `policy` and `acl`. */
  denied: Set<string>;
  /** Milliseconds by which the clock of the store is ahead. */
  aheadMs: number;
  /** Answers in place of the store, if it answers. */
  instead: ((heard: Heard) => (Refusal & { body?: string; headers?: Record<string, string> }) | null) | null;
  requests: Heard[];
  /** What S3 does not know or would not take. */
  offences: string[];
  outputs: Output[];
  createBucket(name: string, settings?: Partial<FakeBucket>): FakeBucket;
  put(bucket: string, key: string, content: string | Buffer, more?: Partial<FakeObject>): void;
  /** Leaves a delete marker. */
  remove(bucket: string, key: string): void;
  stop(): Promise<void>;
};

export async function startS3Fake(port = 0): Promise<S3Fake> {
  const fake: S3Fake = {
    url: '',
    keys: { id: 'AKIAEXAMPLE', secret: 'secret/of+the fake' },
    accountId: '111122223333',
    buckets: new Map(),
    accountBlock: null,
    denied: new Set(),
    aheadMs: 0,
    instead: null,
    requests: [],
    offences: [],
    outputs: [],
    createBucket: (name, settings = {}) => {
      const bucket = { ...newBucket(), ...settings };
      fake.buckets.set(name, bucket);
      return bucket;
    },
    put: (name, key, content, more = {}) => {
      const bucket = fake.buckets.get(name) ?? fake.createBucket(name);
      bucket.deleted.delete(key);
      bucket.objects.set(key, { bytes: Buffer.from(content), modifiedAt: new Date().toISOString(), ...more });
    },
    remove: (name, key) => {
      fake.buckets.get(name)?.objects.delete(key);
      fake.buckets.get(name)?.deleted.add(key);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => send(response, answerTo(fake, request)));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

const newBucket = (): FakeBucket => ({
  region: 'eu-central-1',
  objects: new Map(),
  deleted: new Set(),
  policy: null,
  isPublic: false,
  block: null,
  ownership: 'BucketOwnerEnforced',
  acl: [],
});

type Answer = { status: number; body: string | Buffer; headers?: Readonly<Record<string, string>> };

function refused(
  { status, code, more = {} }: Refusal,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const members = Object.entries({ Code: code, Message: 'Refused', ...more, RequestId: '1' });
  const xml = members.map(([name, value]) => `<${name}>${value}</${name}>`).join('');
  return { status, body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${xml}</Error>`, headers };
}

function answerTo(fake: S3Fake, request: IncomingMessage): Answer {
  const heard = heardIn(fake, request);
  fake.requests.push(heard);
  const instead = fake.instead?.(heard) ?? null;
  if (instead !== null)
    return instead.body === undefined
      ? refused(instead, instead.headers)
      : { ...instead, body: instead.body };
  if (heard.method !== 'GET') return refused({ status: 405, code: 'MethodNotAllowed' });
  const bucket = fake.buckets.get(heard.bucket);
  const region = bucket?.region ?? 'eu-central-1';
  const refusal = refusalOf(request, fake.keys, { region, now: Date.now() + fake.aheadMs });
  if (refusal !== null) return refused(refusal);
  if (fake.denied.has(heard.setting)) return refused({ status: 403, code: 'AccessDenied' });
  if (heard.setting === 'accountBlock') return accountBlock(fake, request);
  if (bucket === undefined) return refused({ status: 404, code: 'NoSuchBucket' });
  if (heard.key !== '') return ofObject(fake, bucket, heard);
  if (heard.setting === 'policy' && bucket.policy !== null)
    return { status: 200, body: JSON.stringify(bucket.policy) };
  if (heard.setting !== 'list-type') return shown(fake, settingOutput(bucket, heard.setting));
  const restores = request.headers['x-amz-optional-object-attributes'] === 'RestoreStatus';
  const output = listOutput(bucket, heard.bucket, heard.query, restores);
  return output === null ? refused({ status: 400, code: 'InvalidArgument' }) : shown(fake, output);
}

/** What is asked, and whether S3 knows it. */
function heardIn(fake: S3Fake, { method = '', url = '', headers }: IncomingMessage): Heard {
  const { pathname, searchParams: query } = new URL(url, 'http://service.test');
  const [bucket = '', ...segments] = pathname.slice(1).split('/').map(decodeURIComponent);
  const setting =
    pathname === '/v20180820/configuration/publicAccessBlock'
      ? 'accountBlock'
      : (Object.keys(QUERIES).find((name) => query.has(name)) ?? '');
  const known = [setting, ...(QUERIES[setting] ?? [])];
  const strange = [...query.keys()].filter((name) => !known.includes(name));
  const headed = Object.keys(headers).filter((name) => name.startsWith('x-amz-') && !HEADERS.test(name));
  if (method !== 'GET' || strange.length > 0 || headed.length > 0)
    fake.offences.push([method, setting, ...strange, ...headed].join(' '));
  return { method, bucket, key: segments.join('/'), setting, query };
}

function accountBlock(fake: S3Fake, { headers }: IncomingMessage): Answer {
  if (headers['x-amz-account-id'] !== fake.accountId) return refused({ status: 403, code: 'AccessDenied' });
  return shown(fake, blockOutput(fake.accountBlock));
}

function ofObject(fake: S3Fake, bucket: FakeBucket, { key, setting }: Heard): Answer {
  const object = bucket.objects.get(key);
  if (object === undefined)
    return refused(
      { status: 404, code: 'NoSuchKey' },
      bucket.deleted.has(key) ? { 'x-amz-delete-marker': 'true' } : {},
    );
  if (setting === 'acl') return shown(fake, aclOutput('GetObjectAcl', object.acl ?? []));
  const isArchived =
    /^(?:GLACIER|DEEP_ARCHIVE)$/.test(object.storageClass ?? '') && object.restoredUntil === undefined;
  if (isArchived || object.archiveStatus !== undefined)
    return refused({ status: 403, code: 'InvalidObjectState' });
  return {
    status: 200,
    body: object.bytes,
    headers: {
      etag: etagOf(object),
      'last-modified': new Date(object.modifiedAt).toUTCString(),
      ...(object.contentEncoding !== undefined && { 'content-encoding': object.contentEncoding }),
    },
  };
}

/** @param output a code where there is none */
function shown(fake: S3Fake, output: Output | string): Answer {
  if (typeof output === 'string') return refused({ status: 404, code: output });
  fake.outputs.push(output);
  return { status: 200, body: xmlOf(output), headers: { 'content-type': 'application/xml' } };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}
