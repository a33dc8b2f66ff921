import type { PathValues } from '../cloud-http/call-path.ts';
import {
  type Answer,
  type AnswerOptions,
  CALL_TIMEOUT_MS,
  createCalls,
  READ_TIMEOUT_MS,
  UNCOMPRESSED,
} from '../cloud-http/calls.ts';
import { createDownload } from '../cloud-http/download.ts';
import type { Came } from '../cloud-http/exchange.ts';
import { readJson } from '../cloud-http/read-body.ts';
import type { NoAnswer } from '../cloud-http/retry.ts';
import type { ContentRead } from '../connector.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';
import { createBatch } from './batch.ts';
import { type CallQuery, callPath } from './call-path.ts';
import { isHollow } from './error-codes.ts';
import { contentAddress, graphLink } from './follow-link.ts';
import type { TransportCall } from './graph-rules.ts';
import { type Outgoing, type TransportParts, transportRules } from './transport.ts';

/** Of a request. `Prefer` of a delta belongs to its cursor. `ConsistencyLevel: eventual` goes with `$search`. */
export type CallHeaders = Readonly<Partial<Record<'Prefer' | 'ConsistencyLevel', string>>>;

export type CallOptions<T, E extends number = never> = AnswerOptions<T, E> & {
  query?: CallQuery;
  headers?: CallHeaders;
};

/**
 * Calls Microsoft Graph. Nothing but the calls of `allowed-calls.ts` can leave, and no address is followed unchecked.
 * Throws `ConnectorError`s alone: of class `throttled` with the delay that the source asked for, `auth`, `transient` or
 * `permanent`, with `graph_<call>_<status or reason>` as the diagnostic.
 */
export type GraphClient = {
  /** One call. `GET` and `DELETE` have no body. */
  call<T, E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    options: CallOptions<T, E> & { body?: object },
  ): Promise<Answer<T, E>>;
  /**
   * Follows a link that Graph gave (`nextLink`, `deltaLink`, `Location`), or its path and query as `linkPath` returns
   * them. It must lie on the Graph host and have the shape of `name`, with these `values`.
   */
  follow<T, E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    link: string,
    options: Omit<CallOptions<T, E>, 'query'>,
  ): Promise<Answer<T, E>>;
  /**
   * Like `call`, but up to 20 calls that are made at about the same time leave as one `$batch`. For `GET` and
   * `labels_extract`. Each is answered, repeated and refused by itself.
   */
  batched<T, E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    options: CallOptions<T, E>,
  ): Promise<Answer<T, E>>;
  /**
   * The content of an item. Takes the 302 of Graph and reads its address without the bearer. `inaccessible` on 403,
   * 404, 410 and 423.
   */
  download(values: PathValues, maxBytes: number, signal: AbortSignal): Promise<ContentRead>;
  /** Like `call`, of what Graph answers as bytes. `too_large` past `maxBytes`. */
  bytes<E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    options: Pick<CallOptions<ContentRead, E>, 'headers' | 'expect' | 'signal'> & { maxBytes: number },
  ): Promise<Answer<ContentRead, E>>;
  /** Looks once at the monitor of an asynchronous operation, without the bearer. `address` is a `Location`. */
  monitor<T, E extends number = never>(
    address: string,
    options: Pick<CallOptions<T, E>, 'schema' | 'expect' | 'signal'>,
  ): Promise<Answer<T, E>>;
};

export type GraphClientParts = TransportParts;

export function createGraphClient(parts: GraphClientParts): GraphClient {
  const { cloud } = parts;
  const calls = createCalls(transportRules(parts), parts);
  const batch = createBatch(parts, calls.exchange);
  const download = createDownload<TransportCall>(calls, {
    elsewhere: 'download',
    toAddress: (address) => contentAddress(cloud, 'download', address),
  });

  const outgoing = (name: AllowedCall, url: URL, headers: CallHeaders = {}, body?: object): Outgoing => ({
    call: name,
    method: ALLOWED_CALLS[name].method,
    url,
    headers: {
      Accept: 'application/json',
      ...headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  const made = <T, E extends number>(request: Outgoing, options: AnswerOptions<T, E>) => {
    const attempt = () => calls.exchange(request, readJson, options.signal);
    return calls.answer(request.call, async () => withBody(await attempt()), options);
  };
  const urlOf = (name: AllowedCall, values: PathValues, query?: CallQuery) =>
    new URL(callPath(name, values, query), cloud.graphOrigin);

  return {
    call: async (name, values, { query, headers, body, ...options }) =>
      made(outgoing(name, urlOf(name, values, query), headers, body), options),
    follow: async (name, values, link, { headers, ...options }) =>
      made(outgoing(name, graphLink(cloud, name, values, link), headers), options),
    batched: async (name, values, { query, headers, ...options }) => {
      const request = outgoing(name, urlOf(name, values, query), headers);
      return calls.answer(name, async () => withBody(await batch(request, options.signal)), options);
    },
    download: async (values, maxBytes, signal) => {
      const request: Outgoing = {
        call: 'content',
        method: ALLOWED_CALLS.content.method,
        url: urlOf('content', values),
        timeoutMs: CALL_TIMEOUT_MS,
      };
      const content = await download(request, maxBytes, signal);
      return content.state === 'refused' ? { state: 'inaccessible' } : content;
    },
    bytes: async (name, values, { headers = {}, ...options }) => {
      const request: Outgoing = {
        call: name,
        method: ALLOWED_CALLS[name].method,
        url: urlOf(name, values),
        headers: { ...headers, ...UNCOMPRESSED },
        timeoutMs: READ_TIMEOUT_MS,
      };
      return calls.bytes(request, options);
    },
    monitor: async (address, options) => {
      const request: Outgoing = {
        call: 'monitor',
        method: 'GET',
        url: contentAddress(cloud, 'monitor', address),
        timeoutMs: CALL_TIMEOUT_MS,
      };
      // A monitor reports errors of what it watches.
      return calls.answer('monitor', () => calls.exchange(request, readJson, options.signal), options);
    },
  };
}

/** Graph sometimes answers 200 with nothing, or with an error. Neither is an answer, and another try may get one. */
const withBody = (came: Came<unknown> | NoAnswer): Came<unknown> | NoAnswer =>
  came.kind === 'status' && came.status === 200 && isHollow(came.body)
    ? { kind: 'no_answer', reason: 'malformed' }
    : came;
