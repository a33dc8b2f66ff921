import type { Endpoint } from '../../core/http/declaration.ts';
import { type IdKind, keptAt } from '../support/id-kinds.ts';
import { type Naming, samplesOf } from '../support/request-samples.ts';
import { type Request, type Session, wire } from './exchange.ts';
import type { Ground } from './world.ts';

export type Named = { readonly what: string; readonly request: ReturnType<typeof wire> };

/** The first id of each kind that the database has. */
export async function namingFrom(ground: Ground, endpoints: readonly Endpoint[]): Promise<Naming> {
  const kinds = new Set<IdKind>();
  const collect: Naming = ({ kind }) => {
    kinds.add(kind);
    return 'any';
  };
  for (const endpoint of endpoints) samplesOf(bodiless(endpoint), collect);
  const ids = new Map<IdKind, string>();
  for (const kind of kinds) {
    const { table, column } = keptAt(kind);
    const [row] = await ground.query<{ id: string }>(
      `select ${column} as id from ${table} where ${column} is not null order by 1 limit 1`,
    );
    ids.set(kind, row?.id ?? 'none');
  }
  return ({ kind }) => ids.get(kind) ?? 'none';
}

const named = (who: string, request: Request): Named => ({
  what: `${who} ${request.method} ${request.target}`.slice(0, 120),
  request: wire(request),
});

/** What writes is sent with no body that it accepts: done twice, it would not be answered twice alike. */
function bodiless(endpoint: Endpoint): Endpoint {
  const { body, ...rest } = endpoint;
  return rest;
}
const MUTATING = (endpoint: Endpoint) => endpoint.method !== 'GET';
/** They report on the process that answers, or on what was asked before: an export of the trail is in the trail. */
const NEVER_ALIKE = new Set([
  '/api/ops/metrics',
  '/api/ops/overview',
  '/api/ops/fleet',
  '/api/exports/audit',
]);
const BROKEN = '{"broken":';

/** Every endpoint: as somebody who may read, as somebody with less, without a session, and in ways that are refused. */
export function* requestsTo(
  endpoints: readonly Endpoint[],
  naming: Naming,
  sessions: Readonly<Record<string, Session>>,
): Generator<Named> {
  const people = Object.entries(sessions);
  for (const endpoint of endpoints) {
    const [plain, ...others] = samplesOf(bodiless(endpoint), naming, { words: ['invoice', 'déjà "vu" %_'] });
    if (plain === undefined) continue;
    const { method, target } = plain;
    yield named('nobody', { method, target });
    if (MUTATING(endpoint)) {
      for (const [who, { cookie, csrfToken }] of people) {
        yield named(`${who}, no token:`, { method, target, headers: { Cookie: cookie }, body: '{}' });
        if (endpoint.body === undefined) continue;
        const headers = { Cookie: cookie, 'X-Svc-Csrf': csrfToken };
        yield named(`${who}, broken:`, { method, target, headers, body: BROKEN });
      }
    } else if (!NEVER_ALIKE.has(endpoint.path)) {
      for (const [index, [who, { cookie }]] of people.entries()) {
        const headers = { Cookie: cookie };
        for (const sample of index === 0 ? [plain, ...others] : [plain])
          yield named(who, { method, target: sample.target, headers });
        if (index > 0) continue;
        yield named(who, { method: 'HEAD', target, headers });
        yield named(who, {
          method,
          target: `${target}${target.includes('?') ? '&' : '?'}unknown=1`,
          headers,
        });
      }
    }
  }
}

/** Paths, methods and headers that no endpoint expects. */
export function* unusualRequests({ cookie, csrfToken }: Session): Generator<Named> {
  const headers = { Cookie: cookie };
  for (const method of ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get']) {
    for (const target of ['/api/assets', '/api/nowhere']) yield named('admin', { method, target, headers });
  }
  for (const target of [
    '/',
    '/api',
    '/api/',
    '/api/health/',
    '/API/Health',
    '//api/health',
    '/api//health',
    '/api/health?',
    '/api/health?a=1&a=2&%zz',
    '/api/health#part',
    '/api/assets/%00',
    '/api/assets/%2e%2e',
    '/api/assets/..',
    '/api/assets/a%2Fb',
    '/api/assets/%zz',
    '/api/assets/%C3%28',
    '/api/assets/ä',
    '/api/assets/%C3%A4',
    `/api/assets/${'a'.repeat(300)}`,
    '/api/assets?limit=0',
    '/api/assets?limit=2&limit=3',
    '/api/assets?LIMIT=2',
    '/api/assets?q=%F0%9F%98%80+%26+%3D',
    '/api/assets?q=a\u0000b',
    `/api/assets?q=${'long '.repeat(400).replaceAll(' ', '+')}`,
    `/api/assets?q=${'x'.repeat(8_000)}`,
    `/api/health?${'y'.repeat(15_000)}`,
    'http://other.example/api/health',
    '/api/auth/idp/login',
    '/api/auth/idp/callback?code=a&state=b',
    '/api/docs',
    '/api/docs/start.js',
    '/api/docs/../health',
    '/api/openapi.json',
  ])
    yield named('admin', { method: 'GET', target, headers });
  for (const headers of [
    { Cookie: 'svc_session=forged' },
    { Cookie: `${cookie}; ${cookie}` },
    { Cookie: `other="a b"; ${cookie}; =; broken` },
    { Authorization: 'Bearer a.b.c' },
    { Authorization: 'Basic YTpi' },
    { 'X-Svc-Correlation': 'mine-1' },
    { 'X-Svc-Correlation': 'not a correlation' },
    { Accept: 'text/html' },
    { 'Accept-Encoding': 'gzip, br' },
    { Origin: 'https://other.example' },
    { 'X-Forwarded-Host': 'other.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '10.0.0.1' },
    { 'X-Ms-Invocation-Id': '00000000-0000-0000-0000-000000000000' },
    { Range: 'bytes=0-10' },
    { 'If-None-Match': '*' },
    { Host: 'again.example' },
    { 'X-Latin': 'ä' },
  ]) {
    const [[name = '', value = ''] = []] = Object.entries(headers);
    yield {
      what: `header ${name}: ${value.slice(0, 40)}`,
      request: wire({ method: 'GET', target: '/api/auth/me', headers }),
    };
  }
  const mine = { Cookie: cookie, 'X-Svc-Csrf': csrfToken };
  for (const [target, body] of [
    ['/api/sources/connect', '{"family":"m365"}'],
    ['/api/sources/connect', '{"family":"nowhere"}'],
    ['/api/sources/connect', '{"family":"m365","family":"smb"}'],
    ['/api/sources/connect', '{"family":"m365","more":1}'],
    ['/api/sources/connect', '[]'],
    ['/api/sources/connect', 'null'],
    ['/api/sources/connect', '"text"'],
    ['/api/sources/connect', ''],
    ['/api/sources/connect', '\uFEFF{"family":"m365"}'],
    ['/api/sources/connect', `{"family":"${'x'.repeat(2_000_000)}"}`],
    ['/api/scans', '{"scopeId":"none","kind":"inventory"}'],
    ['/api/auth/dev/login', '{"principalId":"nobody"}'],
  ] as const)
    yield named('admin', { method: 'POST', target, headers: mine, body });
}
