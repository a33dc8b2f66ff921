import { z } from 'zod';
import { ConnectorError, type ContentRead } from '../connector.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';
import { createBatch } from './batch.ts';
import { type CallQuery, callPath, type PathValues } from './call-path.ts';
import { createDownload, READ_TIMEOUT_MS, readContent } from './download.ts';
import { contentAddress, graphLink } from './follow-link.ts';
import { createPersist, type Wait, waitWhile } from './persist.ts';
import { isHollow, readJson } from './read-body.ts';
import type { NoAnswer } from './retry.ts';
import { type Came, createTransport, isContent, type Outgoing, type TransportParts } from './transport.ts';

/** Of a request. `Prefer` of a delta belongs to its cursor. `ConsistencyLevel: eventual` goes with `$search`. */
export type CallHeaders = Readonly<Partial<Record<'Prefer' | 'ConsistencyLevel', string>>>;

export type CallOptions<T, E extends number = never> = {
  query?: CallQuery;
  headers?: CallHeaders;
  /** Of the answer's body. An answer without a body is `undefined`, whose schema is `z.undefined()`. */
  schema: z.ZodType<T>;
  /** Statuses that the caller treats itself. All others but 2xx become a `ConnectorError`. 429 and 503 always do. */
  expect?: readonly E[];
  signal: AbortSignal;
};

export type Answered<T> = {
  ok: true;
  status: number;
  body: T;
  /** The `Location` header as it came. Give it to `follow` or `monitor`, which check it. */
  location: string | null;
};

/** An answer with a status that the caller expects. */
type Refused<E extends number> = {
  ok: false;
  status: E;
  /**
   * The codes of the error, the outermost first, then those of its inner errors, in letters, digits, `_`, `.` and `-`.
   * Messages are dropped. Put no code in a log or diagnostic unless it is one of a closed set.
   */
  codes: readonly string[];
  location: string | null;
};

export type GraphAnswer<T, E extends number = never> =
  | Answered<T>
  | ([E] extends [never] ? never : Refused<E>);

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
  ): Promise<GraphAnswer<T, E>>;
  /**
   * Follows a link that Graph gave (`nextLink`, `deltaLink`, `Location`), or its path and query as `linkPath` returns
   * them. It must lie on the Graph host and have the shape of `name`, with these `values`.
   */
  follow<T, E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    link: string,
    options: Omit<CallOptions<T, E>, 'query'>,
  ): Promise<GraphAnswer<T, E>>;
  /**
   * Like `call`, but up to 20 calls that are made at about the same time leave as one `$batch`. For `GET` and
   * `labels_extract`. Each is answered, repeated and refused by itself.
   */
  batched<T, E extends number = never>(
    name: AllowedCall,
    values: PathValues,
    options: CallOptions<T, E>,
  ): Promise<GraphAnswer<T, E>>;
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
  ): Promise<GraphAnswer<ContentRead, E>>;
  /** Looks once at the monitor of an asynchronous operation, without the bearer. `address` is a `Location`. */
  monitor<T, E extends number = never>(
    address: string,
    options: Pick<CallOptions<T, E>, 'schema' | 'expect' | 'signal'>,
  ): Promise<GraphAnswer<T, E>>;
};

export type GraphClientParts = TransportParts & {
  /** Waits between two tries. Replaced in tests only. */
  wait?: Wait;
};

const CALL_TIMEOUT_MS = 60_000;
export function createGraphClient({ wait = waitWhile, ...parts }: GraphClientParts): GraphClient {
  const { cloud } = parts;
  const exchange = createTransport(parts);
  const persist = createPersist(wait);
  const batch = createBatch(parts, exchange);
  const download = createDownload(cloud, exchange, persist);

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
  const made = async <T, E extends number>(
    request: Outgoing,
    { schema, expect = [], signal }: Pick<CallOptions<T, E>, 'schema' | 'expect' | 'signal'>,
  ): Promise<GraphAnswer<T, E>> => {
    const attempt = async () => {
      const came = await exchange(request, readJson, signal);
      // A monitor reports errors of what it watches.
      return isContent(request.call) ? came : withBody(came);
    };
    return toAnswer(request.call, await persist(request.call, expect, attempt, signal), schema);
  };
  const urlOf = (name: AllowedCall, values: PathValues, query?: CallQuery) =>
    new URL(callPath(name, values, query), cloud.graphOrigin);

  return {
    call: async (name, values, { query, headers, body, ...options }) =>
      made(outgoing(name, urlOf(name, values, query), headers, body), options),
    follow: async (name, values, link, { headers, ...options }) =>
      made(outgoing(name, graphLink(cloud, name, values, link), headers), options),
    batched: async (name, values, { query, headers, schema, expect = [], signal }) => {
      const request = outgoing(name, urlOf(name, values, query), headers);
      const came = await persist(name, expect, async () => withBody(await batch(request, signal)), signal);
      return toAnswer(name, came, schema);
    },
    download,
    bytes: async (name, values, { maxBytes, headers = {}, expect = [], signal }) => {
      const request: Outgoing = {
        call: name,
        method: ALLOWED_CALLS[name].method,
        url: urlOf(name, values),
        // Compressed bytes would be counted as others than those that are read.
        headers: { ...headers, 'Accept-Encoding': 'identity' },
        timeoutMs: READ_TIMEOUT_MS,
      };
      const attempt = () => exchange(request, (response) => readContent(response, maxBytes), signal);
      return toAnswer(name, await persist(name, expect, attempt, signal), z.custom<ContentRead>());
    },
    monitor: async (address, options) =>
      made(
        {
          call: 'monitor',
          method: 'GET',
          url: contentAddress(cloud, 'monitor', address),
          timeoutMs: CALL_TIMEOUT_MS,
        },
        options,
      ),
  };
}

/** Graph sometimes answers 200 with nothing, or with an error. Neither is an answer, and another try may get one. */
const withBody = (came: Came<unknown> | NoAnswer): Came<unknown> | NoAnswer =>
  came.kind === 'status' && came.status === 200 && isHollow(came.body)
    ? { kind: 'no_answer', reason: 'malformed' }
    : came;

/** `persist` lets 2xx and expected statuses through, so any other status here is one of `E`. */
function toAnswer<T, E extends number>(
  call: Outgoing['call'],
  { status, location, codes, body }: Came<unknown>,
  schema: z.ZodType<T>,
): GraphAnswer<T, E> {
  if (status >= 300) {
    const refused: Refused<E> = { ok: false, status: status as E, codes, location };
    return refused as GraphAnswer<T, E>;
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new ConnectorError('permanent', `graph_${call}_malformed`);
  return { ok: true, status, body: parsed.data, location };
}
