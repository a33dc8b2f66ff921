import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { INTEGRATIONS } from '../../core/integrations/integrations.ts';
import { type Answer, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Ready = { status: string; dbOk: boolean; env: string; demoMode: boolean; integrations: object };

test('liveness is one word and asks nothing', async () => {
  const { status, text } = await service.anonymous.get('/api/health');
  expect(status).toBe(200);
  expect(text).toBe('{"status":"ok"}');
});

test.each(['/api/health', '/api/ready'])('%s ignores query parameters', async (path) => {
  expect((await service.anonymous.get(`${path}?_=1&nocache`)).status).toBe(200);
});

describe('readiness', () => {
  test('reports the database, the environment, demo mode and every integration', async () => {
    const { status, body } = await service.anonymous.get<Ready>('/api/ready');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok', dbOk: true, env: 'development', demoMode: false });
    expect(Object.keys(body.integrations).sort()).toEqual([...INTEGRATIONS].sort());
    expect(body.integrations).toMatchObject({
      connector: 'mock',
      aiProvider: 'mock',
      idpSignIn: 'disabled',
      labelRead: 'blocked',
      labelWrite: 'blocked',
      changeNotifications: 'mock',
      smbConnector: 'disabled',
    });
  });

  test('a mounted share is live, an absent one blocked', async () => {
    const enabled = { SVC_SMB_ENABLED: 'true', SVC_SMB_SHARES: '.' };
    await service.reconfigure({ ...enabled, SVC_SMB_ROOT: import.meta.dirname, SVC_DEMO_MODE: 'true' });
    const mounted = await service.anonymous.get<Ready>('/api/ready');
    expect(mounted.body).toMatchObject({ demoMode: true, integrations: { smbConnector: 'live' } });
    await service.reconfigure({ ...enabled, SVC_SMB_ROOT: `${import.meta.dirname}/absent` });
    const absent = await service.anonymous.get<Ready>('/api/ready');
    expect(absent.body).toMatchObject({ status: 'ok', integrations: { smbConnector: 'blocked' } });
    await service.reconfigure({});
  });

  test('a source that was switched off while its scopes persist is blocked, not disabled', async () => {
    await service.reconfigure({
      SVC_SMB_ENABLED: 'true',
      SVC_SMB_SHARES: '.',
      SVC_SMB_ROOT: import.meta.dirname,
    });
    const admin = await service.signInAs(PERSONA.platformAdmin);
    expect((await admin.post('/api/sources/connect', { family: 'smb' })).status).toBe(200);
    await service.reconfigure({});
    const { body } = await service.anonymous.get<Ready>('/api/ready');
    expect(body).toMatchObject({ integrations: { smbConnector: 'blocked', sqlConnector: 'disabled' } });
  });

  test('and so are its scopes, which no simulated notification is taken for', async () => {
    const admin = await service.signInAs(PERSONA.platformAdmin);
    type Scope = { scopeId: string; family: string; mode: string; selected: boolean };
    const { body } = await admin.get<{ items: Scope[] }>('/api/sources');
    const home = await admin.get<{ scopes: { items: Scope[] } }>('/api/home');
    const share = body.items.find(({ family }) => family === 'smb');
    expect(share).toMatchObject({ mode: 'blocked', selected: false });
    expect(home.body.scopes.items).toEqual(body.items);
    const { scopeId } = share ?? expect.unreachable();
    const simulated = await admin.post<{ error: string; message: string }>(
      '/api/dev/notifications/simulate',
      { scopeId },
    );
    expect([simulated.status, simulated.body.error]).toEqual([422, 'blocked_capability']);
    expect(simulated.body.message).toContain('SVC_SMB_ENABLED');
  });

  test('answers 503 in time while the database is gone; liveness goes on', async () => {
    const { cookie, csrfToken } = await service.signInAs(PERSONA.nobody);
    const isDegraded = async (asked: Promise<Answer<Ready>>) => {
      const ready = await asked;
      expect(ready.status).toBe(503);
      expect(ready.body).toMatchObject({ status: 'degraded', dbOk: false });
      const visitor = service.withCookie(cookie, csrfToken);
      expect((await visitor.get('/api/health')).status).toBe(200);
    };
    // Where somebody accepts and says nothing.
    const held = new Set<Socket>();
    const silent = createServer((socket) => held.add(socket));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    // The sockets are real; time goes by when the test says so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());

    // Where nobody answers, no time goes by.
    await service.reconfigure({ SVC_DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' });
    await isDegraded(service.anonymous.get<Ready>('/api/ready'));

    await service.reconfigure({ SVC_DATABASE_URL: `postgres://nobody:x@127.0.0.1:${port}/none` });
    const ready = service.anonymous.get<Ready>('/api/ready');
    await expect.poll(() => held.size).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await isDegraded(ready);

    for (const socket of held) socket.destroy();
    silent.close();
    await service.reconfigure({});
    expect((await service.anonymous.get('/api/ready')).status).toBe(200);
  });
});

test('HEAD is answered like GET, without the body', async () => {
  const [head, get] = [
    await service.anonymous.request('HEAD', '/api/health'),
    await service.anonymous.get('/api/health'),
  ];
  expect([head.status, head.text]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(String(get.text.length));
});
