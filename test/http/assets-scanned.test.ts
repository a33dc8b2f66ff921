import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { applyFixtureAction } from '../../infra/local/fixture/fixture-action.ts';
import { createFixtureStore } from '../../infra/local/fixture/fixture-store.sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createScannedDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[]; truncated: boolean };
type Row = {
  assetId: string;
  name: string;
  scopeId: string;
  contentState: string;
  labelState: string;
  classification: { domainId: string } | null;
};
type Detail = Row & {
  location: { scopeId: string; path: string };
  label: { state: string };
  permissions: { complete: boolean; grants: List<{ principal: string; external: boolean }> };
  classifications: { domainId: string }[];
  versions: List<{ version: number; name: string; contentVersion: string }>;
  provenance: List<{ kind: string; domainId: string }>;
  clusters: { assets: List<{ assetId: string }> }[];
  excerpts: { detectorId: string; text: string }[];
};
type Source = { scopeId: string; externalId: string; assetCount: number };

const DELEGATE = 'pri_agnes_lindqvist';
const SAFETY = 'dom_health_and_safety';
const PEOPLE = 'dom_human_resources';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;
/** Owns people and safety; the delegate answers for safety too. */
let owner: SignedIn;
let delegate: SignedIn;

beforeAll(async () => {
  database = await createScannedDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  owner = await service.signInAs(PERSONA.peopleOwner);
  delegate = await service.signInAs(DELEGATE);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const sources = async (who: SignedIn) => (await who.get<List<Source>>('/api/sources')).body.items;
const scanChanges = async (externalId: string) => {
  const scopeId = (await sources(admin)).find((each) => each.externalId === externalId)?.scopeId;
  expect((await admin.post('/api/scans', { scopeId, kind: 'delta' })).status).toBe(200);
  await service.drain();
};
const list = async (who: SignedIn) => {
  const { status, body } = await who.get<List<Row>>('/api/assets');
  expect(status).toBe(200);
  return body.items;
};
/** Every detail of the list: the client holds each to the OpenAPI document. */
const details = async (who: SignedIn) => {
  const found: Detail[] = [];
  for (const { assetId } of await list(who)) {
    const { status, body } = await who.get<Detail>(`/api/assets/${assetId}`);
    expect(status).toBe(200);
    found.push(body);
  }
  return found;
};

test('what a scan found is listed whole, and each row says what its detail says', async () => {
  const rows = await list(auditor);
  const counted = (await sources(auditor)).reduce((sum, each) => sum + each.assetCount, 0);
  expect(rows.length).toBe(counted);
  expect(rows.length).toBeGreaterThan(30);
  const all = await details(auditor);
  for (const [index, asset] of all.entries()) {
    const row = rows[index];
    expect(asset).toMatchObject({
      name: row?.name,
      contentState: row?.contentState,
      label: { state: row?.labelState },
      location: { scopeId: row?.scopeId },
    });
    expect(asset.classifications[0] ?? null).toEqual(row?.classification);
    expect(asset.assetId).toMatch(/^ast_/);
    expect(asset.versions.items).toHaveLength(1);
    expect(asset.excerpts).toEqual([]);
  }
  // The fixture holds copies: being one is mutual.
  const copies = new Map(
    all.map(({ assetId, clusters }) => [
      assetId,
      clusters.flatMap(({ assets }) => assets.items.map((copy) => copy.assetId)),
    ]),
  );
  const paired = [...copies].filter(([, others]) => others.length > 0);
  expect(paired.length).toBeGreaterThan(0);
  for (const [assetId, others] of paired)
    for (const other of others) expect(copies.get(other)).toContain(assetId);
});

test('owners see their domains in their scopes, and both parts are in the whole', async () => {
  const whole = new Set((await list(auditor)).map(({ assetId }) => assetId));
  const owned = [
    { who: owner, domains: [PEOPLE, SAFETY] },
    { who: delegate, domains: [SAFETY] },
  ];
  for (const { who, domains } of owned) {
    const scopes = (await sources(who)).map(({ scopeId }) => scopeId);
    const seen = await details(who);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(whole.size);
    for (const asset of seen) {
      expect(whole).toContain(asset.assetId);
      expect(scopes).toContain(asset.location.scopeId);
      expect(asset.classifications.length).toBeGreaterThan(0);
      for (const { domainId } of [...asset.classifications, ...asset.provenance.items])
        expect(domains).toContain(domainId);
    }
    const seenIds = new Set(seen.map(({ assetId }) => assetId));
    const hidden = [...whole].find((assetId) => !seenIds.has(assetId));
    const missing = await who.get('/api/assets/ast_none');
    expect(await who.get(`/api/assets/${hidden}`)).toMatchObject({ status: 404, text: missing.text });
  }
});

test('an owner reads masked excerpts, and each reading is one audit event', async () => {
  const reads = () =>
    database.inspect<{ asset: string }>(sql`
      select record::jsonb -> 'event' -> 'target' ->> 'id' as asset from audit_events
       where tenant_id = ${DEV} and category = 'evidence_access' order by seq`);
  const before = (await reads()).length;
  const shown = (await details(owner)).filter(({ excerpts }) => excerpts.length > 0);
  expect(shown.length).toBeGreaterThan(0);
  for (const { text } of shown.flatMap(({ excerpts }) => excerpts)) expect(text).not.toMatch(/\d{5}/);
  expect((await reads()).slice(before).map(({ asset }) => asset)).toEqual(
    shown.map(({ assetId }) => assetId),
  );
});

test('a rename and a share show as a version and as a grant, and the history stays', async () => {
  const store = createFixtureStore(database.db, DEV);
  const [item] = await store.items('site-people', null, 1);
  const stored = await database.inspect<{ asset_id: string; name: string }>(
    sql`select asset_id, name from assets where tenant_id = ${DEV} and external_id = ${item?.externalId ?? ''}`,
  );
  const { asset_id: assetId, name } = stored[0] ?? { asset_id: '', name: '' };
  const facts = { at: new Date().toISOString(), newExternalId: 'item-unused' };
  const read = async () => (await auditor.get<Detail>(`/api/assets/${assetId}`)).body;
  const before = await read();
  for (const request of [{ action: 'rename', name: 'Renamed.txt' }, { action: 'overshare' }] as const)
    await store.update('site-people', item?.externalId ?? '', (scope, held) =>
      applyFixtureAction(scope, held, request, facts),
    );
  await scanChanges('site-people');
  const after = await read();
  expect(after.name).toBe('Renamed.txt');
  expect(after.versions.items.map((version) => [version.version, version.name])).toEqual([
    [2, 'Renamed.txt'],
    [1, name],
  ]);
  expect(after.versions.items[0]?.contentVersion).toBe(before.versions.items[0]?.contentVersion);
  expect(after.permissions.grants.items.length).toBeGreaterThan(before.permissions.grants.items.length);
});
