import { app, type HttpMethod } from '@azure/functions';
import type { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { NewSession, RequestCaller } from '../auth/session.sql.ts';
import type { Capability } from '../authz/capabilities.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import type { Runtime } from '../runtime.ts';
import { handleRequest } from './pipeline.ts';
import type { TextStream } from './stream.ts';

/** Who may call. Required in every declaration, so that leaving it out does not compile. */
export type Access =
  | { kind: 'anyone' }
  | { kind: 'session' }
  | { kind: 'can'; capability: Capability }
  | { kind: 'source' };

export const anyone = { kind: 'anyone' } as const satisfies Access;
export const session = { kind: 'session' } as const satisfies Access;
/**
 * A source that calls back. No session is looked up and no CSRF token asked for, whatever cookie comes along, and a
 * body that cannot be read counts as `{}`: what is trusted of it is for the handler to say.
 */
export const source = { kind: 'source' } as const satisfies Access;
export const can = <C extends Capability>(capability: C) =>
  ({ kind: 'can', capability }) as const satisfies Access;

/**
 * `none`: the handler gets no transaction. `read`: one that cannot write. `write`: one that is committed together
 * with the audit events of the request.
 */
export type TransactionMode = 'none' | 'read' | 'write';

type Caller<A extends Access> = A['kind'] extends 'anyone' | 'source'
  ? { principal: Principal | null }
  : A['kind'] extends 'can'
    ? { principal: Principal; visibility: Visibility }
    : { principal: Principal; session: RequestCaller['session'] };

/** Without a caller there is no tenant, and without a tenant no transaction. */
type Transaction<A extends Access, T extends TransactionMode> = T extends 'none'
  ? unknown
  : { tx: A['kind'] extends 'anyone' | 'source' ? Tx | null : Tx };

/** What is known of a request before its transaction. */
type RequestContext<A extends Access, P, Q, B> = Caller<A> & {
  runtime: Runtime;
  params: P;
  query: Q;
  body: B;
  /** Of a request to an `idempotent` endpoint that has one. */
  idempotencyKey: string | null;
};

type HandlerContext<A extends Access, T extends TransactionMode, P, Q, B, N> = RequestContext<A, P, Q, B> &
  Transaction<A, T> & {
    /** What `prepare` resolved to. */
    prepared: N;
    /** The request's time, in milliseconds: everything that one request writes bears it. */
    now: number;
    correlationId: string;
    /** The session in the cookie, whether or not it still resolves. For sign-in and sign-out. */
    sessionHash: Buffer | null;
    /** Records an event of this request; it is appended to the chain in the request's transaction. */
    audit(entry: AuditEntry): void;
    /** Sets (or with null clears) the session cookie of the answer. */
    setSession(session: NewSession | null): void;
    /** Sets a cookie of the answer that lasts for a part of the paths; with an empty value it goes. */
    setCookie(cookie: { name: string; value: string; maxAgeSeconds: number; path: string }): void;
    /** A header of the request. */
    header(name: 'cookie' | 'user-agent'): string | null;
    /** The query as it came. */
    search: URLSearchParams;
    /** Runs after the commit, never when the request fails; for doorbells and the like. */
    afterCommit(task: () => Promise<void>): void;
  };

/** A body that is not checked against a schema. Each header given replaces the usual one. */
export type Content = {
  /** Default 200. */
  status?: number;
  /** Where the browser goes on, with a status of redirection. */
  location?: string;
  contentType: string;
  /** A stream is asked for its parts as the client takes them; for HEAD it is not asked at all. */
  body: string | Uint8Array | TextStream;
  /** What the client is to save the answer as: ASCII letters, digits, `.`, `_` and `-`. */
  fileName?: string;
  contentSecurityPolicy?: string;
  cacheControl?: string;
};

export type EndpointDeclaration<
  A extends Access,
  T extends TransactionMode,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  N,
> = {
  /** Function name: `<module>-<verb-noun>`. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In full, from `/api/`, with `{name}` parameters. */
  path: `/api/${string}`;
  /** What it does or answers, in at most ten words. */
  summary: string;
  /** What a caller has to know beyond that, in sentences. */
  description?: string;
  access: A;
  /** Exists only where SVC_ENV is development and SVC_AUTH_MODE is dev; elsewhere it answers 404. */
  devOnly?: true;
  /** Exists only where SVC_AUTH_MODE is idp; elsewhere it answers 404. */
  idpOnly?: true;
  transaction: T;
  params?: P;
  query?: Q;
  body?: B;
  /** Takes an `Idempotency-Key`: the same request of the same principal with the same key has its effect once. */
  idempotent?: true;
  /** Bytes of body accepted; default 1 MiB. */
  maxBodyBytes?: number;
  /** What the answer holds; fields that it does not name never leave. Absent where `content` answers. */
  response?: R;
  /** Media type of what `content` answers, or those that the caller may choose of; of each status where they differ. */
  produces?: string | readonly string[] | Readonly<Record<number, string>>;
  /** Status of the answer where it is not always 200. */
  status?: (response: z.infer<R>) => number;
  /** Further statuses that `status` gives. */
  statuses?: readonly number[];
  /** Errors of this endpoint beyond those that its access, body and parameters imply. */
  errors?: readonly ErrorCode[];
  /** What must not happen inside a transaction: calls over the network. Its result is `prepared`. */
  prepare?: (context: RequestContext<A, z.infer<P>, z.infer<Q>, z.infer<B>>) => Promise<N>;
  handle: (
    context: HandlerContext<A, T, z.infer<P>, z.infer<Q>, z.infer<B>, N>,
  ) => Promise<z.input<R> | Content> | z.input<R> | Content;
};

/** A declaration as the registry keeps it: the same for all, typed loosely on purpose and read-only. */
export type Endpoint = Readonly<
  Omit<
    EndpointDeclaration<Access, TransactionMode, z.ZodType, z.ZodType, z.ZodType, z.ZodType, unknown>,
    'handle' | 'prepare' | 'status'
  >
> & {
  readonly handle: (context: never) => unknown;
  readonly prepare?: (context: never) => Promise<unknown>;
  readonly status?: (response: never) => number;
};

/** HEAD is answered wherever GET is; the host leaves the body out. */
export const METHODS_OF: Record<Endpoint['method'], HttpMethod[]> = {
  GET: ['GET', 'HEAD'],
  POST: ['POST'],
  PUT: ['PUT'],
  PATCH: ['PATCH'],
  DELETE: ['DELETE'],
};

const registry = new Map<string, Endpoint>();

/** All endpoints whose files have been loaded, in a stable order. */
export const endpoints = (): Endpoint[] =>
  [...registry.values()].sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));

/**
 * Declares an endpoint and registers it as an Azure Function. Routing, validation, authorization, audit, the OpenAPI
 * document and the contract tests all follow from the declaration.
 */
export function endpoint<
  A extends Access,
  T extends TransactionMode,
  R extends z.ZodType = z.ZodNever,
  P extends z.ZodType = z.ZodObject<Record<never, never>>,
  Q extends z.ZodType = z.ZodObject<Record<never, never>>,
  B extends z.ZodType = z.ZodObject<Record<never, never>>,
  N = undefined,
>(declaration: EndpointDeclaration<A, T, P, Q, B, R, N>): EndpointDeclaration<A, T, P, Q, B, R, N> {
  if (registry.has(declaration.name)) throw new Error(`endpoint ${declaration.name} is declared twice`);
  // Of the whole process, and to be said before it has started.
  if (registry.size === 0) app.setup({ enableHttpStream: true });
  registry.set(declaration.name, declaration);
  app.http(declaration.name, {
    methods: METHODS_OF[declaration.method],
    authLevel: 'anonymous',
    route: declaration.path.slice(1),
    handler: (request, { invocationId }) => handleRequest(declaration, request, invocationId),
  });
  return declaration;
}

/**
 * Whether anything of the answer can depend on a session. Where nothing does, none is looked up: liveness, readiness
 * and the documents answer without the connections of requests, whatever cookie comes with the request.
 */
export const looksUpSession = ({ access, method, transaction }: Endpoint): boolean =>
  access.kind !== 'source' && (access.kind !== 'anyone' || transaction !== 'none' || method !== 'GET');
