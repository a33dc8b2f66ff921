import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { DatasetCandidate } from '../../core/models/dataset-candidates.sql.ts';
import { CANARY } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, payroll, reviewIn, said } from '../support/review.ts';
import { inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let people: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  governance = await service.signInAs(PERSONA.governanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type List = { items: DatasetCandidate[]; truncated: boolean };

const PATH = '/api/models/dataset-candidates';
const listed = async (assetId: string, status?: string) => {
  const { status: code, body } = await governance.get<List>(
    `${PATH}${status === undefined ? '' : `?status=${status}`}`,
  );
  expect(code).toBe(200);
  return body.items.filter((item) => item.assetId === assetId);
};
const curate = (who: SignedIn, id: string | undefined, decision: string) =>
  who.post<DatasetCandidate & { error: string }>(`${PATH}/${id}/decide`, { decision });

const labelsOf = async (assetId: string) =>
  (await listed(assetId)).map((each) => [each.informationTypeId, each.label, each.confidence]).sort();
const TO_TAX = { decision: 'mine_different_type', correctedInformationTypeId: 'ift_tax_papers' };

/** Asks about a new asset and answers, eligible for training. */
async function answer(body: object) {
  const asked = await review.ask();
  await decided(finance, asked.candidateId, { trainingEligible: true, ...body });
  return asked;
}

describe('a decision', () => {
  test.each([
    ['mine', {}, 'positive_example', 'ift_invoices', 0.9],
    ['mine_not_sensitive', {}, 'positive_example', 'ift_invoices', 0.9],
    ['not_a_match', {}, 'counterexample', 'ift_invoices', 0.9],
  ])(
    '%s becomes a label with the confidence of the model',
    async (decision, more, label, type, confidence) => {
      const { assetId, candidateId } = await answer({ decision, ...more });
      const [decisionRow] = (await review.rows('decisions', assetId)) as { decision_id: string }[];
      expect(await listed(assetId)).toEqual([
        {
          datasetCandidateId: expect.stringMatching(/^dsc_/),
          status: 'pending',
          label,
          assetId,
          assetName: expect.stringContaining(assetId),
          domainId: 'dom_finance',
          informationTypeId: type,
          decisionId: decisionRow?.decision_id,
          decision,
          confidence,
          ensembleVersion: 1,
          isAboutPresentContent: true,
          curatedBy: null,
          curatedAt: null,
          snapshotIds: [],
          revisedAt: null,
          createdAt: expect.any(String),
        },
      ]);
      expect(candidateId).toMatch(/^cnd_/);
    },
  );

  test('that corrects the type is a label for the named and one against the asked type', async () => {
    const { assetId, candidateId } = await answer(TO_TAX);
    expect(await labelsOf(assetId)).toEqual([
      ['ift_invoices', 'counterexample', 0.9],
      ['ift_tax_papers', 'positive_example', null],
    ]);
    const [first, second] = await listed(assetId);
    expect(first?.decisionId).toBe(second?.decisionId);
    await decided(finance, candidateId, { decision: 'need_more_evidence' });
    expect(await listed(assetId)).toEqual([]);
  });

  test('that corrects to one type of several is against the others', async () => {
    const { assetId, candidateId } = await review.ask();
    await review.inferAgain(assetId, 'second', [
      said('dom_finance', 'ift_invoices', 0.8),
      said('dom_finance', 'ift_tax_papers', 0.7),
      said('dom_finance', 'ift_bank_accounts', 0.6),
    ]);
    await decided(finance, candidateId, { ...TO_TAX, trainingEligible: true });
    expect(await labelsOf(assetId)).toEqual([
      ['ift_bank_accounts', 'counterexample', 0.6],
      ['ift_invoices', 'counterexample', 0.8],
      ['ift_tax_papers', 'positive_example', 0.7],
    ]);
  });

  test.each([
    ['another_domain', { routedDomainId: 'dom_legal' }],
    ['need_more_evidence', {}],
    ['mine', { trainingEligible: false }],
    ['not_a_match', { trainingEligible: false }],
  ])('%s %o becomes none', async (decision, more) => {
    const { assetId } = await answer({ decision, ...more });
    expect(await listed(assetId)).toEqual([]);
  });

  test('without the word of its owner that it may is not for training', async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, { decision: 'mine' });
    expect(await listed(assetId)).toEqual([]);
  });

  test('about a question of several types becomes a label of each', async () => {
    const { assetId, candidateId } = await review.ask();
    await review.inferAgain(assetId, 'second', [
      said('dom_finance', 'ift_invoices', 0.8),
      said('dom_finance', 'ift_bank_accounts', 0.6),
    ]);
    await decided(finance, candidateId, { decision: 'not_a_match', trainingEligible: true });
    expect(await labelsOf(assetId)).toEqual([
      ['ift_bank_accounts', 'counterexample', 0.6],
      ['ift_invoices', 'counterexample', 0.8],
    ]);
  });

  test('of an asset that was routed here without a type becomes none', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await decided(people, candidateId, { decision: 'another_domain', routedDomainId: 'dom_finance' });
    const routed = await review.candidateOf(assetId, 'dom_finance');
    await decided(finance, routed, { decision: 'mine', trainingEligible: true });
    expect(await listed(assetId)).toEqual([]);
  });

  test('that is refused leaves no label', async () => {
    const { assetId, candidateId } = await review.ask();
    const body = { decision: 'mine', trainingEligible: true, revision: 99 };
    expect((await finance.post(`/api/review/candidates/${candidateId}/decision`, body)).status).toBe(409);
    expect(await listed(assetId)).toEqual([]);
  });
});

describe('a revised decision', () => {
  test.each([
    ['by the opposite, which takes its place', { decision: 'not_a_match' }, ['counterexample']],
    ['by one that teaches nothing', { decision: 'need_more_evidence' }, []],
    ['by one that is not for training', { decision: 'mine', trainingEligible: false }, []],
  ])('withdraws its label: %s', async (_, body, expected) => {
    const { assetId, candidateId } = await answer({ decision: 'mine', note: 'first' });
    const [first] = await listed(assetId);
    await curate(governance, first?.datasetCandidateId, 'approved');
    await decided(finance, candidateId, { trainingEligible: true, ...body });
    const after = await listed(assetId);
    expect(after.map(({ label }) => label)).toEqual(expected);
    expect(after.map(({ datasetCandidateId }) => datasetCandidateId)).not.toContain(
      first?.datasetCandidateId,
    );
    // A withdrawn label can no longer be curated.
    expect((await curate(governance, first?.datasetCandidateId, 'approved')).status).toBe(404);
  });

  test('of a correction withdraws its labels', async () => {
    const { assetId, candidateId } = await answer(TO_TAX);
    await decided(finance, candidateId, { decision: 'mine', trainingEligible: true });
    expect(await labelsOf(assetId)).toEqual([['ift_invoices', 'positive_example', 0.9]]);
  });

  test('that a correction overrules loses its label', async () => {
    const { assetId, candidateId } = await answer(TO_TAX);
    const named = await review.candidateOf(assetId, 'dom_finance', 'ift_tax_papers');
    const toBank = { decision: 'mine_different_type', correctedInformationTypeId: 'ift_bank_accounts' };
    await decided(finance, named, { trainingEligible: true, ...toBank });
    expect(await labelsOf(assetId)).toEqual([
      ['ift_bank_accounts', 'positive_example', null],
      ['ift_invoices', 'counterexample', 0.9],
      ['ift_tax_papers', 'counterexample', null],
    ]);
    await decided(finance, candidateId, { trainingEligible: true, ...TO_TAX, note: 'really' });
    expect(await labelsOf(assetId)).toEqual([
      ['ift_invoices', 'counterexample', 0.9],
      ['ift_tax_papers', 'positive_example', null],
    ]);
  });

  test('that stands again after another domain took its answer back gets its labels back', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    const correction = { decision: 'mine_different_type', correctedInformationTypeId: 'ift_accidents' };
    await decided(people, candidateId, { trainingEligible: true, ...correction });
    const labels = await listed(assetId);
    expect(labels).toHaveLength(2);
    const named = await review.candidateOf(assetId, 'dom_health_and_safety', 'ift_accidents');
    await decided(people, named, { decision: 'not_a_match', trainingEligible: true });
    // What the correction said of both types does not stand: its question waits again.
    expect(await labelsOf(assetId)).toEqual([['ift_accidents', 'counterexample', null]]);
    await decided(people, named, { decision: 'need_more_evidence' });
    expect(await listed(assetId)).toEqual(labels);
  });

  test('said again by the same person keeps its label', async () => {
    const { assetId, candidateId } = await answer({ decision: 'mine' });
    const before = await listed(assetId);
    await decided(finance, candidateId, { decision: 'mine', trainingEligible: true });
    expect(await listed(assetId)).toEqual(before);
  });
});

describe('curation', () => {
  test('approves or rejects a pending label once, and is audited', async () => {
    for (const decision of ['approved', 'rejected'] as const) {
      const { assetId } = await answer({ decision: 'mine' });
      const id = (await listed(assetId, 'pending'))[0]?.datasetCandidateId;
      const { status, body } = await curate(governance, id, decision);
      expect([status, body]).toMatchObject([
        200,
        { datasetCandidateId: id, status: decision, curatedBy: PERSONA.governanceAdmin },
      ]);
      expect(await listed(assetId, decision)).toEqual([body]);
      expect(await listed(assetId, 'pending')).toEqual([]);
      for (const again of ['approved', 'rejected'])
        expect(await curate(governance, id, again)).toMatchObject({
          status: 409,
          body: { error: 'conflict' },
        });
      const events = await database.inspect<{ record: string }>(
        sql`select record from audit_events where category = 'model' and record like ${`%${id}%`}`,
      );
      expect(events.map(({ record }) => JSON.parse(record).event)).toMatchObject([
        {
          type: 'dataset_candidate_decided',
          principalId: PERSONA.governanceAdmin,
          target: { kind: 'dataset_candidate', id },
          details: { decision, label: 'positive_example', informationTypeId: 'ift_invoices' },
        },
      ]);
      expect(JSON.stringify(events)).not.toContain(CANARY);
    }
  });

  test('of many at once is taken once', async () => {
    const { assetId } = await answer({ decision: 'mine' });
    const id = (await listed(assetId))[0]?.datasetCandidateId;
    const answers = await Promise.all(
      ['approved', 'rejected', 'approved', 'rejected'].map((decision) => curate(governance, id, decision)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('is refused to others, for unknown labels and for other words', async () => {
    const { assetId } = await answer({ decision: 'mine' });
    const id = (await listed(assetId))[0]?.datasetCandidateId;
    for (const persona of [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.auditor]) {
      const who = await service.signInAs(persona);
      expect((await who.get(PATH)).status, persona).toBe(403);
      expect((await curate(who, id, 'approved')).status, persona).toBe(403);
    }
    const foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
    expect((await curate(foreign, id, 'approved')).status).toBe(404);
    expect((await foreign.get<List>(PATH)).body.items).toEqual([]);
    expect((await curate(governance, 'dsc_unknown', 'approved')).status).toBe(404);
    for (const decision of ['pending', 'yes', ''])
      expect((await curate(governance, id, decision)).status).toBe(400);
    expect((await governance.get(`${PATH}?status=withdrawn`)).status).toBe(400);
  });
});
