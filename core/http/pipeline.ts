import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Cookie, HttpRequest, HttpResponseInit } from '@azure/functions';
import { z } from 'zod';
import { withAuditedTx } from '../audit/audited-tx.ts';
import type { AuditEntry } from '../audit/event.ts';
import { type NewSession, type RequestCaller, SESSION_COOKIE } from '../auth/session.sql.ts';
import { type Visibility, visibilityOf } from '../authz/principal.ts';
import type { Config } from '../config/config.ts';
import { databaseProblem } from '../db/errors.ts';
import { forRequest } from '../db/pool.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { type ErrorCode, notFound, ServiceError } from '../kernel/errors.ts';
import { inTrace, parentOf } from '../observability/traces.ts';
import { httpAnswer } from '../observability/vocabulary.ts';
import { runtime as processRuntime, type Runtime } from '../runtime.ts';
import { ADAPTER_TOOL_HEADER, type AdapterTool, adapterCalled, adapterToolOf } from './adapter-call.ts';
import { DEFAULT_MAX_BODY_BYTES, parse, readJson } from './body.ts';
import { recogniseCaller } from './caller.ts';
import { correlationIdOf } from './correlation-id.ts';
import { CSRF_HEADER, csrfHolds } from './csrf.ts';
import { type Content, type Endpoint, looksUpSession } from './declaration.ts';
import { errorEnvelope, MAX_RETRY_AFTER_SECONDS, toServiceError } from './errors.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { traceAdapterCall, traceDenial, traceNotFound } from './refusal-traces.ts';
import { represent } from './representation.ts';
import { securityHeaders } from './security-headers.ts';
import { streamed, type TextStream } from './stream.ts';

const NOTHING = z.strictObject({});

/** The state of a request in the pipeline. */
type RequestState = {
  readonly runtime: Runtime;
  readonly endpoint: Endpoint;
  readonly request: HttpRequest;
  readonly invocationId: string;
  readonly correlationId: string;
  readonly now: number;
  sessionHash: Buffer | null;
  caller: RequestCaller | null;
  /** The tool of the adapter that it is made for. */
  tool: AdapterTool | null;
  cookies: Cookie[];
};

/**
 * Processes one request in a fixed order: correlation id, existence, caller, CSRF, auth-mode header, access, parameters,
 * query and body, `prepare`, transaction, handler, response check, audit, commit, doorbells. Responses
 * `not_found` are counted. Never rejects.
 */
export async function handleRequest(
  endpoint: Endpoint,
  request: HttpRequest,
  invocationId: string,
): Promise<HttpResponseInit> {
  const started = performance.now();
  const parts = await processRuntime();
  const runtime = { ...parts, db: forRequest(parts.db, endpoint.method === 'GET' ? 'list' : 'decision') };
  const now = runtime.clock();
  const state: RequestState = {
    runtime,
    endpoint,
    request,
    invocationId,
    correlationId: correlationIdOf(request.headers.get('x-svc-correlation'), now),
    now,
    sessionHash: null,
    caller: null,
    tool: null,
    cookies: [],
  };
  // Logs and traces accept only the methods that endpoints have.
  const method = request.method as Endpoint['method'];
  return inTrace(
    'request',
    { 'http.request.method': method, 'http.route': endpoint.path },
    async (span) => {
      const answer = await run(state).catch((thrown: unknown) => failure(state, thrown));
      const { status = 200 } = answer;
      span.describe({ 'http.response.status_code': status });
      if (status >= 500) span.fail();
      runtime.metrics.count(`http_answer:${httpAnswer(status)}`);
      runtime.log.info('http_request', {
        method,
        route: endpoint.path,
        status,
        durationMs: Math.round(performance.now() - started),
        correlationId: state.correlationId,
        ...(state.caller && { tenantId: state.caller.principal.tenantId }),
      });
      return answer;
    },
    parentOf(request.headers),
  );
}

async function run(state: RequestState): Promise<HttpResponseInit> {
  const { runtime, endpoint, request } = state;
  if (!existsIn(endpoint, runtime.config)) throw notFound();
  if (looksUpSession(endpoint)) Object.assign(state, await recogniseCaller(state));
  const token = state.caller?.session?.csrfToken;
  if (token !== undefined && !csrfHolds(request.method, request.headers.get(CSRF_HEADER), token)) {
    throw new ServiceError('csrf_token_invalid', 'The session token is missing or wrong.');
  }
  state.tool = adapterToolOf(endpoint, request.headers.get(ADAPTER_TOOL_HEADER));
  try {
    return await admitted(state, await admit(state));
  } catch (thrown) {
    await traceRefusal(state, toServiceError(thrown).code);
    throw thrown;
  }
}

/** Records what is not recorded with a change: responses `not_found`, and refused calls of the adapter. */
async function traceRefusal(state: RequestState, code: ErrorCode): Promise<void> {
  const { endpoint, caller, tool } = state;
  if (caller === null) return;
  const asked = { ...state, principal: caller.principal };
  // Endpoints for anyone hide nothing, so their responses are not counted. The one for unknown paths is among them.
  if (code === 'not_found' && endpoint.access.kind !== 'anyone') await traceNotFound(asked);
  if (tool !== null) await traceAdapterCall(asked, adapterCalled(tool, code));
}

const existsIn = ({ devOnly, idpOnly }: Endpoint, { SVC_ENV, SVC_AUTH_MODE }: Config): boolean =>
  !(devOnly && !(SVC_ENV === 'development' && SVC_AUTH_MODE === 'dev')) &&
  !(idpOnly && SVC_AUTH_MODE !== 'idp');

/** Continues after the caller is known and access is granted. */
async function admitted(state: RequestState, visibility: Visibility | null): Promise<HttpResponseInit> {
  const { runtime, endpoint, request } = state;
  const params = parameters(endpoint, request);
  const query = parse(endpoint.query ?? NOTHING, queryOf(request));
  const body =
    endpoint.method === 'GET' ? {} : parse(endpoint.body ?? NOTHING, await bodyOf(endpoint, request));

  const known = {
    runtime,
    principal: state.caller?.principal ?? null,
    session: state.caller?.session ?? null,
    visibility,
    params,
    query,
    body,
    idempotencyKey: endpoint.idempotent ? idempotencyKeyOf(request) : null,
  };
  const prepared = await endpoint.prepare?.(known as never);
  let tasks: (() => Promise<void>)[] = [];
  const result = await transact(state, async (tx, events) => {
    // After a serialization failure or a deadlock, the transaction runs again from here.
    tasks = [];
    state.cookies = [];
    const value = await endpoint.handle({
      ...known,
      prepared,
      tx,
      now: state.now,
      correlationId: state.correlationId,
      sessionHash: state.sessionHash,
      audit: (entry: AuditEntry) => events.push(entry),
      setSession: (session: NewSession | null) => {
        state.cookies.push(sessionCookie(session, runtime.config.SVC_ENV === 'production'));
      },
      setCookie: ({ name, value, maxAgeSeconds, path }: SetCookie) => {
        const secure = runtime.config.SVC_ENV === 'production';
        state.cookies.push({ ...COOKIE, name, value, maxAge: maxAgeSeconds, path, secure });
      },
      header: (name: string) => request.headers.get(name),
      host: new URL(request.url).host,
      search: request.query,
      countNotFound: () => traceRefusal(state, 'not_found'),
      afterCommit: (task: () => Promise<void>) => tasks.push(task),
    } as never);
    if (state.tool !== null) events.push(adapterCalled(state.tool, 'answered'));
    return endpoint.response === undefined ? (value as Content) : endpoint.response.parse(value);
  });
  // Failures after the commit cannot undo it. The sweep replaces a lost doorbell.
  await Promise.all(
    tasks.map((task) =>
      task().catch((error: unknown) =>
        runtime.log.warn(
          'after_commit_failed',
          { route: endpoint.path, correlationId: state.correlationId },
          error,
        ),
      ),
    ),
  );
  return success(state, result);
}

/** A source cannot correct its mistakes, and may stop calling if it receives errors. */
const bodyOf = (endpoint: Endpoint, request: HttpRequest): Promise<unknown> => {
  const body = readJson(request, endpoint.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  return endpoint.access.kind === 'source' ? body.catch(() => ({})) : body;
};

/** Checks access. A denial is audited in its own commit, because the request itself is not stored. */
async function admit(state: RequestState): Promise<Visibility | null> {
  const { endpoint, caller } = state;
  if (endpoint.access.kind === 'anyone' || endpoint.access.kind === 'source') return null;
  if (caller === null) throw new ServiceError('authentication_required', 'Sign in first.');
  if (endpoint.access.kind === 'session') return null;
  const { capability } = endpoint.access;
  const visibility = visibilityOf(caller.principal, capability);
  if (visibility !== null) return visibility;
  await traceDenial({ ...state, principal: caller.principal }, capability);
  throw new ServiceError('not_permitted', `This needs the capability ${capability}.`);
}

/** A malformed identifier names no resource, so the response is `not_found` rather than `validation_failed`. */
function parameters(endpoint: Endpoint, request: HttpRequest): unknown {
  try {
    return parse(endpoint.params ?? NOTHING, request.params);
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown;
    throw notFound();
  }
}

function queryOf(request: HttpRequest): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const key of new Set(request.query.keys())) {
    const values = request.query.getAll(key);
    query[key] = values.length === 1 && values[0] !== undefined ? values[0] : values;
  }
  return query;
}

/** Runs the handler in the transaction that the endpoint declares, and commits its audit events with its changes. */
async function transact<T>(
  { runtime, endpoint, caller, correlationId, now }: RequestState,
  handle: (tx: Tx | null, events: AuditEntry[]) => Promise<T>,
): Promise<T> {
  const source = caller && {
    tenantId: caller.principal.tenantId,
    principalId: caller.principal.principalId,
    correlationId,
    now,
  };
  const mode = endpoint.transaction;
  // Without a caller there is no tenant, and so neither a transaction nor an audit chain.
  if (source === null) return handle(null, []);
  if (mode !== 'write') {
    let events: AuditEntry[] = [];
    const collected = (tx: Tx | null) => {
      events = [];
      return handle(tx, events);
    };
    const value = await (mode === 'none'
      ? collected(null)
      : withTx(runtime.db, { tenantId: source.tenantId, mode }, collected));
    await Promise.all(events.map((entry) => runtime.audit.append(source, entry)));
    return value;
  }
  return withAuditedTx(runtime.db, source, handle);
}

type SetCookie = { name: string; value: string; maxAgeSeconds: number; path: string };

const COOKIE = { httpOnly: true, sameSite: 'Lax' } as const;

const sessionCookie = (session: NewSession | null, secure: boolean): Cookie => ({
  ...COOKIE,
  name: SESSION_COOKIE,
  value: session?.cookieValue ?? '',
  maxAge: session?.maxAgeSeconds ?? 0,
  path: '/',
  secure,
});

async function success(state: RequestState, result: unknown): Promise<HttpResponseInit> {
  const { endpoint, request, cookies } = state;
  if (endpoint.response !== undefined) {
    const status = endpoint.status?.(result as never) ?? 200;
    const answer = { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(result) };
    const sent = await represent(request, endpoint, answer);
    const location = endpoint.location?.(result as never);
    const sentHeaders = { ...headers(state), ...(location && { location }), ...sent.headers };
    return { ...sent, headers: sentHeaders, cookies };
  }
  const content = result as Content;
  const {
    status = 200,
    location,
    contentType,
    fileName,
    contentSecurityPolicy,
    cacheControl,
    body,
  } = content;
  const sent =
    typeof body === 'string' || body instanceof Uint8Array
      ? await represent(request, endpoint, { status, contentType, body })
      : { status, headers: { 'content-type': contentType }, body: await streamedBody(state, body) };
  return {
    ...sent,
    headers: {
      ...headers(state),
      ...(location && { location }),
      ...(contentSecurityPolicy && { 'content-security-policy': contentSecurityPolicy }),
      ...(cacheControl && { 'cache-control': cacheControl }),
      ...(fileName && { 'content-disposition': `attachment; filename="${fileName}"` }),
      ...sent.headers,
    },
    cookies,
  };
}

async function streamedBody(
  { runtime, endpoint, request, invocationId, correlationId }: RequestState,
  body: TextStream,
) {
  if (request.method === 'HEAD') return '';
  return streamed(invocationId, body, (error) =>
    runtime.log.error('internal_error', { route: endpoint.path, correlationId }, error),
  );
}

function failure(state: RequestState, thrown: unknown): HttpResponseInit {
  const error = toServiceError(thrown);
  const problem = databaseProblem(thrown);
  if (error.code === 'internal_error' || problem !== null) {
    const event = problem === null ? 'internal_error' : 'database_unavailable';
    const { endpoint, correlationId } = state;
    state.runtime.log.error(event, { route: endpoint.path, correlationId }, thrown);
  }
  const { 'x-svc-auth-mode': authMode, ...rest } = headers(state);
  const body = JSON.stringify(errorEnvelope(error, state.correlationId));
  return {
    status: error.status,
    headers: {
      ...rest,
      // A random delay, so that refused callers do not return all at once.
      ...(error.code === 'overloaded' && {
        'retry-after': String(randomInt(1, MAX_RETRY_AFTER_SECONDS + 1)),
      }),
      // The CSRF check precedes this header.
      ...(error.code !== 'csrf_token_invalid' && { 'x-svc-auth-mode': authMode }),
      ...(error.code === 'authentication_required' &&
        state.runtime.accessTokens && { 'www-authenticate': 'Bearer' }),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
  };
}

const headers = ({ runtime, correlationId }: RequestState) => ({
  ...securityHeaders(runtime.config.SVC_ENV === 'production'),
  'x-svc-auth-mode': runtime.config.SVC_AUTH_MODE,
  'x-svc-correlation': correlationId,
});
