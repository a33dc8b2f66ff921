import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { applyFixtureAction, type FixtureRequest } from '../../infra/local/fixture/fixture-action.ts';
import { createFixtureStore } from '../../infra/local/fixture/fixture-store.sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Source = {
  scopeId: string;
  externalId: string;
  name: string;
  assetCount: number;
  coverageState: string | null;
  deltaCursorStatus: string;
  expectation: { domainId: string } | null;
};
type Scan = {
  campaignId: string;
  status: string;
  kind: string;
  workUnits: Record<string, number>;
  stageOutcomes: { stage: string; outcome: string; count: number }[];
  deadLetters: unknown[];
};
type List<T> = { items: T[]; truncated: boolean };

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const drain = () => service.drain();
const source = async (externalId: string): Promise<Source> => {
  const { body } = await admin.get<List<Source>>('/api/sources');
  const found = body.items.find((each) => each.externalId === externalId);
  if (found === undefined) throw new Error(`no source ${externalId}`);
  return found;
};
const scan = async (externalId: string, kind: 'inventory' | 'delta'): Promise<Scan> => {
  const { scopeId } = await source(externalId);
  const started = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind });
  expect(started.status).toBe(200);
  await drain();
  return (await admin.get<Scan>(`/api/scans/${started.body.campaignId}`)).body;
};
const outcomes = (finished: Scan) =>
  Object.fromEntries(
    finished.stageOutcomes.map(({ stage, outcome, count }) => [`${stage}:${outcome}`, count]),
  );
const mutate = async (externalId: string, itemId: string | null, request: FixtureRequest) => {
  const store = createFixtureStore(database.db, DEV);
  const facts = { at: new Date().toISOString(), newExternalId: `item-new-${Math.random()}` };
  await store.update(externalId, itemId, (scope, item) => applyFixtureAction(scope, item, request, facts));
};
const firstItem = async (externalId: string) => {
  const [item] = await createFixtureStore(database.db, DEV).items(externalId, null, 1);
  if (item === undefined) throw new Error('the fixture scope is empty');
  return item.externalId;
};

describe('POST /api/sources/connect', () => {
  test('registers the scopes of the fixture tenant, and reuses the instance', async () => {
    const first = await admin.post<{ connectorInstanceId: string }>('/api/sources/connect', {});
    expect(first.body).toMatchObject({ scopesRegistered: 8, mode: 'mock' });
    const again = await admin.post('/api/sources/connect', { family: 'm365' });
    expect(again.body).toEqual(first.body);
  });

  test.each(['smb', 'drive', 'blob', 's3', 'sql', 'cloud_drive', 'file_box', 'chat', 'mail'])(
    '%s without configuration is blocked, and says what is missing',
    async (family) => {
      const refused = await admin.post<{ message: string }>('/api/sources/connect', { family });
      expect(refused).toMatchObject({ status: 422, body: { error: 'blocked_capability' } });
      expect(refused.body.message).toMatch(/SVC_[A-Z0-9_]+_ENABLED/);
    },
  );

  test('is audited, and denied to everybody who does not operate the pipeline', async () => {
    const auditor = await service.signInAs(PERSONA.auditor);
    const { body } = await auditor.get<List<{ type: string }>>('/api/audit?category=config');
    expect(body.items[0]).toMatchObject({ type: 'source_connected' });
    expect((await auditor.post('/api/sources/connect', {})).status).toBe(403);
    expect((await governance.post('/api/sources/connect', {})).status).toBe(403);
  });
});

describe('POST /api/sources/{id}/expectation', () => {
  test('sets and clears the governed domain', async () => {
    const { scopeId } = await source('site-finance');
    const path = `/api/sources/${scopeId}/expectation`;
    expect((await governance.post(path, { domainId: 'dom_finance' })).body).toEqual({
      scopeId,
      domainId: 'dom_finance',
    });
    expect((await source('site-finance')).expectation).toEqual({ domainId: 'dom_finance' });
    await governance.post(path, { domainId: null });
    expect((await source('site-finance')).expectation).toBeNull();
    await governance.post(path, { domainId: 'dom_finance' });
  });

  test('a change of the expected domain is audited with scope and domain', async () => {
    const { scopeId } = await source('site-finance');
    const path = `/api/sources/${scopeId}/expectation`;
    expect((await governance.post(path, { domainId: 'dom_finance' })).status).toBe(200);
    const auditor = await service.signInAs(PERSONA.auditor);
    const { body } = await auditor.get<List<object>>('/api/audit?category=governance');
    expect(body.items[0]).toMatchObject({
      type: 'scope_expectation_set',
      principalId: PERSONA.governanceAdmin,
      target: { kind: 'scope', id: scopeId },
      details: { domainId: 'dom_finance' },
    });
  });

  test('404 for an unknown scope, 400 for a domain, 403 for the pipeline operator', async () => {
    const { scopeId } = await source('site-finance');
    expect((await governance.post('/api/sources/scp_none/expectation', { domainId: null })).status).toBe(404);
    const refused = await governance.post(`/api/sources/${scopeId}/expectation`, { domainId: 'dom_none' });
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: 'domainId' }] } });
    expect((await admin.post(`/api/sources/${scopeId}/expectation`, { domainId: null })).status).toBe(403);
  });

  test('a draft governs nothing before it is approved', async () => {
    const path = `/api/sources/${(await source('site-legal')).scopeId}/expectation`;
    const drafted = await governance.post<{ id: string }>('/api/governance/domains', { name: 'Patents' });
    const { id } = drafted.body;
    expect(await governance.post(path, { domainId: id })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'domainId' }] },
    });
    await governance.post(`/api/governance/domains/${id}/approve`, {});
    expect(await governance.post(path, { domainId: id })).toMatchObject({
      status: 200,
      body: { domainId: id },
    });
    await governance.post(path, { domainId: null });
  });
});

describe('an inventory', () => {
  test('is refused as a delta before there was one', async () => {
    const { scopeId } = await source('site-finance');
    const refused = await admin.post('/api/scans', { scopeId, kind: 'delta' });
    expect(refused).toMatchObject({ status: 400, body: { error: 'validation_failed' } });
  });

  test('404 for an unknown scope; a second one of the same scope names the first', async () => {
    expect((await admin.post('/api/scans', { scopeId: 'scp_none', kind: 'inventory' })).status).toBe(404);
    const { scopeId } = await source('site-finance');
    const started = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
    expect(started.status).toBe(200);
    expect((await admin.get(started.headers.get('location') ?? '')).body).toMatchObject({ scopeId });
    expect(await admin.post('/api/scans', { scopeId, kind: 'inventory' })).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining(started.body.campaignId) },
    });
    await drain();
  });

  test('walks all pages, looks at every item, and sets the baseline', async () => {
    const { items } = (await admin.get<List<Scan>>('/api/scans')).body;
    const finished = (await admin.get<Scan>(`/api/scans/${items[0]?.campaignId}`)).body;
    const { assetCount, coverageState, deltaCursorStatus } = await source('site-finance');
    expect({ coverageState, deltaCursorStatus }).toEqual({
      coverageState: 'baseline',
      deltaCursorStatus: 'valid',
    });
    const stored = await database.inspect<{ count: number }>(
      sql`select count(*)::int as count from assets where status = 'active'`,
    );
    expect(stored).toEqual([{ count: assetCount }]);
    const pages = Math.ceil(assetCount / 20);
    expect(finished).toMatchObject({
      status: 'completed',
      workUnits: { completed: assetCount + pages, dead: 0, pending: 0, leased: 0, cancelled: 0 },
      deadLetters: [],
    });
    for (const stage of ['observe', 'permissions', 'labels', 'content', 'features', 'inference']) {
      expect(outcomes(finished)[`${stage}:computed`], stage).toBe(assetCount);
    }
  });

  test('again finds everything in the cache, and adds neither versions nor inferences', async () => {
    const rows = () =>
      database.inspect(sql`
        select (select count(*) from asset_versions) as versions, (select count(*) from inferences) as inferences,
               (select count(*) from assertions) as assertions, (select count(*) from candidates) as candidates`);
    const before = await rows();
    const { assetCount } = await source('site-finance');
    const finished = outcomes(await scan('site-finance', 'inventory'));
    for (const stage of ['observe', 'permissions', 'labels', 'content', 'features', 'inference']) {
      expect(finished[`${stage}:cache_hit`], stage).toBe(assetCount);
    }
    expect(await rows()).toEqual(before);
  });
});

describe('a delta', () => {
  test.each([
    ['rename', { name: 'Renamed.txt' }],
    ['overshare', {}],
    ['set_label', {}],
  ] as const)('after %s reads neither content nor features again', async (action, options) => {
    await mutate('site-finance', await firstItem('site-finance'), { action, ...options });
    const finished = await scan('site-finance', 'delta');
    expect(outcomes(finished)).toMatchObject({
      'observe:computed': 1,
      'permissions:computed': 1,
      'labels:computed': 1,
      'content:cache_hit': 1,
      'features:cache_hit': 1,
    });
    expect((await source('site-finance')).coverageState).toBe('delta');
  });

  test('after an edit reads the content again, and keeps the earlier version', async () => {
    const item = await firstItem('site-finance');
    const versions = () =>
      database.inspect<{ count: number }>(sql`
        select count(*)::int as count from asset_versions v join assets a using (tenant_id, asset_id)
         where a.external_id = ${item}`);
    const before = (await versions())[0]?.count ?? 0;
    await mutate('site-finance', item, { action: 'edit', content: 'Nothing but a shopping list.' });
    const finished = await scan('site-finance', 'delta');
    expect(outcomes(finished)).toMatchObject({
      'content:computed': 1,
      'features:computed': 1,
      'inference:computed': 1,
    });
    expect((await versions())[0]?.count).toBe(before + 1);
  });

  test('adds and removes what the source added and removed', async () => {
    const { assetCount } = await source('site-finance');
    await mutate('site-finance', null, { action: 'add', name: 'New.txt', content: 'Invoice' });
    await scan('site-finance', 'delta');
    expect((await source('site-finance')).assetCount).toBe(assetCount + 1);
    await mutate('site-finance', await firstItem('site-finance'), { action: 'delete' });
    await scan('site-finance', 'delta');
    expect((await source('site-finance')).assetCount).toBe(assetCount);
  });

  test('an invalid cursor walks the scope again in the same campaign', async () => {
    await mutate('site-finance', null, { action: 'request_resync' });
    const finished = await scan('site-finance', 'delta');
    const { assetCount, coverageState, deltaCursorStatus } = await source('site-finance');
    expect(finished).toMatchObject({ status: 'completed', kind: 'delta' });
    expect(outcomes(finished)).toMatchObject({ 'content:cache_hit': assetCount });
    expect({ coverageState, deltaCursorStatus }).toEqual({
      coverageState: 'baseline',
      deltaCursorStatus: 'valid',
    });
    const units = await database.inspect(sql`select 1 from work_units where logical_key = 'resync:page:0'`);
    expect(units).toHaveLength(1);
  });
});

describe('visibility', () => {
  test('an owner sees scopes of an owned domain, and their scans', async () => {
    await scan('site-legal', 'inventory');
    const owner = await service.signInAs(PERSONA.legalOwner);
    const { items } = (await owner.get<List<Source>>('/api/sources')).body;
    expect(items.map((each) => each.externalId)).toContain('site-legal');
    expect(items.map((each) => each.externalId)).not.toContain('site-engineering');
    const scans = (await owner.get<List<Scan>>('/api/scans')).body.items;
    expect(scans.length).toBeGreaterThan(0);
    expect((await owner.get(`/api/scans/${scans[0]?.campaignId}`)).status).toBe(200);
  });

  test('a foreign governing domain is not named, though the scope is seen', async () => {
    const { scopeId } = await source('site-legal');
    const expectation = async (domainId: string | null) =>
      expect((await governance.post(`/api/sources/${scopeId}/expectation`, { domainId })).status).toBe(200);
    const owner = await service.signInAs(PERSONA.legalOwner);
    const seen = async () =>
      (await owner.get<List<Source>>('/api/sources')).body.items.find((each) => each.scopeId === scopeId);
    await expectation('dom_finance');
    expect(await seen()).toMatchObject({ scopeId, expectation: null });
    expect((await source('site-legal')).expectation).toEqual({ domainId: 'dom_finance' });
    await expectation('dom_legal');
    expect(await seen()).toMatchObject({ scopeId, expectation: { domainId: 'dom_legal' } });
    await expectation(null);
    expect(await seen()).toMatchObject({ scopeId, expectation: null });
  });

  test('counts of a shared scope are all for who governs it, own ones for others', async () => {
    const finished = await scan('site-sales', 'inventory');
    const { scopeId, assetCount } = await source('site-sales');
    const path = `/api/scans/${finished.campaignId}`;
    await database.inspect(sql`
      insert into dead_letters (tenant_id, dead_letter_id, unit_id, campaign_id, retry_class, safe_diagnostic, attempt, created_at)
      select distinct on (k.domain_id) u.tenant_id, 'dlt_' || k.domain_id, u.unit_id, u.campaign_id, 'corrupt', 'x', 1, now()
        from work_units u join candidates k on k.tenant_id = u.tenant_id and k.asset_id = u.payload ->> 'assetId'
       where u.campaign_id = ${finished.campaignId} order by k.domain_id, u.unit_id`);
    const owner = await service.signInAs(PERSONA.legalOwner);
    const own = (await owner.get<List<Source>>('/api/sources')).body.items.find(
      (each) => each.scopeId === scopeId,
    );
    expect(own?.assetCount).toBeGreaterThan(0);
    expect(own?.assetCount).toBeLessThan(assetCount);
    const listed = async (reader: SignedIn) =>
      (await reader.get<List<Scan>>('/api/scans')).body.items.find(
        ({ campaignId }) => campaignId === finished.campaignId,
      );

    const { status, kind, ...times } = finished;
    expect((await owner.get<Scan>(path)).body).toEqual({
      ...times,
      status,
      kind,
      workUnits: { pending: 0, leased: 0, completed: own?.assetCount, dead: 0, cancelled: 0 },
      progress: {
        done: own?.assetCount,
        total: own?.assetCount,
        growing: false,
        perMinute: null,
        remainingSeconds: null,
      },
      // Of the scope as a whole.
      only: null,
      leftOut: [],
      used: null,
      stageOutcomes: [],
      deadLetters: [expect.objectContaining({ id: 'dlt_dom_legal' })],
    });
    expect(await listed(owner)).toMatchObject({ status, kind, workUnits: null });

    const govern = (domainId: string | null) =>
      governance.post(`/api/sources/${scopeId}/expectation`, { domainId });
    await govern('dom_legal');
    const all = await admin.get<Scan>(path);
    expect((await owner.get<Scan>(path)).body).toEqual(all.body);
    expect(await listed(owner)).toEqual(await listed(admin));
    expect(all.body.deadLetters.length).toBeGreaterThan(1);
    await govern(null);
  });

  test('a scan outside of it does not exist, nor does one of another tenant', async () => {
    await scan('site-engineering', 'inventory');
    const { items } = (await admin.get<List<Scan>>('/api/scans')).body;
    const path = `/api/scans/${items[0]?.campaignId}`;
    const owner = await service.signInAs(PERSONA.legalOwner);
    const other = await service.signInAs(inOther(PERSONA.platformAdmin));
    const missing = await owner.get('/api/scans/cmp_none');
    for (const refused of [await owner.get(path), await other.get(path)]) {
      expect(refused).toMatchObject({ status: 404, body: missing.body as object });
    }
    expect((await other.get<List<Scan>>('/api/scans')).body.items).toEqual([]);
  });
});
