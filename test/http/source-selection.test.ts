import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[]; truncated: boolean };
type Source = { scopeId: string; name: string; family: string; selected: boolean; mode: string };
type Connector = {
  family: string;
  instance: string | null;
  mode: string;
  missing: string[];
  selection: string[];
  scopes: { registered: number; selected: number };
  assetsNotSelected: number;
  lastContactAt: string | null;
};
type Selected = {
  selected: number;
  notSelected: number;
  ended: { scopes: number; assets: number };
  kept: List<{ name: string; assets: number }>;
  assetsKept: number;
  complete: boolean;
};

const CONNECTORS = '/api/admin/connectors';
const CANARY = 'xylophonquagga';
const BLOB = {
  SVC_BLOB_ENABLED: 'true',
  SVC_BLOB_INSTANCES: JSON.stringify({
    hr: { accountUrl: 'https://hr.example', credentialRef: 'HR_SECRET', containers: ['files'] },
    legal: {
      accountUrl: 'https://legal.example',
      credentialRef: 'LEGAL_SECRET',
      containers: ['cases', 'deeds'],
    },
  }),
  HR_SECRET: `sv=1&sig=${CANARY}`,
  LEGAL_SECRET: `sv=1&sig=${CANARY}`,
};

let root: string;
let smb: Record<string, string>;
let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'shares-'));
  for (const share of ['plans', 'people']) {
    await mkdir(join(root, share));
    for (const file of ['one.txt', 'two.txt']) await writeFile(join(root, share, file), `${share} ${file}`);
  }
  smb = { SVC_SMB_ENABLED: 'true', SVC_SMB_ROOT: root, SVC_SMB_SHARES: 'plans,people' };
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await service.reconfigure(smb);
  admin = await service.signInAs(PERSONA.platformAdmin);
  expect((await admin.post('/api/sources/connect', { family: 'smb' })).status).toBe(200);
  for (const { scopeId } of await shares())
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await rm(root, { recursive: true });
});

const shares = async (): Promise<Source[]> =>
  (await admin.get<List<Source>>('/api/sources')).body.items.filter(({ family }) => family === 'smb');
const share = async (name: string): Promise<Source> =>
  (await shares()).find((source) => source.name === name) ?? expect.unreachable(name);
const connectors = async (family: string): Promise<Connector[]> =>
  (await admin.get<List<Connector>>(CONNECTORS)).body.items.filter((one) => one.family === family);
const select = (scopeIds: string[] | null, unselected: 'keep' | 'end', family = 'smb') =>
  admin.request<Selected & { message: string }>('PUT', `${CONNECTORS}/${family}/selection`, {
    body: { scopeIds, unselected },
  });
const audited = async () => {
  const rows = await database.inspect<{ record: string }>(
    sql`select record from audit_events where tenant_id = ${DEV} order by seq desc limit 3`,
  );
  return rows.map(({ record }) => JSON.parse(record).event);
};
const activeOf = async (name: string) => {
  const [row] = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from assets a join scopes s using (tenant_id, scope_id)
     where a.tenant_id = ${DEV} and s.family = 'smb' and s.name = ${name} and a.status = 'active'`);
  return row?.count;
};

test('administrators and auditors see each family, and nobody else does', async () => {
  const { status, body } = await admin.get<List<Connector>>(CONNECTORS);
  expect(status).toBe(200);
  const modes = Object.fromEntries(body.items.map(({ family, mode }) => [family, mode]));
  expect(modes).toMatchObject({ m365: 'mock', smb: 'live', blob: 'disabled', sql: 'disabled' });
  expect(body.items.find(({ family }) => family === 'sql')).toMatchObject({
    instance: 'default',
    missing: ['SVC_SQL_ENABLED', 'SVC_SQL_CONNECTION_REF', 'SVC_SQL_SCHEMAS'],
    lastContactAt: null,
  });
  expect(await connectors('smb')).toEqual([
    {
      family: 'smb',
      instance: 'default',
      mode: 'live',
      missing: [],
      selection: ['plans', 'people'],
      warnings: [],
      scopes: { registered: 2, selected: 2 },
      assetsNotSelected: 0,
      lastContactAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect((await (await service.signInAs(PERSONA.auditor)).get(CONNECTORS)).status).toBe(200);
  const governance = await service.signInAs(PERSONA.governanceAdmin);
  expect((await governance.get(CONNECTORS)).status).toBe(403);
  const path = `${CONNECTORS}/smb/selection`;
  const everything = { scopeIds: null, unselected: 'keep' };
  expect((await governance.request('PUT', path, { body: everything })).status).toBe(403);
});

test('a scope that is left out keeps its assets, is not scanned, and stays left out', async () => {
  const plans = await share('plans');
  const { status, body } = await select([plans.scopeId], 'keep');
  expect(status).toBe(200);
  expect(body).toEqual({
    selected: 1,
    notSelected: 1,
    ended: { scopes: 0, assets: 0 },
    kept: { items: [{ scopeId: expect.any(String), name: 'people', assets: 2 }], truncated: false },
    assetsKept: 2,
    complete: true,
  });
  expect((await audited())[0]).toMatchObject({
    category: 'config',
    type: 'source_selection_set',
    target: { kind: 'source_family', id: 'smb' },
    details: { unselected: 'keep', selected: 1, notSelected: 1, assetsEnded: 0, assetsKept: 2 },
  });
  await admin.post('/api/sources/connect', { family: 'smb' });
  expect((await share('people')).selected).toBe(false);
  const { scopeId } = await share('people');
  const scan = await admin.post<{ message: string }>('/api/scans', { scopeId, kind: 'inventory' });
  expect([scan.status, scan.body.message]).toEqual([
    422,
    'This scope of smb is not selected: name it in PUT /api/admin/connectors/smb/selection, and in SVC_SMB_SHARES.',
  ]);
  expect(await activeOf('people')).toBe(2);
});

test('assets of scopes that are not selected end, and an inventory brings them back', async () => {
  const plans = await share('plans');
  const { body } = await select([plans.scopeId], 'end');
  expect(body).toMatchObject({ ended: { scopes: 1, assets: 2 }, assetsKept: 0, complete: true });
  expect((await audited()).map(({ type }) => type)).toContain('scope_ended');
  expect([await activeOf('people'), await activeOf('plans')]).toEqual([0, 2]);
  expect(await connectors('smb')).toMatchObject([{ scopes: { registered: 2, selected: 1 } }]);
  expect((await select(null, 'end')).body).toMatchObject({ selected: 2, notSelected: 0 });
  const { scopeId } = await share('people');
  expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  expect((await select([plans.scopeId], 'end')).status).toBe(409);
  await service.drain();
  expect(await activeOf('people')).toBe(2);
});

test('a scan that is started while its scope is left out is refused', async () => {
  const { scopeId } = await share('plans');
  const answer = await withClient(database.adminUrl, async (selecting) => {
    await selecting.query('begin');
    await selecting.query('update scopes set selected = false where scope_id = $1', [scopeId]);
    const started = admin.post('/api/scans', { scopeId, kind: 'inventory' });
    await expect.poll(() => lockWaits(database)).toBe(1);
    await selecting.query('commit');
    return started;
  });
  expect(answer.status).toBe(422);
  await admin.post('/api/sources/connect', { family: 'smb' });
  expect(await share('plans')).toMatchObject({ selected: true });
});

test('a scope of another source is none, whoever has it', async () => {
  await admin.post('/api/sources/connect');
  const sources = (await admin.get<List<Source>>('/api/sources')).body.items;
  const other = sources.find(({ family }) => family === 'm365')?.scopeId ?? '';
  for (const id of [other, 'scp_none']) {
    const { status, body } = await select([id], 'keep');
    expect([status, body]).toMatchObject([
      400,
      { issues: [{ path: 'scopeIds.0', message: 'Must be a scope of this source.' }] },
    ]);
  }
});

test('what the configuration does not select cannot be selected', async () => {
  const people = await share('people');
  await service.reconfigure({ ...smb, SVC_SMB_SHARES: 'plans' });
  const { status, body } = await select([people.scopeId], 'keep');
  expect([status, body.message]).toEqual([
    422,
    'The configuration does not select 1 of these scopes: name them in SVC_SMB_SHARES, and connect the source again.',
  ]);
  expect((await select(null, 'keep')).body).toMatchObject({ selected: 1, notSelected: 1, assetsKept: 2 });
  await service.reconfigure(smb);
  await admin.post('/api/sources/connect', { family: 'smb' });
  expect((await share('people')).selected).toBe(true);
});

test('several instances are shown apart, and what one lacks blocks it alone', async () => {
  await service.reconfigure({ ...smb, ...BLOB });
  expect((await admin.post('/api/sources/connect', { family: 'blob' })).body).toMatchObject({
    scopesRegistered: 3,
  });
  expect(await connectors('blob')).toMatchObject([
    { instance: 'hr', mode: 'live', selection: ['files'], scopes: { registered: 1, selected: 1 } },
    { instance: 'legal', mode: 'live', scopes: { registered: 2, selected: 2 }, lastContactAt: null },
  ]);
  await service.reconfigure({ ...smb, ...BLOB, LEGAL_SECRET: '' });
  const all = await connectors('blob');
  expect(all).toMatchObject([
    { instance: 'hr', mode: 'live', missing: [] },
    { instance: 'legal', mode: 'blocked', missing: ['SVC_BLOB_INSTANCES.legal.credentialRef'] },
  ]);
  expect(JSON.stringify(all)).not.toContain(CANARY);
  const blobs = (await admin.get<List<Source>>('/api/sources')).body.items.filter(
    ({ family }) => family === 'blob',
  );
  expect(blobs.map(({ name, selected }) => [name, selected])).toEqual([
    ['cases', false],
    ['deeds', false],
    ['files', true],
  ]);
  const scan = await admin.post<{ message: string }>('/api/scans', {
    scopeId: blobs[0]?.scopeId,
    kind: 'inventory',
  });
  expect(scan.status).toBe(422);
  expect(scan.body.message).toBe(
    'This scope of blob is not selected: set SVC_BLOB_INSTANCES.legal.credentialRef.',
  );
  // While it is blocked, nobody loses what it selects.
  expect((await admin.post('/api/sources/connect', { family: 'blob' })).status).toBe(200);
  expect((await select(null, 'end', 'blob')).body).toMatchObject({ selected: 3, notSelected: 0 });
  const ids = blobs.map(({ scopeId }) => scopeId);
  expect((await select(ids, 'keep', 'blob')).body).toMatchObject({ selected: 3, notSelected: 0 });
  await service.reconfigure({ ...smb, ...BLOB, SVC_BLOB_INSTANCES: '{}', SVC_BLOB_CONTAINERS: 'none' });
  expect((await connectors('blob')).at(-1)).toMatchObject({ instance: null, scopes: { registered: 3 } });
});

test('a source that is switched off is reconciled by an empty selection', async () => {
  await service.reconfigure({});
  const mode = async () =>
    (await admin.get<{ integrations: Record<string, string> }>('/api/ready')).body.integrations.smbConnector;
  expect(await mode()).toBe('blocked');
  const refused = await select(null, 'keep');
  expect([refused.status, refused.body.message]).toEqual([
    422,
    'The source smb is not configured: set SVC_SMB_ENABLED, SVC_SMB_ROOT, SVC_SMB_SHARES.',
  ]);
  expect((await select([], 'keep')).body).toMatchObject({ selected: 0, notSelected: 2, assetsKept: 4 });
  expect(await mode()).toBe('blocked');
  expect((await select([], 'end')).body).toMatchObject({ ended: { scopes: 2, assets: 4 }, assetsKept: 0 });
  expect(await mode()).toBe('disabled');
  expect((await select([], 'keep', 'sql')).status).toBe(409);
});
