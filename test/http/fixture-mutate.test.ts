import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { STAGES } from '../../core/kernel/vocabulary.ts';
import { FIXTURE_ACTIONS } from '../../infra/local/fixture/fixture-action.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const SITE = 'site-finance';
const [, , confidential] = LABEL_CATALOG;

type Mutated = { fileId: string | null; sourceVersion: string | null; contentVersion: string | null };
type Scan = {
  status: string;
  workUnits: { completed: number; dead: number };
  stageOutcomes: { stage: string; outcome: string; count: number }[];
};
type Source = { scopeId: string; externalId: string; assetCount: number; coverageState: string | null };
type Asset = {
  status: string;
  name: string;
  label_guid: string | null;
  label_state: string;
  anyone: boolean;
  source_version: string;
  content_version: string;
  content_state: string;
  versions: number;
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 24 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  await scan('inventory');
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const mutate = (body: object, who = admin) =>
  who.post<Mutated>('/api/dev/fixture/mutate', { scopeExternalId: SITE, ...body });
const source = async (): Promise<Source> => {
  const { body } = await admin.get<{ items: Source[] }>('/api/sources');
  return body.items.find(({ externalId }) => externalId === SITE) ?? expect.unreachable('No such source.');
};

/** What a scan did: the stages of the assets that it looked at, and the units that this took. */
async function scan(kind: 'inventory' | 'delta') {
  const { scopeId } = await source();
  const started = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind });
  expect(started.status).toBe(200);
  await service.drain();
  const { body } = await admin.get<Scan>(`/api/scans/${started.body.campaignId}`);
  expect(body).toMatchObject({ status: 'completed', workUnits: { dead: 0 } });
  const outcomes = body.stageOutcomes.map(({ stage, outcome, count }) => [`${stage}:${outcome}`, count]);
  return { units: body.workUnits.completed, outcomes: Object.fromEntries(outcomes) };
}

const assetOf = async (fileId: string): Promise<Asset> => {
  const [row] = await database.inspect<Asset>(sql`
    select status, name, label_guid, label_state, source_version, content_version, content_state,
           grants @> '[{"principalKind":"anyone"}]' as anyone,
           (select count(*)::int from asset_versions v
             where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id) as versions
      from assets a where tenant_id = ${DEV} and external_id = ${fileId}`);
  return row ?? expect.unreachable('No such asset.');
};

/** Stages of one asset: all computed, save those that found their key unchanged. */
const stages = (...hits: string[]) =>
  Object.fromEntries(
    STAGES.map((stage) => [`${stage}:${hits.includes(stage) ? 'cache_hit' : 'computed'}`, 1]),
  );

test('what the fixture calls an item is told to who sees the asset, and can be mutated', async () => {
  const [row] = await database.inspect<{ assetId: string; externalId: string }>(sql`
    select a.asset_id as "assetId", a.external_id as "externalId" from assets a
      join scopes s using (tenant_id, scope_id)
     where a.tenant_id = ${DEV} and s.external_id = ${SITE} order by a.asset_id limit 1`);
  const auditor = await service.signInAs(PERSONA.auditor);
  type Detail = { location: { sourceItemId: string } };
  const { body } = await auditor.get<Detail>(`/api/assets/${row?.assetId}`);
  expect(body.location.sourceItemId).toBe(row?.externalId);
  const fileId = body.location.sourceItemId;
  expect(await mutate({ action: 'overshare', fileId })).toMatchObject({ status: 200, body: { fileId } });
});

describe('each action shows as exactly its change in the next delta', () => {
  let file: string;
  let before: Asset;
  let assetCount: number;
  beforeEach(async () => {
    const added = await mutate({ action: 'add', name: 'Board minutes.txt', content: 'Minutes of a meeting' });
    file = added.body.fileId ?? '';
    await scan('delta');
    before = await assetOf(file);
    ({ assetCount } = await source());
  });

  test('add', async () => {
    const added = await mutate({ action: 'add', name: 'Invoice 7.txt', content: 'Invoice, amount due' });
    expect(added).toMatchObject({ status: 200, body: { sourceVersion: '1.1', contentVersion: '1' } });
    expect(await scan('delta')).toEqual({ units: 2, outcomes: stages() });
    expect(await source()).toMatchObject({ assetCount: assetCount + 1, coverageState: 'delta' });
    expect(await assetOf(added.body.fileId ?? '')).toMatchObject({
      status: 'active',
      name: 'Invoice 7.txt',
      content_state: 'available',
    });
  });

  test('edit reads the content again, and keeps the former version', async () => {
    const edited = await mutate({ action: 'edit', fileId: file, content: 'Nothing but a shopping list' });
    expect(edited.body).toEqual({ fileId: file, sourceVersion: '2.2', contentVersion: '2' });
    expect(await scan('delta')).toEqual({ units: 2, outcomes: stages() });
    expect(await assetOf(file)).toMatchObject({
      source_version: '2.2',
      content_version: '2',
      versions: before.versions + 1,
    });
  });

  test('rename', async () => {
    await mutate({ action: 'rename', fileId: file, name: 'Payslip.txt' });
    const { units, outcomes } = await scan('delta');
    expect(units).toBe(2);
    // A name is evidence: the score is computed again, from what was retained.
    expect(outcomes).toEqual(stages('content', 'features'));
    expect(await assetOf(file)).toMatchObject({
      name: 'Payslip.txt',
      content_version: before.content_version,
    });
  });

  test.each([
    ['overshare', {}, { anyone: true }],
    [
      'set_label',
      { labelGuid: confidential.guid },
      { label_guid: confidential.guid, label_state: 'labeled' },
    ],
  ] as const)('%s, and what takes it back', async (action, options, changed) => {
    const undo = action === 'overshare' ? 'restrict' : 'clear_label';
    const { anyone, label_guid, label_state } = before;
    for (const [step, expected] of [
      [{ action, ...options }, changed],
      [{ action: undo }, { anyone, label_guid, label_state }],
    ] as const) {
      const { body } = await mutate({ ...step, fileId: file });
      expect(body.contentVersion).toBe(before.content_version);
      expect(await scan('delta')).toEqual({
        units: 2,
        outcomes: stages('content', 'features', 'inference'),
      });
      expect(await assetOf(file)).toMatchObject({ ...expected, source_version: body.sourceVersion });
    }
  });

  test('delete', async () => {
    expect((await mutate({ action: 'delete', fileId: file })).body.fileId).toBe(file);
    expect(await scan('delta')).toEqual({ units: 1, outcomes: {} });
    expect((await source()).assetCount).toBe(assetCount - 1);
    expect((await assetOf(file)).status).toBe('deleted');
    expect(await mutate({ action: 'rename', fileId: file })).toMatchObject({ status: 404 });
  });

  test('request_resync walks everything again, out of the cache', async () => {
    const asked = await mutate({ action: 'request_resync' });
    expect(asked.body).toEqual({ fileId: null, sourceVersion: null, contentVersion: null });
    const pages = Math.ceil(assetCount / 20);
    const { units, outcomes } = await scan('delta');
    expect(units).toBe(1 + pages + assetCount);
    expect(outcomes).toEqual(Object.fromEntries(STAGES.map((stage) => [`${stage}:cache_hit`, assetCount])));
    expect(await source()).toMatchObject({ assetCount, coverageState: 'baseline' });
    expect(service.logs.some((line) => line.includes('"delta_resync_required"'))).toBe(true);
  });

  test('twenty at once are twenty changes', async () => {
    const files = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, n) => (await mutate({ action: 'add', name: `${n}.txt` })).body.fileId,
      ),
    );
    expect(new Set(files).size).toBe(20);
    expect(await scan('delta')).toMatchObject({ units: 21, outcomes: { 'observe:computed': 20 } });
  });
});

describe('what is asked for is checked', () => {
  const item = async () => (await mutate({ action: 'add' })).body.fileId;
  const needItem = FIXTURE_ACTIONS.filter((action) => action !== 'add' && action !== 'request_resync');

  test.each(needItem)('%s names its file', async (action) => {
    expect(await mutate({ action })).toMatchObject({ status: 400, body: { issues: [{ path: 'fileId' }] } });
    expect((await mutate({ action, fileId: 'itm-none' })).status).toBe(404);
    expect((await mutate({ action, fileId: 'itm-none', scopeExternalId: 'site-none' })).status).toBe(404);
  });

  test.each(['add', 'request_resync'])('%s is of a scope that is there', async (action) => {
    expect((await mutate({ action, scopeExternalId: 'site-none' })).status).toBe(404);
    expect(await mutate({ action, scopeExternalId: undefined })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'scopeExternalId' }] },
    });
  });

  test.each([
    ['an unknown action', { action: 'explode' }, 'action'],
    ['no action', {}, 'action'],
    ['a name that is a path', { action: 'add', name: '../x' }, 'name'],
    ['a name of nothing', { action: 'add', name: '' }, 'name'],
    ['text that no database holds', { action: 'add', content: 'a\0b' }, 'content'],
    ['more text than is taken', { action: 'add', content: 'x'.repeat(100_001) }, 'content'],
    ['an action with a field of another', { action: 'add', labelGuid: confidential.guid }, 'labelGuid'],
  ])('%s is refused', async (_, body, path) => {
    expect(await mutate(body)).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });

  test('a label is one of the catalog', async () => {
    const body = { action: 'set_label', fileId: await item(), labelGuid: 'no-label' };
    expect(await mutate(body)).toMatchObject({ status: 400, body: { issues: [{ path: 'labelGuid' }] } });
  });

  test('it is audited, and for whoever may configure connectors', async () => {
    const fileId = await item();
    const auditor = await service.signInAs(PERSONA.auditor);
    const { body } = await auditor.get<{ items: object[] }>('/api/audit?category=config');
    expect(body.items[0]).toMatchObject({
      type: 'fixture_mutated',
      target: { kind: 'fixture_item', id: fileId },
      details: { scopeExternalId: SITE, action: 'add' },
    });
    expect((await mutate({ action: 'add' }, auditor)).status).toBe(403);
  });

  test('nobody changes the fixture of another tenant', async () => {
    const fileId = await item();
    const stranger = await service.signInAs(inOther(PERSONA.platformAdmin));
    expect((await mutate({ action: 'delete', fileId }, stranger)).status).toBe(404);
    expect((await mutate({ action: 'rename', fileId })).status).toBe(200);
  });

  test('there is none beside a live source, nor outside development', async () => {
    await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
    const refused = await mutate({ action: 'add' });
    expect(refused).toMatchObject({ status: 422, body: { error: 'blocked_capability' } });
    await service.reconfigure({ SVC_AUTH_MODE: 'idp' });
    expect((await mutate({ action: 'add' })).status).toBe(404);
    await service.reconfigure({});
  });
});
