import { TableClient } from '@azure/data-tables';
import { CompactSign, exportJWK, exportSPKI } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import {
  type Claims,
  newKey,
  type ScriptedProvider,
  startScriptedProvider,
} from '../support/scripted-provider.ts';
import { DEV } from '../support/seed.ts';
import { CLIENT_ID, type SignInWorld, startSignInWorld } from '../support/sign-in-world.ts';

let world: SignInWorld;
let provider: ScriptedProvider;

beforeAll(async () => {
  world = await startSignInWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  provider = await startScriptedProvider();
  await world.database.inspect(
    sql`update tenants set idp_issuer = ${provider.issuer} where tenant_id = ${DEV}`,
  );
  await world.configure(provider.issuer, { SVC_IDP_ROLES: 'Ops=platform_admin' });
  return () => provider.close();
});

type Started = { cookie: string; state: string; nonce: string };

async function start(query = ''): Promise<Started> {
  const { status, headers, cookies } = await world.service.anonymous.get(`/api/auth/idp/login${query}`);
  expect(status).toBe(302);
  const { searchParams } = new URL(headers.get('location') ?? '');
  return {
    cookie: cookies[0]?.split(';')[0] ?? '',
    state: searchParams.get('state') ?? '',
    nonce: searchParams.get('nonce') ?? '',
  };
}

/** The callback of a browser. The scripted provider takes the nonce for the code. */
const callback = (
  { cookie, state, nonce }: Started,
  { code = nonce, iss = provider.issuer, extra = '' }: { code?: string; iss?: string; extra?: string } = {},
) =>
  world.service.anonymous.get<string>(
    `/api/auth/idp/callback?code=${code}&state=${state}&iss=${encodeURIComponent(iss)}${extra}`,
    { cookie },
  );

/** The ID token of the next sign-in, with these claims changed. */
const claim = (claims: Claims, options?: Parameters<ScriptedProvider['token']>[1]) => {
  provider.script.idToken = (nonce) => provider.token({ nonce, roles: ['Ops'], ...claims }, options);
};
const hasSession = ({ cookies }: { cookies: string[] }) =>
  cookies.some((cookie) => /^svc_session=[^;]/.test(cookie));

async function expectRefused(answer: Awaited<ReturnType<typeof callback>>, status: number, words: string) {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.body).toContain(words);
  expect(answer.body).toMatch(/Reference: cor_/);
  expect(hasSession(answer)).toBe(false);
}

const NOT_VERIFIED = 'could not be verified';

test('the sign-in that all attacks change in one place works', async () => {
  claim({});
  const answer = await callback(await start());
  expect(answer.status).toBe(302);
  expect(hasSession(answer)).toBe(true);
});

describe('a callback', () => {
  test('counts once, also of two at the same moment', async () => {
    claim({});
    const started = await start();
    const both = await Promise.all([callback(started), callback(started)]);
    expect(both.filter(hasSession)).toHaveLength(1);
    await expectRefused(await callback(started), 400, 'has ended');
  });

  test('in another browser is refused, and leaves the sign-in to the first', async () => {
    claim({});
    const [mine, theirs] = [await start(), await start()];
    await expectRefused(await callback({ ...mine, cookie: '' }), 400, 'another browser');
    await expectRefused(await callback({ ...mine, cookie: theirs.cookie }), 400, 'another browser');
    const [name] = mine.cookie.split('=');
    const swapped = `${name}=${theirs.cookie.split('=')[1]}`;
    await expectRefused(await callback({ ...mine, cookie: swapped }), 400, 'another browser');
    expect(hasSession(await callback(mine))).toBe(true);
  });

  test('with the code of another sign-in is refused', async () => {
    claim({});
    const [mine, theirs] = [await start(), await start()];
    await expectRefused(await callback(mine, { code: theirs.nonce }), 403, NOT_VERIFIED);
  });

  test('with a code that the provider refuses is refused', async () => {
    provider.script.status = 400;
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
  });

  test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5000)])('with the state %.20j is refused', async (state) => {
    await expectRefused(await callback({ ...(await start()), state }), 400, 'has ended');
  });

  test('after ten minutes is refused', async () => {
    claim({});
    const started = await start();
    world.service.clock.advance(10 * 60_000 + 1);
    try {
      await expectRefused(await callback(started), 400, 'has ended');
    } finally {
      world.service.clock.advance(-(10 * 60_000 + 1));
    }
  });

  test('with an error of the provider tells none of its text', async () => {
    const { cookie, state } = await start();
    const answer = await world.service.anonymous.get<string>(
      `/api/auth/idp/callback?error=access_denied&error_description=SECRET-TEXT&state=${state}&iss=${encodeURIComponent(provider.issuer)}`,
      { cookie },
    );
    await expectRefused(answer, 403, 'refused the sign-in');
    expect(answer.body).not.toContain('SECRET-TEXT');
  });

  test('that answers for another issuer is refused: a mix-up', async () => {
    claim({});
    await expectRefused(await callback(await start(), { iss: 'https://other.test' }), 403, NOT_VERIFIED);
    const started = await start();
    const without = await world.service.anonymous.get<string>(
      `/api/auth/idp/callback?code=${started.nonce}&state=${started.state}`,
      { cookie: started.cookie },
    );
    await expectRefused(without, 403, NOT_VERIFIED);
  });

  test('that began at another provider is refused: a mix-up after a change of settings', async () => {
    const started = await start();
    const other = await startScriptedProvider();
    try {
      await world.configure(other.issuer, { SVC_IDP_ROLES: 'Ops=platform_admin' });
      await expectRefused(await callback(started), 403, NOT_VERIFIED);
    } finally {
      await other.close();
    }
  });

  test('with parameters twice is refused', async () => {
    claim({});
    const started = await start();
    const answer = await callback(started, { extra: `&state=${started.state}` });
    expect(hasSession(answer)).toBe(false);
    expect(answer.headers.get('content-type')).toContain('text/html');
  });
});

describe('an ID token is refused', () => {
  const now = () => Math.floor(Date.now() / 1000);
  test.each<[string, () => Claims]>([
    ['with another nonce', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['for another audience', () => ({ aud: 'another' })],
    ['for several audiences without azp', () => ({ aud: [CLIENT_ID, 'another'] })],
    ['issued to another client (azp)', () => ({ azp: 'another' })],
    ['of another issuer', () => ({ iss: 'https://other.test' })],
    ['that expired more than a minute ago', () => ({ iat: now() - 600, exp: now() - 63 })],
    ['that is not valid for more than a minute', () => ({ nbf: now() + 63 })],
    ['that was issued more than a minute ahead', () => ({ iat: now() + 63, exp: now() + 600 })],
    ['that was issued an hour ahead', () => ({ iat: now() + 3_600, nbf: now(), exp: now() + 7_200 })],
    ['without an expiry', () => ({ exp: undefined })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a subject that is no text', () => ({ sub: 7 as never })],
    ['with an endless subject', () => ({ sub: 'x'.repeat(300) })],
  ])('%s', async (_, claims) => {
    claim(claims());
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
  });

  test.each<[string, () => Claims]>([
    ['expired half a minute ago', () => ({ iat: now() - 600, exp: now() - 30 })],
    ['is valid from half a minute ahead', () => ({ nbf: now() + 30 })],
    ['was issued half a minute ahead', () => ({ iat: now() + 30 })],
    ['has several audiences and this client as azp', () => ({ aud: [CLIENT_ID, 'other'], azp: CLIENT_ID })],
  ])('but not if it %s', async (_, claims) => {
    claim(claims());
    expect(hasSession(await callback(await start()))).toBe(true);
  });

  test('unsigned (alg none)', async () => {
    provider.script.idToken = async (nonce) => {
      const [, payload] = (await provider.token({ nonce, roles: ['Ops'] })).split('.');
      return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    };
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
  });

  test('signed by HMAC with the client secret, or with the public key as the secret', async () => {
    const key = provider.keys[0];
    if (key === undefined) throw new Error('no key');
    const publicKeyTexts = [
      await exportSPKI(key.publicKey),
      JSON.stringify(await exportJWK(key.publicKey)),
      'a-secret-that-only-the-provider-knows',
    ];
    for (const secret of publicKeyTexts) {
      provider.script.idToken = async (nonce) => {
        const [, payload = ''] = (await provider.token({ nonce, roles: ['Ops'] })).split('.');
        return new CompactSign(Buffer.from(payload, 'base64url'))
          .setProtectedHeader({ alg: 'HS256', kid: key.kid })
          .sign(Buffer.from(secret.padEnd(32, ' ')));
      };
      await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
    }
  });

  test('signed with a key that the provider does not list', async () => {
    claim({}, { key: await newKey('first') });
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
    claim({}, { key: await newKey('unknown') });
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
  });

  test('changed after it was signed', async () => {
    provider.script.idToken = async (nonce) => {
      const [head, , signature] = (await provider.token({ nonce })).split('.');
      const [, payload] = (await provider.token({ nonce, sub: 'mallory', roles: ['Ops'] })).split('.');
      return `${head}.${payload}.${signature}`;
    };
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
  });

  test('of another directory, where the deployment pins one', async () => {
    await world.configure(provider.issuer, {
      SVC_IDP_TENANT_ID: 'directory-1',
      SVC_IDP_ROLES: 'Ops=platform_admin',
    });
    claim({ tid: 'directory-2' });
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
    claim({ tid: 'directory-1' });
    expect(hasSession(await callback(await start()))).toBe(true);
  });
});

describe('keys and providers', () => {
  test('a new key of the provider is fetched when a token names it', async () => {
    claim({});
    expect(hasSession(await callback(await start()))).toBe(true);
    const second = await newKey('second');
    provider.keys = [second];
    claim({}, { key: second });
    await expectRefused(await callback(await start()), 403, NOT_VERIFIED);
    // The key set was fetched within the last half minute; a new composition has not fetched it.
    await world.configure(provider.issuer, { SVC_IDP_ROLES: 'Ops=platform_admin' });
    expect(hasSession(await callback(await start()))).toBe(true);
  });

  test('unknown keys fetch the key set at a bounded rate', async () => {
    claim({}, { key: await newKey('made-up') });
    for (let i = 0; i < 8; i++) await callback(await start());
    expect(provider.asked['/jwks']).toBeLessThanOrEqual(2);
  });

  test('a provider that does not answer is asked every few seconds, however many ask', async () => {
    provider.isDown = true;
    for (let i = 0; i < 6; i++)
      expect((await world.service.anonymous.get('/api/auth/idp/login')).status).toBe(502);
    expect(provider.asked['/.well-known/openid-configuration']).toBe(1);
    world.service.clock.advance(5_001);
    await world.service.anonymous.get('/api/auth/idp/login');
    expect(provider.asked['/.well-known/openid-configuration']).toBe(2);
  });

  test('a wrong client secret is told as a refusal of the provider', async () => {
    provider.script.status = 401;
    await expectRefused(await callback(await start()), 403, 'refused the sign-in');
  });

  test('a provider that does not answer is told as that, and works again later', async () => {
    provider.isDown = true;
    const login = await world.service.anonymous.get<string>('/api/auth/idp/login');
    expect(login.status).toBe(502);
    expect(login.body).toContain('does not answer');
    provider.isDown = false;
    world.service.clock.advance(5_001);
    claim({});
    const started = await start();
    provider.isDown = true;
    await expectRefused(await callback(started), 502, 'does not answer');
    provider.isDown = false;
    world.service.clock.advance(5_001);
    expect(hasSession(await callback(await start()))).toBe(true);
  });
});

/** Of many pages and batches of the sweep. */
const ABANDONED = 1_100;

test('abandoned sign-ins leave the table small', async () => {
  const { signIns, stopping } = world.service.runtime();
  if (signIns === null) throw new Error('no storage');
  const now = world.service.clock.now();
  const table = TableClient.fromConnectionString(world.storage.connectionString, 'signins', {
    allowInsecureConnection: true,
  });
  const abandoned = (id: number) => ({
    ...{ partitionKey: 'sign-in', rowKey: `abandoned-${id}`, nonce: 'n', verifier: 'v', browserHash: 'b' },
    ...{ codeHash: '', returnTo: '/', expiresAt: new Date(now - 1) },
  });
  for (let first = 0; first < ABANDONED; first += 100) {
    await table.submitTransaction(
      Array.from(
        { length: 100 },
        (_, i) => ['create', abandoned(first + i)] as ['create', { partitionKey: string; rowKey: string }],
      ),
    );
  }
  const kept = await start();
  expect(await signIns.sweep(now, stopping)).toBeGreaterThanOrEqual(ABANDONED);
  for (const id of [0, ABANDONED / 2, ABANDONED - 1])
    expect(await signIns.find(`abandoned-${id}`)).toBeNull();
  claim({});
  expect(hasSession(await callback(kept))).toBe(true);
});
