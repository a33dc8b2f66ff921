import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { allowRewriting } from '../support/append-only.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  candidatePath,
  decide,
  decided,
  detailOf,
  invoices,
  payroll,
  queueOf,
  reviewIn,
  said,
} from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const DAY = 24 * 60 * 60 * 1000;
const SAFETY = 'dom_health_and_safety';
const PEOPLE = 'dom_human_resources';

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
/** Owns people and safety; the delegate answers for safety too. */
let people: SignedIn;
let delegate: SignedIn;
let legal: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  delegate = await service.signInAs('pri_agnes_lindqvist');
  legal = await service.signInAs(PERSONA.legalOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const sees = async (who: SignedIn, assetId: string) =>
  (await who.get(`/api/assets/${assetId}`)).status === 200;
const readStatus = async (who: SignedIn, candidateId: string) =>
  (await who.get(candidatePath(candidateId))).status;
const statusOf = async (candidateId: string) => {
  const [row] = await database.inspect<{ status: string }>(
    sql`select status from candidates where candidate_id = ${candidateId}`,
  );
  return row?.status;
};
const classified = async (who: SignedIn, assetId: string) => {
  type Classification = { domainId: string; informationTypeId: string; decision: string | null };
  const { body } = await who.get<{ classifications: Classification[] }>(`/api/assets/${assetId}`);
  return body.classifications.map((each) => [each.domainId, each.informationTypeId, each.decision]);
};
const listed = async (who: SignedIn, assetId: string, informationTypeId: string) => {
  const query = `/api/assets?q=${assetId}&informationTypeId=${informationTypeId}`;
  return (await who.get<{ items: object[] }>(query)).body.items.length;
};

describe('a correction', () => {
  const accidents = { decision: 'mine_different_type', correctedInformationTypeId: 'ift_accidents' };

  test('a type of another domain ties the asset to it, for its owners to revise', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await review.inferAgain(assetId, 'second', [payroll(), said(SAFETY, 'ift_accidents', 0.6)]);
    const asked = await review.candidateOf(assetId, SAFETY);
    const { assertionId } = await decided(people, candidateId, accidents);

    expect(await sees(delegate, assetId)).toBe(true);
    const confirmed = await detailOf(delegate, asked);
    expect(confirmed).toMatchObject({ status: 'confirmed', revision: 1 });
    expect(confirmed.decisions.items).toMatchObject([{ decision: 'mine_different_type' }]);
    expect(confirmed.provenance.items).toContainEqual(expect.objectContaining({ assertionId }));
    for (const who of [people, delegate])
      expect(await classified(who, assetId)).toEqual([[SAFETY, 'ift_accidents', 'mine_different_type']]);
    expect([
      await listed(delegate, assetId, 'ift_accidents'),
      await listed(people, assetId, 'ift_payroll'),
    ]).toEqual([1, 0]);
    await review.inferAgain(assetId, 'third', [payroll(), said(SAFETY, 'ift_accidents', 0.8)]);
    expect(await detailOf(delegate, asked)).toMatchObject({ status: 'confirmed', revision: 1 });

    expect((await decide(people, asked, accidents)).status).toBe(400);
    expect((await decide(delegate, asked, { decision: 'mine', revision: 0 })).status).toBe(409);
    const mine = await decided(delegate, asked, { decision: 'mine', revision: 1 });
    expect(mine).toMatchObject({ status: 'confirmed', revision: 2 });
    expect(await decided(delegate, asked, { decision: 'mine', revision: 1 })).toEqual(mine);
    // What its own owner said is not the corrector's to take back.
    await decided(people, candidateId, { decision: 'mine' });
    expect(await detailOf(delegate, asked)).toMatchObject({ status: 'confirmed', revision: 2 });
  });

  test.each([
    ['that the model supports is asked again', true],
    ['that only the correction named is withdrawn', false],
  ])('that is revised: what it confirmed and %s', async (_, supported) => {
    const { assetId, candidateId } = await review.ask(payroll());
    if (supported)
      await review.inferAgain(assetId, 'second', [payroll(), said(SAFETY, 'ift_accidents', 0.6)]);
    await decided(people, candidateId, accidents);
    const named = await review.candidateOf(assetId, SAFETY);
    expect([await sees(delegate, assetId), await statusOf(named)]).toEqual([true, 'confirmed']);
    await decided(people, candidateId, { decision: 'mine' });
    expect(await statusOf(named)).toBe(supported ? 'pending' : 'withdrawn');
    expect([await sees(delegate, assetId), await readStatus(delegate, named)]).toEqual(
      supported ? [true, 200] : [false, 404],
    );
    expect(await classified(people, assetId)).toContainEqual([PEOPLE, 'ift_payroll', 'mine']);
  });

  test('that had been withdrawn for want of support is withdrawn again', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await review.inferAgain(assetId, 'second', [payroll(), said(SAFETY, 'ift_accidents', 0.6)]);
    await review.inferAgain(assetId, 'third', [payroll()]);
    await decided(people, candidateId, accidents);
    expect(await sees(delegate, assetId)).toBe(true);
    await decided(people, candidateId, { decision: 'not_a_match' });
    expect(await statusOf(await review.candidateOf(assetId, SAFETY))).toBe('withdrawn');
  });

  test('that another one repeats stands as long as one of them does', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await decided(people, candidateId, accidents);
    // A type that comes up once the question is answered is a question of its own.
    await review.inferAgain(assetId, 'second', [payroll(), said(PEOPLE, 'ift_applications')]);
    const other = (await queueOf(people)).find((row) => row.assetId === assetId)?.candidateId;
    await decided(people, other ?? '', accidents);
    await decided(people, candidateId, { decision: 'not_a_match' });
    expect(await classified(delegate, assetId)).toEqual([[SAFETY, 'ift_accidents', 'mine_different_type']]);
    await decided(people, other ?? '', { decision: 'not_a_match' });
    expect(await sees(delegate, assetId)).toBe(false);
  });

  test('of a correction, back to the first type, leaves that one', async () => {
    const { assetId, candidateId } = await review.ask(invoices());
    const correct = (id: string, correctedInformationTypeId: string) =>
      decided(finance, id, { decision: 'mine_different_type', correctedInformationTypeId });
    const first = await correct(candidateId, 'ift_tax_papers');
    const [named] = await database.inspect<{ candidate_id: string }>(sql`
      select candidate_id from candidates where asset_id = ${assetId} and information_type_id = 'ift_tax_papers'`);
    await correct(named?.candidate_id ?? '', 'ift_invoices');
    expect(await classified(finance, assetId)).toEqual([
      ['dom_finance', 'ift_invoices', 'mine_different_type'],
    ]);
    expect((await review.rows('assertions', assetId)).at(-1)).toMatchObject({
      information_type_id: 'ift_invoices',
      answers_assertion_id: first.assertionId,
    });
  });

  test('to a type that its owner refused is refused, as sending it there would be', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await review.inferAgain(assetId, 'second', [payroll(), said(SAFETY, 'ift_accidents', 0.6)]);
    await decided(delegate, await review.candidateOf(assetId, SAFETY), { decision: 'not_a_match' });
    expect(await sees(delegate, assetId)).toBe(false);
    expect((await decide(people, candidateId, accidents)).status).toBe(409);
    expect(await sees(delegate, assetId)).toBe(false);
  });

  test('that the owner of the type refuses is asked of the sender again', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await decided(people, candidateId, accidents);
    const named = await review.candidateOf(assetId, SAFETY);
    await decided(delegate, named, { decision: 'not_a_match', revision: 0 });
    expect((await queueOf(people)).find((row) => row.assetId === assetId)).toMatchObject({
      candidateId,
      askedBecause: 'returned',
      earlierAnswer: { decision: 'mine_different_type', changes: [] },
    });
    // They think better of it: the correction stands again.
    await decided(delegate, named, { decision: 'mine' });
    expect(await statusOf(candidateId)).toBe('confirmed');
    expect(await classified(people, assetId)).toContainEqual([SAFETY, 'ift_accidents', 'mine']);
  });
});

describe('a routed question that the receiver refuses', () => {
  const toPeople = { decision: 'another_domain', routedDomainId: PEOPLE };

  test('goes back to its sender, who cannot send it there again', async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, toPeople);
    const there = await review.candidateOf(assetId, PEOPLE);
    const { assertionId } = await decided(people, there, { decision: 'not_a_match' });

    expect([await sees(finance, assetId), await sees(people, assetId)]).toEqual([true, false]);
    expect((await queueOf(finance)).map((row) => row.candidateId)).toContain(candidateId);
    const back = await detailOf(finance, candidateId);
    expect(back).toMatchObject({ status: 'pending', revision: 2 });
    expect(back.provenance.items.map((each) => each.statement)).toEqual([
      'belongs_to',
      'does_not_belong_to',
      'does_not_belong_to',
    ]);
    expect(back.provenance.items.at(-1)).toMatchObject({ assertionId, domainId: PEOPLE });
    const again = await decide(finance, candidateId, toPeople);
    expect([again.status, again.body]).toMatchObject([
      409,
      { error: 'conflict', message: expect.stringContaining('already rejected') },
    ]);
    expect(await review.rows('decisions', assetId)).toHaveLength(2);
    expect(await decided(finance, candidateId, { decision: 'mine' })).toMatchObject({ revision: 3 });
  });

  test('goes back with the earlier answer, also by a type that is new to it', async () => {
    const { assetId, candidateId } = await review.ask(invoices(0.6));
    await decided(finance, candidateId, toPeople);
    await decided(people, await review.candidateOf(assetId, PEOPLE), { decision: 'not_a_match' });
    await review.inferAgain(assetId, 'second', [invoices(0.6), said('dom_finance', 'ift_tax_papers', 0.95)]);
    const back = (await queueOf(finance)).find((row) => row.assetId === assetId);
    const before = { askedBecause: 'returned', earlierAnswer: { decision: 'another_domain', changes: [] } };
    expect(back).toMatchObject({ informationTypeId: 'ift_tax_papers', ...before });
    for (const each of back?.types ?? [])
      expect(await detailOf(finance, each.candidateId)).toMatchObject({
        ...before,
        answer: { decision: 'another_domain' },
      });
    // Answered, it is asked no more, and what was said before is history.
    await decided(finance, back?.candidateId ?? '', { decision: 'mine' });
    expect(await detailOf(finance, candidateId)).toMatchObject({
      status: 'confirmed',
      earlierAnswer: null,
      answer: { decision: 'mine' },
    });
  });

  test('goes back along the whole way that it came', async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, toPeople);
    const passedOn = await review.candidateOf(assetId, PEOPLE);
    await decided(people, passedOn, { decision: 'another_domain', routedDomainId: 'dom_legal' });
    await decided(legal, await review.candidateOf(assetId, 'dom_legal'), { decision: 'not_a_match' });
    expect([await statusOf(passedOn), await statusOf(candidateId)]).toEqual(['pending', 'routed']);
    await decided(people, passedOn, { decision: 'not_a_match' });
    expect(await statusOf(candidateId)).toBe('pending');
  });

  test('while another sends the asset there is not lost to either', async () => {
    for (let round = 0; round < 5; round++) {
      const { assetId, candidateId } = await review.ask();
      await review.inferAgain(assetId, 'second', [invoices(), said('dom_legal', 'ift_board_papers')]);
      await decided(finance, candidateId, toPeople);
      const there = await review.candidateOf(assetId, PEOPLE);
      const [, sent] = await Promise.all([
        decided(people, there, { decision: 'not_a_match' }),
        decide(legal, await review.candidateOf(assetId, 'dom_legal'), toPeople),
      ]);
      expect([200, 409]).toContain(sent.status);
      expect([await sees(finance, assetId), await sees(legal, assetId)]).toEqual([true, true]);
    }
  });
});

describe('a candidate', () => {
  test('that was inferred again is not answered by who saw the former inference', async () => {
    const { assetId, candidateId } = await review.ask();
    await review.inferAgain(assetId, 'second', [invoices(0.5)]);
    expect((await decide(finance, candidateId, { decision: 'mine', revision: 0 })).status).toBe(409);
    expect(await detailOf(finance, candidateId)).toMatchObject({ revision: 1, confidence: 0.5 });
    await decided(finance, candidateId, { decision: 'mine', revision: 1 });
  });

  test('a withdrawn question is hidden, others show while they can be revised', async () => {
    const withdrawn = await review.ask();
    await review.inferAgain(withdrawn.assetId, 'second', []);
    expect(await readStatus(finance, withdrawn.candidateId)).toBe(404);

    const routed = await review.ask();
    const route = { decision: 'another_domain', routedDomainId: 'dom_legal' };
    const first = await decided(finance, routed.candidateId, route);
    expect(await readStatus(finance, routed.candidateId)).toBe(200);
    expect(await decided(finance, routed.candidateId, route)).toEqual(first);

    const refused = await review.ask();
    const refusal = await decided(finance, refused.candidateId, { decision: 'not_a_match' });
    await allowRewriting(database, 'decisions');
    const decidedDaysAgo = (days: number) =>
      database.inspect(sql`
        update decisions set created_at = ${new Date(Date.now() - days * DAY)}
         where tenant_id = ${DEV} and asset_id = ${refused.assetId}`);
    await decidedDaysAgo(29);
    expect(await readStatus(finance, refused.candidateId)).toBe(200);
    await decidedDaysAgo(31);
    expect(await readStatus(finance, refused.candidateId)).toBe(404);
    expect(await decided(finance, refused.candidateId, { decision: 'not_a_match' })).toEqual(refusal);
  });
});
