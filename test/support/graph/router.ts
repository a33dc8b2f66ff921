import { z } from 'zod';
import type { Downloads } from './downloads.ts';
import { type Answer, badRequest, errorAnswer, GraphError } from './errors.ts';
import {
  type Fault,
  type faultScript,
  isPage,
  isTransport,
  raise,
  type TransportFault,
  throttled,
} from './faults.ts';
import { guidOf } from './ids.ts';
import type { Call, Family, Route } from './route.ts';
import { directoryObject, GRAPH_TYPES } from './schemas.ts';
import { applySelect, assertSelectable } from './select.ts';
import type { Tenant } from './state.ts';
import type { throttle } from './throttle.ts';
import type { Tokens } from './tokens.ts';
import { withUnknownFields } from './unknown-fields.ts';

export type Asked = {
  method: string;
  /** After the version, with the query. */
  target: string;
  headers: Record<string, string>;
  body: string;
};

export type LoggedCall = {
  family: Family;
  method: string;
  /** After the version, with the query. */
  path: string;
  status: number;
  /** Of the answer's body. */
  bytes: number;
  /** Inside a `$batch`. */
  batched: boolean;
  at: number;
};

export type Routed = { answer: Answer; family: Family; transport: TransportFault[] };

export type RouterWorld = {
  routes: readonly Route[];
  tokens: Tokens;
  script: ReturnType<typeof faultScript>;
  throttle: ReturnType<typeof throttle>;
  downloads: Downloads;
  clock: () => number;
  base: () => string;
  documentHost: () => string;
  /** Told of a request or an answer that is not as the schemas say. */
  violation: (text: string) => void;
  /** Whether answers are held against the schemas; a load turns it off. */
  validates: boolean;
};

const INVALID_TOKEN = 'Lifetime validation failed, the token is expired, or access token is empty.';

export function createRouter(world: RouterWorld) {
  const compiled = world.routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  let requests = 0;

  const find = (method: string, path: string) => {
    const matches = compiled.flatMap(({ route, pattern }) => {
      const match = pattern.exec(path);
      return match === null ? [] : [{ route, values: decoded(match.groups ?? {}) }];
    });
    return { found: matches.find(({ route }) => route.method === method), known: matches[0]?.route };
  };

  return async function route(asked: Asked): Promise<Routed> {
    const { path, query } = targetOf(asked.target);
    const now = world.clock();
    const requestId = guidOf(`request/${requests++}`);
    const { found, known } = find(asked.method, path);
    const family = found?.route.family ?? known?.family ?? 'unknown';
    const transport: TransportFault[] = [];
    let tenant: Tenant | null = null;
    let answer: Answer;
    try {
      const holder = world.tokens.holder(asked.headers.authorization);
      if (holder === null) throw new GraphError(401, 'InvalidAuthenticationToken', INVALID_TOKEN);
      tenant = holder.tenant;
      const struck = struckBy(world, family, asked.target, tenant, now);
      transport.push(...struck.filter(isTransport));
      if (found === undefined) throw notRouted(known);
      if (!isPermitted(found.route, holder.app.permissions)) throw forbidden(family);
      const call: Call = {
        ...{ family, method: asked.method, path, query, values: found.values, headers: asked.headers, now },
        ...{ app: holder.app, tenant, base: world.base(), documentHost: world.documentHost() },
        ...{ downloads: world.downloads, fault: struck.find(isPage) ?? null },
        body: bodyOf(world, found.route, asked),
      };
      answer = checked(world, found.route, query, await found.route.answer(call));
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      answer = errorAnswer(error, now, requestId);
      assertFits(world, 'error', z.strictObject({ error: GRAPH_TYPES.publicError }), answer.body);
    }
    const body = tenant?.quirks.withUnknownFields ? withUnknownFields(answer.body) : answer.body;
    const headers = { 'request-id': requestId, 'client-request-id': requestId, ...answer.headers };
    return { answer: { ...answer, body, headers }, family, transport };
  };
}

/** Throttling, and the faults of the script; throws those that answer in place of the service. */
function struckBy(world: RouterWorld, family: Family, target: string, tenant: Tenant, now: number): Fault[] {
  // The entries of a batch are throttled one by one, the batch is not.
  const refused = family === 'batch' ? null : world.throttle.refuse(tenant.id);
  if (refused !== null) throw throttled(refused.retryAfter, now);
  const struck = world.script.strike(family, target);
  for (const fault of struck) raise(fault, now);
  return struck;
}

const notRouted = (known: Route | undefined): GraphError =>
  known === undefined
    ? badRequest('Resource not found for the segment.')
    : new GraphError(
        405,
        'Request_BadRequest',
        'Specified HTTP method is not allowed for the request target.',
      );

const isPermitted = (route: Route, held: readonly string[]): boolean =>
  route.permissions.length === 0 || route.permissions.some((permission) => held.includes(permission));

const DIRECTORY: readonly Family[] = [
  ...(['user', 'user_manager', 'users', 'group', 'groups', 'group_members', 'group_owners'] as const),
];

const TEAMS: readonly Family[] = [
  ...(['team', 'channels', 'channel', 'team_members', 'channel_members'] as const),
  ...(['channel_delta', 'channel_messages', 'channel_replies'] as const),
];

/** Documented codes (`errors`, `json-batching`): the directory has one of its own. So have teams, as recorded. */
function forbidden(family: Family): GraphError {
  if (TEAMS.includes(family))
    return new GraphError(403, 'Forbidden', 'Missing role permissions on the request.');
  return DIRECTORY.includes(family)
    ? new GraphError(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.')
    : new GraphError(403, 'accessDenied', 'Access denied');
}

/** `delta(token='…')` is `delta?token=…`, also with the namespace before it. */
function targetOf(target: string): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?');
  const query = new URLSearchParams(at === -1 ? '' : target.slice(at + 1));
  // Keys also come as `drives('…')`.
  const path = (at === -1 ? target : target.slice(0, at))
    .replaceAll(/\/(drives|items|users|mailFolders|messages)\('([^']+)'\)/g, '/$1/$2')
    // The vendor leaves the colon of a channel as it is, which stands for something else in paths of sites.
    .replace(/\/channels\/19:/, '/channels/19%3A');
  const call = /^(.*)\/(?:microsoft\.graph\.)?delta(?:\((?:token='?([^']*)'?)?\))?$/.exec(path);
  if (call === null) return { path, query };
  if (call[2] !== undefined) query.set('token', decodeURIComponent(call[2]));
  return { path: `${call[1]}/delta`, query };
}

/** A variable is one segment; `{path*}` takes the rest. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(/[.$()]/g, '\\$&')
      .replaceAll(/\{(\w+)\*\}/g, '(?<$1>.+)')
      .replaceAll(/\{(\w+)\}/g, '(?<$1>[^/:]+)')}$`,
  );

const decoded = (groups: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));

function bodyOf(world: RouterWorld, { body, family }: Route, asked: Asked): unknown {
  if (body === undefined) return null;
  let json: unknown;
  try {
    json = JSON.parse(asked.body);
  } catch {
    throw badRequest('The body is not JSON.');
  }
  const parsed = body.safeParse(json);
  if (parsed.success) return parsed.data;
  world.violation(`request ${family}: ${z.prettifyError(parsed.error)}`);
  throw badRequest('The body is not as the service takes it.');
}

function assertFits(world: RouterWorld, what: string, schema: z.ZodType, body: unknown): void {
  if (!world.validates) return;
  const parsed = schema.safeParse(body);
  if (parsed.success) return;
  world.violation(`answer ${what}: ${z.prettifyError(parsed.error)}`);
  throw new Error(
    `The fake gave an answer of ${what} that its schemas refuse: ${z.prettifyError(parsed.error)}`,
  );
}

/** Holds an answer against its type, then leaves out what was not selected. */
function checked(world: RouterWorld, route: Route, query: URLSearchParams, answer: Answer): Answer {
  if (route.schema !== undefined) assertFits(world, route.family, route.schema, answer.body);
  if (route.of === undefined || answer.body === undefined || answer.status >= 300) return answer;
  const element: z.ZodType = route.of === 'member' ? directoryObject : GRAPH_TYPES[route.of];
  assertSelectable(query, GRAPH_TYPES[route.of === 'member' ? 'user' : route.of]);
  const list = z.strictObject({
    ...{ '@odata.context': z.string(), '@odata.count': z.int().optional() },
    ...{ '@odata.nextLink': z.url().optional(), '@odata.deltaLink': z.url().optional() },
    value: z.array(element),
  });
  assertFits(world, route.family, route.list ? list : element, answer.body);
  return { ...answer, body: applySelect(query, answer.body, route.list === true) };
}
