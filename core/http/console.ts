import { app, type HttpRequest, type HttpResponseInit } from '@azure/functions';
import { presentedSession } from '../auth/session.sql.ts';
import { visibilityOf } from '../authz/principal.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { type Runtime, runtime } from '../runtime.ts';
import { type ConsoleFile, formFor, HASHED, readConsole, VIEW_PAGES, VIEWS } from './console-files.ts';
import { correlationIdOf } from './correlation-id.ts';
import { errorEnvelope } from './errors.ts';
import { securityHeaders } from './security-headers.ts';
import { METHODS } from './unmatched.ts';

/**
 * Everything comes from this service. A script may not make markup from text: the page's one policy of trusted types
 * accepts the empty text alone.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

const PAGE = 'index.html';
const FOR_EVER = 'public, max-age=31536000, immutable';

let files: Promise<ReadonlyMap<string, ConsoleFile> | null> | undefined;

/**
 * Registers the function that serves the console: its files, and its page for every other path outside the API, which
 * the page's own routes read. A file has neither a log line nor a span nor a session: a page loads ten of them. The
 * Functions host tries routes in the order of function names, so this name sorts after all others.
 */
export function serveConsole(): void {
  app.http('zzz-console', {
    methods: METHODS,
    authLevel: 'anonymous',
    route: '{*path}',
    handler: answer,
  });
}

async function answer(request: HttpRequest): Promise<HttpResponseInit> {
  const service = await runtime();
  const { config, clock } = service;
  const common = {
    ...securityHeaders(config.SVC_ENV === 'production'),
    'x-svc-auth-mode': config.SVC_AUTH_MODE,
  };
  files ??= readConsole();
  const found = await files;
  if (found === null) files = undefined;
  const { pathname, search } = new URL(request.url);
  const path = pathname.slice(1);
  const isPage = isAsked(request.method, path) && !isFile(path);
  // Filters change what a view reads first.
  const viewPage = isPage && search === '' ? await viewPageOf(path, request, service) : null;
  const page = found?.get(viewPage ?? PAGE) ?? found?.get(PAGE);
  const file = isPage ? page : isAsked(request.method, path) ? found?.get(path) : undefined;
  if (file === undefined) {
    const error =
      found === null && isPage
        ? new ServiceError('not_found', 'The console is not built. `npm run build` builds it.')
        : notFound();
    const correlationId = correlationIdOf(request.headers.get('x-svc-correlation'), clock());
    const body = JSON.stringify(errorEnvelope(error, correlationId));
    return {
      status: error.status,
      headers: {
        ...common,
        'x-svc-correlation': correlationId,
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
      },
      body,
    };
  }
  return sent(file, request, common);
}

/** The page of a view for a person who may read what the view reads first: the page asks for it in any case. */
async function viewPageOf(path: string, { headers }: HttpRequest, service: Runtime): Promise<string | null> {
  const [name, view] = Object.entries(VIEWS).find(([, each]) => each.path === path) ?? [];
  if (view === undefined) return null;
  // Without a database, the common page says what is wrong.
  const caller = await presentedSession(service, headers.get('cookie'), service.clock()).then(
    (presented) => presented.caller,
    () => null,
  );
  const mayRead =
    caller !== null && (view.capability === null || visibilityOf(caller.principal, view.capability) !== null);
  return mayRead ? `${VIEW_PAGES}${name}.html` : null;
}

/** Nothing else is served here. An empty segment would make a path of the API look like one of the console. */
const isAsked = (method: string, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && !/^\/|\/\//.test(path);

/** The last part of a file's path has an ending. A file that is missing must not be answered with the page. */
const isFile = (path: string): boolean => path.startsWith(HASHED) || /\.[a-z0-9]+$/i.test(path);

function sent(
  file: ConsoleFile,
  { headers }: HttpRequest,
  common: Readonly<Record<string, string>>,
): HttpResponseInit {
  const { form, encoding, isKnown } = formFor(file, {
    acceptEncoding: headers.get('accept-encoding'),
    ifNoneMatch: headers.get('if-none-match'),
  });
  const named = {
    ...common,
    etag: form.etag,
    vary: 'accept-encoding',
    // The page differs with the person.
    'cache-control': file.isHashed ? FOR_EVER : 'private, no-cache',
    'content-security-policy': POLICY,
  };
  if (isKnown) return { status: 304, headers: named };
  return {
    headers: {
      ...named,
      'content-type': file.contentType,
      'content-length': String(form.body.byteLength),
      ...(encoding !== null && { 'content-encoding': encoding }),
    },
    body: form.body,
  };
}
