import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { FEATURE_VERSION } from '../../core/inference/features.ts';
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
  tenant = await createLabelledTenant(50, 2);
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
const take = (by: 'proposer' | 'approver', releaseId: string, step: string, body: object = {}) =>
  tenant[by].post<ReleaseDetail & { message: string }>(`${RELEASES}/${releaseId}/${step}`, body);
async function taken(
  by: 'proposer' | 'approver',
  releaseId: string,
  step: string,
  body: object = {},
): Promise<ReleaseDetail> {
  const answer = await take(by, releaseId, step, body);
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

test('too few labels to learn from are refused before anything is stored', async () => {
  const { datasetSnapshotId, training } = await snapshotWith(0.9);
  const { positiveExamples, counterexamples } = training;
  const releases = () => tenant.database.inspect(sql`select release_id from model_releases`);
  const before = await releases();
  expect(
    await tenant.proposer.post(`${RELEASES}/propose`, { weights: 'learn', datasetSnapshotId }),
  ).toMatchObject({
    status: 400,
    body: {
      issues: [
        {
          path: 'datasetSnapshotId',
          message: expect.stringMatching(
            `15 positive examples and 15 counterexamples.* ${positiveExamples} and ${counterexamples} can be used`,
          ),
        },
      ],
    },
  });
  expect(await releases()).toEqual(before);
});

test('labels that cannot be used leave too few to learn from, and change nothing', async () => {
  const { datasetSnapshotId } = snapshot;
  const { releaseId } = await propose({ weights: 'learn', datasetSnapshotId });
  const features = (version: unknown) =>
    tenant.database.inspect(sql`
      update asset_features set features = jsonb_set(features, '{featureVersion}', ${JSON.stringify(version)}::jsonb)`);
  await features(0);
  const refused = await take('proposer', releaseId, 'evaluate');
  await features(FEATURE_VERSION);
  expect([refused.status, refused.body.message]).toEqual([
    409,
    expect.stringContaining('0 and 0 can be used'),
  ]);
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
  // Which labels are held out differs, so the release can be worse by a label.
  await taken('approver', releaseId, 'promote', { note: 'To see it in effect' });
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

test('reversed answers are not learned from, and the approver reads of it', async () => {
  const { datasetSnapshotId } = snapshot;
  const { releaseId } = await propose({ weights: 'learn', datasetSnapshotId });
  const before = await taken('proposer', releaseId, 'evaluate');
  const learnedFrom = before.evaluation?.training?.labels ?? 0;
  expect(before.evaluation?.training?.revised).toBe(0);
  const [label] = await tenant.database.inspect<{ candidateId: string; isPositive: boolean }>(sql`
    select c.candidate_id as "candidateId", c.label = 'positive_example' as "isPositive"
      from dataset_snapshot_items i join dataset_candidates c using (tenant_id, dataset_candidate_id)
     where i.side = 'training' and i.snapshot_id = ${datasetSnapshotId} limit 1`);
  const owner = await tenant.service.signInAs(PERSONA.peopleOwner);
  const decision = { decision: label?.isPositive ? 'not_a_match' : 'mine' };
  const answer = await owner.post(`/api/review/candidates/${label?.candidateId}/decision`, decision);
  expect(answer.status).toBe(200);
  // Reversed since the evaluation: the approver reads that weights were learned from it.
  const path = `/api/models/governed-releases/${releaseId}`;
  const { body } = await tenant.approver.get<ReleaseDetail>(path);
  expect(body.evaluation).toMatchObject({
    overall: { revisedLabels: { training: 1, heldOut: 0 } },
    training: { labels: learnedFrom, revised: 0 },
  });
  const again = await taken('proposer', releaseId, 'evaluate');
  expect(again.evaluation).toMatchObject({
    overall: { revisedLabels: { training: 1 } },
    training: { labels: learnedFrom - 1, revised: 1 },
  });
  expect(again.learnedWeights?.labels).toBe(learnedFrom - 1);
  expect(again.snapshotWarnings).toEqual(['few_held_out_positive_examples', 'few_held_out_counterexamples']);
  const other = await tenant.service.signInAs(PERSONA.financeOwner);
  expect((await other.get<ReleaseDetail>(path)).body).toMatchObject({
    ...{ snapshotWarnings: null, evaluation: { overall: { revisedLabels: { training: 0 } } } },
  });
});

test('warnings of a snapshot are of the labels whose answers stand', async () => {
  const warnings = async () => {
    type List = { items: Snapshot[] };
    const { items } = (await tenant.proposer.get<List>('/api/models/datasets')).body;
    return items.find(({ datasetSnapshotId }) => datasetSnapshotId === snapshot.datasetSnapshotId)?.warnings;
  };
  const before = await warnings();
  expect(before).toEqual(['few_held_out_positive_examples', 'few_held_out_counterexamples']);
  const revise = (at: Date | null) =>
    tenant.database.inspect(sql`
      update dataset_candidates set revised_at = ${at} where label = 'counterexample' and decision_id in (
        select decision_id from candidates where tenant_id = 'dev')`);
  await revise(new Date());
  expect(await warnings()).toEqual(['few_training_counterexamples', ...(before ?? [])]);
  await revise(null);
  expect(await warnings()).toEqual(before);
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
