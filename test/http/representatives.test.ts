import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { askRepresentatives } from '../../core/review/ask-representatives.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  type Candidate,
  decided,
  detailOf,
  invoices,
  payroll,
  queueOf,
  reviewIn,
} from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let people: SignedIn;

beforeEach(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
});
afterEach(async () => {
  await service.close();
  await database.drop();
});

/** Stores three copies of one file, and has the sweep ask finance about one of them. */
async function represented(before: (group: readonly string[]) => Promise<void> = async () => {}) {
  const group = ['ast_copy_1', 'ast_copy_2', 'ast_copy_3'];
  const contentHash = '1'.padStart(64, '0');
  await storeScanned(
    database.db,
    DEV,
    group.map((assetId) => ({ assetId, contentHash, said: [invoices(0.3)] })),
  );
  await before(group);
  expect(
    await askRepresentatives(database.db, { clock: Date.now, signal: new AbortController().signal }),
  ).toBe(1);
  const [question] = (await queueOf(finance)).filter(({ assetId }) => group.includes(assetId));
  return { group, question: question as Candidate };
}

test('a representative that is confirmed is classified, and its group scored again', async () => {
  const { group, question } = await represented();
  expect(question).toMatchObject({ askedBecause: 'representative', expectation: null, relatedCount: 2 });
  expect(await detailOf(finance, question.candidateId)).toMatchObject({ askedBecause: 'representative' });

  const answer = { decision: 'mine', revision: question.revision };
  expect(await decided(finance, question.candidateId, answer)).toMatchObject({ status: 'confirmed' });
  const { classifications } = (
    await finance.get<{ classifications: object[] }>(`/api/assets/${question.assetId}`)
  ).body;
  expect(classifications).toMatchObject([{ informationTypeId: 'ift_invoices', status: 'confirmed' }]);
  await service.drain();
  const units = await database.inspect(sql`
    select payload ->> 'assetId' as "assetId", status from work_units where kind = 'rescore_asset' order by 1`);
  expect(units).toEqual(group.map((assetId) => ({ assetId, status: 'completed' })));
});

describe('a representative is withdrawn when another candidate of its asset', () => {
  test.each([
    ['is confirmed', { decision: 'mine' }],
    ['is routed', { decision: 'another_domain', routedDomainId: 'dom_legal' }],
  ])('%s', async (_, answer) => {
    let refused = '';
    const { question } = await represented(async ([assetId = '']) => {
      await review.inferAgain(assetId, 'second', [payroll(0.9), invoices(0.35)]);
      refused = await review.candidateOf(assetId, 'dom_human_resources');
      await decided(people, refused, { decision: 'not_a_match' });
      await review.inferAgain(assetId, 'third', [invoices(0.35)]);
      // The group is asked about again some time after an answer.
      await database.inspect(sql`update candidates set updated_at = now() - interval '31 days'`);
    });
    expect(question).toMatchObject({ assetId: 'ast_copy_1', askedBecause: 'representative' });
    await decided(people, refused, answer);
    const [own] = await database.inspect(sql`
      select status, representative from candidates where candidate_id = ${question.candidateId}`);
    expect(own).toEqual({ status: 'withdrawn', representative: false });
  });
});
