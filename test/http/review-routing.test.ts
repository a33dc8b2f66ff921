import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  candidatePath,
  decide,
  decided,
  detailOf,
  invoices,
  queueOf,
  reviewIn,
  said,
} from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PEOPLE = 'dom_human_resources';
const toPeople = { decision: 'another_domain', routedDomainId: PEOPLE };

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

type Posture = { domainId: string; assets: number; pendingReviews: number };
type List<T> = { items: T[] };

/** All that an owner is told of an asset and of how much there is in a domain. */
async function told(who: SignedIn, assetId: string, candidateId: string, domainId: string) {
  const { domains } = (await who.get<{ domains: Posture[] }>('/api/home')).body;
  const posture = domains.find((each) => each.domainId === domainId);
  const cells = (await who.get<List<{ domainId: string | null; assets: number }>>('/api/landscape')).body
    .items;
  const listed = (await who.get<List<{ assetId: string }>>(`/api/assets?q=${assetId}`)).body.items;
  return {
    queue: (await queueOf(who)).filter((each) => each.assetId === assetId).length,
    candidate: (await who.get(candidatePath(candidateId))).status,
    asset: (await who.get(`/api/assets/${assetId}`)).status,
    listed: listed.filter((each) => each.assetId === assetId).length,
    assets: posture?.assets ?? Number.NaN,
    pending: posture?.pendingReviews ?? Number.NaN,
    landscape: cells.filter((cell) => cell.domainId === domainId).reduce((sum, cell) => sum + cell.assets, 0),
  };
}
const SHOWN = { queue: 1, candidate: 200, asset: 200, listed: 1 };
const HIDDEN = { queue: 0, candidate: 404, asset: 404, listed: 0 };
/** The sender may still read their question, to take it back. */
const SENT = { ...HIDDEN, candidate: 200 };

test('another domain gets the asset, and the sender keeps only their question', async () => {
  const { assetId, candidateId } = await review.ask();
  const before = await told(finance, assetId, candidateId, 'dom_finance');
  expect(before).toMatchObject(SHOWN);
  const there = await told(people, assetId, candidateId, PEOPLE);
  expect(there).toMatchObject(HIDDEN);

  await decided(finance, candidateId, toPeople);
  expect(await told(finance, assetId, candidateId, 'dom_finance')).toEqual({
    ...SENT,
    assets: before.assets - 1,
    pending: before.pending - 1,
    landscape: before.landscape - 1,
  });
  const routed = await review.candidateOf(assetId, PEOPLE);
  expect(await told(people, assetId, routed, PEOPLE)).toEqual({
    ...SHOWN,
    assets: there.assets + 1,
    pending: there.pending + 1,
    landscape: there.landscape + 1,
  });
  // A person's question comes before all that the model asks.
  expect((await queueOf(people))[0]).toMatchObject({
    assetId,
    band: 'routed',
    reasons: [{ part: 'band' }, { part: 'risk' }],
  });
});

test('a question about two types of a domain goes away with both', async () => {
  const { assetId, candidateId } = await review.ask();
  await review.inferAgain(assetId, 'second', [invoices(), said('dom_finance', 'ift_tax_papers')]);
  await decided(finance, candidateId, toPeople);
  expect(await told(finance, assetId, candidateId, 'dom_finance')).toMatchObject(SENT);
});

test('an asset that another answer ties to the sender stays theirs', async () => {
  const { assetId, candidateId } = await review.ask();
  await decided(finance, candidateId, { decision: 'mine' });
  await review.inferAgain(assetId, 'second', [invoices(), said('dom_finance', 'ift_tax_papers')]);
  const second = (await queueOf(finance)).find((each) => each.assetId === assetId)?.candidateId ?? '';
  await decided(finance, second, toPeople);
  expect(await told(finance, assetId, second, 'dom_finance')).toMatchObject({
    ...SHOWN,
    queue: 0,
  });
});

describe('a sender takes an asset back', () => {
  const route = async () => {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, toPeople);
    return { assetId, candidateId, there: await review.candidateOf(assetId, PEOPLE) };
  };
  const own = async (who: SignedIn, query: string) =>
    (
      await who.get<List<{ candidateId: string; isRevisable: boolean; revision: number }>>(
        `/api/review/decisions${query}`,
      )
    ).body.items;

  test('which only they find again, until somebody there answers', async () => {
    const { assetId, candidateId, there } = await route();
    const found = await detailOf(finance, candidateId);
    expect(found).toMatchObject({ status: 'routed', answer: { decision: 'another_domain' }, excerpts: [] });
    expect((await people.get(candidatePath(candidateId))).status).toBe(404);
    await database.inspect(sql`
      insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
      values (${DEV}, 'own_other', ${PERSONA.legalOwner}, 'dom_finance', 'delegate', now())`);
    const colleague = await service.signInAs(PERSONA.legalOwner);
    expect((await colleague.get(candidatePath(candidateId))).status).toBe(404);
    await database.inspect(
      sql`update owner_assignments set ended_at = now() where assignment_id = 'own_other'`,
    );
    expect((await finance.get(`/api/assets/${assetId}`)).status).toBe(404);
    await decided(people, there, { decision: 'mine' });
    expect((await finance.get(candidatePath(candidateId))).status).toBe(404);
  });

  test('and the other domain is asked no more', async () => {
    const { assetId, candidateId, there } = await route();
    expect(await own(finance, '?state=revisable')).toContainEqual(
      expect.objectContaining({ candidateId, decision: 'another_domain', isRevisable: true }),
    );
    await decided(finance, candidateId, { decision: 'mine' });
    expect(await told(people, assetId, there, PEOPLE)).toMatchObject(HIDDEN);
    expect(await detailOf(finance, candidateId)).toMatchObject({ status: 'confirmed' });
  });

  test.each(['mine', 'need_more_evidence', 'not_a_match'])(
    'only until somebody there has answered %s',
    async (decision) => {
      const { candidateId, there } = await route();
      await decided(people, there, { decision });
      expect(await own(finance, '?state=revisable')).not.toContainEqual(
        expect.objectContaining({ candidateId, decision: 'another_domain' }),
      );
      const taken = await decide(finance, candidateId, { decision: 'mine' });
      // What was refused there waits here again.
      expect(taken.status).toBe(decision === 'not_a_match' ? 200 : 409);
    },
  );

  test('or a colleague does, who finds it with its revision', async () => {
    const { candidateId } = await route();
    await database.inspect(sql`
      insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
      values (${DEV}, 'own_colleague', ${PERSONA.legalOwner}, 'dom_finance', 'delegate', now())`);
    const colleague = await service.signInAs(PERSONA.legalOwner);
    expect(await own(colleague, '?state=revisable&domainId=dom_finance')).toEqual([]);
    const found = (await own(colleague, '?by=anyone&state=revisable&domainId=dom_finance')).find(
      (each) => each.candidateId === candidateId,
    );
    expect(found).toMatchObject({ principalId: PERSONA.financeOwner, isAboutPresentContent: null });
    await decided(colleague, candidateId, { decision: 'mine', revision: found?.revision });
    await database.inspect(
      sql`update owner_assignments set ended_at = now() where assignment_id = 'own_colleague'`,
    );
  });

  test('and what somebody else has sent there too is still asked', async () => {
    const { assetId, candidateId, there } = await route();
    await review.inferAgain(assetId, 'second', [invoices(), said('dom_legal', 'ift_board_papers')]);
    const legal = await service.signInAs(PERSONA.legalOwner);
    await decided(legal, await review.candidateOf(assetId, 'dom_legal'), toPeople);
    await decided(finance, candidateId, { decision: 'mine' });
    expect(await told(people, assetId, there, PEOPLE)).toMatchObject(SHOWN);
  });
});

test('the receiver learns who sent it only from a note that they wrote', async () => {
  for (const note of [undefined, 'You keep these since May']) {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, { ...toPeople, note });
    const { decisions, provenance } = await detailOf(people, await review.candidateOf(assetId, PEOPLE));
    const principalId = note === undefined ? null : PERSONA.financeOwner;
    expect(decisions.items).toMatchObject([{ candidateId: null, principalId, note: note ?? null }]);
    expect(JSON.stringify([decisions, provenance]).includes(PERSONA.financeOwner)).toBe(note !== undefined);
  }
});

test('the sender learns who refused it only from a note that they wrote', async () => {
  for (const note of [undefined, 'Ask Legal, who negotiated it']) {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, toPeople);
    const there = await review.candidateOf(assetId, PEOPLE);
    await decided(people, there, { decision: 'not_a_match', note });
    const back = await detailOf(finance, candidateId);
    const principalId = note === undefined ? null : PERSONA.peopleOwner;
    expect(back.decisions.items).toMatchObject([
      { decision: 'not_a_match', candidateId: null, principalId, note: note ?? null },
      { decision: 'another_domain', candidateId, principalId: PERSONA.financeOwner },
    ]);
    const text = JSON.stringify(back);
    expect([text.includes(PERSONA.peopleOwner), text.includes(there)]).toEqual([note !== undefined, false]);
  }
});

test.each([
  ['takes', { decision: 'mine' }],
  ['puts off', { decision: 'need_more_evidence' }],
  ['corrects', { decision: 'mine_different_type', correctedInformationTypeId: 'ift_payroll' }],
  ['passes on', { decision: 'another_domain', routedDomainId: 'dom_legal' }],
])('a receiver who refuses an asset and then %s it leaves the sender nothing', async (_, revised) => {
  const { assetId, candidateId } = await review.ask();
  await decided(finance, candidateId, toPeople);
  const there = await review.candidateOf(assetId, PEOPLE);
  await decided(people, there, { decision: 'not_a_match' });
  expect(await detailOf(finance, candidateId)).toMatchObject({ status: 'pending', revision: 2 });

  await decided(people, there, revised);
  expect(await told(finance, assetId, candidateId, 'dom_finance')).toMatchObject(HIDDEN);
  expect((await decide(finance, candidateId, { decision: 'mine', revision: 2 })).status).toBe(409);
  // The sender's decision stands again: said again it changes nothing.
  expect(await decided(finance, candidateId, toPeople)).toMatchObject({ status: 'routed', revision: 3 });
  expect(await review.rows('decisions', assetId)).toHaveLength(3);
});

test('a returned answer stands again only on the content that it was given on', async () => {
  const { assetId, candidateId } = await review.ask();
  await decided(finance, candidateId, toPeople);
  const there = await review.candidateOf(assetId, PEOPLE);
  await decided(people, there, { decision: 'not_a_match' });
  await database.inspect(sql`
    insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path, size_bytes,
                                content_state, observed_at)
    select tenant_id, asset_id, version + 1, 'v2', 'c2', name, path, size_bytes, content_state, now()
      from asset_versions where asset_id = ${assetId} order by version desc limit 1`);
  await decided(people, there, { decision: 'mine' });
  expect(await detailOf(finance, candidateId)).toMatchObject({ status: 'pending', askedBecause: 'returned' });
});

test('a sender who has answered meanwhile keeps their answer', async () => {
  for (const [answer, status] of [
    ['mine', 'confirmed'],
    ['need_more_evidence', 'deferred'],
  ] as const) {
    const { assetId, candidateId } = await review.ask();
    await decided(finance, candidateId, toPeople);
    const there = await review.candidateOf(assetId, PEOPLE);
    await decided(people, there, { decision: 'not_a_match' });
    await decided(finance, candidateId, { decision: answer });
    await decided(people, there, { decision: 'mine' });
    expect(await detailOf(finance, candidateId)).toMatchObject({ status, revision: 3 });
  }
});
