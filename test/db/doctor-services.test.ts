import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setDefaultCACertificates } from 'node:tls';
import { TableClient, TableServiceClient } from '@azure/data-tables';
import { QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { auditText } from '../../core/audit/event.ts';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createQueueDoorbell } from '../../core/platform/queue-doorbell.ts';
import { createSignInTable } from '../../core/platform/sign-in-table.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../../infra/local/identity-provider.ts';
import { allowRewriting } from '../support/append-only.ts';
import { newAuditKey } from '../support/audit-trail.ts';
import { selfSigned } from '../support/certificate.ts';
import { startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { examine, outcomeOf } from '../support/examine.ts';
import { passingOnTo, startTlsServer, type TlsServer } from '../support/tls-server.ts';

const CALLBACK = '/api/auth/idp/callback';
const TRUSTED = selfSigned(200);

let database: TestDatabase;
let storage: LocalStorage;
let provider: IdentityProvider;
let env: Record<string, string>;
beforeAll(async () => {
  setDefaultCACertificates([TRUSTED.cert]);
  [database, storage, provider] = await Promise.all([
    createTestDatabase(),
    startAzurite({ inMemory: true, log: () => undefined }),
    startIdentityProvider({ port: 0, accounts: () => [], clients: [] }),
  ]);
});
beforeEach(() => {
  env = {
    SVC_ENV: 'development',
    SVC_DATABASE_URL: database.url,
    AzureWebJobsStorage: storage.connectionString,
    SVC_IDP_ISSUER: provider.issuer,
    SVC_IDP_CLIENT_ID: 'doctor',
    SVC_IDP_CLIENT_SECRET_REF: 'IDP_SECRET',
    IDP_SECRET: 'canary-client-secret',
    SVC_IDP_REDIRECT_URI: `https://governance.example${CALLBACK}`,
  };
});
afterAll(async () => {
  await Promise.all([database?.drop(), storage?.stop(), provider?.close()]);
});

const servers: TlsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(listener: RequestListener, certificate = TRUSTED): Promise<string> {
  const server = await startTlsServer(certificate, listener);
  servers.push(server);
  return server.url;
}
const check = (id: string, changes: Record<string, string> = {}) => outcomeOf(id, { ...env, ...changes });

describe('storage', () => {
  const config = () => loadConfig(env);

  test('before the service has made its queue and table, nothing stays', async () => {
    const outcomes = await examine(env, 'storage');
    expect(Object.values(outcomes).map(({ status }) => status)).toEqual(
      Object.keys(outcomes).map(() => 'pass'),
    );
    const queues = QueueServiceClient.fromConnectionString(storage.connectionString).listQueues();
    expect((await queues.next()).done).toBe(true);
    const tables = TableServiceClient.fromConnectionString(storage.connectionString, {
      allowInsecureConnection: true,
    }).listTables();
    expect((await tables.next()).done).toBe(true);
  });

  test('rights are proved by what is put and deleted, and nothing stays', async () => {
    await createQueueDoorbell(config())?.isRinging();
    await createSignInTable(config())?.find('none');
    const outcomes = await examine(env, 'storage', 'clock.storage');
    expect(Object.values(outcomes).map(({ status }) => status)).toEqual(
      Object.keys(outcomes).map(() => 'pass'),
    );
    const queue = new QueueClient(storage.connectionString, 'work-doorbells');
    expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
    const table = TableClient.fromConnectionString(storage.connectionString, 'signins', {
      allowInsecureConnection: true,
    });
    expect((await table.listEntities().next()).done).toBe(true);
  });

  test('a wrong key and a silent account are failures, with what to do', async () => {
    const wrongKey = storage.connectionString.replace(
      /AccountKey=[^;]+/,
      `AccountKey=${randomBytes(64).toString('base64')}`,
    );
    for (const id of ['storage.queue', 'storage.table']) {
      expect(await check(id, { AzureWebJobsStorage: wrongKey })).toMatchObject({
        status: 'fail',
        finding: expect.stringContaining('HTTP 403'),
        nextSteps: expect.arrayContaining([expect.stringContaining('account key')]),
      });
      const silent = storage.connectionString.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1');
      expect(await check(id, { AzureWebJobsStorage: silent })).toMatchObject({
        status: 'fail',
        finding: expect.stringContaining('ECONNREFUSED'),
      });
      expect(await check(id, { AzureWebJobsStorage: 'canary' })).toMatchObject({ status: 'fail' });
    }
  });

  test('an account is missing: a failure where people sign in, else a warning', async () => {
    expect((await check('storage.settings', { AzureWebJobsStorage: '' })).status).toBe('fail');
    const development = { AzureWebJobsStorage: '', SVC_AUTH_MODE: 'dev' };
    expect((await check('storage.settings', development)).status).toBe('warn');
  });

  test('doorbells that were given up are counted', async () => {
    await createQueueDoorbell(config())?.isRinging();
    const poison = new QueueClient(storage.connectionString, 'work-doorbells-poison');
    await poison.create();
    expect((await check('storage.poison-queue')).status).toBe('pass');
    for (const text of ['a', 'b']) await poison.sendMessage(text);
    expect(await check('storage.poison-queue')).toMatchObject({
      status: 'warn',
      finding: 'The poison queue has 2 doorbells.',
    });
  });
});

describe('identity provider', () => {
  test('a provider that is configured as it is passes', async () => {
    const outcomes = await examine(env, 'identity-provider', 'clock.identity-provider');
    expect(Object.values(outcomes).map(({ status }) => status)).toEqual(
      Object.keys(outcomes).map(() => 'pass'),
    );
  });

  test.each([
    ['a setting is missing', { SVC_IDP_CLIENT_ID: '' }, 'SVC_IDP_CLIENT_ID'],
    ['the secret is missing', { IDP_SECRET: '' }, 'SVC_IDP_CLIENT_SECRET_REF'],
    [
      'the redirect address is not https',
      { SVC_IDP_REDIRECT_URI: `http://g.example${CALLBACK}` },
      'SVC_IDP_REDIRECT_URI',
    ],
    [
      'the redirect address leads elsewhere',
      { SVC_IDP_REDIRECT_URI: 'https://g.example/callback' },
      CALLBACK,
    ],
    ['the issuer is not https', { SVC_IDP_ISSUER: 'http://id.example' }, 'SVC_IDP_ISSUER'],
  ])('fails where %s', async (_, changes, step) => {
    const outcome = await check('identity-provider.settings', changes);
    expect(outcome).toMatchObject({ status: 'fail', nextSteps: [expect.stringContaining(step)] });
    expect((await check('identity-provider.keys', changes)).status).toBe('skipped');
  });

  test('is skipped for the development sign-in', async () => {
    expect((await check('identity-provider.settings', { SVC_AUTH_MODE: 'dev' })).status).toBe('skipped');
  });

  /** A provider that publishes what a test says, with the clock that it says. */
  const publish = async ({ issuer = '', keys = [] as object[], ahead = 0, status = 200 } = {}) => {
    const url = await serve((request, response) => {
      const origin = `https://${request.headers.host}`;
      const document = { issuer: `${origin}${issuer}`, jwks_uri: `${origin}/keys` };
      response.writeHead(status, { date: new Date(Date.now() + ahead).toUTCString() });
      response.end(JSON.stringify(request.url === '/keys' ? { keys } : document));
    });
    return { SVC_IDP_ISSUER: url };
  };
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });

  test('fails where the discovery document is missing or names another issuer', async () => {
    expect(await check('identity-provider.discovery', await publish({ issuer: '/other' }))).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('another issuer'),
    });
    for (const ofAny of ['/{tenantid}/v2.0', '/%7Btenantid%7D/v2.0'])
      expect(await check('identity-provider.discovery', await publish({ issuer: ofAny }))).toMatchObject({
        status: 'fail',
        finding: expect.stringContaining('any directory'),
        nextSteps: [expect.stringContaining('SVC_IDP_TENANT_ID to the id of your directory')],
      });
    expect(await check('identity-provider.discovery', await publish({ status: 404 }))).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('HTTP 404'),
    });
    expect(
      await check('identity-provider.discovery', { SVC_IDP_ISSUER: await serve((_, to) => to.end('hi')) }),
    ).toMatchObject({ status: 'fail', finding: expect.stringContaining('no discovery document') });
    expect(
      await check('identity-provider.discovery', {
        SVC_IDP_ISSUER: `https://127.0.0.1:${await freePort(0)}`,
      }),
    ).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('fails where no key is usable: none, or symmetric ones', async () => {
    expect((await check('identity-provider.keys', await publish({ keys: [rsa] }))).status).toBe('pass');
    for (const keys of [[], [{ kty: 'oct', k: 'AAAA' }], [{ ...rsa, use: 'enc' }]])
      expect(await check('identity-provider.keys', await publish({ keys }))).toMatchObject({
        status: 'fail',
        finding: expect.stringContaining('no asymmetric key'),
      });
  });

  test('tells by how much the clocks differ', async () => {
    expect(await check('clock.identity-provider', await publish({ ahead: 60_000 }))).toMatchObject({
      status: 'warn',
      finding: expect.stringMatching(/(59|60|61) s ahead/),
    });
    expect(await check('clock.identity-provider', await publish({ ahead: -600_000 }))).toMatchObject({
      status: 'fail',
      finding: expect.stringMatching(/(599|600|601) s behind/),
    });
  });
});

describe('webhook', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(database);
  });
  afterAll(() => service?.close());
  const handshake = (address: string) => check('webhook.handshake', { SVC_WEBHOOK_PUBLIC_URL: address });

  test('passes where the service answers behind its proxy', async () => {
    expect(await handshake(await serve(passingOnTo(service.url)))).toEqual({
      status: 'pass',
      finding: 'Both webhooks answered with the token.',
    });
  });

  test.each<[string, RequestListener, string]>([
    ['another server', (_, response) => response.end('<html>'), 'not as the service does'],
    [
      'what repeats anything',
      (request, response) =>
        response.end(new URL(request.url ?? '', 'http://a').searchParams.get('validationToken')),
      'not as the service does',
    ],
    [
      'a sign-in',
      (_, response) => response.writeHead(302, { location: '/login' }).end(),
      'redirects (HTTP 302)',
    ],
    ['no route', (_, response) => response.writeHead(404).end(), 'HTTP 404'],
    ['too much', (_, response) => response.end('x'.repeat(2 * 1024 * 1024)), 'RangeError'],
  ])('fails where %s answers', async (_, listener, said) => {
    expect(await handshake(await serve(listener))).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining(said),
    });
  });

  test('fails where the certificate is not trusted, and nobody answers', async () => {
    const untrusted = await serve(passingOnTo(service.url), selfSigned(200));
    expect(await handshake(untrusted)).toMatchObject({
      finding: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
    });
    expect(await handshake('https://canary.invalid')).toMatchObject({
      status: 'fail',
      finding: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });

  test('an address is missing: a failure where notifications are on', async () => {
    expect((await check('webhook.handshake')).status).toBe('skipped');
    expect(await check('webhook.handshake', { SVC_CHANGE_NOTIFICATIONS_ENABLED: 'true' })).toMatchObject({
      status: 'fail',
      nextSteps: [expect.stringContaining('SVC_WEBHOOK_PUBLIC_URL')],
    });
  });
});

describe('certificates', () => {
  const SETTING = {
    public: 'SVC_IDP_REDIRECT_URI',
    webhook: 'SVC_WEBHOOK_PUBLIC_URL',
    'identity-provider': 'SVC_IDP_ISSUER',
  } as const;
  const serveWith = (days: number, trusts = true) => {
    const certificate = selfSigned(days);
    setDefaultCACertificates(trusts ? [certificate.cert] : []);
    return serve((_, response) => response.end(), certificate);
  };
  afterEach(() => setDefaultCACertificates([TRUSTED.cert]));

  test.each(Object.entries(SETTING))('of %s are judged by their end and by trust', async (name, setting) => {
    const judged = async (address: string) => check(`certificates.${name}`, { [setting]: address });
    expect(await judged(await serveWith(199.5))).toEqual({
      status: 'pass',
      finding: `The certificate at ${setting} holds for 199 days.`,
    });
    expect(await judged(await serveWith(1.5))).toMatchObject({
      status: 'warn',
      finding: `The certificate at ${setting} ends in 1 day.`,
    });
    expect(await judged(await serveWith(-3))).toMatchObject({
      status: 'fail',
      finding: `The certificate at ${setting} has expired.`,
    });
    expect(await judged(await serveWith(200, false))).toMatchObject({
      status: 'fail',
      finding: `The certificate at ${setting} is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT.`,
    });
    expect(await judged('https://127.0.0.1:1')).toMatchObject({
      status: 'warn',
      finding: expect.stringContaining('ECONNREFUSED'),
    });
    expect((await check(`certificates.${name}`, { [setting]: '' })).status).toBe('skipped');
  });

  test('for another name are not trusted', async () => {
    // The system takes it for this machine too, and the certificate does not name it.
    const other = (await serveWith(200)).replace('127.0.0.1', '0.0.0.0');
    expect(await check('certificates.public', { SVC_IDP_REDIRECT_URI: other })).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
  });
});

describe('audit', () => {
  const TENANT = 'doctored' as TenantId;
  const key = newAuditKey();
  const signing = { SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_KEY', AUDIT_KEY: key.privateKey };
  beforeAll(async () => {
    await allowRewriting(database, 'audit_events');
    await database.inspect(
      sql`insert into tenants (tenant_id, name, created_at) values (${TENANT}, 'a', now())`,
    );
  });
  const append = (at: number) =>
    withTx(database.db, { tenantId: TENANT, mode: 'write' }, (tx) =>
      appendAudit(tx, [
        auditText(
          { tenantId: TENANT, principalId: null, correlationId: 'cor', now: at },
          { category: 'scan', type: 'thing_done' },
        ),
      ]),
    );
  const sign = () =>
    signCheckpoints(database.db, {
      signer: key.signer,
      clock: Date.now,
      signal: new AbortController().signal,
    });

  test('the key signs, is missing, or is none', async () => {
    const keyIs = async (text: string) => check('audit.signing-key', { ...signing, AUDIT_KEY: text });
    expect((await keyIs(key.privateKey)).status).toBe('pass');
    expect((await keyIs('')).status).toBe('warn');
    expect(await keyIs('canary')).toMatchObject({
      status: 'fail',
      finding: 'The signing key cannot be used.',
    });
    expect((await keyIs(key.publicKey)).status).toBe('fail');
  });

  test('checkpoints fit the chain, are late, or are contradicted', async () => {
    const hour = 60 * 60_000;
    await append(Date.now() - 3 * hour);
    expect(await check('audit.checkpoints', signing)).toMatchObject({
      status: 'warn',
      finding: expect.stringMatching(/^1 tenant with events that are not signed, for (180|181) minutes/),
    });
    const weekly = { ...signing, SVC_AUDIT_CHECKPOINT_SCHEDULE: '0 0 0 1 1 *' };
    expect((await check('audit.checkpoints', weekly)).status).toBe('pass');
    await sign();
    await append(Date.now());
    expect(await check('audit.checkpoints', signing)).toEqual({
      status: 'pass',
      finding: 'The newest checkpoints of 1 tenant fit their chains.',
    });
    expect((await check('audit.checkpoints')).status).toBe('skipped');
    await database.inspect(
      sql`update audit_events set hash = ${createHmac('sha256', 'a').digest('hex')} where seq = 1`,
    );
    for (const settings of [signing, {}])
      expect(await check('audit.checkpoints', settings)).toMatchObject({
        status: 'fail',
        finding: 'The audit trail of 1 tenant is not as it was signed.',
      });
  });
});
