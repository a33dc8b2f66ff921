import { CompactSign, exportJWK, exportSPKI } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CAPABILITIES, type Capability, GRANTS, HUMAN_ONLY } from '../../core/authz/capabilities.ts';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { CLAIMS } from '../../core/db/turns.ts';
import type { Endpoint } from '../../core/http/declaration.ts';
import { endpoints } from '../../core/http/endpoint.ts';
import { ROLES } from '../../core/kernel/vocabulary.ts';
import { API_SCOPE, startIdentityProvider } from '../../infra/local/identity-provider.ts';
import type { Answer } from '../support/client.ts';
import { governedPeople, type People, PRINCIPALS } from '../support/governed-people.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { AUDIENCE, type Claims, newKey, type ScriptedProvider } from '../support/scripted-provider.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { CLIENT_ID } from '../support/sign-in-world.ts';

const ME = '/api/auth/me';
const SETTINGS = '/api/onboarding/settings';
const SERVICE = 'service-subject';
const PERSON = 'person-subject';

let people: People;
let provider: ScriptedProvider;
let serviceId: string;
let personId: string;

beforeAll(async () => {
  people = await governedPeople({ SVC_API_AUDIENCE: AUDIENCE });
  ({ provider } = people);
  const roles = [...ROLES];
  ({ principalId: serviceId } = await people.register({ kind: 'service', subject: SERVICE, roles }));
  ({ principalId: personId } = await people.register({ subject: PERSON, roles }));
});
afterAll(() => people.close());

type Call = { method?: string; path?: string; body?: unknown; headers?: Record<string, string> };
const call = <T = Record<string, unknown>>(
  authorization: string,
  { method = 'GET', path = ME, body, headers }: Call = {},
): Promise<Answer<T>> =>
  people.service.anonymous.request<T>(method, path, {
    headers: { authorization, ...headers },
    ...(body !== undefined && { body }),
  });
const withToken = async (token: string | Promise<string>, options?: Call) =>
  call(`Bearer ${await token}`, options);
const asService = (options?: Call) => withToken(provider.accessToken({ sub: SERVICE }), options);
const asPerson = (options?: Call) =>
  withToken(provider.accessToken({ sub: PERSON, scp: 'access_as_user' }), options);

const bindTenant = async (issuer: string): Promise<void> => {
  await people.database.inspect(sql`update tenants set idp_issuer = ${issuer} where tenant_id = ${DEV}`);
};

function expectRefused(answer: Answer): void {
  expect([answer.status, answer.body]).toMatchObject([401, { error: 'authentication_required' }]);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.cookies).toEqual([]);
}

describe('an application', () => {
  test('that is registered acts with its roles, without cookie or CSRF token', async () => {
    const me = await asService();
    expect([me.status, me.cookies]).toEqual([200, []]);
    expect(me.body).toMatchObject({
      ...{ principalId: serviceId, tenantId: DEV, authMode: 'idp', ownedDomains: [] },
      ...{ roles: ROLES.toSorted(), csrfToken: null },
      // Acts that a person answers for are not among them.
      capabilities: CAPABILITIES.filter((capability) => !HUMAN_ONLY.has(capability)),
    });
    const { body: before } = await asService({ path: SETTINGS });
    const { dataHandlingProfile } = before;
    const changed = await asService({ method: 'PATCH', path: SETTINGS, body: { dataHandlingProfile } });
    expect([changed.status, changed.body]).toEqual([200, before]);
  });

  test('is audited with its own id', async () => {
    const body = { name: 'Acme', industries: ['Energy'], geographies: ['France'], description: 'd' };
    const made = await asService({ method: 'POST', path: '/api/onboarding/profile', body });
    expect(made.status).toBe(200);
    const actors = (await people.auditOf(`${made.body.profileId}`)).map(([, actor]) => actor);
    expect(actors).toEqual([serviceId]);
  });

  test('that nobody registered is refused', async () => {
    for (const sub of ['unregistered', SERVICE.toUpperCase(), `${SERVICE} `, serviceId])
      expectRefused(await withToken(provider.accessToken({ sub })));
    // Nor does its id as a client count.
    expectRefused(await withToken(provider.accessToken({ sub: 'other', client_id: SERVICE, azp: SERVICE })));
  });

  test('has the roles of the registration, and none that its token claims', async () => {
    await people.register({ kind: 'service', subject: 'modest', roles: ['auditor'] });
    const token = provider.accessToken({
      sub: 'modest',
      roles: ['platform_admin', 'auditors'],
      groups: ['x'],
    });
    expect((await withToken(token)).body).toMatchObject({ roles: ['auditor'] });
    expect((await withToken(token, { path: SETTINGS, method: 'PATCH', body: {} })).status).toBe(403);
  });

  test('that is deactivated is refused at the next request, until it is reactivated', async () => {
    const { principalId } = await people.register({ kind: 'service', subject: 'paused', roles: ['auditor'] });
    const admin = await people.enter(PERSONA.platformAdmin);
    const token = await provider.accessToken({ sub: 'paused' });
    expect((await withToken(token)).status).toBe(200);
    await admin.post(`${PRINCIPALS}/${principalId}/deactivate`);
    expectRefused(await withToken(token));
    await admin.post(`${PRINCIPALS}/${principalId}/reactivate`);
    await admin.request('PUT', `${PRINCIPALS}/${principalId}/roles`, { body: { roles: [] } });
    expect((await withToken(token)).body).toMatchObject({ roles: [] });
    expect((await withToken(token, { path: '/api/audit' })).status).toBe(403);
  });

  test('calls with the token that a certified provider issues to it', async () => {
    const [clientId, clientSecret] = ['reporting-job', 'a-secret-of-the-job'];
    const other = await startIdentityProvider({
      ...{ port: 0, accounts: () => [], api: { audience: AUDIENCE } },
      clients: [{ clientId, clientSecret, redirectUris: ['http://127.0.0.1:9/none'] }],
    });
    onTestFinished(() => other.close());
    const { principalId } = await people.register({ kind: 'service', subject: clientId, roles: ['auditor'] });
    await bindTenant(other.issuer);
    onTestFinished(() => bindTenant(provider.issuer));
    await people.configure({ SVC_IDP_ISSUER: other.issuer });
    onTestFinished(() => people.configure());
    const { access_token: token } = (await (
      await fetch(`${other.issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: API_SCOPE }),
      })
    ).json()) as { access_token: string };
    expect((await withToken(token)).body).toMatchObject({ principalId, roles: ['auditor'] });
    // The same token would be that of a person, had somebody registered the client as one.
    await people.database.inspect(
      sql`update principals set kind = 'person' where principal_id = ${principalId}`,
    );
    expectRefused(await withToken(token));
  });

  test('does not sign in as a person does', async () => {
    const { status, person } = await people.signIn({ sub: SERVICE });
    expect([status, person]).toEqual([403, null]);
  });

  test('has no sessions', async () => {
    expect((await asService({ path: '/api/auth/sessions' })).body).toEqual({ items: [], truncated: false });
    const ended = await asService({ method: 'DELETE', path: '/api/auth/sessions' });
    expect(ended.body).toEqual({ ended: 0 });
    const out = await asService({ method: 'POST', path: '/api/auth/logout', body: {} });
    expect(out.status).toBe(200);
    expect((await asService()).status).toBe(200);
  });
});

describe('a person', () => {
  const scopes: [string, Claims][] = [
    ['Microsoft', { scp: 'access_as_user' }],
    ['RFC 9068', { scope: 'openid api' }],
    ['a list', { scp: ['openid', 'api'] }],
  ];
  test.each(scopes)('is who a delegated token names, with the scope as %s', async (_, claims) => {
    const me = await withToken(provider.accessToken({ sub: PERSON, ...claims }));
    expect([me.status, me.body]).toMatchObject([200, { principalId: personId, csrfToken: null }]);
  });

  test('has the domains that they own', async () => {
    await people.enter(PERSONA.financeOwner);
    const token = provider.accessToken({ sub: PERSONA.financeOwner, scp: 'api' });
    expect((await withToken(token)).body).toMatchObject({
      principalId: PERSONA.financeOwner,
      ownedDomains: ['dom_finance'],
    });
  });

  const appOnly: [string, Claims][] = [
    ['without a scope', {}],
    ['with roles in the place of a scope', { roles: ['platform_admin'] }],
    ['with an empty scope', { scp: '', scope: ' ' }],
    ['with a scope that is none', { scp: true, scope: 7 }],
    ['that says so', { scp: 'api', idtyp: 'app' }],
    ['of client credentials', { scope: 'api', gty: 'client-credentials' }],
    ['of a client with the id of a person', { scope: 'api', client_id: PERSON }],
    ['of such a client, as OpenID names it', { scope: 'api', azp: PERSON }],
    ['of such a client, as Okta names it', { scp: ['api'], cid: PERSON }],
    ['of such a client, as Microsoft names it', { scp: 'api', appid: PERSON }],
  ];
  test.each(appOnly)('is nobody by a token of an application %s', async (_, claims) => {
    expectRefused(await withToken(provider.accessToken({ sub: PERSON, ...claims })));
  });

  test('is nobody by an ID token, whomever it is for', async () => {
    const sub = PERSON;
    for (const claims of [
      { nonce: 'n' },
      { at_hash: 'h' },
      { nonce: 'n', scp: 'api' },
      { at_hash: 'h', scp: 'api' },
    ])
      expectRefused(await withToken(provider.token({ aud: AUDIENCE, sub, ...claims })));
    expectRefused(await withToken(provider.token({ sub, nonce: 'n', scp: 'api' })));
    // Some providers put the client id into access tokens of its own API, too.
    await people.configure({ SVC_API_AUDIENCE: CLIENT_ID });
    onTestFinished(() => people.configure());
    for (const claims of [{}, { nonce: 'n' }, { at_hash: 'h', name: 'Ada' }])
      expectRefused(await withToken(provider.token({ sub, ...claims })));
    for (const nonce of ['n', '']) expectRefused(await withToken(provider.token({ sub: SERVICE, nonce })));
    const token = provider.accessToken({ aud: CLIENT_ID, sub, scp: 'api' });
    expect((await withToken(token)).status).toBe(200);
  });

  test('that is deactivated is refused at the next request', async () => {
    const { principalId } = await people.register({ subject: 'leaver', roles: ['auditor'] });
    const token = await provider.accessToken({ sub: 'leaver', scp: 'api' });
    expect((await withToken(token)).status).toBe(200);
    const admin = await people.enter(PERSONA.platformAdmin);
    await admin.post(`${PRINCIPALS}/${principalId}/deactivate`);
    expectRefused(await withToken(token));
  });

  test('sees and ends their sessions by token, and none is the current one', async () => {
    const who = await people.enter(PERSON);
    const { body } = await asPerson({ path: '/api/auth/sessions' });
    expect(body).toMatchObject({ items: [{ isCurrent: false, client: 'Other client' }] });
    expect((await asPerson({ method: 'DELETE', path: '/api/auth/sessions' })).body).toEqual({ ended: 1 });
    expect((await who.get(ME)).status).toBe(401);
  });
});

describe('a token is refused', () => {
  const seconds = () => Math.floor(people.service.clock.now() / 1000);
  test.each<[string, () => Claims]>([
    ['for another audience', () => ({ aud: 'api://another' })],
    ['for the audience of the sign-in', () => ({ aud: CLIENT_ID })],
    ['for no audience', () => ({ aud: undefined })],
    ['for part of the audience', () => ({ aud: AUDIENCE.slice(0, -1) })],
    ['of another issuer', () => ({ iss: 'https://other.test' })],
    ['of an issuer that differs in a slash', () => ({ iss: `${provider.issuer}/` })],
    ['of no issuer', () => ({ iss: undefined })],
    ['that expired more than a minute ago', () => ({ iat: seconds() - 600, exp: seconds() - 63 })],
    ['that is not valid for more than a minute', () => ({ nbf: seconds() + 63 })],
    ['that was issued an hour ahead', () => ({ iat: seconds() + 3_600, exp: seconds() + 7_200 })],
    ['without an expiry', () => ({ exp: undefined })],
    ['without a time of issue', () => ({ iat: undefined })],
    ['with an expiry that is no number', () => ({ exp: 'never' as never })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a subject that is no text', () => ({ sub: [SERVICE] as never })],
    ['with an endless subject', () => ({ sub: 'x'.repeat(300) })],
    ['with a subject that no database holds', () => ({ sub: `${SERVICE}\0` })],
  ])('%s', async (_, claims) => {
    expectRefused(await withToken(provider.accessToken({ sub: SERVICE, ...claims() })));
  });

  test.each<[string, () => Claims]>([
    ['expired half a minute ago', () => ({ iat: seconds() - 600, exp: seconds() - 30 })],
    ['is valid from half a minute ahead', () => ({ nbf: seconds() + 30 })],
    ['was issued half a minute ahead', () => ({ iat: seconds() + 30 })],
    ['is for several audiences', () => ({ aud: ['api://another', AUDIENCE] })],
  ])('but not if it %s', async (_, claims) => {
    const token = provider.accessToken({ sub: SERVICE, ...claims() });
    expect((await withToken(token)).status).toBe(200);
  });

  test('if its time runs out between two requests', async () => {
    const token = await provider.accessToken({ sub: SERVICE });
    expect((await withToken(token)).status).toBe(200);
    people.service.clock.advance(7 * 60_000);
    expectRefused(await withToken(token));
  });

  test('signed by HMAC with what everybody knows', async () => {
    const key = provider.keys[0] ?? expect.unreachable();
    const [, payload = ''] = (await provider.accessToken({ sub: SERVICE })).split('.');
    for (const secret of [
      await exportSPKI(key.publicKey),
      JSON.stringify(await exportJWK(key.publicKey)),
      '',
    ]) {
      const forged = await new CompactSign(Buffer.from(payload, 'base64url'))
        .setProtectedHeader({ alg: 'HS256', kid: key.kid, typ: 'at+jwt' })
        .sign(Buffer.from(secret.padEnd(32, ' ')));
      expectRefused(await withToken(forged));
    }
  });

  test('unsigned, in every spelling', async () => {
    const [, payload, signature] = (await provider.accessToken({ sub: SERVICE })).split('.');
    for (const alg of ['none', 'None', 'NONE', '', undefined, null, ['none']]) {
      const head = Buffer.from(JSON.stringify({ alg, kid: 'first' })).toString('base64url');
      expectRefused(await withToken(`${head}.${payload}.`));
      expectRefused(await withToken(`${head}.${payload}.${signature}`));
    }
  });

  test('with a header that asks for something special', async () => {
    const [, payload, signature] = (await provider.accessToken({ sub: SERVICE })).split('.');
    const jwk = await exportJWK((await newKey('mine')).publicKey);
    for (const more of [
      { jwk },
      { jku: 'https://evil.test/keys' },
      { x5u: 'https://evil.test/keys' },
      { crit: ['exp'] },
      { b64: false, crit: ['b64'] },
      { kid: '../../etc/passwd' },
      { kid: 7 },
      { alg: 'ES256' },
      { alg: 'EdDSA' },
      { alg: 'RS1' },
      { alg: 'RSA-OAEP', enc: 'A256GCM' },
    ]) {
      const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'first', ...more })).toString('base64url');
      expectRefused(await withToken(`${head}.${payload}.${signature}`));
    }
  });

  test('signed with a key that the provider does not list, at a bounded rate of looking', async () => {
    const before = provider.asked['/jwks'] ?? 0;
    for (const kid of ['first', 'unknown', 'unknown-2', 'unknown-3', 'unknown-4'])
      expectRefused(await withToken(provider.accessToken({ sub: SERVICE }, { key: await newKey(kid) })));
    expect((provider.asked['/jwks'] ?? 0) - before).toBeLessThanOrEqual(1);
  });

  test('changed after it was signed', async () => {
    const [head, payload, signature = ''] = (await provider.accessToken({ sub: 'modest' })).split('.');
    const [, other] = (await provider.accessToken({ sub: SERVICE })).split('.');
    expectRefused(await withToken(`${head}.${other}.${signature}`));
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    expectRefused(await withToken(`${head}.${payload}.${flipped}`));
  });

  test.each(['a', 'a.b', 'a.b.c', '..', 'e30.e30.e30', 'a.b.c.d.e', '=', 'x'.repeat(16_000 - 400)])(
    'that is none: %.20s',
    async (text) => {
      expectRefused(await withToken(text));
    },
  );

  test.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer é',
    'Bearer "a.b.c"',
    'bearer\ta',
    'Bearer a,b',
    'BEARER x',
  ])('in a header like %j', async (authorization) => {
    expectRefused(await call(authorization));
  });

  test('of another directory, where the deployment pins one', async () => {
    await people.configure({ SVC_IDP_TENANT_ID: 'directory-1' });
    onTestFinished(() => people.configure());
    expectRefused(await withToken(provider.accessToken({ sub: SERVICE, tid: 'directory-2' })));
    const own = provider.accessToken({ sub: SERVICE, tid: 'directory-1' });
    expect((await withToken(own)).status).toBe(200);
  });

  test('of an issuer that no tenant is bound to', async () => {
    await bindTenant('https://another.test');
    onTestFinished(() => bindTenant(provider.issuer));
    expectRefused(await asService());
    expectRefused(await asPerson());
  });
});

describe('the header', () => {
  test('may spell the scheme as it likes', async () => {
    const token = await provider.accessToken({ sub: SERVICE });
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await call(`${scheme} ${token}`)).status, scheme).toBe(200);
    for (const scheme of ['Basic', 'DPoP', 'JWT', '']) expectRefused(await call(`${scheme} ${token}`.trim()));
  });

  test('together with a session cookie is refused, whether or not either holds', async () => {
    const who = await people.enter(PERSON);
    const token = `Bearer ${await provider.accessToken({ sub: SERVICE })}`;
    for (const authorization of [token, 'Bearer x', 'Bearer', 'bearer a b'])
      for (const cookie of [who.cookie, 'svc_session=x', 'svc_session=', `a=b; ${who.cookie}; c=d`]) {
        const { status, body } = await call(authorization, { headers: { cookie } });
        expect([status, body], `${authorization.slice(0, 12)} ${cookie.slice(0, 14)}`).toMatchObject([
          400,
          { error: 'validation_failed', issues: [{ path: 'authorization' }] },
        ]);
        const change = { method: 'POST', path: '/api/auth/logout', body: {}, headers: { cookie } };
        expect((await call(authorization, change)).status).toBe(400);
      }
    expect((await who.get(ME)).status).toBe(200);
    // Other cookies and other schemes are none of this service's.
    expect((await call(token, { headers: { cookie: 'a=b' } })).status).toBe(200);
    expect((await call('Basic YTpi', { headers: { cookie: who.cookie } })).status).toBe(200);
  });

  test('is not looked at where nobody is asked who they are', async () => {
    for (const path of ['/api/health', '/api/auth/mode', '/api/openapi.json'])
      expect((await call('Bearer x', { path })).status, path).toBe(200);
  });

  test('is told by a 401 without a token, too', async () => {
    expectRefused(await people.service.anonymous.get(ME));
  });
});

describe('acts of people', () => {
  const isOf = (capability: Capability) => (endpoint: Endpoint) =>
    endpoint.access.kind === 'can' && endpoint.access.capability === capability;
  const requestOf = ({ method, path }: Endpoint): Call => ({
    method,
    path: path.replaceAll(/\{[^}]+\}/g, 'none'),
    ...(method !== 'GET' && { body: {} }),
  });

  test('are refused to an application with every role, and that is audited', async () => {
    let asked = 0;
    for (const capability of HUMAN_ONLY) {
      for (const endpoint of endpoints().filter(isOf(capability))) {
        asked++;
        const refused = await asService(requestOf(endpoint));
        expect([refused.status, refused.body], endpoint.name).toMatchObject([
          403,
          { error: 'not_permitted' },
        ]);
        const [event] = await people.database.inspect<{ record: string }>(sql`
          select record from audit_events where tenant_id = ${DEV} and record like ${`%"${
            refused.headers.get('x-svc-correlation') ?? ''
          }"%`}`);
        expect(JSON.parse(event?.record ?? '{}').event).toMatchObject({
          ...{ type: 'authorization_denied', principalId: serviceId, policyDecision: capability },
        });
        const permitted = await asPerson(requestOf(endpoint));
        expect([401, 403], endpoint.name).not.toContain(permitted.status);
      }
    }
    expect(asked).toBeGreaterThanOrEqual(HUMAN_ONLY.size);
  });

  test('that an application may do, it may with the roles of a person', async () => {
    let asked = 0;
    for (const { access, ...endpoint } of endpoints()) {
      if (access.kind !== 'can' || HUMAN_ONLY.has(access.capability) || endpoint.method !== 'GET') continue;
      asked++;
      const { status } = await asService(requestOf({ access, ...endpoint }));
      expect([401, 403], endpoint.name).not.toContain(status);
    }
    expect(asked).toBeGreaterThan(20);
  });

  test.each(['governance_admin', 'remediation_approver', 'domain_owner', 'platform_admin'] as const)(
    'are refused to an application that is %s alone',
    async (role) => {
      await people.register({ kind: 'service', subject: `only-${role}`, roles: [role] });
      const own = [...HUMAN_ONLY].filter((capability) => GRANTS[capability][role] !== null);
      expect(own).not.toEqual([]);
      for (const endpoint of own.flatMap((capability) => endpoints().filter(isOf(capability)))) {
        const token = provider.accessToken({ sub: `only-${role}` });
        expect((await withToken(token, requestOf(endpoint))).status, endpoint.name).toBe(403);
      }
    },
  );
});

describe('where access tokens are not accepted', () => {
  const expectOff = async () => {
    for (const answer of [await asService(), await asPerson(), await people.service.anonymous.get(ME)]) {
      expect([answer.status, answer.body]).toMatchObject([401, { error: 'authentication_required' }]);
      expect(answer.headers.has('www-authenticate')).toBe(false);
    }
  };

  test('without an audience, a token is refused before the provider is asked', async () => {
    await people.configure({ SVC_API_AUDIENCE: '' });
    onTestFinished(() => people.configure());
    const before = { ...provider.asked };
    await expectOff();
    expect(provider.asked).toEqual(before);
  });

  test('in the mode dev, a token is refused', async () => {
    await people.configure({ SVC_AUTH_MODE: 'dev' });
    onTestFinished(() => people.configure());
    await expectOff();
  });
});

describe('limits', () => {
  test('of the size of a body are those of all requests', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    const large = await asService({ method: 'POST', path: '/api/onboarding/profile', body });
    expect([large.status, large.body]).toMatchObject([413, { error: 'payload_too_large' }]);
    const wrong = { method: 'POST', path: '/api/onboarding/profile', body: 'a=b' };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await asService({ ...wrong, headers: type })).status).toBe(415);
  });

  test('of the size of a token are those of the host and of the service', async () => {
    const long = await provider.accessToken({ sub: SERVICE, pad: 'x'.repeat(11_000) });
    expect((await withToken(long)).status).toBe(200);
    const { status } = await fetch(`${people.service.url}${ME}`, {
      headers: { authorization: `Bearer ${'x'.repeat(17_000)}` },
    });
    expect([401, 431]).toContain(status);
  });

  test('of overload are those of all requests', async () => {
    await people.configure({ SVC_DATABASE_POOL_SIZE: '2' });
    onTestFinished(() => people.configure());
    const token = await provider.accessToken({ sub: SERVICE });
    expect((await withToken(token)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const turns = vi.spyOn(people.service.runtime().db.turns, 'take');
    const waiting = () => turns.mock.calls.filter(([{ share }]) => share === 'lists').length;
    await withClient(people.database.adminUrl, async (locker) => {
      await locker.query('begin; lock table assets in access exclusive mode');
      const answers: Answer[] = [];
      const lists = Array.from({ length: 12 }, async () => {
        answers.push(await withToken(token, { path: '/api/assets' }));
      });
      await expect.poll(waiting).toBe(12);
      await expect.poll(() => lockWaits(people.database)).toBe(1);
      await vi.advanceTimersByTimeAsync(CLAIMS.list.waitMs);
      await expect.poll(() => answers.length).toBe(11);
      for (const { status, headers } of answers)
        expect([status, headers.has('retry-after')]).toEqual([503, true]);
      await locker.query('commit');
      await Promise.all(lists);
    });
  });
});

describe('while the provider is down', () => {
  afterEach(async () => {
    provider.isDown = false;
    vi.useRealTimers();
    await people.configure();
  });

  test('a token that cannot be verified is told to be tried again, not refused', async () => {
    await people.configure();
    provider.isDown = true;
    for (const answer of [await asService(), await asPerson(), await withToken('a.b.c')]) {
      expect([answer.status, answer.body]).toMatchObject([503, { error: 'overloaded' }]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.has('www-authenticate')).toBe(false);
    }
    provider.isDown = false;
    people.service.clock.advance(5_001);
    expect((await asService()).status).toBe(200);
  });

  test('known keys go on to count, and after ten minutes the answer is 503', async () => {
    await people.configure();
    expect((await asService()).status).toBe(200);
    provider.isDown = true;
    expect((await asService()).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
    expect((await asService()).status).toBe(503);
    provider.isDown = false;
    people.service.clock.advance(5_001);
    expect((await asService()).status).toBe(200);
  });

  test('nobody who has a session is hindered', async () => {
    const who = await people.enter(PERSON);
    await people.configure();
    provider.isDown = true;
    expect((await who.get(ME)).status).toBe(200);
  });
});

test('the document declares both ways to say who calls', async () => {
  type Operation = { security: Record<string, string[]>[] };
  type Document = {
    paths: Record<string, Record<string, Operation>>;
    components: { securitySchemes: Record<string, object> };
  };
  const { body } = await people.service.anonymous.get<Document>('/api/openapi.json');
  expect(body.components.securitySchemes).toMatchObject({
    session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
    csrf: { type: 'apiKey', in: 'header', name: 'x-svc-csrf' },
    accessToken: { type: 'http', scheme: 'bearer' },
  });
  const securityOf = (path: string, method: string) => body.paths[path]?.[method]?.security;
  const token = { accessToken: [] };
  expect(securityOf(ME, 'get')).toEqual([{ session: [] }, token]);
  expect(securityOf(PRINCIPALS, 'post')).toEqual([{ session: [], csrf: [] }, token]);
  expect(securityOf('/api/health', 'get')).toEqual([]);
});

test('the log and the audit trail bear nothing of a token', async () => {
  const { principalId } = await people.register({
    kind: 'service',
    subject: 'canary-subject',
    roles: ['auditor'],
  });
  const claims = {
    sub: 'canary-subject',
    client_id: 'canary-client',
    jti: 'canary-jti',
    name: 'Canary Name',
  };
  const tokens = [
    await provider.accessToken(claims),
    await provider.accessToken({ ...claims, sub: 'canary-nobody' }),
    await provider.accessToken({ ...claims, aud: 'canary-audience' }),
    await provider.accessToken(claims, { key: await newKey('canary-key') }),
    `${await provider.accessToken(claims)}.canary`,
  ];
  for (const token of tokens)
    for (const path of ['/api/audit', '/api/scans', PRINCIPALS, '/api/none'])
      await withToken(token, { path });
  await withToken(tokens[0] ?? '', { method: 'POST', path: '/api/scans', body: {} });
  const rows = await people.database.inspect(sql`
    select record as text from audit_events union all select to_jsonb(c)::text from not_found_counts c`);
  const everything = `${people.service.logs.join('\n')}\n${JSON.stringify(rows)}`;
  expect(everything).toContain('access_token_refused');
  expect(everything).toContain(principalId);
  expect(everything).not.toMatch(/canary/i);
  for (const part of tokens.flatMap((token) => token.split('.')).filter((text) => text.length > 20))
    expect(everything).not.toContain(part);
});
