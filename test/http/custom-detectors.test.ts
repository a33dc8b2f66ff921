import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Detector = {
  id: string;
  origin: string;
  version: number;
  enabled: boolean;
  enabledVersion: number | null;
  custom: { pattern: string; examples: object | null; dryRunVersion: number | null } | null;
};
type Fault = { error: string; message?: string; issues?: { path: string; message: string }[] };

const PATH = '/api/governance/detectors';
const BADGE = {
  title: 'Badge number',
  pattern: 'NW-[0-9]{5}',
  context: ['badge'],
  examples: { hits: ['badge NW-10442'], misses: ['NW-1044'] },
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.governanceAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const create = async (more: object = {}) => {
  const { status, body } = await admin.post<Detector>(PATH, { ...BADGE, ...more });
  expect(status).toBe(200);
  return body;
};
const listed = async (who: SignedIn) => (await who.get<{ items: Detector[] }>(PATH)).body.items;
const change = (id: string, body: object) => admin.patch<Detector & Fault>(`${PATH}/${id}`, body);
const dryRun = (id: string) => admin.post<Record<string, unknown>>(`${PATH}/${id}/dry-run`);

test('built-in detectors are listed with the tenant’s, whose examples only writers see', async () => {
  const { id } = await create();
  const detectors = await listed(admin);
  expect(detectors.filter(({ origin }) => origin === 'built_in').length).toBeGreaterThan(25);
  expect(detectors.find((each) => each.id === id)?.custom?.examples).toEqual(BADGE.examples);
  expect((await listed(auditor)).find((each) => each.id === id)?.custom).toMatchObject({
    pattern: BADGE.pattern,
    examples: null,
  });
  const other = await service.signInAs(inOther(PERSONA.governanceAdmin));
  expect((await listed(other)).some((each) => each.id === id)).toBe(false);
  expect((await other.patch(`${PATH}/${id}`, { version: 1, title: 'Mine' })).status).toBe(404);
  expect((await other.post(`${PATH}/${id}/dry-run`)).status).toBe(404);
});

test('of two changes of one version at once, one is made and the other is a conflict', async () => {
  for (let round = 0; round < 8; round++) {
    const { id } = await create({ title: `Round ${round}` });
    const both = await Promise.all(['One', 'Two'].map((title) => change(id, { version: 1, title })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test('only the taxonomy admin declares one, and it must match its examples', async () => {
  expect((await auditor.post(PATH, BADGE)).status).toBe(403);
  const refused = await admin.post<Fault>(PATH, {
    ...BADGE,
    examples: { hits: ['NW-1'], misses: ['NW-12345'] },
  });
  expect(refused.status).toBe(400);
  expect(refused.body.issues?.map(({ path }) => path)).toEqual(['examples.hits.0', 'examples.misses.0']);
  expect(refused.text).not.toContain('NW-1');
  expect((await admin.post(PATH, { ...BADGE, pattern: '(?<=a)b' })).status).toBe(400);
});

test('it is off until a dry run; the enabled version stays while a newer one is tried', async () => {
  const { id, version, enabled } = await create();
  expect({ version, enabled }).toEqual({ version: 1, enabled: false });
  expect((await change(id, { version: 1, enabled: true })).body).toMatchObject({
    error: 'conflict',
    message: 'Do a dry run of this version before you enable it.',
  });
  expect((await dryRun(id)).body).toMatchObject({ version: 1, builtInExamplesMatched: [] });
  expect((await change(id, { version: 1, enabled: true })).body).toMatchObject({
    enabled: true,
    enabledVersion: 1,
  });
  const revised = await change(id, { version: 1, pattern: 'NW-[0-9]{5,6}' });
  expect(revised.body).toMatchObject({ version: 2, enabledVersion: 1 });
  expect((await change(id, { version: 1, title: 'Late' })).status).toBe(409);
  expect((await change(id, { version: 2, enabled: true })).status).toBe(409);
  await dryRun(id);
  expect((await change(id, { version: 2, enabled: true })).body).toMatchObject({ enabledVersion: 2 });
  expect((await change(id, { version: 2, enabled: false })).body).toMatchObject({
    enabled: false,
    enabledVersion: null,
  });
});

test('a dry run reports collisions, counts of ten or more in tens, and no text', async () => {
  const asset = (n: number) => ({
    assetId: `ast_${n}`,
    excerpts: [{ detectorId: 'iban', text: `Badge NW-1000${n % 10} of Zanzibar${n}` }],
  });
  await storeScanned(
    database.db,
    DEV,
    Array.from({ length: 12 }, (_, n) => asset(n)),
  );
  const some = await create({
    pattern: 'NW-1000[0-3]',
    examples: { hits: ['NW-10003'], misses: ['NW-10004'] },
  });
  expect((await dryRun(some.id)).body).toMatchObject({ assetsSearched: 12, assetsMatched: null });
  const all = await create();
  const { body, text } = await dryRun(all.id);
  expect(body).toMatchObject({ assetsSearched: 12, assetsMatched: 10 });
  expect(text).not.toContain('Zanzibar');
  const colliding = await create({
    pattern: '[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?',
    examples: { hits: ['GB33BUKB20201555555555'], misses: ['none'] },
  });
  expect((await dryRun(colliding.id)).body.builtInExamplesMatched).toContainEqual(
    expect.objectContaining({ detectorId: 'iban' }),
  );
});

test('a dry run reads no excerpts of a profile that has been left', async () => {
  const { id } = await create();
  const searchedUnder = async (profile: string) => {
    await database.inspect(
      sql`update tenants set data_handling_profile = ${profile} where tenant_id = ${DEV}`,
    );
    return (await dryRun(id)).body.assetsSearched;
  };
  expect(await searchedUnder('metadata_only')).toBe(0);
  expect(await searchedUnder('minimized_evidence')).toBe(12);
});

test('an enabled detector runs in the next scan, which reads content again for it', async () => {
  const platform = await service.signInAs(PERSONA.platformAdmin);
  await platform.post('/api/sources/connect', {});
  const { items } = (await platform.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  const scopeId = items.find((each) => each.externalId === 'site-general')?.scopeId;
  const scan = async () => {
    expect((await platform.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
    await service.drain();
  };
  const found = () =>
    database.inspect<{ count: number }>(
      sql`select count(*)::int as count from asset_features where signal_kinds && array[${id}]`,
    );
  const { id } = await create({
    pattern: '(?i)canteen',
    context: [],
    examples: { hits: ['the canteen'], misses: ['a cantina'] },
  });
  await scan();
  expect(await found()).toEqual([{ count: 0 }]);
  await dryRun(id);
  await change(id, { version: 1, enabled: true });
  service.clock.advance(10_000);
  await scan();
  expect((await found())[0]?.count).toBeGreaterThan(1);
  await change(id, { version: 1, enabled: false });
  service.clock.advance(10_000);
  await scan();
  expect(await found()).toEqual([{ count: 0 }]);
});

test('every change is audited without pattern or examples; old versions stay', async () => {
  const events = await database.inspect<{ record: string }>(
    sql`select record from audit_events where tenant_id = ${DEV} and category = 'governance' order by seq`,
  );
  const types = events.map(({ record }) => JSON.parse(record).event.type);
  for (const type of [
    'detector_created',
    'detector_revised',
    'detector_enabled',
    'detector_disabled',
    'detector_dry_run',
  ])
    expect(types).toContain(type);
  expect(JSON.stringify(events)).not.toContain('NW-');
  await expect(
    withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
      tx.query(sql`update custom_detector_versions set version = version where tenant_id = ${DEV}`),
    ),
  ).rejects.toThrow('permission denied');
});
