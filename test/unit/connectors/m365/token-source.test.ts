import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { afterEach, expect, test, vi } from 'vitest';
import { ConnectorError } from '../../../../core/connectors/connector.ts';
import type { EntraIdentity } from '../../../../core/connectors/entra-tokens.ts';
import { GRAPH_CLOUDS } from '../../../../core/connectors/m365/graph-cloud.ts';
import { createTokenSource } from '../../../../core/connectors/m365/token-source.ts';
import { authorityAnswer, DIRECTORY } from '../../../support/authority.ts';
import { type Answers, cloudAt, listen } from '../../../support/graph-server.ts';

const SECRET = 'canary-secret';
const identity: EntraIdentity = { kind: 'secret', tenantId: DIRECTORY, clientId: 'app', secret: SECRET };

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

/** An authority with the two addresses that the package asks, and what it answers at the second. */
async function authority(grant: Answers) {
  const server = await listen((asked, response) => {
    if (asked.method === 'GET') return { body: authorityAnswer(server.origin, asked.url, '') };
    return grant(asked, response);
  });
  close = server.close;
  return server;
}

const never = new AbortController().signal;
const granted = (token: string, seconds = 3600) => ({
  body: { token_type: 'Bearer', access_token: token, expires_in: seconds },
});

test('a token is acquired once and kept until shortly before it expires', async () => {
  let given = 0;
  const server = await authority(() => granted(`t${++given}`));
  const counts: string[] = [];
  const source = createTokenSource(
    cloudAt(server.origin),
    () => identity,
    (...all) => counts.push(all.join(' ')),
  );
  const tokens = await Promise.all([source.token(never), source.token(never), source.token(never)]);
  expect([...tokens, await source.token(never)]).toEqual(['t1', 't1', 't1', 't1']);
  const asked = new URLSearchParams(server.asked.find(({ method }) => method === 'POST')?.body);
  expect(asked.get('grant_type')).toBe('client_credentials');
  expect(asked.get('scope')).toBe(`${server.origin}/.default`);
  expect(counts).toEqual(['token 2xx ', 'token 2xx ']);
});

test('a token is acquired again before it expires, and when Graph has refused it', async () => {
  let given = 0;
  const server = await authority(() => granted(`t${++given}`, given === 1 ? -1 : 3600));
  const source = createTokenSource(
    cloudAt(server.origin),
    () => identity,
    () => undefined,
  );
  expect(await source.token(never)).toBe('t1');
  expect(await source.token(never)).toBe('t2');
  expect(await source.token(never, 't1')).toBe('t2');
  expect(await source.token(never, 't2')).toBe('t3');
});

test('the next token is asked for with the secret of that time', async () => {
  const server = await authority(() => granted('t', -1));
  let secret = 'before';
  const source = createTokenSource(
    cloudAt(server.origin),
    () => ({ ...identity, kind: 'secret', secret }),
    () => undefined,
  );
  await source.token(never);
  secret = 'after';
  await source.token(never);
  const sent = server.asked.filter(({ method }) => method === 'POST');
  expect(sent.map(({ body }) => new URLSearchParams(body).get('client_secret'))).toEqual(['before', 'after']);
});

test.each([
  [401, 'auth', 'graph_token_401', null],
  [400, 'auth', 'graph_token_400', null],
  [429, 'throttled', 'graph_token_429', 0],
  [500, 'transient', 'graph_token_500', null],
] as const)(
  'an authority that answers %s is %s, and nothing of it is told',
  async (status, retryClass, word, wait) => {
    const body = { error: 'invalid_client', error_description: `canary ${SECRET}`, trace_id: 'canary' };
    const server = await authority(() => ({ status, body, headers: { 'retry-after': '0' } }));
    const source = createTokenSource(
      cloudAt(server.origin),
      () => identity,
      () => undefined,
    );
    const error = await source.token(never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectorError);
    expect(error).toMatchObject({ retryClass, safeDiagnostic: word });
    if (wait !== null) expect(error).toMatchObject({ retryAfterMs: wait });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('canary');
  },
);

test('the secret goes to no other host, whatever the authority says', async () => {
  const other = await listen(() => granted('stolen'));
  const server = await listen(({ url }) => ({
    body: {
      ...authorityAnswer(server.origin, url, 't'),
      token_endpoint: `${other.origin.replace('http:', 'https:')}/t`,
    },
  }));
  close = async () => {
    await server.close();
    await other.close();
  };
  const source = createTokenSource(
    cloudAt(server.origin),
    () => identity,
    () => undefined,
  );
  await expect(source.token(never)).rejects.toBeInstanceOf(ConnectorError);
  expect(other.asked).toEqual([]);
});

test('a redirect of the authority is not followed', async () => {
  const other = await listen(() => granted('stolen'));
  const server = await authority(() => ({ status: 307, headers: { location: `${other.origin}/token` } }));
  close = async () => {
    await server.close();
    await other.close();
  };
  const source = createTokenSource(
    cloudAt(server.origin),
    () => identity,
    () => undefined,
  );
  await expect(source.token(never)).rejects.toBeInstanceOf(ConnectorError);
  expect(other.asked).toEqual([]);
});

test('an authority that cannot be reached is transient', async () => {
  const server = await listen(() => granted('t'));
  await server.close();
  const source = createTokenSource(
    cloudAt(server.origin),
    () => identity,
    () => undefined,
  );
  await expect(source.token(never)).rejects.toMatchObject({
    retryClass: 'transient',
    safeDiagnostic: 'graph_token_unreachable',
  });
});

test('a caller whose signal fires waits no longer, and others get the token', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const server = await authority(async () => {
    await held;
    return granted('t');
  });
  const source = createTokenSource(
    cloudAt(server.origin),
    () => identity,
    () => undefined,
  );
  const stopped = new AbortController();
  const first = source.token(stopped.signal);
  const second = source.token(never);
  stopped.abort();
  await expect(first).rejects.toMatchObject({ safeDiagnostic: 'aborted' });
  release();
  expect(await second).toBe('t');
});

test('a certificate that cannot be read is refused, and no network that fails', async () => {
  const server = await authority(() => granted('t'));
  const source = createTokenSource(
    cloudAt(server.origin),
    () => ({ kind: 'certificate', tenantId: DIRECTORY, clientId: 'app', pem: SECRET }),
    () => undefined,
  );
  const error = await source.token(never).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ retryClass: 'auth', safeDiagnostic: 'graph_token_refused' });
  expect(String(error)).not.toContain(SECRET);
});

test('a certificate signs the request, and no secret is sent', async () => {
  const { privateKey, publicKey } = await generateKeyPair('PS256', { extractable: true });
  // Only the bytes between the lines count: they are hashed, and the authority knows the hash.
  const certificate = `-----BEGIN CERTIFICATE-----\n${randomBytes(300).toString('base64')}\n-----END CERTIFICATE-----\n`;
  const pem = `${await exportPKCS8(privateKey)}\n${certificate}`;
  const server = await authority(() => granted('t'));
  const source = createTokenSource(
    cloudAt(server.origin),
    () => ({ kind: 'certificate', tenantId: DIRECTORY, clientId: 'app', pem }),
    () => undefined,
  );
  expect(await source.token(never)).toBe('t');
  const asked = new URLSearchParams(server.asked.find(({ method }) => method === 'POST')?.body);
  const { payload } = await jwtVerify(asked.get('client_assertion') ?? '', publicKey, {
    subject: 'app',
    clockTolerance: 5,
  });
  expect(payload.iss).toBe('app');
  expect(asked.has('client_secret')).toBe(false);
});

test('a managed identity asks its host for a token of Graph', async () => {
  const server = await listen(() => ({
    body: {
      access_token: 'managed',
      expires_on: String(Math.floor(Date.now() / 1000) + 3600),
      resource: 'r',
      token_type: 'Bearer',
    },
  }));
  close = server.close;
  vi.stubEnv('IDENTITY_ENDPOINT', `${server.origin}/token`);
  vi.stubEnv('IDENTITY_HEADER', 'header');
  try {
    const cloud = GRAPH_CLOUDS.global;
    const source = createTokenSource(
      cloud,
      () => ({ kind: 'managed_identity', clientId: 'mi' }),
      () => undefined,
    );
    expect(await source.token(never)).toBe('managed');
    const query = new URL(server.asked[0]?.url ?? '', server.origin).searchParams;
    expect([query.get('resource'), query.get('client_id')]).toEqual(['https://graph.microsoft.com', 'mi']);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('the package of credentials is not loaded before the first token', async () => {
  const source = path.resolve(import.meta.dirname, '../../../../core/connectors/m365/token-source.ts');
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(pathToFileURL(source).href)});
    console.log(JSON.stringify([loaded.length > 3, loaded.some((url) => url.includes('@azure/identity'))]));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toEqual([true, false]);
});
