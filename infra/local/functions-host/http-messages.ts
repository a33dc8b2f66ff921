import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RpcHttpCookie, RpcHttpData, RpcTraceContext, RpcTypedData } from './core-types.ts';

const HOST_HEADER = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9._~-]{1,255})(?::\d{1,5})?$/i;

/** The parts of a request target. `path` and `query` are as sent, the query with its `?`. */
export type RequestTarget = { readonly host: string; readonly path: string; readonly query: string };

/** @returns undefined if the target or the Host header is not one of this server */
export function parseTarget(request: IncomingMessage): RequestTarget | undefined {
  let target = request.url ?? '';
  let host = request.headers.host ?? 'localhost';
  if (!target.startsWith('/')) {
    if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
    const url = new URL(target);
    host = url.host;
    target = url.pathname + url.search;
  }
  if (!HOST_HEADER.test(host)) return undefined;
  const mark = target.indexOf('?');
  return mark < 0
    ? { host, path: target, query: '' }
    : { host, path: target.slice(0, mark), query: target.slice(mark) };
}

/** Headers by lower-case name. Repeated ones are joined, as the host does for the worker. */
export function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ','}${value}`;
  }
  return headers;
}

/** Can be shared, because the programming model copies what it receives. */
const NO_QUERY: Record<string, string> = {};

/**
 * The query as the host passes it to the worker outside stream mode: names ignore case, and repeated ones are joined
 * with a comma. Code that reads repeated parameters separately therefore fails here as it does there.
 */
export function joinQuery(query: string): Record<string, string> {
  if (query.length < 2) return NO_QUERY;
  const joined = new Map<string, [name: string, value: string]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = joined.get(name.toLowerCase());
    if (before === undefined) joined.set(name.toLowerCase(), [name, value]);
    else before[1] += `,${value}`;
  }
  return Object.fromEntries(joined.values());
}

const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C trace context of the caller. Empty if it sent no valid one. */
export function traceContextOf(headers: Readonly<Record<string, string>>): RpcTraceContext | undefined {
  const { traceparent, tracestate = '' } = headers;
  if (traceparent === undefined || !TRACE_PARENT.test(traceparent)) return undefined;
  return { traceParent: traceparent, traceState: tracestate.slice(0, 512), attributes: {} };
}

/** A `Set-Cookie` value in the format of ASP.NET: the value percent-encoded, and the path `/` by default. */
function formatCookie(cookie: RpcHttpCookie): string {
  const name = cookie.name ?? '';
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw new Error('A response cookie has no valid name.');
  const parts = [`${name}=${encodeURIComponent(cookie.value ?? '')}`];
  const expires = cookie.expires?.value?.seconds;
  if (expires != null) parts.push(`expires=${new Date(expires * 1000).toUTCString()}`);
  const maxAge = cookie.maxAge?.value;
  if (maxAge != null) parts.push(`max-age=${Math.trunc(maxAge)}`);
  const domain = cookie.domain?.value;
  if (domain != null && domain !== '') parts.push(`domain=${withoutControls(domain)}`);
  parts.push(`path=${withoutControls(cookie.path?.value ?? '/')}`);
  if (cookie.secure?.value === true) parts.push('secure');
  if (cookie.sameSite === 'lax' || cookie.sameSite === 'strict') parts.push(`samesite=${cookie.sameSite}`);
  else if (cookie.sameSite === 'explicitNone') parts.push('samesite=none');
  if (cookie.httpOnly?.value === true) parts.push('httponly');
  return parts.join('; ');
}

/** A `;` would start another attribute. The socket writer refuses control characters anyway. */
function withoutControls(text: string): string {
  if (/[;\p{Cc}]/u.test(text)) throw new Error('A response cookie has an attribute that is not valid.');
  return text;
}

/** The server controls framing, whatever headers a function sets. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const isHopByHop = (name: string) => HOP_BY_HOP.has(name);

function bodyBytes(body: RpcTypedData | null | undefined): Uint8Array | string {
  return body?.bytes ?? body?.string ?? body?.json ?? '';
}

/** Writes the response of a function. No response is a 204, as in the host. @throws Error before any byte is sent */
export function writeRpcResponse(response: ServerResponse, rpc: RpcHttpData | null | undefined): void {
  if (rpc == null) {
    response.writeHead(204).end();
    return;
  }
  const status = Number(rpc.statusCode ?? 200);
  const headers: Record<string, string | string[] | number> = {};
  for (const [name, value] of Object.entries(rpc.headers ?? {})) {
    if (!isHopByHop(name)) headers[name] = value;
  }
  const cookies = (rpc.cookies ?? []).map(formatCookie);
  if (cookies.length > 0) {
    const before = headers['set-cookie'];
    headers['set-cookie'] = typeof before === 'string' ? [before, ...cookies] : cookies;
  }
  const body = bodyBytes(rpc.body);
  if (status === 204 || status === 304) {
    delete headers['content-length'];
  } else if (body.length > 0 || response.req.method !== 'HEAD' || headers['content-length'] === undefined) {
    headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  }
  response.writeHead(status, headers);
  if (body.length > 0) response.end(body);
  else response.end();
}
