import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { AssetId } from '../../core/kernel/ids.ts';
import { decisionsOnCopies } from '../../core/review/read.ts';
import { CANARY, infer, type Said, storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA, seedTenants } from '../support/seed.ts';

type Candidate = {
  candidateId: string;
  assetId: string;
  assetName: string;
  location: { scopeName: string; path: string };
  domainId: string;
  informationTypeId: string | null;
  confidence: number | null;
  band: string;
  status: string;
  revision: number;
};
type Answer = {
  candidateId: string;
  decision: string;
  status: string;
  revision: number;
  assertionId: string;
};
type Statement = {
  assertionId: string;
  kind: string;
  statement: string;
  domainId: string;
  informationTypeId: string | null;
  decision: string | null;
  answersAssertionId: string | null;
};
type Detail = Candidate & {
  inference: { inferenceId: string; confidence: number; contributions: object[] } | null;
  signals: object[];
  provenance: { items: Statement[] };
  decisions: { items: { decision: string; note: string | null; revision: number; principalId: string }[] };
  excerpts: object[];
};

const DAY = 24 * 60 * 60 * 1000;
const excerpts = [{ detectorId: 'iban', text: 'IBAN DE•• •••• 3000' }];
const said = (domainId: string, informationTypeId: string, confidence = 0.9): Said => ({
  domainId,
  informationTypeId,
  confidence,
});
const invoices = (confidence?: number) => said('dom_finance', 'ift_invoices', confidence);
const payroll = (confidence?: number) => said('dom_human_resources', 'ift_payroll', confidence);

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let people: SignedIn;
let made = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  await seedTenants(database.db);
  service = await startService(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const candidateOf = async (assetId: string, domainId: string) => {
  const [row] = await database.inspect<{ candidate_id: string }>(sql`
    select candidate_id from candidates where tenant_id = ${DEV} and asset_id = ${assetId} and domain_id = ${domainId}
     order by candidate_id limit 1`);
  expect(row).toBeDefined();
  return row?.candidate_id ?? '';
};
/** A new asset with one candidate; returns both ids. */
const ask = async (question: Said = invoices()) => {
  const assetId = `ast_asked_${made++}`;
  await storeScanned(database.db, DEV, [{ assetId, said: [question], excerpts }]);
  return { assetId, candidateId: await candidateOf(assetId, question.domainId) };
};
const path = (candidateId: string) => `/api/review/candidates/${candidateId}`;
const decide = (caller: SignedIn, candidateId: string, body: object) =>
  caller.post<Answer>(`${path(candidateId)}/decision`, body);
const decided = async (caller: SignedIn, candidateId: string, body: object) => {
  const { status, body: answer } = await decide(caller, candidateId, body);
  expect([status, answer]).toMatchObject([200, { candidateId }]);
  return answer;
};
const detailOf = async (caller: SignedIn, candidateId: string) => {
  const { status, body } = await caller.get<Detail>(path(candidateId));
  expect(status).toBe(200);
  return body;
};
const queueOf = async (caller: SignedIn, query = '') => {
  const { status, body } = await caller.get<{ items: Candidate[]; truncated: boolean }>(
    `/api/review/queue${query}`,
  );
  expect(status).toBe(200);
  return body.items;
};
const inferAgain = (assetId: string, key: string, statements: readonly Said[]) =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) => infer(tx, assetId, key, statements));
const rows = async (table: 'decisions' | 'assertions' | 'inferences', assetId: string) =>
  (
    await database.inspect<{ row: object }>(
      sql`select to_jsonb(t) as row from ${sql.ident(table)} t where asset_id = ${assetId} order by created_at`,
    )
  ).map(({ row }) => row);
const audited = async (candidateId: string) =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} and category = 'review' and record like ${`%${candidateId}%`}
       order by seq`)
  ).map(({ record }) => JSON.parse(record).event);

describe('the queue', () => {
  test('holds the pending candidates of the own domains, the most valuable first', async () => {
    const owner = await service.signInAs('pri_sofia_marchetti');
    const offers = (confidence: number) => said('dom_customers', 'ift_prices_and_offers', confidence);
    await storeScanned(database.db, DEV, [
      { assetId: 'ast_q_review', said: [offers(0.6)] },
      { assetId: 'ast_q_high', said: [offers(0.85)] },
      { assetId: 'ast_q_highest', said: [offers(0.95), payroll(0.9)] },
      { assetId: 'ast_q_below', said: [offers(0.4)] },
      { assetId: 'ast_q_decided', said: [offers(0.9)] },
      { assetId: 'ast_q_gone', said: [offers(0.9)] },
    ]);
    await decided(owner, await candidateOf('ast_q_decided', 'dom_customers'), { decision: 'mine' });
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_q_gone'`);
    const { candidateId } = await ask();
    await decided(finance, candidateId, { decision: 'another_domain', routedDomainId: 'dom_customers' });

    const queue = await queueOf(owner);
    expect(queue.map(({ band, confidence }) => [band, confidence])).toEqual([
      ['routed', null],
      ['high', 0.95],
      ['high', 0.85],
      ['review', 0.6],
    ]);
    expect(queue[1]).toMatchObject({
      assetId: 'ast_q_highest',
      assetName: `${CANARY} ast_q_highest.docx`,
      location: { scopeName: 'Test site', path: `${CANARY}/${CANARY} ast_q_highest.docx` },
      domainId: 'dom_customers',
      informationTypeId: 'ift_prices_and_offers',
      status: 'pending',
      revision: 0,
    });
  });

  test('of one domain; of a foreign or unknown one it is empty', async () => {
    await ask(payroll());
    await ask(said('dom_health_and_safety', 'ift_accidents'));
    const domains = async (query: string) =>
      new Set((await queueOf(people, query)).map((row) => row.domainId));
    expect(await domains('')).toEqual(new Set(['dom_human_resources', 'dom_health_and_safety']));
    expect(await domains('?domainId=dom_health_and_safety')).toEqual(new Set(['dom_health_and_safety']));
    expect(await queueOf(people, '?domainId=dom_finance')).toEqual([]);
    expect(await queueOf(people, '?domainId=dom_unknown')).toEqual([]);
  });

  test('is bounded, and says when there is more', async () => {
    const owner = await service.signInAs(PERSONA.legalOwner);
    const assets = Array.from({ length: 201 }, (_, n) => ({
      assetId: `ast_many_${n}`,
      said: [said('dom_legal', 'ift_board_papers')],
    }));
    await storeScanned(database.db, DEV, assets);
    const { body } = await owner.get<{ items: Candidate[]; truncated: boolean }>('/api/review/queue');
    expect([body.items.length, body.truncated]).toEqual([200, true]);
    const ids = body.items.map(({ candidateId }) => candidateId);
    expect(ids).toEqual([...ids].sort());
  });

  test('is for domain owners only', async () => {
    const { candidateId } = await ask();
    for (const persona of [
      PERSONA.platformAdmin,
      PERSONA.governanceAdmin,
      PERSONA.approver,
      PERSONA.auditor,
      PERSONA.nobody,
    ]) {
      const caller = await service.signInAs(persona);
      expect((await caller.get('/api/review/queue')).status, persona).toBe(403);
      expect((await caller.get(path(candidateId))).status, persona).toBe(403);
      expect((await decide(caller, candidateId, { decision: 'mine' })).status, persona).toBe(403);
    }
  });
});

describe('a candidate', () => {
  test('comes with its reasons, signals without values, provenance and audited excerpts', async () => {
    await storeScanned(database.db, DEV, [
      {
        assetId: 'ast_evident',
        excerpts,
        signals: [
          {
            detectorId: 'iban',
            detectorVersion: 1,
            family: 'bank',
            count: 2,
            confidence: 0.9,
            tiers: { checksum: 2 },
            positions: [[1, 2]],
          },
        ],
        said: [
          {
            ...invoices(0.9),
            contributions: [
              {
                name: 'indicator_keywords',
                weight: 3,
                score: 0.5,
                value: 1.5,
                evidence: { keywords: ['vat'] },
              },
              {
                name: 'location_expectation',
                weight: 0.8,
                score: -0.25,
                value: -0.2,
                evidence: { expectedDomainId: 'dom_legal' },
              },
            ],
          },
          payroll(0.7),
        ],
      },
    ]);
    const candidateId = await candidateOf('ast_evident', 'dom_finance');
    const detail = await detailOf(finance, candidateId);
    expect(detail).toMatchObject({
      asset: { kind: 'file', contentState: 'available', labelState: 'unlabeled' },
      inference: {
        confidence: 0.9,
        ensembleVersion: 1,
        contributions: [
          { name: 'indicator_keywords', direction: 'for', value: 1.5, evidence: { keywords: ['vat'] } },
          { name: 'location_expectation', direction: 'against', value: -0.2, evidence: {} },
        ],
      },
      decisions: { items: [], truncated: false },
      excerpts,
    });
    expect(detail.signals).toEqual([
      { detectorId: 'iban', family: 'bank', count: 2, confidence: 0.9, tiers: { checksum: 2 } },
    ]);
    expect(detail.provenance.items).toMatchObject([
      { kind: 'inferred', statement: 'belongs_to', domainId: 'dom_finance', confidence: 0.9 },
    ]);
    const reads = await database.inspect<{ record: string }>(sql`
      select record from audit_events where category = 'evidence_access' and record like '%ast_evident%'`);
    expect(reads.map(({ record }) => JSON.parse(record).event)).toMatchObject([
      { type: 'asset_excerpts_read', principalId: PERSONA.financeOwner, target: { id: 'ast_evident' } },
    ]);
    expect(JSON.stringify(reads)).not.toContain(CANARY);
  });

  test('missing, of a foreign domain, of a gone asset, of another tenant: the same 404 to read and to decide', async () => {
    const mine = await ask();
    const foreign = await ask(payroll());
    const gone = await ask();
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = ${gone.assetId}`);
    await storeScanned(database.db, OTHER, [{ assetId: 'ast_elsewhere', said: [invoices()] }]);
    const [elsewhere] = await database.inspect<{ candidate_id: string }>(
      sql`select candidate_id from candidates where tenant_id = ${OTHER}`,
    );
    const ids = [
      'cnd_missing',
      foreign.candidateId,
      gone.candidateId,
      elsewhere?.candidate_id ?? '',
      mine.assetId,
      'x'.repeat(65),
    ];
    const answers = await Promise.all(
      ids.flatMap((id) => [finance.get(path(id)), decide(finance, id, { decision: 'mine' })]),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    const there = await service.signInAs(inOther(PERSONA.financeOwner));
    expect((await there.get(path(mine.candidateId))).status).toBe(404);
    expect((await there.get(path(elsewhere?.candidate_id ?? ''))).status).toBe(200);
    expect(await rows('decisions', foreign.assetId)).toEqual([]);
  });
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
    const { assetId, candidateId } = await ask();
    const inferences = await rows('inferences', assetId);
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

    const detail = await detailOf(finance, candidateId);
    expect(detail).toMatchObject({ status, revision: 1, informationTypeId: 'ift_invoices' });
    expect(detail.decisions.items).toMatchObject([
      { decision, note: `${CANARY} said so`, trainingEligible: true, principalId: PERSONA.financeOwner },
    ]);
    expect(detail.provenance.items[0]).toEqual(inferred);
    expect(detail.provenance.items[1]).toMatchObject({
      assertionId: answer.assertionId,
      kind: 'human',
      statement,
      domainId: 'dom_finance',
      informationTypeId,
      decision,
      answersAssertionId: inferred?.assertionId,
    });
    expect(await rows('inferences', assetId)).toEqual(inferences);
    expect((await queueOf(finance)).map((row) => row.candidateId)).not.toContain(candidateId);

    const events = await audited(candidateId);
    expect(events).toMatchObject([
      { type: 'candidate_decided', principalId: PERSONA.financeOwner, target: { id: candidateId } },
    ]);
    expect(events[0].details).toEqual({ decision });
    expect(JSON.stringify(events)).not.toContain(CANARY);
  });

  test('that corrects the type is what the asset shows from then on', async () => {
    const { assetId, candidateId } = await ask();
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

  test('may name a type of another domain of the caller, not of a foreign one, a draft, nor the same again', async () => {
    const refused = async (caller: SignedIn, candidateId: string, correctedInformationTypeId: string) => {
      const body = { decision: 'mine_different_type', correctedInformationTypeId };
      const answer = await decide(caller, candidateId, body);
      expect([answer.status, answer.body], correctedInformationTypeId).toMatchObject([
        400,
        { error: 'validation_failed', issues: [{ path: 'correctedInformationTypeId' }] },
      ]);
    };
    const { assetId, candidateId } = await ask(payroll());
    await database.inspect(
      sql`update information_types set status = 'draft' where information_type_id = 'ift_personnel_files' and tenant_id = ${DEV}`,
    );
    for (const type of ['ift_payroll', 'ift_invoices', 'ift_personnel_files', 'ift_unknown'])
      await refused(people, candidateId, type);
    expect(await rows('decisions', assetId)).toEqual([]);
    await decided(people, candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_accidents',
    });
    expect((await rows('assertions', assetId)).at(-1)).toMatchObject({
      domain_id: 'dom_health_and_safety',
      information_type_id: 'ift_accidents',
    });
  });

  test('goes to another approved domain only', async () => {
    const { assetId, candidateId } = await ask();
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
    expect(await rows('decisions', assetId)).toEqual([]);
  });

  test('that is not well formed is refused', async () => {
    const { assetId, candidateId } = await ask();
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
    expect(await rows('decisions', assetId)).toEqual([]);
    expect(await audited(candidateId)).toEqual([]);
  });

  test('said again by the same person changes nothing and gets the same answer', async () => {
    for (const body of [{ decision: 'mine' }, { decision: 'another_domain', routedDomainId: 'dom_legal' }]) {
      const { assetId, candidateId } = await ask();
      const first = await decided(finance, candidateId, { ...body, revision: 0 });
      expect(await decided(finance, candidateId, { ...body, revision: 0 })).toEqual(first);
      expect(await decided(finance, candidateId, body)).toEqual(first);
      expect(await rows('decisions', assetId)).toHaveLength(1);
      expect(await audited(candidateId)).toHaveLength(1);
    }
  });

  test('may be revised; every one stays, each answering the inference', async () => {
    const { assetId, candidateId } = await ask();
    await decided(finance, candidateId, { decision: 'mine' });
    const revised = await decided(finance, candidateId, { decision: 'not_a_match', revision: 1 });
    expect(revised).toMatchObject({ status: 'rejected', revision: 2 });
    const third = await decided(finance, candidateId, { decision: 'mine' });
    expect(third).toMatchObject({ status: 'confirmed', revision: 3 });
    expect(await rows('decisions', assetId)).toMatchObject([
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

  test('may not be revised by one who saw an earlier revision, once routed, once withdrawn, or after 30 days', async () => {
    const conflict = async (candidateId: string, body: object) => {
      const answer = await decide(finance, candidateId, body);
      expect([answer.status, answer.body]).toMatchObject([409, { error: 'conflict' }]);
    };
    const stale = await ask();
    await decided(finance, stale.candidateId, { decision: 'mine' });
    await conflict(stale.candidateId, { decision: 'not_a_match', revision: 0 });

    const routed = await ask();
    await decided(finance, routed.candidateId, { decision: 'another_domain', routedDomainId: 'dom_legal' });
    await conflict(routed.candidateId, { decision: 'mine' });

    const withdrawn = await ask();
    await inferAgain(withdrawn.assetId, 'second', []);
    await conflict(withdrawn.candidateId, { decision: 'mine' });

    const old = await ask();
    await decided(finance, old.candidateId, { decision: 'mine' });
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
      const { assetId, candidateId } = await ask();
      const answers = await Promise.all([
        decide(finance, candidateId, { decision: 'mine', revision: 0 }),
        decide(delegate, candidateId, { decision: round % 2 === 0 ? 'not_a_match' : 'mine', revision: 0 }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await rows('decisions', assetId)).toHaveLength(1);
      expect(await rows('assertions', assetId)).toHaveLength(2);
      expect(await audited(candidateId)).toHaveLength(1);
    }
    await database.inspect(
      sql`update owner_assignments set ended_at = now() where assignment_id = 'own_test'`,
    );
    const { candidateId } = await ask();
    expect((await decide(delegate, candidateId, { decision: 'mine' })).status).toBe(404);
  });

  test('of the same person many times at once is one', async () => {
    const { assetId, candidateId } = await ask();
    const body = { decision: 'another_domain', routedDomainId: 'dom_human_resources' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => decide(finance, candidateId, body)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await rows('decisions', assetId)).toHaveLength(1);
    expect((await queueOf(people)).filter((row) => row.assetId === assetId)).toHaveLength(1);
  });
});

describe('routing', () => {
  const route = (caller: SignedIn, candidateId: string, routedDomainId: string, note?: string) =>
    decided(caller, candidateId, { decision: 'another_domain', routedDomainId, ...(note && { note }) });

  test('hands the asset over, with what was said, to owners who did not see it before', async () => {
    const { assetId, candidateId } = await ask();
    expect((await people.get(`/api/assets/${assetId}`)).status).toBe(404);
    const { assertionId } = await route(finance, candidateId, 'dom_human_resources', 'Salaries, I think');
    expect((await finance.get(`/api/assets/${assetId}`)).status).toBe(404);
    expect((await people.get(`/api/assets/${assetId}`)).status).toBe(200);
    const routed = await detailOf(people, await candidateOf(assetId, 'dom_human_resources'));
    expect(routed).toMatchObject({
      informationTypeId: null,
      confidence: null,
      band: 'routed',
      status: 'pending',
      inference: null,
      excerpts,
    });
    expect(routed.decisions.items).toMatchObject([{ decision: 'another_domain', note: 'Salaries, I think' }]);
    expect(routed.provenance.items).toMatchObject([
      { assertionId, statement: 'does_not_belong_to', domainId: 'dom_finance' },
    ]);
    expect((await detailOf(finance, candidateId)).excerpts).toEqual([]);

    const answer = await decided(people, routed.candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_payroll',
    });
    expect((await rows('assertions', assetId)).at(-1)).toMatchObject({
      assertion_id: answer.assertionId,
      domain_id: 'dom_human_resources',
      information_type_id: 'ift_payroll',
      answers_assertion_id: assertionId,
    });
    expect((await detailOf(finance, candidateId)).provenance.items.map((each) => each.domainId)).toEqual([
      'dom_finance',
      'dom_finance',
    ]);
  });

  test('back and forth asks again each time; an answer that was given stands', async () => {
    const { assetId, candidateId } = await ask();
    await route(finance, candidateId, 'dom_human_resources');
    const there = await candidateOf(assetId, 'dom_human_resources');
    await route(people, there, 'dom_finance');
    const back = (await queueOf(finance)).find((row) => row.assetId === assetId && row.band === 'routed');
    await route(finance, back?.candidateId ?? '', 'dom_human_resources');
    expect(await detailOf(people, there)).toMatchObject({ status: 'pending', revision: 1 });
    await decided(people, there, { decision: 'not_a_match' });

    await inferAgain(assetId, 'second', [said('dom_finance', 'ift_bank_accounts')]);
    const further = (await queueOf(finance)).find((row) => row.assetId === assetId);
    await route(finance, further?.candidateId ?? '', 'dom_human_resources');
    expect(await detailOf(people, there)).toMatchObject({ status: 'rejected', revision: 2 });
  });
});

describe('what later inferences do to a candidate', () => {
  const statusOf = async (candidateId: string) => (await detailOf(finance, candidateId)).status;

  test('pending follows the newest, is withdrawn when nothing supports it, and comes back', async () => {
    const { assetId, candidateId } = await ask();
    await inferAgain(assetId, 'second', [invoices(0.6)]);
    expect(await detailOf(finance, candidateId)).toMatchObject({
      confidence: 0.6,
      band: 'review',
      inference: { confidence: 0.6 },
    });
    await inferAgain(assetId, 'third', [invoices(0.2)]);
    expect(await statusOf(candidateId)).toBe('withdrawn');
    await inferAgain(assetId, 'fourth', [invoices(0.7)]);
    expect(await statusOf(candidateId)).toBe('pending');
    expect(await rows('inferences', assetId)).toHaveLength(4);
    expect(await rows('assertions', assetId)).toHaveLength(3);
  });

  test('the same run twice adds nothing', async () => {
    const { assetId } = await ask();
    await inferAgain(assetId, 'first', [invoices()]);
    expect(await rows('inferences', assetId)).toHaveLength(1);
    expect(await rows('assertions', assetId)).toHaveLength(1);
  });

  test('what was put off is asked again by a new one only', async () => {
    const { assetId, candidateId } = await ask();
    await decided(finance, candidateId, { decision: 'need_more_evidence' });
    await inferAgain(assetId, 'first', [invoices()]);
    expect(await statusOf(candidateId)).toBe('deferred');
    await inferAgain(assetId, 'second', [invoices(0.8)]);
    expect(await statusOf(candidateId)).toBe('pending');
    const answer = await decided(finance, candidateId, { decision: 'need_more_evidence' });
    expect(answer).toMatchObject({ status: 'deferred', revision: 2 });
  });

  test.each(['mine', 'not_a_match'])('%s stands, whatever the model says', async (decision) => {
    const { assetId, candidateId } = await ask();
    const { status } = await decided(finance, candidateId, { decision });
    for (const [key, statements] of [
      ['second', [invoices(0.99)]],
      ['third', []],
    ] as const) {
      await inferAgain(assetId, key, statements);
      expect(await detailOf(finance, candidateId)).toMatchObject({ status, confidence: 0.9, revision: 1 });
    }
  });

  test('a candidate that a person sent is not withdrawn by the model', async () => {
    const { assetId, candidateId } = await ask();
    await decided(finance, candidateId, {
      decision: 'another_domain',
      routedDomainId: 'dom_human_resources',
    });
    await inferAgain(assetId, 'second', []);
    const routed = await candidateOf(assetId, 'dom_human_resources');
    expect((await detailOf(people, routed)).status).toBe('pending');
  });
});

test('what was said of a copy: confirmed, refused, and corrected from one type to another', async () => {
  const hash = 'cd'.repeat(32);
  const of = async (decision: object) => {
    const { assetId, candidateId } = await ask();
    await database.inspect(
      sql`update assets set content_hash = decode(${hash}, 'hex') where asset_id = ${assetId}`,
    );
    await decided(finance, candidateId, decision);
    const related = (tx: Tx) => decisionsOnCopies(tx, 'ast_new' as AssetId, hash);
    const found = await withTx(database.db, { tenantId: DEV, mode: 'read' }, related);
    await database.inspect(sql`update assets set content_hash = null where asset_id = ${assetId}`);
    return found.map(({ kind, informationTypeId, outcome }) => [kind, informationTypeId, outcome]);
  };
  expect(await of({ decision: 'mine' })).toEqual([['exact', 'ift_invoices', 'confirmed']]);
  expect(await of({ decision: 'not_a_match' })).toEqual([['exact', 'ift_invoices', 'refused']]);
  expect(await of({ decision: 'need_more_evidence' })).toEqual([]);
  expect(await of({ decision: 'another_domain', routedDomainId: 'dom_legal' })).toEqual([]);
  const corrected = { decision: 'mine_different_type', correctedInformationTypeId: 'ift_tax_papers' };
  expect(await of(corrected)).toEqual([
    ['exact', 'ift_invoices', 'refused'],
    ['exact', 'ift_tax_papers', 'confirmed'],
  ]);
});
