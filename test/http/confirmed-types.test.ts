import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../core/analyst/answer-schema.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { candidatePath, decided, payroll, reviewIn, said } from '../support/review.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Named = { informationTypeId: string; informationTypeName: string };
type Classification = {
  domainId: string;
  informationTypeId: string | null;
  status: string;
  confidence: number | null;
  correctedFrom: Named[];
};

const PAYROLL: Named = { informationTypeId: 'ift_payroll', informationTypeName: 'Payroll and compensation' };
const CONTRACTS: Named = {
  informationTypeId: 'ift_employment_contracts',
  informationTypeName: 'Employment contracts',
};
const TO_CONTRACTS = {
  decision: 'mine_different_type',
  correctedInformationTypeId: CONTRACTS.informationTypeId,
};

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let people: SignedIn;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const classificationsOf = async (who: SignedIn, assetId: string) => {
  const { status, body } = await who.get<{ classifications: Classification[] }>(`/api/assets/${assetId}`);
  expect(status).toBe(200);
  return body.classifications;
};

describe('the detail of an asset shows', () => {
  test('each type that one answer confirmed, the surest first', async () => {
    const { assetId, candidateId } = await review.ask(said('dom_finance', 'ift_invoices', 0.7));
    await review.inferAgain(assetId, 'second', [
      said('dom_finance', 'ift_invoices', 0.7),
      said('dom_finance', 'ift_tax_papers', 0.9),
      said('dom_finance', 'ift_bank_accounts', 0.5),
    ]);
    await decided(finance, candidateId, { decision: 'mine' });
    const confirmed = [
      ['ift_tax_papers', 0.9, 'confirmed'],
      ['ift_invoices', 0.7, 'confirmed'],
      ['ift_bank_accounts', 0.5, 'confirmed'],
    ];
    for (const who of [finance, auditor])
      expect(
        (await classificationsOf(who, assetId)).map((each) => [
          each.informationTypeId,
          each.confidence,
          each.status,
        ]),
      ).toEqual(confirmed);
  });

  test('the type of an asset that a colleague sent, once, and not its domain beside it', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await review.inferAgain(assetId, 'second', [payroll(), said('dom_finance', 'ift_invoices', 0.6)]);
    await decided(people, candidateId, { decision: 'another_domain', routedDomainId: 'dom_finance' });
    const there = await review.candidateOf(assetId, 'dom_finance', 'ift_invoices');
    await decided(finance, there, { decision: 'mine' });
    expect(await classificationsOf(finance, assetId)).toMatchObject([
      { domainId: 'dom_finance', informationTypeId: 'ift_invoices', status: 'confirmed' },
    ]);
  });

  test('a corrected type with the one that was asked about, to those who may see it', async () => {
    const { assetId, candidateId } = await review.ask(payroll());
    await decided(people, candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_accidents',
    });
    expect(await classificationsOf(people, assetId)).toMatchObject([
      { domainId: 'dom_health_and_safety', informationTypeId: 'ift_accidents', correctedFrom: [PAYROLL] },
    ]);
  });
});

describe('a candidate that was corrected counts as the type that it was confirmed as', () => {
  const confirmedAtHome = async () => {
    const { body } = await people.get<{ domains: { domainId: string; confirmed: number }[] }>('/api/home');
    return body.domains.find(({ domainId }) => domainId === 'dom_human_resources')?.confirmed ?? 0;
  };
  let corrected: { assetId: string; candidateId: string }[];
  let before: number;
  beforeAll(async () => {
    before = await confirmedAtHome();
    const asked = [];
    for (let n = 0; n < 10; n++) asked.push(await review.ask(payroll()));
    for (const { candidateId } of asked.slice(0, 6)) await decided(people, candidateId, { decision: 'mine' });
    corrected = asked.slice(6);
    for (const { candidateId } of corrected) await decided(people, candidateId, TO_CONTRACTS);
  });

  const ask = async (question: string) => {
    const { status, body } = await people.post<{ answer: Answer }>('/api/analyst/query', { question });
    expect(status).toBe(200);
    return body.answer;
  };

  test('for the analyst: in rows, which show both types, in counts and in groups', async () => {
    const asPayroll = await ask('confirmed payroll candidates');
    expect([asPayroll.result?.count, asPayroll.result?.rows.length]).toEqual([6, 6]);
    const asContracts = await ask('confirmed employment contracts candidates');
    expect(asContracts.result?.rows.map(({ id }) => id).sort()).toEqual(
      corrected.map(({ candidateId }) => candidateId).sort(),
    );
    for (const row of asContracts.result?.rows ?? [])
      expect(row).toMatchObject({
        informationTypeName: 'Employment contracts',
        askedInformationTypeName: 'Payroll and compensation',
      });
    const groups = await ask('confirmed candidates by type');
    const counts = groups.result?.groups?.items.map(({ keys, count }) => [keys[0], count]);
    expect(counts).toContainEqual(['Payroll and compensation', 6]);
    expect(counts).toContainEqual(['Employment contracts', 4]);
    // Nobody is asked about it any more, so no open question counts under the type either.
    expect((await ask('pending employment contracts candidates')).result?.count).toBe(0);
  });

  test('in the list of assets and its filter, which show both types', async () => {
    const listed = async (type: string) =>
      (
        await people.get<{ items: { assetId: string; classification: Classification }[] }>(
          `/api/assets?informationTypeId=${type}`,
        )
      ).body.items;
    const ids = new Set(corrected.map(({ assetId }) => assetId));
    const payrolls = await listed('ift_payroll');
    expect(payrolls.filter(({ assetId }) => ids.has(assetId))).toEqual([]);
    expect(payrolls[0]?.classification.correctedFrom).toEqual([]);
    const contracts = (await listed('ift_employment_contracts')).filter(({ assetId }) => ids.has(assetId));
    expect(contracts.map(({ classification }) => classification)).toEqual(
      corrected.map(() => expect.objectContaining({ ...CONTRACTS, correctedFrom: [PAYROLL] })),
    );
  });

  test('in the landscape and on home', async () => {
    type Cell = { informationTypeId: string; provenance: string; assets: number };
    const { body } = await people.get<{ items: Cell[] }>('/api/landscape');
    const confirmed = (type: string) =>
      body.items
        .filter((cell) => cell.informationTypeId === type && cell.provenance === 'confirmed')
        .reduce((sum, { assets }) => sum + assets, 0);
    expect([confirmed('ift_payroll'), confirmed('ift_employment_contracts')]).toEqual([6, 4]);
    expect((await confirmedAtHome()) - before).toBe(10);
  });

  test('in its own detail, which says what is asked and as what it was confirmed', async () => {
    const detail = async (who: SignedIn, candidateId: string) =>
      (await who.get<Named & { confirmedAs: Named | null }>(candidatePath(candidateId))).body;
    const [first] = corrected;
    expect(await detail(people, first?.candidateId ?? '')).toMatchObject({
      ...PAYROLL,
      confirmedAs: CONTRACTS,
    });
    const open = await review.ask(payroll());
    expect(await detail(people, open.candidateId)).toMatchObject({ ...PAYROLL, confirmedAs: null });
    await decided(people, open.candidateId, { decision: 'mine' });
    expect(await detail(people, open.candidateId)).toMatchObject({ ...PAYROLL, confirmedAs: PAYROLL });
    await decided(people, open.candidateId, { decision: 'not_a_match' });
    expect(await detail(people, open.candidateId)).toMatchObject({ ...PAYROLL, confirmedAs: null });
  });
});
