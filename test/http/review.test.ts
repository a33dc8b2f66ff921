import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { CANARY, storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  type Candidate,
  candidatePath,
  decide,
  decided,
  detailOf,
  EXCERPTS,
  invoices,
  payroll,
  queueOf,
  reviewIn,
  said,
} from '../support/review.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

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

describe('the queue', () => {
  test('holds the pending candidates of the own domains, the most valuable first', async () => {
    const owner = await service.signInAs('pri_sofia_marchetti');
    const offers = (confidence: number) => said('dom_customers', 'ift_prices_and_offers', confidence);
    await storeScanned(database.db, DEV, [
      { assetId: 'ast_q_review', said: [offers(0.6)] },
      { assetId: 'ast_q_high', said: [offers(0.85)] },
      { assetId: 'ast_q_highest', said: [offers(0.95), payroll(0.9)] },
      { assetId: 'ast_q_below', said: [offers(0.3)] },
      { assetId: 'ast_q_decided', said: [offers(0.9)] },
      { assetId: 'ast_q_gone', said: [offers(0.9)] },
    ]);
    await decided(owner, await review.candidateOf('ast_q_decided', 'dom_customers'), { decision: 'mine' });
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_q_gone'`);
    const { candidateId } = await review.ask();
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
    await review.ask(payroll());
    await review.ask(said('dom_health_and_safety', 'ift_accidents'));
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
    const shown = async (query = '') => {
      const { body } = await owner.get<{ items: Candidate[]; truncated: boolean }>(
        `/api/review/queue${query}`,
      );
      return { ids: body.items.map(({ candidateId }) => candidateId), truncated: body.truncated };
    };
    const { ids, truncated } = await shown();
    expect([ids.length, truncated]).toEqual([200, true]);
    expect(ids).toEqual([...ids].sort());
    for (const limit of [1, 49, 50, 51, 199, 200]) {
      const expected = { ids: ids.slice(0, limit), truncated: true };
      expect(await shown(`?limit=${limit}`), `${limit}`).toEqual(expected);
      expect(await shown(`?domainId=dom_legal&limit=${limit}`), `${limit}`).toEqual(expected);
    }
    await database.inspect(
      sql`update assets set status = 'deleted' where asset_id in ('ast_many_0', 'ast_many_1')`,
    );
    expect((await shown('?limit=200')).truncated).toBe(false);
    expect((await shown('?limit=199')).truncated).toBe(false);
    expect((await shown('?limit=198')).truncated).toBe(true);
  });

  test('is for domain owners only', async () => {
    const { candidateId } = await review.ask();
    for (const persona of [
      PERSONA.platformAdmin,
      PERSONA.governanceAdmin,
      PERSONA.approver,
      PERSONA.auditor,
      PERSONA.nobody,
    ]) {
      const caller = await service.signInAs(persona);
      expect((await caller.get('/api/review/queue')).status, persona).toBe(403);
      expect((await caller.get(candidatePath(candidateId))).status, persona).toBe(403);
      expect((await decide(caller, candidateId, { decision: 'mine' })).status, persona).toBe(403);
    }
  });
});

describe('a candidate', () => {
  test('comes with its reasons, signals without values, provenance and audited excerpts', async () => {
    await storeScanned(database.db, DEV, [
      {
        assetId: 'ast_evident',
        excerpts: EXCERPTS,
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
    const candidateId = await review.candidateOf('ast_evident', 'dom_finance');
    const detail = await detailOf(finance, candidateId);
    expect(detail).toMatchObject({
      asset: { kind: 'file', contentState: 'available', labelState: 'unlabeled' },
      inference: {
        confidence: 0.9,
        ensembleVersion: 1,
        contributions: [
          { name: 'starting_point', direction: 'against', value: -4 },
          {
            name: 'indicator_keywords',
            direction: 'for',
            value: 1.5,
            evidence: { keywords: [], keywordsMeant: ['vat'] },
          },
          { name: 'location_expectation', direction: 'against', value: -0.2, evidence: {} },
        ],
      },
      decisions: { items: [], truncated: false },
      excerpts: EXCERPTS,
    });
    expect(detail.signals).toEqual([
      {
        ...{ detectorId: 'iban', title: 'International bank account number', family: 'bank' },
        ...{ count: 2, confidence: 0.9, tiers: { checksum: 2 } },
      },
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

  test('missing, foreign, deleted, other tenant: the same 404 to read and to decide', async () => {
    const mine = await review.ask();
    const foreign = await review.ask(payroll());
    const gone = await review.ask();
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
      ids.flatMap((id) => [finance.get(candidatePath(id)), decide(finance, id, { decision: 'mine' })]),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    const there = await service.signInAs(inOther(PERSONA.financeOwner));
    expect((await there.get(candidatePath(mine.candidateId))).status).toBe(404);
    expect((await there.get(candidatePath(elsewhere?.candidate_id ?? ''))).status).toBe(200);
    expect(await review.rows('decisions', foreign.assetId)).toEqual([]);
  });
});
