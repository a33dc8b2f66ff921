import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DOORBELL_BOUND_MS } from '../../core/platform/queue-doorbell.ts';
import { SIGN_IN_BOUND_MS } from '../../core/platform/sign-in-table.ts';
import { startIdentityProvider } from '../../infra/local/identity-provider.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { startSilentServer, storageAt } from '../support/silent-server.ts';

/** What an answer takes beside its bound, on a machine that does other work. */
const BESIDE_MS = 2_000;

let database: TestDatabase;
let service: TestService;
let storage: Awaited<ReturnType<typeof startSilentServer>>;

beforeAll(async () => {
  [database, storage] = await Promise.all([createSeededDatabase(), startSilentServer()]);
  service = await startService(database, { AzureWebJobsStorage: storageAt(storage.port) });
});
afterAll(async () => {
  await service.close();
  storage.close();
  await database.drop();
});

const timed = async <T>(act: () => Promise<T>): Promise<[T, number]> => {
  const since = performance.now();
  return [await act(), performance.now() - since];
};

test('a scan answers within the bound of its doorbell, and its unit waits', async () => {
  const admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect');
  const { body } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
  const scopeId = body.items[0]?.scopeId;
  const [started, ms] = await timed(() =>
    admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' }),
  );
  expect(started.status).toBe(200);
  expect(storage.connections()).toBeGreaterThan(0);
  expect(ms).toBeGreaterThanOrEqual(DOORBELL_BOUND_MS - 100);
  expect(ms).toBeLessThan(DOORBELL_BOUND_MS + BESIDE_MS);
  expect(service.logs.some((line) => line.includes('"after_commit_failed"'))).toBe(true);
  const scan = await admin.get<{ status: string }>(`/api/scans/${started.body.campaignId}`);
  expect(scan.body.status).toBe('pending');
});

test('a doorbell that never answers is given up each time, and the sweep ends too', async () => {
  const { doorbell, worker } = service.runtime();
  for (const ring of [() => doorbell?.ring(8, 0), () => doorbell?.isRinging(), () => worker.sweep()]) {
    const [failed, ms] = await timed(async () => {
      try {
        await ring();
        return null;
      } catch (error) {
        return error;
      }
    });
    expect(failed).toMatchObject({ name: 'StorageUnanswered' });
    expect(ms).toBeLessThan(DOORBELL_BOUND_MS + BESIDE_MS);
  }
  // Nothing that was given up fails later, when nobody listens.
  await sleep(500);
});

test('a sign-in fails within its bound, in words', async () => {
  const provider = await startIdentityProvider({
    port: 0,
    accounts: () => [],
    clients: [
      {
        clientId: 'governance',
        clientSecret: 'secret',
        redirectUris: [`${service.url}/api/auth/idp/callback`],
      },
    ],
  });
  onTestFinished(() => provider.close());
  await service.reconfigure({
    SVC_AUTH_MODE: 'idp',
    SVC_IDP_ISSUER: provider.issuer,
    SVC_IDP_CLIENT_ID: 'governance',
    SVC_IDP_CLIENT_SECRET_REF: 'TEST_IDP_SECRET',
    TEST_IDP_SECRET: 'secret',
    SVC_IDP_REDIRECT_URI: `${service.url}/api/auth/idp/callback`,
  });
  const state = 'a'.repeat(43);
  for (const path of ['/api/auth/idp/login', `/api/auth/idp/callback?code=x&state=${state}`]) {
    const [answer, ms] = await timed(() => service.anonymous.get(path));
    expect(answer.status, path).toBe(503);
    expect(answer.text).toContain('Sign-in is not available at present');
    expect(ms).toBeLessThan(SIGN_IN_BOUND_MS + BESIDE_MS);
  }
  const refused = service.logs.filter((line) => line.includes('"sign_in_refused"'));
  expect(refused).toHaveLength(2);
  for (const line of refused) expect(JSON.parse(line)).toMatchObject({ reason: 'not_available' });
});
