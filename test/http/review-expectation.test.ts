import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Said, storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { type Candidate, decided, detailOf, payroll, reviewIn, said } from '../support/review.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let made = 0;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Queue = {
  items: Candidate[];
  outlook: {
    domainId: string;
    domainName: string;
    listed: number;
    expected: number;
    isWorthwhile: boolean;
    explanation: string;
  }[];
};
const queue = async (caller: SignedIn, query = '') =>
  (await caller.get<Queue>(`/api/review/queue${query}`)).body;
const itemOf = async (caller: SignedIn, candidateId: string) =>
  (await queue(caller)).items.find((each) => each.candidateId === candidateId);
const expectationOf = async (caller: SignedIn, candidateId: string) => {
  const item = await itemOf(caller, candidateId);
  expect((await detailOf(caller, candidateId)).expectation).toEqual(item?.expectation);
  return item?.expectation && [item.expectation.answered, item.expectation.yours];
};
/** Asks so many questions and answers each of them. Returns their ids. */
async function answered(caller: SignedIn, question: Said, count: number, body: object): Promise<string[]> {
  const assets = Array.from({ length: count }, () => ({ assetId: `ast_told_${made++}`, said: [question] }));
  await storeScanned(database.db, DEV, assets);
  const ids: string[] = [];
  for (const { assetId } of assets) {
    const candidateId = await review.candidateOf(assetId, question.domainId);
    await decided(caller, candidateId, body);
    ids.push(candidateId);
  }
  return ids;
}
const MINE = { decision: 'mine' };
const NOT = { decision: 'not_a_match' };

describe('what a question says to expect', () => {
  const offers = (confidence = 0.85) => said('dom_customers', 'ift_prices_and_offers', confidence);
  let owner: SignedIn;
  let open: string;
  let first: string[];

  beforeAll(async () => {
    owner = await service.signInAs('pri_sofia_marchetti');
    open = (await review.ask(offers())).candidateId;
  });

  test('nothing before five answers', async () => {
    first = await answered(owner, offers(0.8), 4, NOT);
    expect(await expectationOf(owner, open)).toBeNull();
    expect((await queue(owner)).outlook).toMatchObject([{ listed: 1, expected: 1, isWorthwhile: true }]);
  });

  test('how many of the last ten like it were theirs', async () => {
    await answered(owner, offers(0.94), 1, MINE);
    expect(await itemOf(owner, open)).toMatchObject({
      expectation: { answered: 5, yours: 1, explanation: 'Of the last 5 like these, 1 was yours.' },
    });
    await answered(owner, offers(), 6, NOT);
    expect(await expectationOf(owner, open)).toEqual([10, 1]);
    expect((await queue(owner)).outlook).toEqual([
      {
        domainId: 'dom_customers',
        domainName: expect.any(String),
        listed: 1,
        expected: 0,
        isWorthwhile: false,
        explanation:
          'Of the last 10 answers to questions of the model, 1 was yours. The rest is probably not worth your time.',
      },
    ]);
  });

  test('by each answer as it stands now, where the newest says it last', async () => {
    const [revised = ''] = first;
    await decided(owner, revised, MINE);
    expect(await expectationOf(owner, open)).toEqual([10, 2]);
    expect((await queue(owner)).outlook).toMatchObject([{ isWorthwhile: true }]);
    await decided(owner, revised, { decision: 'need_more_evidence' });
    expect(await expectationOf(owner, open)).toEqual([10, 1]);
  });

  test('by what the model asked alike: not of another level or type', async () => {
    const [surer, other] = await Promise.all([
      review.ask(offers(0.96)),
      review.ask(said('dom_customers', 'ift_customer_contacts', 0.85)),
    ]);
    expect(await expectationOf(owner, surer.candidateId)).toBeNull();
    expect(await expectationOf(owner, other.candidateId)).toBeNull();
    await answered(owner, offers(0.7), 5, MINE);
    expect(await expectationOf(owner, open)).toEqual([10, 1]);
  });

  test('a correction within the domain is theirs, one to another domain is not', async () => {
    const both = await service.signInAs(PERSONA.peopleOwner);
    const { candidateId } = await review.ask(payroll(0.7));
    const correct = (count: number, correctedInformationTypeId: string) =>
      answered(both, payroll(0.7), count, { decision: 'mine_different_type', correctedInformationTypeId });
    await correct(3, 'ift_accidents');
    await answered(both, payroll(0.7), 1, { decision: 'another_domain', routedDomainId: 'dom_legal' });
    await answered(both, payroll(0.7), 2, { decision: 'mine_not_sensitive' });
    await correct(2, 'ift_employment_contracts');
    await answered(both, payroll(0.7), 3, { decision: 'need_more_evidence' });
    expect(await expectationOf(both, candidateId)).toEqual([8, 4]);
  });

  test('nothing of what people ask, and their answers count for nothing', async () => {
    const legal = await service.signInAs(PERSONA.legalOwner);
    const product = await service.signInAs('pri_rafael_duarte');
    const papers = said('dom_legal', 'ift_board_papers', 0.85);
    const { candidateId } = await review.ask(papers);
    await answered(legal, papers, 5, MINE);
    const routed = await answered(product, said('dom_product', 'ift_design_documents', 0.85), 5, {
      decision: 'another_domain',
      routedDomainId: 'dom_legal',
    });
    const sent = (await queue(legal)).items.filter(({ band }) => band === 'routed');
    expect(sent.map(({ expectation }) => expectation)).toEqual(Array(routed.length + 1).fill(null));
    for (const { candidateId: asked } of sent) await decided(legal, asked, NOT);
    expect(await expectationOf(legal, candidateId)).toEqual([5, 5]);
    // The senders are asked again, by the refusal and not by the model.
    const returned = (await queue(product)).items.filter(({ askedBecause }) => askedBecause === 'returned');
    expect(returned.map(({ expectation }) => expectation)).toEqual(Array(routed.length).fill(null));
    expect((await queue(legal)).outlook.map(({ listed }) => listed)).toEqual([1]);
  });

  test('an answer that no longer stands does not count', async () => {
    const { candidateId } = await review.ask(payroll(0.5));
    const both = await service.signInAs(PERSONA.peopleOwner);
    const [last = ''] = await answered(both, payroll(0.5), 5, MINE);
    expect(await expectationOf(both, candidateId)).toEqual([5, 5]);
    await database.inspect(sql`
      update candidates set status = 'pending', earlier_decision_id = decision_id, decision_id = null,
                            asked_because = 'content_changed'
       where tenant_id = ${DEV} and candidate_id = ${last}`);
    expect(await expectationOf(both, candidateId)).toBeNull();
  });
});

describe('the words of confidence', () => {
  const lists = (confidence: number) => said('dom_information_security', 'ift_access_lists', confidence);
  const wordsOf = async (caller: SignedIn, candidateId: string) => {
    const item = await itemOf(caller, candidateId);
    const { inference, confidenceInWords } = await detailOf(caller, candidateId);
    expect([confidenceInWords, inference]).toMatchObject([
      item?.confidenceInWords,
      { confidenceInWords: item?.confidenceInWords },
    ]);
    return item?.confidenceInWords;
  };

  test('are very likely until twenty answers earn more, and less if they refute it', async () => {
    const owner = await service.signInAs('pri_yuki_tanaka');
    const { candidateId } = await review.ask(lists(0.97));
    const { candidateId: lower } = await review.ask(lists(0.85));
    expect(await wordsOf(owner, candidateId)).toBe('very likely');
    const [first = '', ...others] = await answered(owner, lists(0.96), 19, MINE);
    expect(await wordsOf(owner, candidateId)).toBe('very likely');
    await answered(owner, lists(0.98), 1, MINE);
    expect(await wordsOf(owner, candidateId)).toBe('almost certain');
    await decided(owner, first, NOT);
    expect(await wordsOf(owner, candidateId)).toBe('very likely');
    for (const each of others.slice(0, 4)) await decided(owner, each, NOT);
    expect(await wordsOf(owner, candidateId)).toBe('likely');
    const { answer } = await detailOf(owner, others[10] ?? '');
    expect(answer?.evidence?.inference).toMatchObject({ confidence: 0.96, confidenceInWords: 'likely' });

    expect(await wordsOf(owner, lower)).toBe('very likely');
    await answered(owner, lists(0.85), 15, MINE);
    await answered(owner, lists(0.85), 5, NOT);
    expect(await wordsOf(owner, lower)).toBe('likely');
  });

  test('count one answer about several types once', async () => {
    const two = [
      said('dom_product', 'ift_design_documents', 0.96),
      said('dom_product', 'ift_test_data', 0.96),
    ];
    const product = await service.signInAs('pri_rafael_duarte');
    await storeScanned(
      database.db,
      DEV,
      Array.from({ length: 11 }, (_, n) => ({ assetId: `ast_twice_${n}`, said: two })),
    );
    for (let n = 1; n < 11; n++)
      await decided(product, await review.candidateOf(`ast_twice_${n}`, 'dom_product'), MINE);
    const item = (await queue(product, '?domainId=dom_product')).items.find(
      ({ assetId }) => assetId === 'ast_twice_0',
    );
    expect(item).toMatchObject({
      confidenceInWords: 'very likely',
      expectation: { answered: 10, yours: 10 },
    });
  });
});

test('answers of another domain or tenant do not show', async () => {
  const lena = await service.signInAs(PERSONA.peopleOwner);
  const finance = await service.signInAs(PERSONA.financeOwner);
  const before = await queue(lena);
  const invoices = said('dom_finance', 'ift_invoices', 0.97);
  await review.ask(invoices);
  await answered(finance, invoices, 20, NOT);
  expect(await queue(lena)).toEqual(before);
  expect((await queue(finance)).outlook).toMatchObject([{ domainId: 'dom_finance', isWorthwhile: false }]);
  expect(await queue(lena, '?domainId=dom_finance')).toMatchObject({ items: [], outlook: [] });

  // A domain and a type of the same ids.
  const theirs = await service.signInAs(inOther(PERSONA.financeOwner));
  await storeScanned(database.db, OTHER, [{ assetId: 'ast_theirs', said: [invoices] }]);
  expect(await queue(theirs)).toMatchObject({
    items: [{ expectation: null, confidenceInWords: 'very likely' }],
    outlook: [{ domainId: 'dom_finance', expected: 1, isWorthwhile: true }],
  });
});

test('an owner of two domains reads of each how it stands', async () => {
  const rafael = await service.signInAs('pri_rafael_duarte');
  const { outlook } = await queue(rafael);
  expect(outlook.map(({ domainId }) => domainId).toSorted()).toEqual([
    'dom_information_security',
    'dom_product',
  ]);
  for (const { domainId } of outlook)
    expect((await queue(rafael, `?domainId=${domainId}`)).outlook).toEqual(
      outlook.filter((each) => each.domainId === domainId),
    );
});
