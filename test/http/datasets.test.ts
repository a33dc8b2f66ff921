import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sqlState } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import type { DatasetCandidate } from '../../core/models/dataset-candidates.sql.ts';
import { digestOf, itemsOf, type SnapshotItem } from '../../core/models/snapshot-content.ts';
import type { Snapshot } from '../../core/models/snapshot-schema.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { label } from '../support/labels.ts';
import { decided, reviewIn } from '../support/review.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PATH = '/api/models/datasets';
const TEXT = Array.from({ length: 300 }, (_, n) => `word${(n * 7) % 211}`).join(' ');

let database: TestDatabase;
let service: TestService;
let owner: SignedIn;
let curator: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  owner = await service.signInAs(PERSONA.financeOwner);
  curator = await service.signInAs(PERSONA.governanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type List<T> = { items: T[]; truncated: boolean };

const create = async (body: object) => {
  const answer = await curator.post<Snapshot>(PATH, body);
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body;
};

const itemsIn = (snapshotId: string) =>
  database.inspect<SnapshotItem>(sql`
    select i.dataset_candidate_id as "datasetCandidateId", c.asset_id as "assetId",
           c.information_type_id as "informationTypeId", c.label, c.confidence, c.ensemble_version as "ensembleVersion",
           i.cluster, i.side
      from dataset_snapshot_items i join dataset_candidates c using (tenant_id, dataset_candidate_id)
     where i.snapshot_id = ${snapshotId} order by i.dataset_candidate_id`);

test('without approved labels there is nothing to take', async () => {
  expect(await curator.post(PATH, { name: 'Empty' })).toMatchObject({
    status: 409,
    body: { error: 'conflict', message: expect.stringContaining('approved') },
  });
});

test('labels of one asset and its copies cannot be split', async () => {
  const copies = ['ast_copy_0', 'ast_copy_1'].map((assetId) => ({ assetId, contentHash: 'c0'.repeat(32) }));
  await label(database, { owner, curator }, copies);
  expect(await curator.post(PATH, { name: 'One cluster' })).toMatchObject({
    status: 409,
    body: { error: 'conflict', message: expect.stringContaining('copies') },
  });
});

test('labels of copies cannot be split after one of the copies has changed', async () => {
  const change = (hash: string) =>
    database.inspect(sql`
      update assets set content_hash = decode(${hash}, 'hex') where tenant_id = ${DEV} and asset_id = 'ast_copy_0'`);
  await change('c1'.repeat(32));
  expect((await curator.post(PATH, { name: 'One cluster' })).status).toBe(409);
  await change('c0'.repeat(32));
});

describe('a snapshot', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    const near = ['one', 'two'].map((end, n) => ({ assetId: `ast_near_${n}`, text: `${TEXT} ${end}` }));
    const others = Array.from({ length: 16 }, (_, n) => ({
      assetId: `ast_other_${n}`,
      decision: n % 4 === 0 ? ('not_a_match' as const) : ('mine' as const),
    }));
    await label(database, { owner, curator }, [...near, ...others]);
    snapshot = await create({ name: 'First', description: 'Invoices', evalFraction: 0.25 });
  });

  test('takes all approved labels, and says what it holds', async () => {
    expect(snapshot).toMatchObject({
      datasetSnapshotId: expect.stringMatching(/^dss_/),
      name: 'First',
      description: 'Invoices',
      consentScope: 'tenant_internal',
      evalFraction: 0.25,
      seed: expect.stringMatching(/^[0-9a-f]{32}$/),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      // Two copies, two near-duplicates, sixteen others.
      clusters: 18,
      omittedLabels: 0,
      revisedLabels: 0,
      warnings: [
        'few_training_positive_examples',
        'few_training_counterexamples',
        'few_held_out_positive_examples',
        'few_held_out_counterexamples',
      ],
      createdBy: PERSONA.governanceAdmin,
    });
    const { training, heldOut } = snapshot;
    expect(heldOut.positiveExamples + heldOut.counterexamples).toBe(5);
    expect(training.counterexamples + heldOut.counterexamples).toBe(4);
    expect(training.positiveExamples + heldOut.positiveExamples).toBe(16);
    const { body } = await curator.get<List<Snapshot>>(PATH);
    expect(body).toEqual({ items: [snapshot], truncated: false });
  });

  test('keeps copies and near-duplicates on one side', async () => {
    const items = await itemsIn(snapshot.datasetSnapshotId);
    const placeOf = (id: string) => {
      const found = items.find((item) => item.assetId === id);
      return [found?.cluster, found?.side];
    };
    expect(placeOf('ast_copy_0')).toEqual(placeOf('ast_copy_1'));
    expect(placeOf('ast_near_0')).toEqual(placeOf('ast_near_1'));
    expect(new Set(items.map(({ cluster }) => cluster)).size).toBe(18);
  });

  test('can be rebuilt from its labels, clusters and seed', async () => {
    const items = await itemsIn(snapshot.datasetSnapshotId);
    const labels = items.map(({ side: _, ...each }) => each);
    const rebuilt = itemsOf(labels.toReversed(), snapshot.evalFraction, snapshot.seed);
    expect(rebuilt).toEqual(items);
    const { seed, evalFraction, consentScope } = snapshot;
    expect(digestOf({ seed, evalFraction, consentScope, items })).toBe(snapshot.digest);
    const [first, ...others] = items;
    if (first === undefined) throw new Error('no items');
    const changed = [{ ...first, label: 'counterexample' as const }, ...others];
    expect(digestOf({ seed, evalFraction, consentScope, items: changed })).not.toBe(snapshot.digest);
  });

  test('is audited without names', async () => {
    const events = await database.inspect<{ record: string }>(
      sql`select record from audit_events where record like ${`%${snapshot.datasetSnapshotId}%`}`,
    );
    expect(events.map(({ record }) => JSON.parse(record).event)).toMatchObject([
      {
        category: 'model',
        type: 'dataset_snapshot_created',
        details: { labels: 20, clusters: 18, evalFraction: 0.25, digest: snapshot.digest },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('Invoices');
  });

  test('accepts no further items, not even from the owner of the tables', async () => {
    const [fresh] = await label(database, { owner, curator }, [{ assetId: 'ast_late' }]);
    for (const url of [database.ownerUrl, database.adminUrl]) {
      const state = await withClient(url, async (client) => {
        await client.query(`select set_config('svc.tenant_id', '${DEV}', false)`);
        return client
          .query('insert into dataset_snapshot_items values ($1, $2, $3, 99, $4)', [
            DEV,
            snapshot.datasetSnapshotId,
            fresh,
            'training',
          ])
          .then(() => 'allowed', sqlState);
      });
      // Row-level security stops the owner before the trigger does.
      expect(['23001', '42501']).toContain(state);
    }
    expect(await itemsIn(snapshot.datasetSnapshotId)).toHaveLength(20);
  });

  test('keeps a label whose decision is revised, and says so', async () => {
    const before = await itemsIn(snapshot.datasetSnapshotId);
    const candidateId = await reviewIn(database).candidateOf('ast_other_1', 'dom_finance');
    await decided(owner, candidateId, { decision: 'not_a_match', trainingEligible: true });
    expect(await itemsIn(snapshot.datasetSnapshotId)).toEqual(before);
    const [listed] = (await curator.get<List<Snapshot>>(PATH)).body.items;
    expect(listed).toEqual({ ...snapshot, revisedLabels: 1 });
    const { items } = (
      await curator.get<List<DatasetCandidate>>('/api/models/dataset-candidates?status=approved')
    ).body;
    expect(items.find(({ assetId }) => assetId === 'ast_other_1')).toMatchObject({
      label: 'positive_example',
      snapshotIds: [snapshot.datasetSnapshotId],
      revisedAt: expect.any(String),
    });
    // The next one takes over neither the revised label nor the new one, which nobody has approved.
    const next = await create({ name: 'Second' });
    expect((await itemsIn(next.datasetSnapshotId)).map(({ assetId }) => assetId)).not.toContain(
      'ast_other_1',
    );
    expect(next.evalFraction).toBe(0.2);
  });
});

test('a revision and a snapshot at once leave no revised label unmarked', async () => {
  const review = reviewIn(database);
  for (let round = 0; round < 5; round++) {
    const assetId = `ast_race_${round}`;
    await label(database, { owner, curator }, [{ assetId }]);
    const candidateId = await review.candidateOf(assetId, 'dom_finance');
    const [snapshot] = await Promise.all([
      create({ name: `Race ${round}` }),
      decided(owner, candidateId, { decision: 'need_more_evidence' }),
    ]);
    const { items } = (await curator.get<List<Snapshot>>(PATH)).body;
    const taken = (await itemsIn(snapshot.datasetSnapshotId)).filter((item) => item.assetId === assetId);
    const listed = items.find(({ datasetSnapshotId }) => datasetSnapshotId === snapshot.datasetSnapshotId);
    expect(listed?.revisedLabels).toBe(taken.length);
  }
});

test('one of positive examples only is made, with a warning', async () => {
  await database.inspect(sql`
    update dataset_candidates set revised_at = now() where label = 'counterexample' and revised_at is null`);
  const { warnings, consentScope } = await create({ name: 'Positive', consentScope: 'vendor_shareable' });
  expect(warnings).toEqual([
    'few_training_positive_examples',
    'few_training_counterexamples',
    'few_held_out_positive_examples',
    'few_held_out_counterexamples',
  ]);
  expect(consentScope).toBe('vendor_shareable');
});

test('holds out a tenth to nine tenths', async () => {
  for (const evalFraction of [0.1, 0.9])
    expect(await create({ name: `${evalFraction}`, evalFraction })).toMatchObject({ evalFraction });
});

test('bad requests and other people are refused', async () => {
  for (const body of [
    {},
    { name: '' },
    { name: 'x'.repeat(201) },
    { name: 'x', description: 'x'.repeat(2_001) },
    { name: 'x', consentScope: 'public' },
    { name: 'x', evalFraction: 0.09 },
    { name: 'x', evalFraction: 0.91 },
    { name: 'x', evalFraction: '0.5' },
    { name: 'x', seed: 'mine' },
  ])
    expect(await curator.post(PATH, body), JSON.stringify(body)).toMatchObject({
      status: 400,
      body: { error: 'validation_failed' },
    });
  for (const persona of [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.auditor]) {
    const who = await service.signInAs(persona);
    expect((await who.get(PATH)).status, persona).toBe(403);
    expect((await who.post(PATH, { name: 'x' })).status, persona).toBe(403);
  }
  const foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
  expect((await foreign.get<List<Snapshot>>(PATH)).body.items).toEqual([]);
  expect((await foreign.post(PATH, { name: 'x' })).status).toBe(409);
});
