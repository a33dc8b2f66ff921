import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AiError } from '../../core/ai/provider.ts';
import { SpendingCapReached } from '../../core/ai-usage/meter-for.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { FEATURE_VERSION } from '../../core/inference/features.ts';
import { FIRST_ENSEMBLE } from '../../core/inference/inference.ts';
import { evaluateRelease } from '../../core/models/evaluate-release.ts';
import { beginEvaluation } from '../../core/models/held-out.sql.ts';
import type { EnsembleRelease, Release, ReleaseDetail } from '../../core/models/release-schema.ts';
import type { Snapshot } from '../../core/models/snapshot-schema.ts';
import type { SignedIn, TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { createLabelledTenant } from '../support/labelled-tenant.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';

type List<T> = { items: T[]; truncated: boolean };

const RELEASES = '/api/models/releases';
const GOVERNED = '/api/models/governed-releases';
const { version: _, learned: __, ...FIRST } = FIRST_ENSEMBLE;
/** Above some of the confidences. */
const STRICT = { candidateThreshold: 0.99, reviewHighThreshold: 0.99 };
/** No confidence lies between it and the threshold in force. */
const NO_EFFECT = { candidateThreshold: 0.4000001 };

let database: TestDatabase;
let service: TestService;
let proposer: SignedIn;
let approver: SignedIn;
let snapshot: Snapshot;

beforeAll(async () => {
  ({ database, service, proposer, approver } = await createLabelledTenant(24, 4));
  const made = await proposer.post<Snapshot>('/api/models/datasets', { name: 'All', evalFraction: 0.5 });
  expect(made.status).toBe(200);
  snapshot = made.body;
  // From here on, every read of the source fails.
  await database.inspect(sql`alter table fixture_items rename to gone`);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Step = 'evaluate' | 'approve' | 'reject' | 'promote' | 'rollback';
const take = (who: SignedIn, releaseId: string, step: Step, body: object = {}) =>
  who.post<ReleaseDetail & { error: string }>(`${RELEASES}/${releaseId}/${step}`, body);
const taken = async (who: SignedIn, releaseId: string, step: Step, body: object = {}) => {
  const answer = await take(who, releaseId, step, body);
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body;
};
const propose = async (configPatch: object, more: object = {}) => {
  const answer = await proposer.post<ReleaseDetail>(`${RELEASES}/propose`, { configPatch, ...more });
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body;
};
const approved = async (configPatch: object) => {
  const { releaseId } = await propose(configPatch);
  await taken(proposer, releaseId, 'evaluate');
  await taken(approver, releaseId, 'approve');
  return releaseId;
};
const ensembles = async () =>
  (await proposer.get<{ ensembles: List<EnsembleRelease> }>(RELEASES)).body.ensembles.items;
const inForce = async () => {
  const [active, ...others] = (await ensembles()).filter((each) => each.active);
  expect(others).toEqual([]);
  return active;
};
const auditOf = async (releaseId: string) =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = 'dev' and category = 'model' and record like ${`%${releaseId}%`}
       order by seq`)
  ).map(({ record }) => JSON.parse(record).event);

describe('a proposal', () => {
  test('has all thresholds that its promotion would put in force, and changes nothing', async () => {
    const before = await inForce();
    const body = { datasetSnapshotId: snapshot.datasetSnapshotId, rationale: 'Too many questions' };
    const release = await propose({ candidateThreshold: 0.5 }, body);
    expect(release).toMatchObject({
      releaseId: expect.stringMatching(/^rel_/),
      status: 'proposed',
      configPatch: { candidateThreshold: 0.5 },
      thresholds: { ...FIRST, candidateThreshold: 0.5 },
      comparedVersion: 1,
      ...body,
      proposedBy: proposer.principalId,
      decidedBy: null,
      evaluation: null,
      rescore: null,
      weights: 'keep',
      learnedWeights: null,
      revision: 0,
      history: [{ trigger: 'propose', fromStatus: null, toStatus: 'proposed' }],
    });
    expect(await inForce()).toEqual(before);
    expect((await proposer.get<ReleaseDetail>(`${GOVERNED}/${release.releaseId}`)).body).toEqual(release);
  });

  test('is shown to owners without what was written for those who decide', async () => {
    const { releaseId } = await propose({ candidateThreshold: 0.51 }, { rationale: 'For approvers alone' });
    await taken(approver, releaseId, 'reject', { note: 'Among approvers' });
    const owner = await service.signInAs(PERSONA.financeOwner);
    const one = await owner.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`);
    const all = await owner.get<List<ReleaseDetail>>(GOVERNED);
    expect(one.body.rationale).toBeNull();
    expect(one.body.history.map(({ note }) => note)).toEqual([null, null]);
    expect(all.body.items.map(({ rationale }) => rationale)).toEqual(all.body.items.map(() => null));
    expect(one.text + all.text).not.toMatch(/approvers/);
    const auditor = await service.signInAs(PERSONA.auditor);
    const whole = (await auditor.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`)).body;
    expect([whole.rationale, whole.history[0]?.note]).toEqual(['For approvers alone', 'Among approvers']);
  });

  test.each([
    [
      'an unknown key',
      { configPatch: { weight: 0.5 } },
      'configPatch.weight',
      'Unknown field. Known fields: candidateThreshold',
    ],
    ['another field', { status: 'approved' }, 'status', 'Unknown field. Known fields: configPatch, weights'],
    [
      'a threshold above 1',
      { configPatch: { candidateThreshold: 1.01 } },
      'configPatch.candidateThreshold',
      '',
    ],
    [
      'a boost below 0',
      { configPatch: { nearDupConfirmedBoost: -0.1 } },
      'configPatch.nearDupConfirmedBoost',
      '',
    ],
    [
      'a text for a number',
      { configPatch: { reviewHighThreshold: '0.9' } },
      'configPatch.reviewHighThreshold',
      '',
    ],
    [
      'a low threshold above the high one',
      { configPatch: { reviewLowThreshold: 0.9, reviewHighThreshold: 0.5 } },
      'configPatch.reviewLowThreshold',
      'reviewLowThreshold (0.9) must not exceed reviewHighThreshold (0.5)',
    ],
    [
      'a low threshold above the high one in force',
      { configPatch: { reviewLowThreshold: 0.81 } },
      'configPatch.reviewLowThreshold',
      'reviewHighThreshold (0.8)',
    ],
    [
      'a high threshold below the low one in force',
      { configPatch: { reviewHighThreshold: 0.39 } },
      'configPatch.reviewHighThreshold',
      'reviewLowThreshold (0.4)',
    ],
    [
      'a candidate threshold above the high one',
      { configPatch: { candidateThreshold: 0.9, reviewHighThreshold: 0.85 } },
      'configPatch.candidateThreshold',
      'candidateThreshold (0.9) must not exceed reviewHighThreshold (0.85)',
    ],
    [
      'a candidate threshold above the high one in force',
      { configPatch: { candidateThreshold: 0.81 } },
      'configPatch.candidateThreshold',
      'reviewHighThreshold (0.8)',
    ],
    ['a long rationale', { rationale: 'x'.repeat(2_001) }, 'rationale', ''],
    ['nothing to change', { rationale: 'Better' }, 'configPatch', 'Nothing would change'],
    ['the values in force', { configPatch: FIRST }, 'configPatch', 'in force already'],
    ['hand-set weights, which are in force', { weights: 'hand_set' }, 'weights', 'in force'],
  ])('with %s is refused with words', async (_, body, path, message) => {
    const answer = await proposer.post<{ error: string; issues: object[] }>(`${RELEASES}/propose`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_failed' } });
    expect(answer.body.issues).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  test('may set every value to either end', async () => {
    const ends = [0, 1].map((end) => Object.fromEntries(Object.keys(FIRST).map((name) => [name, end])));
    for (const configPatch of ends) expect((await propose(configPatch)).thresholds).toEqual(configPatch);
  });

  test('of a snapshot that is not there, or of another tenant, is refused alike', async () => {
    const foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
    for (const [who, datasetSnapshotId] of [
      [proposer, 'dss_unknown'],
      [foreign, snapshot.datasetSnapshotId],
    ] as const)
      expect((await who.post(`${RELEASES}/propose`, { datasetSnapshotId })).status).toBe(404);
  });
});

describe('an evaluation', () => {
  test('compares both on the held-out labels, for each domain and type', async () => {
    const more = { datasetSnapshotId: snapshot.datasetSnapshotId };
    const { releaseId } = await propose({ candidateThreshold: 1, reviewHighThreshold: 1 }, more);
    const { status, evaluation, evaluatedAt, revision } = await taken(proposer, releaseId, 'evaluate');
    expect({ status, revision }).toEqual({ status: 'evaluated', revision: 1 });
    expect(evaluatedAt).not.toBeNull();
    if (evaluation === null) throw new Error('not evaluated');
    const { positiveExamples, counterexamples } = snapshot.heldOut;
    const { overall, domains, types } = evaluation;
    expect(overall.skipped).toEqual({
      contentChanged: 0,
      featuresMissing: 0,
      typeNotApproved: 0,
      notReached: 0,
    });
    expect(overall.labels).toBe(positiveExamples + counterexamples);
    expect(overall.isSmall).toBe(true);
    // Nothing is asked at a threshold of 1.
    expect(overall.candidate).toMatchObject({
      truePositives: 0,
      falsePositives: 0,
      trueNegatives: counterexamples,
      falseNegatives: positiveExamples,
      precision: null,
      recall: { value: 0 },
      f1: 0,
    });
    // The labels are of questions that the model asked, so by the present thresholds most are asked.
    expect(overall.current.truePositives).toBeGreaterThan(positiveExamples / 2);
    expect(overall.difference.onlyCandidateRight).toBe(overall.current.falsePositives);
    expect(overall.difference.onlyCurrentRight).toBe(overall.current.truePositives);
    expect(evaluation.queueAssets?.examined).toBe(evaluation.queueAssets?.total);
    expect(overall.queue).toMatchObject({ appear: 0, toHigh: 0, toReview: 0, unchanged: 0, isSample: false });
    expect(overall.queue.vanish).toBeGreaterThan(0);
    for (const groups of [domains, types])
      expect(groups.reduce((sum, { result }) => sum + result.labels, 0)).toBe(overall.labels);
    expect(evaluation.reliability.current.bins.reduce((sum, bin) => sum + bin.labels, 0)).toBe(
      overall.labels,
    );
  });

  test('of a change between all confidences finds no difference', async () => {
    const { releaseId } = await propose(NO_EFFECT, { datasetSnapshotId: snapshot.datasetSnapshotId });
    const { evaluation } = await taken(proposer, releaseId, 'evaluate');
    expect(evaluation?.overall.candidate).toEqual(evaluation?.overall.current);
    expect(evaluation?.reliability.candidate).toEqual(evaluation?.reliability.current);
    expect(evaluation?.overall.difference).toEqual({ onlyCurrentRight: 0, onlyCandidateRight: 0, pValue: 1 });
    expect(evaluation?.overall.queue).toMatchObject({ appear: 0, vanish: 0, toHigh: 0, toReview: 0 });
  });

  test('without a snapshot tells of the queue only', async () => {
    const { releaseId } = await propose(STRICT);
    const { evaluation } = await taken(proposer, releaseId, 'evaluate');
    expect(evaluation?.overall).toMatchObject({ labels: 0, isSmall: true, candidate: { f1: null } });
    expect(evaluation?.overall.queue.vanish).toBeGreaterThan(0);
  });

  test('leaves out labels of content that has changed since', async () => {
    const { releaseId } = await propose(NO_EFFECT, { datasetSnapshotId: snapshot.datasetSnapshotId });
    const [held] = await database.inspect<{ asset_id: string }>(sql`
      select c.asset_id from dataset_snapshot_items i join dataset_candidates c using (tenant_id, dataset_candidate_id)
       where i.side = 'held_out' limit 1`);
    const changed = sql`update assets set content_hash = sha256(content_hash) where asset_id = ${held?.asset_id ?? ''}`;
    const [former] = await database.inspect<{ hash: Buffer }>(
      sql`select content_hash as hash from assets where asset_id = ${held?.asset_id ?? ''}`,
    );
    await database.inspect(changed);
    const { evaluation } = await taken(proposer, releaseId, 'evaluate');
    expect(evaluation?.overall.skipped.contentChanged).toBeGreaterThan(0);
    await database.inspect(
      sql`update assets set content_hash = ${former?.hash ?? null} where asset_id = ${held?.asset_id ?? ''}`,
    );
    const again = await taken(proposer, releaseId, 'evaluate');
    expect(again.evaluation?.overall.skipped.contentChanged).toBe(0);
    const missing = again.evaluation?.queueAssets?.featuresMissing ?? 0;
    await database.inspect(sql`
      update asset_features set features = jsonb_set(features, '{featureVersion}', '0')
       where asset_id = ${held?.asset_id ?? ''}`);
    const later = await taken(proposer, releaseId, 'evaluate');
    expect(later.evaluation).toMatchObject({
      overall: { skipped: { featuresMissing: expect.any(Number) } },
      queueAssets: { featuresMissing: missing + 1 },
    });
    await database.inspect(sql`
      update asset_features set features = jsonb_set(features, '{featureVersion}', ${String(FEATURE_VERSION)}::jsonb)
       where asset_id = ${held?.asset_id ?? ''}`);
    expect(later.revision).toBe(3);
  });

  test.each([
    ['while the AI provider does not answer', new AiError('unavailable'), 'unavailable'],
    ['at the spending cap', new SpendingCapReached(), 'SVC_AI_MONTHLY_CAP'],
  ])('is refused %s, and changes nothing', async (_, failure, told) => {
    const { releaseId } = await propose({ candidateThreshold: 0.5 });
    const { config, db, clock, stopping, ai } = service.runtime();
    const silent = { ...ai, embed: () => Promise.reject(failure) };
    const by = {
      principal: { tenantId: DEV, principalId: proposer.principalId },
      visibility: { kind: 'tenant' },
    };
    await expect(
      evaluateRelease(
        { config, db, clock, stopping, ai: silent },
        { ...by, correlationId: 'cor', now: 0 } as never,
        releaseId,
      ),
    ).rejects.toMatchObject({ code: 'blocked_capability', message: expect.stringContaining(told) });
    await expect(
      evaluateRelease(
        { config, db, clock, stopping, ai: silent },
        { ...by, correlationId: 'cor', now: 0 } as never,
        'rel_missing',
      ),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect((await proposer.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`)).body.status).toBe('proposed');
  });

  test('ends when its time is over, and says what it did not look at', async () => {
    const { releaseId } = await propose(NO_EFFECT, { datasetSnapshotId: snapshot.datasetSnapshotId });
    const { config, clock, stopping, ai } = service.runtime();
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 30_000));
    const by = {
      principal: { tenantId: DEV, principalId: proposer.principalId },
      visibility: { kind: 'tenant' },
    };
    const { evaluation } = await evaluateRelease(
      { config, db: database.db, clock, stopping, ai },
      { ...by, correlationId: 'cor', now: clock() } as never,
      releaseId,
    ).finally(() => vi.restoreAllMocks());
    const { positiveExamples, counterexamples } = snapshot.heldOut;
    expect(evaluation).toMatchObject({
      overall: {
        ...{ labels: 0, skipped: { notReached: positiveExamples + counterexamples } },
        queue: { appear: 0, vanish: 0, unchanged: 0, isSample: true },
      },
      queueAssets: { examined: 0, total: expect.any(Number) },
    });
  });

  test('runs alone in its tenant', async () => {
    const { releaseId } = await propose({ candidateThreshold: 0.5 });
    await withTx(database.db, { tenantId: DEV, mode: 'read' }, async (other) => {
      expect(await beginEvaluation(other)).toBe(true);
      const refused = await take(proposer, releaseId, 'evaluate');
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Another evaluation')]);
    });
    await taken(proposer, releaseId, 'evaluate');
  });

  test('again, after an approval, voids the approval', async () => {
    const releaseId = await approved({ candidateThreshold: 0.45 });
    expect(await taken(proposer, releaseId, 'evaluate')).toMatchObject({
      status: 'evaluated',
      decidedBy: null,
    });
    expect((await take(approver, releaseId, 'promote')).status).toBe(409);
  });
});

describe('separation of duties', () => {
  test.each(['approve', 'reject'] as const)('the proposer cannot %s, and that is audited', async (step) => {
    const { releaseId } = await propose({ candidateThreshold: 0.5 });
    await taken(proposer, releaseId, 'evaluate');
    expect(await take(proposer, releaseId, step)).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('Separation of duties') },
    });
    expect((await auditOf(releaseId)).at(-1)).toMatchObject({
      type: 'release_self_approval_refused',
      principalId: proposer.principalId,
      details: { decision: step },
    });
    expect(await taken(approver, releaseId, step)).toMatchObject({ decidedBy: approver.principalId });
  });

  test('holds however many ask at once', async () => {
    for (let round = 0; round < (NIGHTLY ? 5 : 2); round++) {
      const { releaseId } = await propose({ candidateThreshold: 0.5 });
      await taken(proposer, releaseId, 'evaluate');
      const callers = [proposer, approver, proposer, approver, proposer];
      const answers = await Promise.all(
        callers.map(async (who, n) => ({
          who,
          status: (await take(who, releaseId, n % 3 === 2 ? 'reject' : 'approve')).status,
        })),
      );
      for (const { who, status } of answers) if (who === proposer) expect(status).toBe(409);
      const { body } = await proposer.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`);
      expect(body.decidedBy).toBe(approver.principalId);
      expect(body.history.filter(({ trigger }) => trigger === 'approve')).toMatchObject([
        { principalId: approver.principalId },
      ]);
    }
  });

  test('is a constraint of the database too', async () => {
    const { releaseId } = await propose({ candidateThreshold: 0.5 });
    await taken(proposer, releaseId, 'evaluate');
    const statement = sql`
      update model_releases set status = 'approved', decided_by = proposed_by where release_id = ${releaseId}`;
    await expect(database.inspect(statement)).rejects.toMatchObject({
      constraint: 'model_releases_two_people',
    });
  });
});

test('an evaluation counts the signals that stand after suppressions', async () => {
  const asked = async () => {
    const rows = await database.inspect<{ id: string; confidence: number }>(sql`
      select candidate_id as id, confidence from candidates
       where tenant_id = 'dev' and status = 'pending' and band <> 'routed'`);
    return new Map(rows.map(({ id, confidence }) => [id, confidence]));
  };
  const before = await asked();
  const found = await database.inspect<{ scopeId: string; detectorId: string }>(sql`
    select distinct a.scope_id as "scopeId", unnest(f.signal_kinds) as "detectorId"
      from asset_features f join assets a using (tenant_id, asset_id) where tenant_id = 'dev'`);
  const rules = '/api/governance/suppressions';
  const expiresAt = new Date(service.clock.now() + 86_400_000).toISOString();
  const suppressionIds: string[] = [];
  for (const each of found) {
    const rule = { kind: 'detector_in_scope', ...each, reason: 'Samples', expiresAt };
    const made = await proposer.post<{ suppression: { suppressionId: string } }>(rules, rule);
    suppressionIds.push(made.body.suppression.suppressionId);
  }
  for (const id of suppressionIds)
    expect((await approver.post(`${rules}/${id}/approve`, {})).status).toBe(200);
  await service.drain();
  const after = await asked();
  const changed = [...before].find(([id, confidence]) => (after.get(id) ?? 0) < confidence);
  const [id = '', confidence = 0] = changed ?? expect.unreachable('No candidate rested on a signal.');
  // Between the confidence with the signals and that without them.
  const candidateThreshold = (confidence + (after.get(id) ?? 0)) / 2;
  // What stays is then in the band that it was in.
  const reviewHighThreshold = Math.max(FIRST.reviewHighThreshold, candidateThreshold);
  const { releaseId } = await propose({ candidateThreshold, reviewHighThreshold });
  const { unchanged } = (await taken(proposer, releaseId, 'evaluate')).evaluation?.overall.queue ?? {};
  const above = [...after.values()].filter((each) => each >= candidateThreshold).length;
  // The only question about an asset stays at the threshold after one refusal of a near-copy.
  const [{ kept } = { kept: 0 }] = await database.inspect<{ kept: number }>(sql`
    select count(*)::int as kept from candidates k join inferences i using (tenant_id, inference_id)
     where k.tenant_id = 'dev' and k.status = 'pending' and k.confidence < ${candidateThreshold}
       and i.contributions @> '[{"name": "confirmed_near_copies", "evidence": {"refused": 1}}]'`);
  expect(unchanged).toBeGreaterThanOrEqual(above);
  expect(unchanged).toBeLessThanOrEqual(above + kept);
  for (const id of suppressionIds) await approver.post(`${rules}/${id}/revoke`, {});
  await service.drain();
});

describe('a decision', () => {
  test('on another revision than the one that was read is refused', async () => {
    const { releaseId } = await propose({ candidateThreshold: 0.5 });
    await taken(proposer, releaseId, 'evaluate');
    expect((await take(approver, releaseId, 'approve', { revision: 0 })).status).toBe(409);
    const decided = await taken(approver, releaseId, 'approve', { revision: 1, note: 'Fewer questions' });
    expect(decided.history[0]).toMatchObject({ trigger: 'approve', note: 'Fewer questions', revision: 2 });
    expect(JSON.stringify(await auditOf(releaseId))).not.toContain('Fewer');
  });
});

test('a promotion that is refused does not ask the AI provider', async () => {
  const embed = vi.spyOn(service.runtime().ai, 'embed');
  const { releaseId } = await propose({ candidateThreshold: 0.5 });
  expect((await take(approver, releaseId, 'promote')).status).toBe(409);
  expect((await take(approver, 'rel_none', 'promote')).status).toBe(404);
  expect(embed).not.toHaveBeenCalled();
  embed.mockRestore();
});

describe('a promotion', () => {
  let releaseId: string;
  let before: number[];
  const waiting = async () => {
    const rows = await database.inspect<{ confidence: number }>(sql`
      select confidence from candidates where tenant_id = 'dev' and status = 'pending' and band <> 'routed'`);
    return rows.map(({ confidence }) => confidence);
  };

  test('makes a new version, rescores all assets, and shows the progress', async () => {
    before = await waiting();
    releaseId = await approved(STRICT);
    const promoted = await taken(approver, releaseId, 'promote');
    expect(promoted).toMatchObject({
      status: 'promoted',
      promotedVersion: 2,
      rescore: { kind: 'rescore', status: 'pending' },
    });
    expect(promoted.rescore?.workUnits.pending).toBeGreaterThan(20);
    expect(await inForce()).toMatchObject({
      ...FIRST,
      ...STRICT,
      version: 2,
      cause: 'promotion',
      releaseId,
    });
    await service.drain();
    const { body } = await proposer.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`);
    expect(body.rescore).toMatchObject({ status: 'completed', workUnits: { pending: 0, dead: 0 } });
  });

  test('changes the queue as the evaluation said', async () => {
    const after = await waiting();
    expect(after.every((confidence) => confidence >= STRICT.candidateThreshold)).toBe(true);
    const { body } = await proposer.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`);
    const { appear = 0, vanish = 0 } = body.evaluation?.overall.queue ?? {};
    expect(vanish).toBeGreaterThan(0);
    expect(after.length).toBe(before.length + appear - vanish);
  });

  test('is refused while a rescore is active, and changes nothing then', async () => {
    const next = await approved({ candidateThreshold: 0.6 });
    expect((await approver.post('/api/models/rescore', {})).status).toBe(200);
    expect(await take(approver, next, 'promote')).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await inForce()).toMatchObject({ ...STRICT, version: 3, cause: 'rescore' });
    await service.drain();
    // The values in force are those of the evaluation, although the version is another one.
    expect(await taken(approver, next, 'promote')).toMatchObject({ status: 'promoted', promotedVersion: 4 });
    const { body } = await proposer.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`);
    expect(body).toMatchObject({ status: 'superseded', history: [{ trigger: 'supersede' }, {}, {}, {}, {}] });
    await service.drain();
  });

  test('of what was evaluated against other values is refused', async () => {
    const stale = await approved({ nearDupConfirmedBoost: 0.1 });
    const first = await approved({ nearDupConfirmedBoost: 0.2 });
    await taken(approver, first, 'promote');
    await service.drain();
    expect(await take(approver, stale, 'promote')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Evaluate') },
    });
    await taken(proposer, stale, 'evaluate');
    await taken(approver, stale, 'approve');
    const { thresholds } = await taken(approver, stale, 'promote');
    expect(thresholds).toMatchObject({ candidateThreshold: 0.6, nearDupConfirmedBoost: 0.1 });
    await service.drain();
  });

  test('of two releases at once puts one in force', async () => {
    const both = [
      await approved({ exactDupConfirmedBoost: 0.5 }),
      await approved({ exactDupConfirmedBoost: 0.7 }),
    ];
    const answers = await Promise.all(both.map((id) => take(approver, id, 'promote')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { items } = (await proposer.get<List<Release>>(GOVERNED)).body;
    expect(items.filter(({ status }) => status === 'promoted')).toHaveLength(1);
    await service.drain();
  });
});

describe('a rollback', () => {
  test('puts the former values in force as a new version, and keeps the history', async () => {
    const former = await inForce();
    const under = (await proposer.get<List<Release>>(GOVERNED)).body.items.find(
      ({ status }) => status === 'promoted',
    );
    const releaseId = await approved({ reviewHighThreshold: 0.9 });
    await taken(approver, releaseId, 'promote');
    expect((await take(approver, releaseId, 'rollback')).status).toBe(409);
    await service.drain();
    const rolledBack = await taken(approver, releaseId, 'rollback', { note: 'Worse' });
    expect(rolledBack).toMatchObject({
      status: 'rolled_back',
      history: [{ trigger: 'rollback', note: 'Worse' }, { trigger: 'promote' }, {}, {}, {}],
    });
    const versions = await ensembles();
    const [now, promoted, before] = versions;
    const { reviewHighThreshold } = former ?? expect.unreachable();
    expect(now).toMatchObject({ active: true, cause: 'rollback', releaseId, reviewHighThreshold });
    expect(promoted).toMatchObject({
      active: false,
      cause: 'promotion',
      releaseId,
      reviewHighThreshold: 0.9,
    });
    const valuesOf = ({
      candidateThreshold,
      nearDupConfirmedBoost,
      exactDupConfirmedBoost,
    }: EnsembleRelease) => [candidateThreshold, nearDupConfirmedBoost, exactDupConfirmedBoost];
    if (now === undefined || before === undefined) throw new Error('too few versions');
    expect(valuesOf(now)).toEqual(valuesOf(before));
    expect(before).toEqual({ ...former, active: false });
    await service.drain();
    // The release before it is in force again, and can be rolled back in turn.
    const { body } = await proposer.get<ReleaseDetail>(`${GOVERNED}/${under?.releaseId}`);
    expect(body).toMatchObject({
      status: 'promoted',
      history: [{ trigger: 'restore', note: '' }, { trigger: 'supersede' }, {}, {}, {}, {}],
    });
    expect(await taken(approver, body.releaseId, 'rollback')).toMatchObject({ status: 'rolled_back' });
    await service.drain();
    expect((await auditOf(releaseId)).map(({ type }) => type)).toEqual([
      'release_proposed',
      'release_evaluated',
      'release_approved',
      'release_promoted',
      'release_rolled_back',
    ]);
  });
});

describe('labels whose answers were reversed since the snapshot', () => {
  let owner: SignedIn;
  let releaseId: string;
  let evaluated: ReleaseDetail;
  type Held = { candidateId: string; assetId: string; isPositive: boolean };
  /** Labels of assets without another one, since one answer is about all labels of its asset. */
  let alone: Held[];

  const shown = async (who: SignedIn) => {
    const { body } = await who.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`);
    return body.evaluation?.overall ?? expect.unreachable('not evaluated');
  };
  const answer = async ({ candidateId, isPositive }: Held, trainingEligible = true) => {
    const body = { decision: isPositive ? 'mine' : 'not_a_match', trainingEligible };
    expect((await owner.post(`/api/review/candidates/${candidateId}/decision`, body)).status).toBe(200);
    service.clock.advance(1_000);
  };
  const held = () =>
    database.inspect<Held>(sql`
      select c.candidate_id as "candidateId", c.asset_id as "assetId", c.label = 'positive_example' as "isPositive"
        from dataset_snapshot_items i join dataset_candidates c using (tenant_id, dataset_candidate_id)
       where i.side = 'held_out' and i.snapshot_id = ${snapshot.datasetSnapshotId}
       order by c.dataset_candidate_id`);

  beforeAll(async () => {
    proposer = await service.signInAs(PERSONA.governanceAdmin);
    approver = await service.signInAs(PERSONA.secondGovernanceAdmin);
    owner = await service.signInAs(PERSONA.peopleOwner);
    ({ releaseId } = await propose(
      { candidateThreshold: 0.41, nearDupConfirmedBoost: 0.25 },
      { datasetSnapshotId: snapshot.datasetSnapshotId },
    ));
    evaluated = await taken(proposer, releaseId, 'evaluate');
    const all = await held();
    alone = all.filter(({ assetId }) => all.filter((each) => each.assetId === assetId).length === 1);
  });

  test('are counted where the approver reads the figures, and left out of a second one', async () => {
    expect(evaluated.evaluation?.overall).toMatchObject({
      revisedLabels: { training: 0, heldOut: 0 },
      withoutRevised: { labels: evaluated.evaluation?.overall.labels },
    });
    const [first, second, third] = alone.map((each) => ({ ...each, isPositive: !each.isPositive }));
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few labels');
    for (const each of [first, second, third]) await answer(each);
    const before = evaluated.evaluation?.overall;
    const now = await shown(approver);
    expect(now.revisedLabels).toEqual({ training: 0, heldOut: 3 });
    // The figures that were evaluated stay as they were.
    expect(now).toMatchObject({
      labels: before?.labels,
      current: before?.current,
      candidate: before?.candidate,
    });
    expect(now.withoutRevised?.labels).toBe(now.labels - 3);
    const { truePositives, falsePositives, trueNegatives, falseNegatives } =
      now.withoutRevised?.current ?? now.current;
    expect(truePositives + falseNegatives + falsePositives + trueNegatives).toBe(now.labels - 3);
    const reversedPositives = [first, second, third].filter(({ isPositive }) => !isPositive).length;
    expect(truePositives + falseNegatives).toBe(
      now.current.truePositives + now.current.falseNegatives - reversedPositives,
    );
    const { items } = (await approver.get<List<Release>>(GOVERNED)).body;
    expect(items.find((each) => each.releaseId === releaseId)?.evaluation).toEqual(now);
    const [listed] = (await proposer.get<List<Snapshot>>('/api/models/datasets')).body.items;
    expect(listed?.revisedLabels).toBe(3);
  });

  test('count again when their owner returns to the first answer', async () => {
    const [first] = alone;
    if (first === undefined) throw new Error('no label');
    await answer(first);
    expect((await shown(approver)).revisedLabels).toEqual({ training: 0, heldOut: 2 });
    // Without consent to learn from it, the same answer withdraws the label.
    await answer({ ...first, isPositive: !first.isPositive });
    await answer(first, false);
    expect((await shown(approver)).revisedLabels).toEqual({ training: 0, heldOut: 3 });
  });

  test('are told by the approval too, and only to readers of their domain', async () => {
    const approval = await taken(approver, releaseId, 'approve');
    expect(approval.evaluation?.overall.revisedLabels.heldOut).toBe(3);
    expect(await shown(approver)).toEqual(approval.evaluation?.overall);
    const other = await service.signInAs(PERSONA.financeOwner);
    expect((await shown(other)).revisedLabels.heldOut).toBe(0);
  });

  test('of another evaluation are the same, and it says so again', async () => {
    const before = await shown(approver);
    await taken(proposer, releaseId, 'evaluate');
    const { labels, revisedLabels, withoutRevised } = await shown(approver);
    expect([labels, revisedLabels, withoutRevised?.labels]).toEqual([
      ...[before.labels, before.revisedLabels, before.labels - 3],
    ]);
  });

  test('are not known to an evaluation of a former release', async () => {
    await database.inspect(
      sql`update model_releases set evaluation = evaluation - 'judged' where release_id = ${releaseId}`,
    );
    expect(await shown(approver)).toMatchObject({ revisedLabels: { heldOut: 3 }, withoutRevised: null });
  });

  test('leave nothing to evaluate on if they are all of them', async () => {
    for (const each of await held()) await answer({ ...each, isPositive: !each.isPositive });
    expect(
      await proposer.post(`${RELEASES}/propose`, {
        ...{ configPatch: { candidateThreshold: 0.45 }, datasetSnapshotId: snapshot.datasetSnapshotId },
      }),
    ).toMatchObject({
      status: 400,
      body: {
        issues: [
          { path: 'datasetSnapshotId', message: expect.stringContaining('No label is left to evaluate') },
        ],
      },
    });
  });
});
