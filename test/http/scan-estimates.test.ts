import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type BlobAccount, startBlobAccount } from '../support/blob-account.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Figure = {
  low: number | null;
  high: number | null;
  basis: string | null;
  certainty: string | null;
  missing: string | null;
  why: string | null;
};
type Estimate = {
  items: Figure;
  bytes: Figure;
  calls: Figure;
  minutes: Figure;
  cost: Figure;
  sample: { pages: number; items: number; leftOut: number; complete: boolean } | null;
};
type Scan = {
  used: { calls: number; bytesRead: number } | null;
  leftOut: { reason: string; items: number }[];
  stageOutcomes: { stage: string; count: number }[];
};
type Source = { scopeId: string; name: string; family: string };
type Kind = 'inventory' | 'delta';

let root: string;
let account: BlobAccount;
let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'shares-'));
  for (const folder of ['plans', 'old']) {
    await mkdir(join(root, 'share', folder), { recursive: true });
    for (let n = 0; n < 120; n++)
      await writeFile(join(root, 'share', folder, `${n}.txt`), `Plan ${n}. `.repeat(n + 1));
  }
  account = await startBlobAccount();
  await account.createContainer('papers');
  for (let n = 0; n < 30; n++)
    await account.put('papers', `box/${n}.csv`, `name,card\nAda,${n}\n`.repeat(n + 1));
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  await service.reconfigure({
    ...{ SVC_SMB_ENABLED: 'true', SVC_SMB_ROOT: root, SVC_SMB_SHARES: 'share' },
    ...{ SVC_BLOB_ENABLED: 'true', SVC_BLOB_ACCOUNT_URL: account.url, SVC_BLOB_CREDENTIAL_REF: 'BLOB' },
    ...{ BLOB: account.connectionString, SVC_BLOB_CONTAINERS: 'papers' },
  });
  admin = await service.signInAs(PERSONA.platformAdmin);
  for (const family of ['m365', 'smb', 'blob'])
    expect((await admin.post('/api/sources/connect', { family })).status).toBe(200);
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await account.stop();
  await rm(root, { recursive: true });
});

const scopeOf = async (family: string): Promise<string> => {
  const { body } = await admin.get<{ items: Source[] }>('/api/sources');
  return body.items.find((source) => source.family === family)?.scopeId ?? expect.unreachable(family);
};
const estimate = async (scopeId: string, kind: Kind, only?: object): Promise<Estimate> => {
  const { status, body } = await admin.post<Estimate>('/api/scans/estimate', {
    scopeId,
    kind,
    ...(only && { only }),
  });
  expect(status).toBe(200);
  return body;
};
async function scan(scopeId: string, kind: Kind, only?: object) {
  const started = await admin.post<{ campaignId: string }>('/api/scans', {
    scopeId,
    kind,
    ...(only && { only }),
  });
  expect(started.status).toBe(200);
  await service.drain();
  const { body } = await admin.get<Scan>(`/api/scans/${started.body.campaignId}`);
  const items = body.stageOutcomes
    .filter(({ stage }) => stage === 'observe')
    .reduce((sum, { count }) => sum + count, 0);
  return { items, bytes: body.used?.bytesRead ?? -1, calls: body.used?.calls ?? -1, leftOut: body.leftOut };
}

/** Within a factor of two; what is nearly nothing may be nothing. */
function expectNear(figure: Figure, took: number, little: number): void {
  expect(figure.missing).toBeNull();
  expect(figure.low).toBeGreaterThanOrEqual(took / 2 - little);
  expect(figure.low).toBeLessThanOrEqual(took * 2 + little);
  expect(figure.high).toBeGreaterThanOrEqual(took / 2 - little);
  expect(figure.high).toBeLessThanOrEqual(took * 2 + little);
}
async function expectEstimated(scopeId: string, kind: Kind, only?: object) {
  const estimated = await estimate(scopeId, kind, only);
  const took = await scan(scopeId, kind, only);
  expectNear(estimated.items, took.items, 0);
  expectNear(estimated.bytes, took.bytes, 0);
  expectNear(estimated.calls, took.calls, 3);
  return { estimated, took };
}

test.each(['m365', 'smb', 'blob'])(
  'a first scan of %s takes what was estimated, and so does the next',
  async (family) => {
    const scopeId = await scopeOf(family);
    const first = await expectEstimated(scopeId, 'inventory');
    expect(first.took.items).toBeGreaterThan(0);
    expect(first.took.bytes).toBeGreaterThan(0);
    expect(first.estimated.sample).toMatchObject({ complete: true, leftOut: 0 });
    expect(first.estimated.minutes).toMatchObject({ low: null, high: null, missing: 'no_scan_to_compare' });
    expect(first.estimated.minutes.why).toMatch(/No scan of this kind of source has ended/);
    const again = await expectEstimated(scopeId, 'inventory');
    expect(again.took.bytes).toBeLessThan(first.took.bytes);
    expect(again.estimated.minutes).toMatchObject({ basis: 'last_walk', missing: null });
    // A scan that read all and one that read nothing say what a content takes.
    const { minutes, bytes } = await estimate(scopeId, 'inventory');
    expect([minutes.certainty, minutes.why]).toEqual(['medium', null]);
    expect(bytes.low).toBe(again.took.bytes);
    await expectEstimated(scopeId, 'delta');
  },
);

test('a narrowed scan takes what was estimated, and says what it left out', async () => {
  const scopeId = await scopeOf('smb');
  for (let n = 0; n < 120; n++) await writeFile(join(root, 'share', 'plans', `${n}.txt`), 'Plan of today.');
  const { estimated, took } = await expectEstimated(scopeId, 'inventory', { folders: ['plans'] });
  expect(took.items).toBe(120);
  expect(estimated.sample).toMatchObject({ items: 240, leftOut: 120 });
  expect(took.leftOut).toMatchObject([{ reason: 'folder', items: 120 }]);
  const { body } = await admin.get<{ items: (Source & { narrowed: boolean })[] }>('/api/sources');
  expect(body.items.filter(({ narrowed }) => narrowed).map((source) => source.scopeId)).toEqual([scopeId]);
});

test('rules are set, listed, audited, and hold of scans and estimates', async () => {
  const scopeId = await scopeOf('smb');
  const rules = [
    { pattern: 'old', scopeId },
    { pattern: '*.bak', family: 's3' },
  ];
  const set = await admin.request<{ items: { ruleId: string }[]; scopesToScan: number }>(
    'PUT',
    '/api/admin/scan-rules',
    {
      body: { rules },
    },
  );
  expect(set).toMatchObject({
    status: 200,
    body: { scopesToScan: 1, items: [{ pattern: 'old' }, { pattern: '*.bak' }] },
  });
  expect((await admin.get('/api/admin/scan-rules')).body).toMatchObject({
    items: set.body.items,
    truncated: false,
  });
  const { estimated, took } = await expectEstimated(scopeId, 'delta');
  expect(estimated.sample).toMatchObject({ leftOut: 120 });
  expect(took.leftOut).toMatchObject([{ reason: 'rule', pattern: 'old', items: 120 }]);
  const { body } = await admin.get<{ items: (Source & { leftOut: unknown })[] }>('/api/sources');
  expect(body.items.find((source) => source.scopeId === scopeId)?.leftOut).toEqual({
    items: 120,
    assetsKept: 120,
  });
  const events = await database.inspect<{ record: string }>(sql`
    select record from audit_events where tenant_id = ${DEV} order by seq desc limit 40`);
  const records = events.map(({ record }) => record).join('\n');
  expect(records).toContain('scan_rules_set');
  expect(records).toContain('scan_estimated');
  // No name of a folder is in the trail.
  expect(records).not.toContain('plans');
});

test.each([
  [{ rules: [{ pattern: '**' }] }, 'rules.0.pattern'],
  [{ rules: [{ pattern: 'a' }, { pattern: 'a' }] }, 'rules.1'],
  [{ rules: [{ pattern: 'a', scopeId: 'scp_nobody' }] }, 'rules.0.scopeId'],
  [{ rules: [{ pattern: 'a', family: 'smb', scopeId: 'scp_1' }] }, 'rules.0.family'],
])('the rules %j are refused', async (body, path) => {
  const refused = await admin.request('PUT', '/api/admin/scan-rules', { body });
  expect(refused).toMatchObject({ status: 400, body: { issues: [{ path }] } });
});

test('a delta cannot be narrowed, and unknown fields are refused', async () => {
  const scopeId = await scopeOf('smb');
  for (const path of ['/api/scans', '/api/scans/estimate']) {
    const delta = await admin.post(path, { scopeId, kind: 'delta', only: { folders: ['plans'] } });
    expect(delta).toMatchObject({ status: 400, body: { issues: [{ path: 'only' }] } });
    const unknown = await admin.post(path, { scopeId, kind: 'inventory', only: { owners: ['me'] } });
    expect(unknown).toMatchObject({ status: 400 });
  }
});

test('counts of a source are for those who may scan it', async () => {
  const scopeId = await scopeOf('smb');
  for (const persona of [PERSONA.governanceAdmin, PERSONA.auditor]) {
    const other = await service.signInAs(persona);
    expect((await other.post('/api/scans/estimate', { scopeId, kind: 'inventory' })).status).toBe(403);
    expect((await other.get('/api/admin/scan-rules')).status).toBe(403);
  }
  expect((await admin.post('/api/scans/estimate', { scopeId: 'scp_nobody', kind: 'inventory' })).status).toBe(
    404,
  );
});

test('a source that does not answer has what its last scan took, as a guess', async () => {
  const scopeId = await scopeOf('blob');
  await account.deleteContainer('papers');
  const { items, bytes, sample } = await estimate(scopeId, 'inventory');
  expect(sample).toBeNull();
  expect(items).toMatchObject({ low: 15, high: 60, basis: 'last_walk', certainty: 'low' });
  expect(bytes.basis).toBe('last_walk');
});
