import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEVELOPMENT_SESSION_SECRET } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import {
  type IdentityProvider,
  type ProviderAccount,
  startIdentityProvider,
} from '../../infra/local/identity-provider.ts';
import { signOutAtProvider } from '../../infra/local/sign-in-at-provider.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { CLIENT_ID, CLIENT_SECRET, type SignInWorld, startSignInWorld } from '../support/sign-in-world.ts';

let world: SignInWorld;
let provider: IdentityProvider;
let accounts: ProviderAccount[];
const ROLES = 'Gov.Admin=governance_admin,auditors=auditor,Ops=platform_admin';

beforeAll(async () => {
  world = await startSignInWorld();
  provider = await startIdentityProvider({
    port: 0,
    accounts: () => accounts,
    clients: [
      {
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        redirectUris: [`${world.service.url}/api/auth/idp/callback`],
        postLogoutRedirectUris: [`${world.service.url}/`],
      },
    ],
  });
  await world.bindTenant(provider.issuer);
});
afterAll(async () => {
  await provider.close();
  await world.close();
});

let count = 0;
/** A subject that no other test uses. */
const newSubject = () => `subject-${++count}`;
const account = (subject: string, claims: Record<string, unknown> = {}, displayName = 'Ada Lovelace') => ({
  subject,
  displayName,
  email: 'ada@example.test',
  claims,
});
beforeEach(async () => {
  accounts = [];
  await world.configure(provider.issuer, { SVC_IDP_ROLES: ROLES });
});

type Listed = {
  items: {
    principalId: string;
    displayName: string;
    email: string | null;
    roles: { role: string; source: string }[];
    identity: string;
    lastSignInAt: string | null;
  }[];
};
/** A person with the role from the provider. */
async function signedIn(claims: Record<string, unknown>, subject = newSubject(), name?: string) {
  accounts.push(account(subject, claims, name));
  const { person, status, body } = await world.signIn(subject);
  if (person === null) throw new Error(`not signed in: ${status} ${body}`);
  return { ...person, subject };
}
const platformAdmin = () => signedIn({ roles: ['Ops'] });

describe('a sign-in', () => {
  test('starts a session and ends where it began from', async () => {
    const subject = newSubject();
    accounts = [account(subject, { roles: ['Gov.Admin'] })];
    const { status, location, person } = await world.signIn(subject, {
      query: '?returnTo=/api/docs%3Fa=b%23c',
    });
    expect({ status, location }).toEqual({ status: 302, location: '/api/docs?a=b#c' });
    const me = await person?.get('/api/auth/me');
    expect(me?.body).toMatchObject({
      tenantId: DEV,
      authMode: 'idp',
      displayName: 'Ada Lovelace',
      roles: ['governance_admin'],
    });
  });

  test('sets a Secure cookie in production, and a binding cookie that is gone after it', async () => {
    await world.configure(provider.issuer, {
      SVC_IDP_ROLES: ROLES,
      SVC_ENV: 'production',
      SVC_SESSION_SECRET: 'a-secret-of-the-test-and-of-nobody-else',
    });
    const start = await world.service.anonymous.get('/api/auth/idp/login');
    expect(start.status).toBe(302);
    expect(start.cookies).toHaveLength(1);
    expect(start.cookies[0]).toMatch(/^svc_signin_[0-9a-f]{8}=/);
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/api/auth/idp', 'Max-Age=600'])
      expect(start.cookies[0]?.toLowerCase()).toContain(attribute.toLowerCase());
    const subject = newSubject();
    accounts = [account(subject, { roles: ['Ops'] })];
    const { cookies } = await world.signIn(subject);
    const jar = cookies.get(new URL(world.service.url).host);
    expect([...(jar?.keys() ?? [])]).toEqual(['svc_session']);
  });

  test('sends the code challenge by S256, and neither the verifier nor the secret', async () => {
    const start = await world.service.anonymous.get('/api/auth/idp/login');
    const url = new URL(start.headers.get('location') ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      code_challenge_method: 'S256',
      redirect_uri: `${world.service.url}/api/auth/idp/callback`,
    });
    expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(url.href).not.toContain(CLIENT_SECRET);
  });

  test.each([
    ...[
      'https://evil.test/',
      '//evil.test/',
      '/\\evil.test',
      '/%0d%0aSet-Cookie:a=b\r\n',
      'api/docs',
      '/\tevil',
    ],
    ...['javascript:alert(1)', '/ evil', ''],
  ])('refuses to end at %j', async (returnTo) => {
    const { status, body } = await world.service.anonymous.get<{ error: string }>(
      `/api/auth/idp/login?returnTo=${encodeURIComponent(returnTo)}`,
    );
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'validation_failed' });
  });

  test.each([
    ['', {}],
    [
      ' while secrets change',
      {
        SVC_SESSION_SECRET: 'the session secret after',
        SVC_SESSION_SECRET_PREVIOUS: DEVELOPMENT_SESSION_SECRET,
      },
    ],
  ])('changes the session id, and ends the session that the browser had%s', async (_, settings) => {
    const first = await platformAdmin();
    await world.configure(provider.issuer, { SVC_IDP_ROLES: ROLES, ...settings });
    const second = newSubject();
    accounts.push(account(second, { roles: ['auditors'] }));
    const host = new URL(world.service.url).host;
    const cookies = new Map([[host, new Map([['svc_session', first.cookie.slice('svc_session='.length)]])]]);
    const { person } = await world.signIn(second, { cookies });
    expect(person?.cookie).not.toBe(first.cookie);
    expect((await first.get('/api/auth/me')).status).toBe(401);
    expect((await person?.get<{ roles: string[] }>('/api/auth/me'))?.body.roles).toEqual(['auditor']);
  });

  test('does not take over a session id that somebody planted in the browser', async () => {
    const subject = newSubject();
    accounts = [account(subject, { roles: ['Ops'] })];
    const host = new URL(world.service.url).host;
    const planted = `${'A'.repeat(43)}.${'B'.repeat(43)}`;
    const { person } = await world.signIn(subject, {
      cookies: new Map([[host, new Map([['svc_session', planted]])]]),
    });
    expect(person?.cookie).not.toContain(planted);
    expect(person).not.toBeNull();
  });

  test('ends here and at the provider', async () => {
    const subject = newSubject();
    accounts = [account(subject, { roles: ['Ops'] })];
    const { person, cookies } = await world.signIn(subject);
    const out = await person?.post<{ ok: boolean; providerLogoutUrl: string }>('/api/auth/logout');
    expect(out?.body.ok).toBe(true);
    expect((await person?.get('/api/auth/me'))?.status).toBe(401);
    expect(await signOutAtProvider(out?.body.providerLogoutUrl ?? '', cookies)).toBe(`${world.service.url}/`);
  });
});

describe('who is let in', () => {
  test('a stranger without a role reads who can let them in, and becomes nobody', async () => {
    const subject = newSubject();
    accounts = [account(subject)];
    const { status, body, person } = await world.signIn(subject);
    expect(status).toBe(403);
    expect(body).toContain('Ask a platform administrator of this service to invite you.');
    expect(body).not.toContain('Ada');
    expect(person).toBeNull();
    const rows = await world.database.inspect(sql`select from principals where idp_subject = ${subject}`);
    expect(rows).toHaveLength(0);
  });

  test('an unmapped role or group gives nothing', async () => {
    const subject = newSubject();
    accounts = [account(subject, { roles: ['gov.admin', 'Gov.Admin '], groups: ['Ops2'] })];
    expect((await world.signIn(subject)).status).toBe(403);
  });

  test('groups count as app roles do', async () => {
    const person = await signedIn({ groups: ['auditors', 'others'] });
    expect((await person.get<{ roles: string[] }>('/api/auth/me')).body.roles).toEqual(['auditor']);
  });

  test.each([
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.test' } } },
    { hasgroups: true },
  ])('too many groups are told, with what to configure: %j', async (claims) => {
    const subject = newSubject();
    accounts = [account(subject, { ...claims, roles: ['Ops'] })];
    const { status, body } = await world.signIn(subject);
    expect(status).toBe(403);
    expect(body).toContain('assign app roles');
  });

  test('roles are read at each sign-in, and a removed one ends at the next request', async () => {
    const subject = newSubject();
    const person = await signedIn({ roles: ['Ops', 'auditors'] }, subject);
    expect((await person.get('/api/audit')).status).toBe(200);
    accounts = [account(subject, { roles: ['Ops'] })];
    await world.signIn(subject);
    expect((await person.get('/api/audit')).status).toBe(403);
    accounts = [account(subject)];
    expect((await world.signIn(subject)).status).toBe(403);
    expect((await person.get('/api/sources')).status).toBe(403);
  });

  test('a changed name, address or department changes what is displayed alone', async () => {
    const subject = newSubject();
    const person = await signedIn({ roles: ['Ops'] }, subject);
    accounts = [
      { ...account(subject, { roles: ['Ops'], department: 'X' }, 'Ada King'), email: PERSONA.auditor },
    ];
    const again = await world.signIn(subject);
    expect(again.person?.principalId).toBe(person.principalId);
    const { body } = await person.get<Listed>(`/api/admin/principals?q=${PERSONA.auditor}`);
    expect(body.items).toMatchObject([
      { principalId: person.principalId, displayName: 'Ada King', email: PERSONA.auditor, identity: 'bound' },
    ]);
  });

  test('people of an issuer that no tenant is bound to are strangers', async () => {
    await world.bindTenant('https://another.issuer.test');
    const subject = newSubject();
    accounts = [account(subject, { roles: ['Ops'] })];
    try {
      expect((await world.signIn(subject)).status).toBe(403);
    } finally {
      await world.bindTenant(provider.issuer);
    }
  });

  test('two first sign-ins at once make one person', async () => {
    const subject = newSubject();
    accounts = [account(subject, { roles: ['Ops'] })];
    const both = await Promise.all([world.signIn(subject), world.signIn(subject)]);
    expect(both.map(({ status }) => status)).toEqual([302, 302]);
    expect(both[0]?.person?.principalId).toBe(both[1]?.person?.principalId);
  });
});

describe('where sign-in is not set up', () => {
  test('the login answers 501 and the callback a page', async () => {
    await world.configure(provider.issuer, { SVC_IDP_CLIENT_SECRET_REF: 'NO_SUCH_VARIABLE' });
    const login = await world.service.anonymous.get<{ error: string }>('/api/auth/idp/login');
    expect({ status: login.status, error: login.body.error }).toEqual({
      status: 501,
      error: 'not_configured',
    });
    const callback = await world.service.anonymous.get('/api/auth/idp/callback?code=a&state=b');
    expect(callback.status).toBe(501);
    expect(callback.headers.get('content-type')).toContain('text/html');
  });

  test('both answer 404 in the mode dev', async () => {
    await world.service.reconfigure({ SVC_AUTH_MODE: 'dev' });
    for (const path of ['/api/auth/idp/login', '/api/auth/idp/callback?code=a&state=b'])
      expect((await world.service.anonymous.get(path)).status, path).toBe(404);
  });
});

test('the log and the audit trail bear no subject, name, address, code or token', async () => {
  const subject = 'canary-subject-7f3a';
  accounts = [{ ...account(subject, { roles: ['Ops'] }, 'Canary Name'), email: 'canary@address.test' }];
  const { person } = await world.signIn(subject, { query: '?returnTo=/api/docs%3Fcanary-return' });
  await world.service.anonymous.get('/api/auth/idp/callback?code=canary-code&state=canary-state');
  const audit = await world.database.inspect(sql`select record from audit_events`);
  const everything = `${world.service.logs.join('\n')}\n${JSON.stringify(audit)}`;
  expect(person).not.toBeNull();
  expect(everything).not.toMatch(/canary/i);
});
