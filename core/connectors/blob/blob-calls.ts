import { Readable } from 'node:stream';
import {
  createDefaultHttpClient,
  createEmptyPipeline,
  createHttpHeaders,
  createPipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline';
import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { throwIfAborted } from '../abort.ts';
import { bodyOf, isCutOff } from '../bounded-body.ts';
import { ConnectorError } from '../connector.ts';
import { type BlobCredential, signingOf } from './blob-credential.ts';

/** A service of the account: its address, the version of its protocol and headers that each call needs. */
type StorageService = {
  url: URL;
  version: string;
  headers?: Readonly<Record<string, string>>;
};

const WITHIN_MS = 60_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** `bytes`: null if the body has more than was asked for; then `length` says how many. */
export type BlobAnswer = {
  status: number;
  code: string;
  header(name: string): string | null;
  bytes: Uint8Array | null;
  length: number;
};

type CallOptions = {
  /** Sends no credential. */
  anonymous?: boolean;
  /** If the body has more bytes, it is not read. */
  maxBytes?: number;
  headers?: Readonly<Record<string, string>>;
};

/** Reads of one service of a storage account. It only sends GET. */
export type BlobCalls = {
  /**
   * @param path after the address of the service, encoded
   * Throws `ConnectorError` if there is no answer, or if the service is busy.
   */
  get(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    options?: CallOptions,
  ): Promise<BlobAnswer>;
  urlOf(path: string): string;
};

export function createBlobCalls(service: StorageService, credential: BlobCredential): BlobCalls {
  const base = service.url.href.replace(/\/+$/, '');
  const http = createDefaultHttpClient();
  const signing = signingOf(credential);
  const signed = createEmptyPipeline();
  if (signing !== null) signed.addPolicy(signing);
  const plain = createEmptyPipeline();

  const send: Send = async (path, query, signal, { anonymous = false, headers, maxBytes }, token) => {
    const request = createPipelineRequest({
      url: `${base}${path}${queryOf(credential.kind === 'sas' && !anonymous ? { ...query, ...credential.query } : query)}`,
      method: 'GET',
      headers: createHttpHeaders({
        'x-ms-version': service.version,
        'x-ms-date': new Date().toUTCString(),
        'accept-encoding': 'identity',
        ...service.headers,
        ...headers,
        ...(token !== null && { authorization: `Bearer ${token}` }),
      }),
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]),
      streamResponseStatusCodes: new Set([Number.POSITIVE_INFINITY]),
      allowInsecureConnection: service.url.protocol === 'http:',
    });
    return read(await (anonymous ? plain : signed).sendRequest(http, request), maxBytes ?? MAX_ANSWER_BYTES);
  };

  return {
    urlOf: (path) => `${base}${path}`,
    get: async (path, query, signal, options = {}) => {
      throwIfAborted(signal);
      try {
        if (credential.kind !== 'token' || options.anonymous === true)
          return await send(path, query, signal, options, null);
        const token = await credential.tokens.token(signal);
        const answer = await send(path, query, signal, options, token);
        if (answer.status !== 401) return answer;
        return await send(path, query, signal, options, await credential.tokens.token(signal, token));
      } catch (error) {
        throwIfAborted(signal);
        if (error instanceof ConnectorError) throw error;
        if (error instanceof RestError || isCutOff(error))
          throw new ConnectorError('transient', 'blob_unreachable');
        throw error;
      }
    },
  };
}

type Send = (
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
  options: CallOptions,
  token: string | null,
) => Promise<BlobAnswer>;

/** A space as `%20`: the signature does not cover it as `+`. */
const queryOf = (members: Readonly<Record<string, string>>) =>
  Object.entries(members)
    .map(([name, value], at) => `${at === 0 ? '?' : '&'}${name}=${encodeURIComponent(value)}`)
    .join('');

async function read(response: PipelineResponse, maxBytes: number): Promise<BlobAnswer> {
  const { status, headers, readableStreamBody: stream } = response;
  const header = (name: string) => headers.get(name) ?? null;
  const code = header('x-ms-error-code') ?? '';
  const length = Number(header('content-length') ?? Number.NaN);
  if (status < 300 && length > maxBytes) {
    end(stream);
    return { status, code, header, bytes: null, length };
  }
  const bytes = await bodyOf(
    stream ?? Readable.from([]),
    length,
    status < 300 ? maxBytes : MAX_ANSWER_BYTES,
    'blob',
  );
  if (status === 429 || (status >= 500 && status !== 501))
    throw new ConnectorError(
      retryClassOfStatus(status),
      status === 429 || status === 503 ? 'blob_busy' : 'blob_failed',
      retryAfterMs(header('retry-after'), Date.now()),
    );
  return { status, code, header, bytes, length: bytes.length };
}

function end(stream: NodeJS.ReadableStream | undefined): void {
  if (stream !== undefined && 'destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
}
