import { afterAll, beforeAll, expect, test } from 'vitest';
import { withEngineTx } from '../../core/db/tx.ts';
import { OFFLINE_AFTER_MS } from '../../core/work/scanner-states.ts';
import { listScanners, type ScannerView } from '../../core/work/scanners.sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database, { SVC_SCANNER_ID: 'scanner-1', SVC_SCANNER_NAME: 'First floor' });
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  await service.runtime().fleet.join();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const fleet = (): Promise<ScannerView[]> =>
  withEngineTx(database.db, (tx) => listScanners(tx, service.clock.now()));
const undrain = (caller: SignedIn, scannerId = 'scanner-1') =>
  caller.post<{ workloadId: string; status: string }>(`/api/ops/fleet/${scannerId}/undrain`);
const drain = (caller: SignedIn, scannerId = 'scanner-1') =>
  caller.post<{ workloadId: string; status: string }>(`/api/ops/fleet/${scannerId}/drain`);
type Events = { items: { category: string; type: string; target: unknown; policyDecision: string | null }[] };
const scans = async () => (await admin.get<{ items: { status: string }[] }>('/api/scans')).body.items;
const lastEvent = async () => (await auditor.get<Events>('/api/audit')).body.items[0];

test('the process bears its configured id and name', async () => {
  expect(await fleet()).toMatchObject([
    { workloadId: 'scanner-1', displayName: 'First floor', status: 'active', capabilities: ['m365'] },
  ]);
});

test('only a platform administrator drains a scanner, and the attempt is recorded', async () => {
  const others = [
    PERSONA.governanceAdmin,
    PERSONA.financeOwner,
    PERSONA.approver,
    PERSONA.auditor,
    PERSONA.nobody,
  ];
  for (const persona of others) {
    expect((await drain(await service.signInAs(persona))).status, persona).toBe(403);
    expect(await lastEvent()).toMatchObject({
      type: 'authorization_denied',
      policyDecision: 'operations.manage',
    });
  }
  const unsigned = await service.anonymous.post('/api/ops/fleet/scanner-1/drain');
  expect(unsigned.status).toBe(401);
  expect(await fleet()).toMatchObject([{ status: 'active' }]);
});

test.each(['unheard-of', '%25', 'scanner-1%3Aboot', 'x'.repeat(65)])('there is no scanner %s', async (id) => {
  expect((await drain(admin, id)).status).toBe(404);
});

test('a drained scanner takes no scan until it registers again', async () => {
  const asked = await Promise.all(Array.from({ length: 20 }, () => drain(admin)));
  expect(asked.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  expect(asked.find(({ status }) => status === 200)?.body).toEqual({
    workloadId: 'scanner-1',
    status: 'draining',
  });
  expect(await lastEvent()).toMatchObject({
    category: 'config',
    type: 'scanner_drained',
    target: { kind: 'scanner', id: 'scanner-1' },
  });

  await admin.post('/api/sources/connect', {});
  const { body } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
  await admin.post('/api/scans', { scopeId: body.items[0]?.scopeId, kind: 'inventory' });
  expect(await service.drain()).toBe(0);
  expect((await scans()).map(({ status }) => status)).toEqual(['pending']);
  await service.runtime().fleet.join();
  expect(await fleet()).toMatchObject([{ status: 'active' }]);
});

test('a scan says that it waits for a scanner, until the drained one is undrained', async () => {
  expect((await undrain(admin)).status).toBe(409);
  expect((await undrain(admin, 'unheard-of')).status).toBe(404);
  expect((await undrain(auditor)).status).toBe(403);
  type Scan = { waitingFor: string | null; status: string };
  const [scan] = (await admin.get<{ items: { campaignId: string }[] }>('/api/scans')).body.items;
  const read = async () => (await admin.get<Scan>(`/api/scans/${scan?.campaignId}`)).body;
  expect(await read()).toMatchObject({ status: 'pending', waitingFor: null });
  await drain(admin);
  expect(await read()).toMatchObject({ status: 'pending', waitingFor: 'scanner' });
  const asked = await Promise.all(Array.from({ length: 5 }, () => undrain(admin)));
  expect(asked.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect(asked.find(({ status }) => status === 200)?.body).toEqual({
    workloadId: 'scanner-1',
    status: 'active',
  });
  expect(await lastEvent()).toMatchObject({
    category: 'config',
    type: 'scanner_undrained',
    target: { kind: 'scanner', id: 'scanner-1' },
  });
  expect(await service.drain()).toBeGreaterThan(0);
  expect(await read()).toMatchObject({ status: 'completed', waitingFor: null });
});

test('an offline scanner cannot be drained; the fleet serves all tenants', async () => {
  const elsewhere = await service.signInAs(inOther(PERSONA.platformAdmin));
  service.clock.advance(OFFLINE_AFTER_MS + 1_000);
  const refused = await drain(elsewhere);
  expect(refused).toMatchObject({ status: 409, body: { error: 'conflict' } });
  await service.runtime().fleet.join();
  expect((await drain(elsewhere)).status).toBe(200);
});

test('a service that closes leaves the fleet at once', async () => {
  await service.reconfigure({ SVC_SCANNER_ID: 'scanner-2' });
  expect(await fleet()).toEqual([]);
  await service.runtime().fleet.join();
  expect(await fleet()).toMatchObject([{ workloadId: 'scanner-2', status: 'active' }]);
});
