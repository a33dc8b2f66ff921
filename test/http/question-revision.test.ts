import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { infer, type Said } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { type Candidate, decide, decided, detailOf, queueOf, reviewIn, said } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const invoices = said('dom_finance', 'ift_invoices', 0.9);
const taxPapers = said('dom_finance', 'ift_tax_papers', 0.6);

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let owner: SignedIn;
let colleague: SignedIn;
let people: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  review = reviewIn(database);
  await database.inspect(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
    values (${DEV}, 'own_test', ${PERSONA.legalOwner}, 'dom_finance', 'delegate', now())`);
  owner = await service.signInAs(PERSONA.financeOwner);
  colleague = await service.signInAs(PERSONA.legalOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  governance = await service.signInAs(PERSONA.governanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

let rescores = 0;
/** A rescore from retained features, which has locked the asset. */
async function rescore(tx: Tx, assetId: string, found: readonly Said[]) {
  await tx.query(sql`
    select from assets where tenant_id = ${DEV} and asset_id = ${assetId} for no key update`);
  await infer(tx, assetId, `rescore ${++rescores}`, found, false);
}
const rescored = (assetId: string, ...found: Said[]) =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => rescore(tx, assetId, found));

/** A question that the owner has read. */
async function asked(...found: [Said, ...Said[]]) {
  const { assetId, candidateId } = await review.ask(found[0]);
  if (found.length > 1) await rescored(assetId, ...found);
  const { revision } = await detailOf(owner, candidateId);
  return { assetId, candidateId, revision };
}
const typesOf = ({ types }: Pick<Candidate, 'types'>) =>
  types.map(({ informationTypeId }) => informationTypeId).sort();

/** Refuses the answer to a question as it was read, with these words, and stores nothing of it. */
async function refused(
  { candidateId, assetId, revision }: { candidateId: string; assetId: string; revision: number },
  words: string,
) {
  const before = await review.rows('decisions', assetId);
  const { status, body } = await decide(owner, candidateId, { decision: 'mine', revision });
  expect([status, body]).toEqual([
    409,
    {
      error: 'conflict',
      message: `The question has changed since revision ${revision}: ${words}. Read it again.`,
    },
  ]);
  expect(await review.rows('decisions', assetId)).toEqual(before);
}

describe('an answer to a question as it was read is refused', () => {
  test('if a rescore has added a type, and states both types once they were read', async () => {
    const question = await asked(invoices);
    await rescored(question.assetId, invoices, taxPapers);
    await refused(question, 'it now also asks about “Tax papers”');

    const read = await detailOf(owner, question.candidateId);
    expect(typesOf(read)).toEqual(['ift_invoices', 'ift_tax_papers']);
    const listed = (await queueOf(owner)).find(({ assetId }) => assetId === question.assetId);
    expect(listed?.revision).toBe(read.revision);
    await decided(owner, question.candidateId, { decision: 'mine', revision: read.revision });
    const added = await review.candidateOf(question.assetId, 'dom_finance', 'ift_tax_papers');
    expect((await detailOf(owner, added)).status).toBe('confirmed');
  });

  test('if a rescore has removed a type', async () => {
    const question = await asked(invoices, taxPapers);
    await rescored(question.assetId, invoices);
    await refused(question, 'it no longer asks about “Tax papers”');
    await decided(owner, question.candidateId, {
      decision: 'mine',
      revision: (await detailOf(owner, question.candidateId)).revision,
    });
  });

  test('if a type has left and come back, which is not the question that was read', async () => {
    const question = await asked(invoices, taxPapers);
    await rescored(question.assetId, invoices);
    await rescored(question.assetId, invoices, taxPapers);
    await refused(question, 'it now also asks about “Tax papers”');
  });

  test('if the model is so much surer that the band is another', async () => {
    const question = await asked(taxPapers);
    await rescored(question.assetId, { ...taxPapers, confidence: 0.95 });
    await refused(question, 'the model rates it otherwise');
  });

  test('if its content has been read again', async () => {
    const question = await asked(invoices);
    await review.inferAgain(question.assetId, 'read again', [invoices]);
    await refused(question, 'its content has been read again');
  });

  test('if a colleague has answered', async () => {
    const question = await asked(invoices, taxPapers);
    const { revision } = await decided(colleague, question.candidateId, {
      decision: 'need_more_evidence',
      revision: question.revision,
    });
    await refused(question, 'somebody has answered');
    await decided(owner, question.candidateId, { decision: 'mine', revision });
  });

  test('if a colleague of another domain has sent the asset', async () => {
    const question = await asked(invoices);
    await rescored(question.assetId, invoices, said('dom_human_resources', 'ift_payroll', 0.9));
    const there = await review.candidateOf(question.assetId, 'dom_human_resources');
    await decided(people, there, { decision: 'another_domain', routedDomainId: 'dom_finance' });
    await refused(question, 'it now also asks about the domain as a whole');
  });

  test.each([
    ['information-types', 'ift_invoices', { definition: 'What we are owed.' }],
    ['information-types', 'ift_invoices', { name: 'Receivables' }],
    ['information-types', 'ift_invoices', { sensitivity: 'public' }],
    ['domains', 'dom_finance', { description: 'Money' }],
  ])('if governance has changed %s/%s: %o', async (kind, id, change) => {
    const question = await asked(invoices, taxPapers);
    expect((await governance.patch(`/api/governance/${kind}/${id}`, change)).status).toBe(200);
    await refused(question, 'its domain or an information type has other words');
    const { revision } = await detailOf(owner, question.candidateId);
    // What changes then is told as what it is.
    await rescored(question.assetId, taxPapers, invoices, said('dom_finance', 'ift_payment_cards', 0.7));
    await refused({ ...question, revision }, 'it now also asks about “Payment card data”');
  });

  test('if the question has no such revision', async () => {
    const { candidateId } = await asked(invoices);
    const { status, body } = await decide(owner, candidateId, { decision: 'mine', revision: 7 });
    expect([status, body]).toMatchObject([
      409,
      { message: 'The question has no such revision. Read it again.' },
    ]);
  });

  test('whichever candidate of the question is named', async () => {
    const question = await asked(invoices, taxPapers);
    const candidateId = await review.candidateOf(question.assetId, 'dom_finance', 'ift_tax_papers');
    expect((await detailOf(owner, candidateId)).revision).toBe(question.revision);
    await rescored(question.assetId, invoices, taxPapers, said('dom_finance', 'ift_payment_cards', 0.5));
    await refused({ ...question, candidateId }, 'it now also asks about “Payment card data”');
  });

  test('if a rescore that began before the answer adds a type while the answer waits', async () => {
    const question = await asked(invoices);
    let answer: ReturnType<typeof decide> | undefined;
    await withTx(database.db, { tenantId: DEV, mode: 'write' }, async (tx) => {
      await rescore(tx, question.assetId, [invoices, taxPapers]);
      answer = decide(owner, question.candidateId, { decision: 'mine', revision: question.revision });
      while ((await lockWaits(database, 'for no key update of a, k')) === 0) await setTimeout(10);
    });
    expect(await answer).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('it now also asks about “Tax papers”') },
    });
  });
});

describe('an answer to a question as it was read is taken', () => {
  test('after a rescore with the same result or another confidence', async () => {
    const question = await asked(invoices, taxPapers);
    await rescored(question.assetId, invoices, taxPapers);
    await rescored(question.assetId, { ...invoices, confidence: 0.92 }, taxPapers);
    await decided(owner, question.candidateId, { decision: 'mine', revision: question.revision });
  });

  test('after changes that it does not state: another domain, words that nobody reads', async () => {
    const question = await asked(invoices);
    await rescored(question.assetId, invoices, said('dom_human_resources', 'ift_payroll', 0.9));
    const change = { expectedLocationNote: 'The archive', indicators: { keywords: ['owed'] } };
    const changed = await governance.patch('/api/governance/information-types/ift_invoices', change);
    expect(changed.status).toBe(200);
    await decided(owner, question.candidateId, { decision: 'mine', revision: question.revision });
  });

  test('without a revision, for the types that the question has then', async () => {
    const question = await asked(invoices);
    await rescored(question.assetId, invoices, taxPapers);
    await decided(owner, question.candidateId, { decision: 'mine' });
    const read = await detailOf(owner, question.candidateId);
    expect(typesOf(read)).toEqual(['ift_invoices', 'ift_tax_papers']);
  });
});

test('the answer, the detail and the list of decisions have the same revision', async () => {
  const question = await asked(invoices, taxPapers);
  const { revision } = await decided(owner, question.candidateId, {
    decision: 'mine_different_type',
    correctedInformationTypeId: 'ift_payment_cards',
    revision: question.revision,
  });
  expect((await detailOf(owner, question.candidateId)).revision).toBe(revision);
  const { body } = await owner.get<{ items: { candidateId: string; revision: number }[] }>(
    '/api/review/decisions',
  );
  const listed = body.items.find(({ candidateId }) => candidateId === question.candidateId);
  expect(listed?.revision).toBe(revision);
  await decided(owner, question.candidateId, { decision: 'not_a_match', revision });
});
