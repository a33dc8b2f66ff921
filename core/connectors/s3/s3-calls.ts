import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getByTls } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';
import { throwIfAborted } from '../abort.ts';
import { bodyOf, isCutOff } from '../bounded-body.ts';
import { ConnectorError } from '../connector.ts';
import { encoded } from './object-key.ts';
import { credentialFrom } from './s3-credential.ts';
import { bucketUrl, REGION, type S3Store } from './s3-store.ts';

const WITHIN_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** `bytes`: null if the body has more than was asked for; then `length` says how many. */
export type S3Answer = {
  status: number;
  /** Of the error; empty without one. */
  code: string;
  bytes: Uint8Array | null;
  length: number;
};

type Query = Readonly<Record<string, string>>;
type Options = {
  /** If the body has more bytes, it is not read. */
  maxBytes?: number;
  headers?: Readonly<Record<string, string>>;
};

/**
 * Reads of one store. It only sends GET, with a signature, and follows no redirect. Each throws `ConnectorError` if there
 * is no answer, or if the store is busy.
 */
export type S3Calls = {
  /** @param path of an object, encoded; empty for the bucket */
  bucket(name: string, path: string, query: Query, signal: AbortSignal, options?: Options): Promise<S3Answer>;
  /** @param url of something that is in no bucket */
  other(url: string, signal: AbortSignal, options?: Options): Promise<S3Answer>;
  urlOf(bucket: string, path: string): string;
};

/** @param secret is asked for with each call, so that another one takes effect at once */
export function createS3Calls(store: S3Store, secret: () => string | null): S3Calls {
  const regions = new Map<string, string>();
  const regionOf = (bucket: string) => regions.get(bucket) ?? store.region;
  const signingKeys = new Map<string, ArrayBuffer>();

  const send = async (url: string, region: string, { maxBytes, headers }: Options, signal: AbortSignal) => {
    throwIfAborted(signal);
    const request = {
      method: 'GET',
      url,
      region,
      service: 's3',
      cache: signingKeys,
      ...(headers && { headers }),
    };
    const signed = await new AwsV4Signer({ ...request, ...credentialFrom(secret() ?? '') }).sign();
    const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
    try {
      return await read(await ask(signed.url, Object.fromEntries(signed.headers), within), maxBytes);
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof ConnectorError) throw error;
      if (isCutOff(error)) throw new ConnectorError('transient', 's3_unreachable');
      throw error;
    }
  };

  return {
    urlOf: (bucket, path) => `${bucketUrl(store, regionOf(bucket), bucket)}${path}`,
    bucket: async (name, path, query, signal, options = {}) => {
      const ask = (region: string) =>
        send(`${bucketUrl(store, region, name)}${path}${queryOf(query)}`, region, options, signal);
      const asked = regionOf(name);
      const { elsewhere, ...answer } = await ask(asked);
      if (elsewhere === null || elsewhere === asked) return answer;
      regions.set(name, elsewhere);
      const { elsewhere: _, ...again } = await ask(elsewhere);
      return again;
    },
    other: async (url, signal, options = {}) => {
      const { elsewhere: _, ...answer } = await send(url, store.region, options, signal);
      return answer;
    },
  };
}

function queryOf(query: Query): string {
  const members = Object.entries(query).map(([name, value]) =>
    value === '' ? name : `${name}=${encoded(value)}`,
  );
  return members.length === 0 ? '' : `?${members.join('&')}`;
}

/** Not `fetch`, which unpacks what is stored as `Content-Encoding: gzip`: the bytes would not be those of the object. */
const ask = (url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const get = url.protocol === 'http:' ? getPlain : getByTls;
    get(url, { headers, signal }, resolve).on('error', reject);
  });

/** `elsewhere`: the region that the answer says the bucket is in. Null if the bucket was found. */
type Heard = S3Answer & { elsewhere: string | null };

async function read(response: IncomingMessage, maxBytes = MAX_ANSWER_BYTES): Promise<Heard> {
  const { statusCode: status = 0, headers } = response;
  const declared = Number(headers['content-length'] ?? Number.NaN);
  if (status < 300 && declared > maxBytes) {
    response.destroy();
    return { status, code: '', bytes: null, length: declared, elsewhere: null };
  }
  const bytes = await bodyOf(response, declared, status < 300 ? maxBytes : MAX_ANSWER_BYTES, 's3');
  if (status < 300) return { status, code: '', bytes, length: bytes.length, elsewhere: null };
  const error = bytes.toString('utf8');
  const code = /<Code>([A-Za-z0-9.]{1,80})<\/Code>/.exec(error)?.[1] ?? '';
  throwIfFailed(status, code);
  const region = String(
    headers['x-amz-bucket-region'] ?? /<Region>([^<]{1,40})<\/Region>/.exec(error)?.[1] ?? '',
  );
  const isElsewhere = [301, 307].includes(status) || code === 'AuthorizationHeaderMalformed';
  return {
    status,
    code,
    bytes,
    length: bytes.length,
    elsewhere: isElsewhere && REGION.test(region) ? region : null,
  };
}

const BUSY = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
]);

function throwIfFailed(status: number, code: string): void {
  if (status === 429 || status === 503 || BUSY.has(code)) throw new ConnectorError('throttled', 's3_busy');
  if (code === 'RequestTimeTooSkewed') throw new ConnectorError('transient', 's3_clock_skewed');
  if (code === 'RequestTimeout' || (status >= 500 && status !== 501))
    throw new ConnectorError('transient', 's3_failed');
}
