import { z } from 'zod';
import { boundedFetch } from '../ai/bounded-fetch.ts';
import type { AdapterConfig } from '../config/adapter-config.ts';
import { ADAPTER_TOOL_HEADER } from '../http/adapter-call.ts';
import type { EndpointCall } from '../http/call-endpoint.ts';
import { Refused, refusalOf, type Service } from './service.ts';

/** Answers of the service are bounded lists of bounded texts. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const ANSWER_WITHIN_MS = 60_000;
/** It follows no redirect: the session is for this address and no other. */
const fetchBounded = boundedFetch(MAX_ANSWER_BYTES);

type Session = { cookie: string; csrfToken: string };

/** The service behind its address, as `npm run mcp` uses it. */
export type RemoteService = {
  service: Service;
  /** Ends the session if it was started here. */
  close(): Promise<void>;
};

/**
 * Uses the service over its REST API: in the session that is configured, or in one of its own as a development
 * principal, which is started at the first call, and again if it has ended.
 */
export function remoteService(config: AdapterConfig): RemoteService {
  const { url, identity } = config;
  let started: Promise<Session> | undefined;
  const session = (): Promise<Session> => {
    if (identity.kind === 'session') return Promise.resolve(identity);
    started ??= signIn(url, identity.principalId).catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
  const call = async (headers: Record<string, string>, asked: EndpointCall) =>
    send(url, { ...headers, ...headersOf(await session()) }, asked);
  return {
    service: async (tool, asked) => {
      const marked = { [ADAPTER_TOOL_HEADER]: tool };
      await session();
      const used = started;
      const answer = await call(marked, asked);
      if (answer.status !== 401 || identity.kind === 'session') return answer;
      // Of concurrent calls, the first one signs in again.
      if (started === used) started = undefined;
      return call(marked, asked);
    },
    close: async () => {
      if (started === undefined) return;
      // It ends by itself, if the service does not answer any more.
      await call({}, { method: 'POST', path: '/api/auth/logout', body: {} }).catch(() => undefined);
    },
  };
}

const headersOf = ({ cookie, csrfToken }: Session) => ({
  cookie: `svc_session=${cookie}`,
  'x-svc-csrf': csrfToken,
});

async function signIn(url: string, principalId: string): Promise<Session> {
  const login = { method: 'POST', path: '/api/auth/dev/login', body: { principalId } } as const;
  const { status, body, cookies } = await send(url, {}, login);
  // Elsewhere than in development there is no such sign-in.
  if (status !== 200) {
    throw status === 404
      ? new Refused({
          error: 'authentication_required',
          message:
            'This service has no development sign-in. Configure SVC_MCP_SESSION_COOKIE and SVC_MCP_CSRF_TOKEN.',
        })
      : refusalOf(body);
  }
  const csrfToken = z.object({ csrfToken: z.string() }).safeParse(body).data?.csrfToken;
  const cookie = /^svc_session=([^;]+)/.exec(cookies[0] ?? '')?.[1];
  if (csrfToken === undefined || cookie === undefined) throw refusalOf(undefined);
  return { cookie, csrfToken };
}

async function send(
  url: string,
  headers: Record<string, string>,
  { method, path, params = {}, query = {}, body }: EndpointCall,
) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const target = new URL(`${url}${filled}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(name, value);
  try {
    const response = await fetchBounded(target, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return {
      status: response.status,
      body: JSON.parse(await response.text()) as unknown,
      cookies: response.headers.getSetCookie(),
    };
  } catch {
    throw new Refused({
      error: 'overloaded',
      message: 'The service cannot be reached at SVC_MCP_URL, or did not answer in time.',
    });
  }
}
