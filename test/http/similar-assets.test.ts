import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeAlike, vectorAt } from '../support/alike.ts';
import type { ScannedAsset } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll, reviewIn } from '../support/review.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { wordsFrom } from '../support/words-from.ts';

type Neighbor = { assetId: string; name: string; scopeName: string; similarity: number };
type Cluster = { kind: string; assets: { items: Neighbor[]; truncated: boolean } };

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let people: SignedIn;
let auditor: SignedIn;

const store = (asset: ScannedAsset, has?: Parameters<typeof storeAlike>[2]) =>
  storeAlike(database.db, asset, has);

const attachment = 'ef'.repeat(32);
const text = wordsFrom(0, 300);

beforeAll(async () => {
  database = await createSeededDatabase();
  await store({ assetId: 'ast_own', said: [invoices()] }, { text, vector: vectorAt(0) });
  await store(
    { assetId: 'ast_version', said: [invoices()] },
    { text: `${text} ${wordsFrom(9_000, 30)}`, vector: vectorAt(10) },
  );
  await store({ assetId: 'ast_theirs', said: [payroll()] }, { text: `${text} or less`, vector: vectorAt(5) });
  await store({ assetId: 'ast_gone', said: [invoices()] }, { text, vector: vectorAt(1) });
  await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_gone'`);
  await store(
    { assetId: 'ast_far', said: [invoices()] },
    { text: wordsFrom(5_000, 300), vector: vectorAt(60) },
  );
  await store({ assetId: 'ast_mail', said: [invoices()] }, { contains: [attachment, 'aa'.repeat(32)] });
  await store({ assetId: 'ast_attached', said: [invoices()], contentHash: attachment }, {});
  await store(
    { assetId: 'ast_elsewhere', said: [invoices()] },
    { text, vector: vectorAt(0), tenantId: OTHER },
  );
  service = await startService(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const clustersOf = async (caller: SignedIn, assetId: string) => {
  const { status, body } = await caller.get<{ clusters: Cluster[] }>(`/api/assets/${assetId}`);
  expect(status).toBe(200);
  return body.clusters.map(({ kind, assets }) => [kind, assets.items.map((each) => each.assetId)]);
};
const neighborsOf = async (caller: SignedIn, assetId: string) => {
  const { status, body } = await caller.get<{ items: Neighbor[] }>(
    `/api/assets/${assetId}/semantic-neighbors`,
  );
  expect(status).toBe(200);
  return body.items;
};
const idsOf = (items: readonly Neighbor[]) => items.map(({ assetId }) => assetId);

test('the detail tells near-duplicates, to each reader those that they may see', async () => {
  expect(await clustersOf(auditor, 'ast_own')).toEqual([['near_duplicate', ['ast_theirs', 'ast_version']]]);
  expect(await clustersOf(finance, 'ast_own')).toEqual([['near_duplicate', ['ast_version']]]);
  expect(await clustersOf(people, 'ast_theirs')).toEqual([]);
  expect(await clustersOf(auditor, 'ast_far')).toEqual([]);
});

test('a file inside an asset that is also an asset is a copy on both sides, not merged', async () => {
  expect(await clustersOf(finance, 'ast_mail')).toEqual([['attachment_copy', ['ast_attached']]]);
  expect(await clustersOf(finance, 'ast_attached')).toEqual([['attachment_copy', ['ast_mail']]]);
  const [assets] = await database.inspect<{ count: number }>(
    sql`select count(*)::int as count from assets where asset_id in ('ast_mail', 'ast_attached') and status = 'active'`,
  );
  expect(assets?.count).toBe(2);
});

test('neighbours are the nearest that the reader may see, with their cosine', async () => {
  const seen = await neighborsOf(auditor, 'ast_own');
  expect(idsOf(seen)).toEqual(['ast_theirs', 'ast_version']);
  expect(seen[0]).toMatchObject({ scopeName: 'Test site', similarity: expect.closeTo(0.996, 2) });
  expect(idsOf(await neighborsOf(finance, 'ast_own'))).toEqual(['ast_version']);
  expect(await neighborsOf(people, 'ast_theirs')).toEqual([]);
  expect(await neighborsOf(auditor, 'ast_mail')).toEqual([]);
});

test('what a reader may not see takes no place among the eight', async () => {
  for (let at = 0; at < 9; at++) {
    await store({ assetId: `ast_hidden_${at}`, said: [payroll()] }, { vector: vectorAt(2, 2 + at) });
    await store({ assetId: `ast_seen_${at}`, said: [invoices()] }, { vector: vectorAt(20, 12 + at) });
  }
  const ofFinance = idsOf(await neighborsOf(finance, 'ast_own'));
  expect(ofFinance).toHaveLength(8);
  expect(ofFinance.filter((id) => id.startsWith('ast_seen_'))).toHaveLength(7);
  const ofAuditor = idsOf(await neighborsOf(auditor, 'ast_own'));
  expect(ofAuditor).toHaveLength(8);
  expect(ofAuditor.every((id) => id.startsWith('ast_hidden_'))).toBe(true);
});

test('missing, deleted or foreign: the same 404; without the capability 403', async () => {
  const probes: [SignedIn, string][] = [
    [finance, 'ast_missing'],
    [finance, 'ast_theirs'],
    [finance, 'ast_gone'],
    [auditor, 'ast_elsewhere'],
    [await service.signInAs(inOther(PERSONA.auditor)), 'ast_own'],
  ];
  const answers = await Promise.all(
    probes.map(([caller, id]) => caller.get(`/api/assets/${id}/semantic-neighbors`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(probes.map(() => 404));
  expect(new Set(answers.map(({ text: body }) => body)).size).toBe(1);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  expect((await admin.get('/api/assets/ast_own/semantic-neighbors')).status).toBe(403);
});

test('a decision makes the asset one that others find', async () => {
  const candidateId = await reviewIn(database).candidateOf('ast_version', 'dom_finance');
  const decidedBands = async () =>
    (
      await database.inspect<{ decided: boolean }>(
        sql`select distinct decided from sketch_bands where tenant_id = ${DEV} and asset_id = 'ast_version'`,
      )
    ).map(({ decided }) => decided);
  expect(await decidedBands()).toEqual([false]);
  const { status } = await finance.post(`/api/review/candidates/${candidateId}/decision`, {
    decision: 'mine',
  });
  expect(status).toBe(200);
  expect(await decidedBands()).toEqual([true]);
});

test('a neighbour has a cosine of 0.55 at least', async () => {
  const at = (degrees: number) => vectorAt(90 - degrees, 25);
  await store({ assetId: 'ast_base', said: [invoices()] }, { vector: at(0) });
  await store({ assetId: 'ast_within', said: [invoices()] }, { vector: at(56) });
  await store({ assetId: 'ast_beyond', said: [invoices()] }, { vector: at(57.5) });
  const [neighbour, ...others] = await neighborsOf(auditor, 'ast_base');
  expect(neighbour).toMatchObject({ assetId: 'ast_within', similarity: expect.closeTo(0.559, 2) });
  expect(others).toEqual([]);
});
