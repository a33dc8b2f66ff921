import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { LearnedWords } from '../../core/inference/learned-words.ts';
import { termHash } from '../../core/inference/lexical.ts';
import { packTerms } from '../../core/inference/packed.ts';
import type { EnsembleRelease, ReleaseDetail } from '../../core/models/release-schema.ts';
import type { Snapshot } from '../../core/models/snapshot-schema.ts';
import { createLabelledTenant, type LabelledTenant } from '../support/labelled-tenant.ts';
import { PERSONA } from '../support/seed.ts';

const RELEASES = '/api/models/releases';
let tenant: LabelledTenant;
let snapshot: Snapshot;

beforeAll(async () => {
  tenant = await createLabelledTenant(36, 3);
  snapshot = await snapshotWith(0.2);
  // From here on, every read of the source fails.
  await tenant.database.inspect(sql`alter table fixture_items rename to gone`);
});
afterAll(async () => {
  await tenant.service.close();
  await tenant.database.drop();
});

async function snapshotWith(evalFraction: number): Promise<Snapshot> {
  const made = await tenant.proposer.post<Snapshot>('/api/models/datasets', { name: 'All', evalFraction });
  expect(made.status).toBe(200);
  return made.body;
}
async function propose(body: object): Promise<ReleaseDetail> {
  const answer = await tenant.proposer.post<ReleaseDetail>(`${RELEASES}/propose`, body);
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body;
}
const take = (by: 'proposer' | 'approver', releaseId: string, step: string) =>
  tenant[by].post<ReleaseDetail & { message: string }>(`${RELEASES}/${releaseId}/${step}`, {});
async function taken(by: 'proposer' | 'approver', releaseId: string, step: string): Promise<ReleaseDetail> {
  const answer = await take(by, releaseId, step);
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body;
}
const inForce = async () =>
  (
    await tenant.proposer.get<{ ensembles: { items: EnsembleRelease[] } }>(RELEASES)
  ).body.ensembles.items.find(({ active }) => active);
type Row = {
  assetId: string;
  informationTypeId: string;
  confidence: number;
  contributions: { name: string; weight: number; score: number; value: number }[];
};
/** What the model says of every asset that was scored under the version in force. */
const inferences = async () =>
  tenant.database.inspect<Row>(sql`
    select asset_id as "assetId", information_type_id as "informationTypeId", confidence, contributions
      from inferences i join asset_scorings g using (tenant_id, asset_id, inference_key)
     where tenant_id = 'dev' and g.ensemble_version = ${(await inForce())?.version ?? 0}
     order by asset_id, information_type_id`);
const weightsIn = (rows: readonly Row[], of: string) => [
  ...new Set(
    rows.flatMap(({ contributions }) =>
      contributions.filter(({ name }) => name === of).map(({ weight }) => weight),
    ),
  ),
];

test('a release that learns without a snapshot is refused', async () => {
  expect(await tenant.proposer.post(`${RELEASES}/propose`, { weights: 'learn' })).toMatchObject({
    status: 400,
    body: { error: 'validation_failed', issues: [{ path: 'datasetSnapshotId' }] },
  });
});

test('too few labels to learn from are refused, and change nothing', async () => {
  const { datasetSnapshotId } = await snapshotWith(0.9);
  const { releaseId } = await propose({ weights: 'learn', datasetSnapshotId });
  const refused = await take('proposer', releaseId, 'evaluate');
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('20 labels')]);
  const { body } = await tenant.proposer.get<ReleaseDetail>(`/api/models/governed-releases/${releaseId}`);
  expect(body).toMatchObject({ status: 'proposed', learnedWeights: null });
});

test('the same labels give the same weights, explained beside the hand-set ones', async () => {
  const { datasetSnapshotId } = snapshot;
  const { releaseId } = await propose({ weights: 'learn', datasetSnapshotId });
  const first = await taken('proposer', releaseId, 'evaluate');
  const { learnedWeights } = first;
  const training = snapshot.training.positiveExamples + snapshot.training.counterexamples;
  expect(learnedWeights?.labels).toBe(training);
  expect(learnedWeights?.features.map(({ feature }) => feature)).toContain('lexical_similarity');
  expect(learnedWeights?.features[0]).toMatchObject({
    feature: 'starting_point',
    handSetWeight: -4,
    support: training,
  });
  expect(learnedWeights?.features.some((each) => each.learnedWeight !== each.handSetWeight)).toBe(true);
  expect(first.evaluation?.overall.labels).toBe(
    snapshot.heldOut.positiveExamples + snapshot.heldOut.counterexamples,
  );
  expect(first.evaluation?.training).toMatchObject({ labels: training, skipped: { notReached: 0 } });
  const again = await taken('proposer', releaseId, 'evaluate');
  expect(again.learnedWeights).toEqual(learnedWeights);
  // Readers of domains see no counts of other domains' labels.
  const other = await tenant.service.signInAs(PERSONA.financeOwner);
  const seen = (await other.get<ReleaseDetail>(`/api/models/governed-releases/${releaseId}`)).body;
  expect(seen.learnedWeights).toMatchObject({ labels: null, types: [] });
  expect(seen.learnedWeights?.features.every(({ support }) => support === null)).toBe(true);
});

test('a release shows the weight of learned words, and neither words nor hashes', async () => {
  const { datasetSnapshotId } = snapshot;
  const { releaseId } = await propose({ weights: 'learn', datasetSnapshotId });
  await taken('proposer', releaseId, 'evaluate');
  const packed = packTerms(new Map([[termHash('canary'), 1]]));
  const words: LearnedWords = {
    weight: 2.5,
    rarities: packed,
    types: { ift_canary: { domainId: 'dom', documents: 3, words: packed } },
  };
  await tenant.database.inspect(sql`
    update model_releases set learned = learned || ${sql.json({ words })}::jsonb where release_id = ${releaseId}`);
  const path = `/api/models/governed-releases/${releaseId}`;
  const owner = await tenant.service.signInAs(PERSONA.financeOwner);
  for (const [reader, support] of [[tenant.proposer, 3] as const, [owner, null] as const]) {
    const { body, text } = await reader.get<ReleaseDetail>(path);
    expect(body.learnedWeights?.features.at(-1)).toEqual({
      ...{ feature: 'learned_words', handSetWeight: 0, learnedWeight: 2.5, support },
    });
    for (const hidden of [packed, 'canary', 'rarities']) expect(text).not.toContain(hidden);
  }
});

test('promoted weights are in effect after the rescore, and a rollback restores', async () => {
  expect((await tenant.approver.post('/api/models/rescore', {})).status).toBe(200);
  await tenant.service.drain();
  const before = await inferences();
  expect(weightsIn(before, 'lexical_similarity')).toEqual([5]);
  const { datasetSnapshotId } = snapshot;
  const { releaseId } = await propose({ weights: 'learn', datasetSnapshotId });
  const { learnedWeights } = await taken('proposer', releaseId, 'evaluate');
  expect((await take('proposer', releaseId, 'approve')).status).toBe(409);
  await taken('approver', releaseId, 'approve');
  await taken('approver', releaseId, 'promote');
  await tenant.service.drain();
  expect(await inForce()).toMatchObject({ weights: 'learned', cause: 'promotion', releaseId });
  const lexical = learnedWeights?.features.find(({ feature }) => feature === 'lexical_similarity');
  const promoted = await inferences();
  expect(lexical?.learnedWeight).not.toBe(5);
  expect(weightsIn(promoted, 'lexical_similarity')).toEqual([lexical?.learnedWeight]);

  // A release that names nothing about weights keeps them.
  const kept = await propose({ configPatch: { candidateThreshold: 0.5 } });
  expect(kept.learnedWeights).toEqual(learnedWeights);

  await taken('approver', releaseId, 'rollback');
  await tenant.service.drain();
  expect(await inForce()).toMatchObject({ weights: 'hand_set', cause: 'rollback' });
  expect(await inferences()).toEqual(before);
});

test('the database refuses learned weights beyond their bounds', async () => {
  for (const learned of [
    { factors: { title_words: { factor: -0.1 } }, shift: 0, types: {} },
    { factors: { title_words: { factor: 3.1 } }, shift: 0, types: {} },
    { factors: { title_words: { factor: '1' } }, shift: 0, types: {} },
    { factors: { title_words: { factor: 1 } }, shift: 2.1, types: {} },
    { factors: { title_words: { factor: 1 } }, shift: 0, types: { ift: { offset: -2.1 } } },
    {},
  ]) {
    const statement = sql`update ensembles set learned = ${sql.json(learned)}::jsonb where tenant_id = 'dev'`;
    await expect(tenant.database.inspect(statement)).rejects.toMatchObject({
      constraint: 'ensembles_learned',
    });
  }
});
