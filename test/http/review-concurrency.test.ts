import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decide, decided, detailOf, reviewIn } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const OWNERS = [
  PERSONA.financeOwner,
  PERSONA.peopleOwner,
  PERSONA.legalOwner,
  'pri_sofia_marchetti',
  'pri_agnes_lindqvist',
];
/** One for each owner, no two alike. */
const ANSWERS = [
  { decision: 'mine' },
  { decision: 'not_a_match' },
  { decision: 'need_more_evidence' },
  { decision: 'mine_different_type', correctedInformationTypeId: 'ift_tax_papers' },
  { decision: 'another_domain', routedDomainId: 'dom_legal' },
];

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
/** All of them answer for finance. */
let owners: SignedIn[];

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  review = reviewIn(database);
  await database.inspect(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
    select ${DEV}, 'own_test_' || p, p, 'dom_finance', 'delegate', now()
      from unnest(${OWNERS.slice(1)}::text[]) as p`);
  owners = await Promise.all(OWNERS.map((persona) => service.signInAs(persona)));
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** What is stored of the decisions: one per revision, each with one assertion, the last one behind the candidate. */
async function chainOf(assetId: string, candidateId: string) {
  const rows = await database.inspect<{ revision: number; assertions: number; standing: boolean }>(sql`
    select d.revision, k.decision_id = d.decision_id as standing,
           (select count(*)::int from assertions s where s.decision_id = d.decision_id) as assertions
      from decisions d join candidates k using (tenant_id, candidate_id)
     where d.asset_id = ${assetId} and d.candidate_id = ${candidateId} order by d.revision`);
  expect(rows.map(({ assertions }) => assertions)).toEqual(rows.map(() => 1));
  expect(rows.map(({ standing }) => standing)).toEqual(rows.map((_, at) => at === rows.length - 1));
  expect(await review.audited(candidateId)).toHaveLength(rows.length);
  return rows.map(({ revision }) => revision);
}

describe.each([
  ['with the revision that they saw', { revision: 0 }],
  ['without one', {}],
])('many owners who answer at once, %s', (_, seen) => {
  test('differently: one does, all others are told', async () => {
    for (let round = 0; round < 5; round++) {
      const { assetId, candidateId } = await review.ask();
      const answers = await Promise.all(
        owners.map((owner, at) =>
          decide(owner, candidateId, { ...ANSWERS[(at + round) % ANSWERS.length], ...seen }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
      expect(await chainOf(assetId, candidateId)).toEqual([1]);
    }
  });

  test('the same: one does, since an answer is a person’s own', async () => {
    const { assetId, candidateId } = await review.ask();
    const answers = await Promise.all(
      owners.map((owner) => decide(owner, candidateId, { decision: 'mine', ...seen })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await chainOf(assetId, candidateId)).toEqual([1]);
  });
});

test('one owner’s different answers at once follow each other, one for each revision', async () => {
  const { assetId, candidateId } = await review.ask();
  const [owner] = owners;
  if (owner === undefined) throw new Error('nobody owns it');
  const answers = await Promise.all(ANSWERS.slice(0, 3).map((answer) => decide(owner, candidateId, answer)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.map(({ body }) => body.revision).sort()).toEqual([1, 2, 3]);
  expect(await chainOf(assetId, candidateId)).toEqual([1, 2, 3]);
  const last = answers.find(({ body }) => body.revision === 3)?.body;
  expect(await detailOf(owner, candidateId)).toMatchObject({ status: last?.status, revision: 3 });
});

test('an answer is revised by another owner who has read it, and by no other', async () => {
  const { assetId, candidateId } = await review.ask();
  const [first, second] = owners;
  if (first === undefined || second === undefined) throw new Error('nobody owns it');
  const { revision } = await decided(first, candidateId, { decision: 'mine' });
  for (const seen of [{}, { revision: revision - 1 }])
    expect((await decide(second, candidateId, { decision: 'not_a_match', ...seen })).status).toBe(409);
  await decided(second, candidateId, { decision: 'not_a_match', revision });
  expect(await chainOf(assetId, candidateId)).toEqual([1, 2]);
});
