import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { allowRewriting } from '../support/append-only.ts';
import { CANARY } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  candidatePath,
  decide,
  decided,
  detailOf,
  EXCERPTS,
  payroll,
  queueOf,
  reviewIn,
  said,
} from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DAY = 24 * 60 * 60 * 1000;

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let people: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

describe('a decision', () => {
  test.each([
    ['mine', {}, 'confirmed', 'belongs_to', 'ift_invoices'],
    ['mine_not_sensitive', {}, 'confirmed', 'belongs_not_sensitive', 'ift_invoices'],
    ['not_a_match', {}, 'rejected', 'does_not_belong_to', 'ift_invoices'],
    ['need_more_evidence', {}, 'deferred', 'needs_more_evidence', 'ift_invoices'],
    [
      'mine_different_type',
      { correctedInformationTypeId: 'ift_tax_papers' },
      'confirmed',
      'belongs_to',
      'ift_tax_papers',
    ],
    ['another_domain', { routedDomainId: 'dom_legal' }, 'routed', 'does_not_belong_to', null],
  ])('%s', async (decision, more, status, statement, informationTypeId) => {
    const { assetId, candidateId } = await review.ask();
    const inferences = await review.rows('inferences', assetId);
    const [inferred] = (await detailOf(finance, candidateId)).provenance.items;
    const body = { decision, ...more, note: `${CANARY} said so`, trainingEligible: true };
    const answer = await decided(finance, candidateId, body);
    expect(answer).toEqual({
      candidateId,
      decision,
      status,
      revision: 1,
      assertionId: expect.stringMatching(/^asn_/),
    });

    expect((await review.rows('decisions', assetId))[0]).toMatchObject({
      decision,
      note: `${CANARY} said so`,
      training_eligible: true,
      principal_id: PERSONA.financeOwner,
    });
    const [first, second] = await review.rows('assertions', assetId);
    expect(first).toMatchObject({ assertion_id: inferred?.assertionId, kind: 'inferred' });
    expect(second).toMatchObject({
      assertion_id: answer.assertionId,
      kind: 'human',
      statement,
      domain_id: 'dom_finance',
      information_type_id: informationTypeId,
      answers_assertion_id: inferred?.assertionId,
    });
    const read = await finance.get(candidatePath(candidateId));
    expect(read.body).toMatchObject({
      status,
      revision: 1,
      informationTypeId: 'ift_invoices',
      decisions: { items: [{ decision, note: `${CANARY} said so`, trainingEligible: true }] },
      provenance: { items: [inferred, { assertionId: answer.assertionId, decision }] },
    });
    expect(await review.rows('inferences', assetId)).toEqual(inferences);
    expect((await queueOf(finance)).map((row) => row.candidateId)).not.toContain(candidateId);

    const events = await review.audited(candidateId);
    expect(events).toMatchObject([
      { type: 'candidate_decided', principalId: PERSONA.financeOwner, target: { id: candidateId } },
    ]);
    expect(events[0].details).toEqual({
      decision,
      decisionId: expect.stringMatching(/^dec_/),
      assetId,
      domainId: 'dom_finance',
      routedDomainId: 'routedDomainId' in body ? body.routedDomainId : null,
      correctedInformationTypeId:
        'correctedInformationTypeId' in body ? body.correctedInformationTypeId : null,
      answered: 1,
    });
    expect(JSON.stringify(events)).not.toContain(CANARY);
  });

  test('that corrects the type is what the asset shows from then on', async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_tax_papers',
    });
    const { body } = await finance.get<{ classifications: object[] }>(`/api/assets/${assetId}`);
    expect(body.classifications).toMatchObject([
      {
        informationTypeId: 'ift_tax_papers',
        confidence: null,
        status: 'confirmed',
        decision: 'mine_different_type',
      },
    ]);
    const list = async (type: string) =>
      (
        await finance.get<{ items: { assetId: string }[] }>(
          `/api/assets?q=${assetId}&informationTypeId=${type}`,
        )
      ).body.items.length;
    expect([await list('ift_tax_papers'), await list('ift_invoices')]).toEqual([1, 0]);
  });

  test('may name a type of another own domain, not a foreign one, a draft or the same', async () => {
    const refused = async (caller: SignedIn, candidateId: string, correctedInformationTypeId: string) => {
      const body = { decision: 'mine_different_type', correctedInformationTypeId };
      const answer = await decide(caller, candidateId, body);
      expect([answer.status, answer.body], correctedInformationTypeId).toMatchObject([
        400,
        { error: 'validation_failed', issues: [{ path: 'correctedInformationTypeId' }] },
      ]);
    };
    const { assetId, candidateId } = await review.ask(payroll());
    await database.inspect(
      sql`update information_types set status = 'draft' where information_type_id = 'ift_personnel_files' and tenant_id = ${DEV}`,
    );
    for (const type of ['ift_payroll', 'ift_invoices', 'ift_personnel_files', 'ift_unknown'])
      await refused(people, candidateId, type);
    expect(await review.rows('decisions', assetId)).toEqual([]);
    await decided(people, candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_accidents',
    });
    expect((await review.rows('assertions', assetId)).at(-1)).toMatchObject({
      domain_id: 'dom_health_and_safety',
      information_type_id: 'ift_accidents',
    });
  });

  test('goes to another approved domain only', async () => {
    const { assetId, candidateId } = await review.ask();
    await database.inspect(
      sql`insert into domains (tenant_id, domain_id, name, created_at, updated_at) values (${DEV}, 'dom_draft', 'Draft', now(), now())`,
    );
    for (const routedDomainId of ['dom_finance', 'dom_draft', 'dom_unknown']) {
      const { status, body } = await decide(finance, candidateId, {
        decision: 'another_domain',
        routedDomainId,
      });
      expect([status, body]).toMatchObject([400, { issues: [{ path: 'routedDomainId' }] }]);
    }
    expect(await review.rows('decisions', assetId)).toEqual([]);
  });

  test('that is not well formed is refused', async () => {
    const { assetId, candidateId } = await review.ask();
    for (const body of [
      {},
      { decision: 'yours' },
      { decision: 'mine', routedDomainId: 'dom_legal' },
      { decision: 'mine', correctedInformationTypeId: 'ift_tax_papers' },
      { decision: 'mine_different_type' },
      { decision: 'another_domain' },
      { decision: 'mine', note: 'x'.repeat(2_001) },
      { decision: 'mine', revision: 0.5 },
      { decision: 'mine', principalId: PERSONA.legalOwner },
    ])
      expect((await decide(finance, candidateId, body)).status, JSON.stringify(body)).toBe(400);
    expect(await review.rows('decisions', assetId)).toEqual([]);
    expect(await review.audited(candidateId)).toEqual([]);
  });

  test('said again by the same person changes nothing and gets the same answer', async () => {
    for (const body of [{ decision: 'mine' }, { decision: 'another_domain', routedDomainId: 'dom_legal' }]) {
      const { assetId, candidateId } = await review.ask();
      const first = await decided(finance, candidateId, { ...body, revision: 0 });
      expect(await decided(finance, candidateId, { ...body, revision: 0 })).toEqual(first);
      expect(await decided(finance, candidateId, body)).toEqual(first);
      expect(await review.rows('decisions', assetId)).toHaveLength(1);
      expect(await review.audited(candidateId)).toHaveLength(1);
    }
  });

  test('may be revised; every one stays, each answering the inference', async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, { decision: 'mine' });
    const revised = await decided(finance, candidateId, { decision: 'not_a_match', revision: 1 });
    expect(revised).toMatchObject({ status: 'rejected', revision: 2 });
    const third = await decided(finance, candidateId, { decision: 'mine' });
    expect(third).toMatchObject({ status: 'confirmed', revision: 3 });
    expect(await review.rows('decisions', assetId)).toMatchObject([
      { revision: 1 },
      { revision: 2 },
      { revision: 3 },
    ]);
    const { provenance } = await detailOf(finance, candidateId);
    const [inferred, ...human] = provenance.items;
    expect(human.map(({ answersAssertionId }) => answersAssertionId)).toEqual(
      Array.from({ length: 3 }, () => inferred?.assertionId),
    );
  });

  test('may not be revised by who saw an earlier revision, once withdrawn, after 30 days', async () => {
    const conflict = async (candidateId: string, body: object) => {
      const answer = await decide(finance, candidateId, body);
      expect([answer.status, answer.body]).toMatchObject([409, { error: 'conflict' }]);
    };
    const stale = await review.ask();
    await decided(finance, stale.candidateId, { decision: 'mine' });
    await conflict(stale.candidateId, { decision: 'not_a_match', revision: 0 });

    const withdrawn = await review.ask();
    await review.inferAgain(withdrawn.assetId, 'second', []);
    await conflict(withdrawn.candidateId, { decision: 'mine' });

    const old = await review.ask();
    await decided(finance, old.candidateId, { decision: 'mine' });
    await allowRewriting(database, 'decisions');
    await database.inspect(
      sql`update decisions set created_at = ${new Date(Date.now() - 31 * DAY)} where asset_id = ${old.assetId}`,
    );
    await conflict(old.candidateId, { decision: 'not_a_match' });
    expect((await detailOf(finance, old.candidateId)).revision).toBe(1);
  });

  test('of two owners at once is one decision; the other is told', async () => {
    const assignment = sql`
      insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
      values (${DEV}, 'own_test', ${PERSONA.legalOwner}, 'dom_finance', 'delegate', now())`;
    await database.inspect(assignment);
    const delegate = await service.signInAs(PERSONA.legalOwner);
    for (let round = 0; round < 5; round++) {
      const { assetId, candidateId } = await review.ask();
      const answers = await Promise.all([
        decide(finance, candidateId, { decision: 'mine', revision: 0 }),
        decide(delegate, candidateId, { decision: round % 2 === 0 ? 'not_a_match' : 'mine', revision: 0 }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await review.rows('decisions', assetId)).toHaveLength(1);
      expect(await review.rows('assertions', assetId)).toHaveLength(2);
      expect(await review.audited(candidateId)).toHaveLength(1);
    }
    await database.inspect(
      sql`update owner_assignments set ended_at = now() where assignment_id = 'own_test'`,
    );
    const { candidateId } = await review.ask();
    expect((await decide(delegate, candidateId, { decision: 'mine' })).status).toBe(404);
  });

  test('of the same person many times at once is one', async () => {
    const { assetId, candidateId } = await review.ask();
    const body = { decision: 'another_domain', routedDomainId: 'dom_human_resources' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => decide(finance, candidateId, body)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await review.rows('decisions', assetId)).toHaveLength(1);
    expect((await queueOf(people)).filter((row) => row.assetId === assetId)).toHaveLength(1);
  });
});

describe('routing', () => {
  const route = (caller: SignedIn, candidateId: string, routedDomainId: string, note?: string) =>
    decided(caller, candidateId, { decision: 'another_domain', routedDomainId, ...(note && { note }) });

  test('hands the asset over, with what was said, to owners who did not see it before', async () => {
    const { assetId, candidateId } = await review.ask();
    expect((await people.get(`/api/assets/${assetId}`)).status).toBe(404);
    const { assertionId } = await route(finance, candidateId, 'dom_human_resources', 'Salaries, I think');
    expect((await finance.get(`/api/assets/${assetId}`)).status).toBe(404);
    expect((await people.get(`/api/assets/${assetId}`)).status).toBe(200);
    const routed = await detailOf(people, await review.candidateOf(assetId, 'dom_human_resources'));
    expect(routed).toMatchObject({
      informationTypeId: null,
      confidence: null,
      band: 'routed',
      status: 'pending',
      inference: null,
      excerpts: EXCERPTS,
    });
    expect(routed.decisions.items).toMatchObject([{ decision: 'another_domain', note: 'Salaries, I think' }]);
    expect(routed.provenance.items).toMatchObject([
      { assertionId, statement: 'does_not_belong_to', domainId: 'dom_finance' },
    ]);
    expect((await finance.get(candidatePath(candidateId))).body).toMatchObject({ excerpts: [] });

    const answer = await decided(people, routed.candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_payroll',
    });
    expect((await review.rows('assertions', assetId)).at(-1)).toMatchObject({
      assertion_id: answer.assertionId,
      domain_id: 'dom_human_resources',
      information_type_id: 'ift_payroll',
      answers_assertion_id: assertionId,
    });
  });

  test('back and forth asks again each time; an answer that was given stands', async () => {
    const { assetId, candidateId } = await review.ask();
    await route(finance, candidateId, 'dom_human_resources');
    const there = await review.candidateOf(assetId, 'dom_human_resources');
    await route(people, there, 'dom_finance');
    const back = (await queueOf(finance)).find((row) => row.assetId === assetId && row.band === 'routed');
    await route(finance, back?.candidateId ?? '', 'dom_human_resources');
    expect(await detailOf(people, there)).toMatchObject({ status: 'pending', revision: 2 });
    await decided(people, there, { decision: 'mine' });

    await review.inferAgain(assetId, 'second', [said('dom_finance', 'ift_bank_accounts')]);
    const further = (await queueOf(finance)).find((row) => row.assetId === assetId);
    await route(finance, further?.candidateId ?? '', 'dom_human_resources');
    expect(await detailOf(people, there)).toMatchObject({ status: 'confirmed', revision: 3 });
  });
});
