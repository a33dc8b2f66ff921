import type { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { NewSession, RequestCaller } from '../auth/session.sql.ts';
import type { Capability } from '../authz/capabilities.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { TextStream } from './stream.ts';

/** Who may call. It is required in every declaration, so that an omission does not compile. */
export type Access =
  | { kind: 'anyone' }
  | { kind: 'session' }
  | { kind: 'can'; capability: Capability }
  | { kind: 'source' };

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

/** Without a caller there is no tenant, and so no transaction. */
type Transaction<A extends Access, T extends TransactionMode> = T extends 'none'
  ? unknown
  : { tx: A['kind'] extends 'anyone' | 'source' ? Tx | null : Tx };

/** What is known of a request before its transaction. */
type RequestContext<A extends Access, P, Q, B> = Caller<A> & {
  runtime: Runtime;
  params: P;
  query: Q;
  body: B;
  /** The key of a request to an `idempotent` endpoint, if it has one. */
  idempotencyKey: string | null;
};

/** The headers that handlers read: who asks, and what a protocol inside HTTP needs. */
export type ReadHeader =
  | 'accept'
  | 'authorization'
  | 'content-type'
  | 'cookie'
  | 'last-event-id'
  | 'mcp-method'
  | 'mcp-name'
  | 'mcp-protocol-version'
  | 'origin'
  | 'user-agent'
  | 'x-svc-csrf';

type HandlerContext<A extends Access, T extends TransactionMode, P, Q, B, N> = RequestContext<A, P, Q, B> &
  Transaction<A, T> & {
    /** The result of `prepare`. */
    prepared: N;
    /** The time of the request, in milliseconds. Everything that the request writes has this time. */
    now: number;
    correlationId: string;
    /** The hash of the session in the cookie, even if the session is no longer valid. For sign-in and sign-out. */
    sessionHash: Buffer | null;
    /** Records an event of this request. It is appended to the chain in the request's transaction. */
    audit(entry: AuditEntry): void;
    /** Sets the session cookie of the response, or clears it with null. */
    setSession(session: NewSession | null): void;
    /** Sets a cookie of the answer that lasts for a part of the paths; with an empty value it goes. */
    setCookie(cookie: { name: string; value: string; maxAgeSeconds: number; path: string }): void;
    /** A header of the request. */
    header(name: ReadHeader): string | null;
    /** The host and port that the client called. */
    host: string;
    /** The query as it came. */
    search: URLSearchParams;
    /** Counts a part of the request that names something that does not exist, or that the caller may not see. */
    countNotFound(): Promise<void>;
    /** Runs a task after the commit, for example to ring doorbells. It does not run if the request fails. */
    afterCommit(task: () => Promise<void>): void;
  };

/** A body that is not checked against a schema. Each given header replaces the usual one. */
export type Content = {
  /** Default 200. */
  status?: number;
  /** Where the browser goes on, with a status of redirection. */
  location?: string;
  contentType: string;
  /** A stream is read as fast as the client receives it. For HEAD it is not read. */
  body: string | Uint8Array | TextStream;
  /** The file name under which the client saves the response: ASCII letters, digits, `.`, `_` and `-`. */
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
  /** The full path from `/api/`, with `{name}` parameters. */
  path: `/api/${string}`;
  /** What it does or returns, in at most ten words. */
  summary: string;
  /** Further facts that a caller needs, in sentences. */
  description?: string;
  access: A;
  /** It exists only if SVC_ENV is development and SVC_AUTH_MODE is dev. Otherwise it returns 404. */
  devOnly?: true;
  /** Exists only where SVC_AUTH_MODE is idp; elsewhere it answers 404. */
  idpOnly?: true;
  transaction: T;
  params?: P;
  query?: Q;
  body?: B;
  /**
   * The response holds a secret, such as the token of the session. It is sent as it is: the length of a compressed body
   * would reveal parts of it (BREACH).
   */
  carriesSecret?: true;
  /** Accepts an `Idempotency-Key`: repeated requests of one principal with the same key take effect once. */
  idempotent?: true;
  /** Maximum size of the body in bytes; default 1 MiB. */
  maxBodyBytes?: number;
  /** The schema of the response. Fields that it does not name are removed. Absent if `content` responds. */
  response?: R;
  /** Media type of the `content`, the list that the caller may choose from, or one for each status. */
  produces?: string | readonly string[] | Readonly<Record<number, string>>;
  /** The status of a response, if it is not always 200. */
  status?: (response: z.infer<R>) => number;
  /** Further statuses that `status` returns. */
  statuses?: readonly number[];
  /** The path at which the work that goes on can be watched: the header `Location`. */
  location?: (response: z.infer<R>) => string;
  /** Errors besides those that follow from access, body and parameters. */
  errors?: readonly ErrorCode[];
  /** Work that must not run in a transaction, such as network calls. Its result is `prepared`. */
  prepare?: (context: RequestContext<A, z.infer<P>, z.infer<Q>, z.infer<B>>) => Promise<N>;
  handle: (
    context: HandlerContext<A, T, z.infer<P>, z.infer<Q>, z.infer<B>, N>,
  ) => Promise<z.input<R> | Content> | z.input<R> | Content;
};

/** A declaration in the registry. It is read-only and loosely typed, so that all declarations have one type. */
export type Endpoint = Readonly<
  Omit<
    EndpointDeclaration<Access, TransactionMode, z.ZodType, z.ZodType, z.ZodType, z.ZodType, unknown>,
    'handle' | 'prepare' | 'status' | 'location'
  >
> & {
  readonly handle: (context: never) => unknown;
  readonly prepare?: (context: never) => Promise<unknown>;
  readonly status?: (response: never) => number;
  readonly location?: (response: never) => string;
};

/**
 * Whether the response can depend on a session. If not, none is looked up. Liveness, readiness and the documents then
 * need no database connection, even if the request has a cookie.
 */
export const looksUpSession = ({ access, method, transaction }: Endpoint): boolean =>
  access.kind !== 'source' && (access.kind !== 'anyone' || transaction !== 'none' || method !== 'GET');
