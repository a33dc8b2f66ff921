import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { sweepNoOwner } from '../../core/findings/sweep-no-owner.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { type Candidate, decide, decided, detailOf, queueOf } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const SITE = 'site-people';
const FINANCE = 'dom_finance';
const DAY = 86_400_000;

/** A policy that names nobody, a list of pay with what passes its checksums, and one of secrets. */
const POLICY = `Payroll and compensation policy.
This pay policy says how salary, bonus and compensation are set. Gross salary and net pay are reviewed each year with the
works council. Payroll runs on the last working day. Income tax is withheld as the law says.`;
const PAYROLL = `Payroll June: salary, bonus, deductions and net pay of named employees.
Employee Anna Schmidt, tax id 86095742719, gross salary 5,400.00 EUR, net pay 3,180.55 EUR, IBAN DE89370400440532013000
Employee Jonas Weber, tax id 65929970489, gross salary 4,900.00 EUR, net pay 2,930.10 EUR, IBAN DE75512108001245126199
Income tax and compensation as in the payroll register.`;
const SECRETS = `${PAYROLL}
Portal api_key = "sk_live_4eC39HqLyjWDarjtT1zdp7dcQ2mN8vXb"
-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEAwJ8k0mW9vYw2cN3hQ4xj0Zb1mXyV0mS9yqv1s0oXcT7s8Y2K
-----END RSA PRIVATE KEY-----`;

const APPLICATION = `Curriculum vitae. Work experience, education and skills of the person who is applying for the vacancy.
Applying for: clerk. Education: school. Work experience: ten years. Skills: typing. Certificates are attached.`;

type Finding = {
  kind: string;
  path: string;
  sourceUrl: string | null;
  severity: string;
  status: string;
  notes: string;
  acknowledgedBy: string | null;
};
type Asset = {
  findings: Finding[];
  riskComponents: { name: string; notes: string }[];
  provenance: { items: { kind: string; isAboutPresentContent: boolean | null }[] };
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governor: SignedIn;
let auditor: SignedIn;
let people: SignedIn;
let finance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 2 });
  service = await startService(database);
  await daysLater(0);
  await admin.post('/api/sources/connect', {});
  await scan('inventory');
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Lets time pass, after which everybody signs in again. */
async function daysLater(days: number) {
  service.clock.advance(days * DAY);
  admin = await service.signInAs(PERSONA.platformAdmin);
  governor = await service.signInAs(PERSONA.governanceAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  people = await service.signInAs(PERSONA.peopleOwner);
  finance = await service.signInAs(PERSONA.financeOwner);
}

async function scan(kind: 'inventory' | 'delta') {
  const { items } = (await admin.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  const scopeId = items.find((each) => each.externalId === SITE)?.scopeId;
  expect((await admin.post('/api/scans', { scopeId, kind })).status).toBe(200);
  await service.drain();
}

/** A new file at the source, and what happens to it there; each change is scanned. */
async function newFile(content: string, name = 'Document.txt') {
  const mutate = async (body: object) => {
    const answer = await admin.post<{ fileId: string }>('/api/dev/fixture/mutate', {
      scopeExternalId: SITE,
      ...body,
    });
    expect(answer.status).toBe(200);
    await scan('delta');
    return answer.body.fileId;
  };
  const fileId = await mutate({ action: 'add', content, name });
  const [row] = await database.inspect<{ asset_id: string }>(
    sql`select asset_id from assets where tenant_id = ${DEV} and external_id = ${fileId}`,
  );
  const assetId = row?.asset_id ?? '';
  return {
    assetId,
    at: (action: string, more: object = {}) => mutate({ action, fileId, ...more }),
    question: async (who: SignedIn): Promise<Candidate> =>
      (await queueOf(who)).find((each) => each.assetId === assetId) ?? expect.unreachable('Nothing is asked'),
  };
}
const read = async (assetId: string) => (await auditor.get<Asset>(`/api/assets/${assetId}`)).body;
const finding = async (assetId: string, kind: string) =>
  (await read(assetId)).findings.find((each) => each.kind === kind);

describe('what was sent to another domain', () => {
  test('is as exposed as before, until an owner says what it is', async () => {
    const file = await newFile(PAYROLL);
    await file.at('overshare');
    const before = await finding(file.assetId, 'exposure');
    expect(before).toMatchObject({ status: 'open', severity: 'high' });
    const { candidateId } = await file.question(people);
    await decided(people, candidateId, { decision: 'another_domain', routedDomainId: FINANCE });
    expect(await finding(file.assetId, 'exposure')).toEqual(before);
    await decided(finance, (await file.question(finance)).candidateId, { decision: 'mine' });
    const after = await finding(file.assetId, 'exposure');
    expect(after).toEqual(before);
    expect(after?.notes).toContain('no owner has confirmed it');
  });
});

describe('an answer of which the content is replaced', () => {
  test.each(['mine_not_sensitive', 'not_a_match'])('%s is asked again', async (decision) => {
    const file = await newFile(POLICY);
    const { candidateId, revision } = await file.question(people);
    await decided(people, candidateId, { decision });
    await file.at('edit', { content: SECRETS });
    await file.at('overshare');

    const asked = await file.question(people);
    expect(asked).toMatchObject({
      candidateId,
      askedBecause: 'content_changed',
      earlierAnswer: { decision },
    });
    expect(asked.revision).toBeGreaterThan(revision + 1);
    const kinds = asked.earlierAnswer?.changes.map(({ kind }) => kind);
    expect(kinds).toContain('new_identifiers');
    expect(asked.earlierAnswer?.changes[0]?.explanation).toContain('German tax identification number');
    expect(await finding(file.assetId, 'exposure')).toMatchObject({ status: 'open' });
    expect((await detailOf(people, candidateId)).decisions.items).toMatchObject([{ decision }]);
  });

  test('shows the evidence of then beside that of now', async () => {
    const file = await newFile(POLICY);
    const { candidateId } = await file.question(people);
    const before = await detailOf(people, candidateId);
    await decided(people, candidateId, { decision: 'mine' });
    await file.at('edit', { content: SECRETS });
    const { answer, ...now } = await detailOf(people, candidateId);
    expect(answer).toMatchObject({ decision: 'mine', isAboutPresentContent: false });
    expect(answer?.evidence?.signals).toEqual(before.signals);
    expect(answer?.evidence?.inference).toEqual(before.inference);
    expect(now.signals.length).toBeGreaterThan(before.signals.length);
    expect(now.inference?.inferenceId).not.toBe(before.inference?.inferenceId);
  });

  test('asked again, it does not stand in the way of what the model says now', async () => {
    await database.inspect(sql`
      update information_types set sensitivity = 'public' where tenant_id = ${DEV} and information_type_id = 'ift_applications'`);
    const file = await newFile(APPLICATION);
    const { candidateId, informationTypeId } = await file.question(people);
    expect(informationTypeId).toBe('ift_applications');
    await decided(people, candidateId, { decision: 'mine' });
    await file.at('edit', { content: POLICY });
    await file.at('overshare');
    expect(await detailOf(people, candidateId)).toMatchObject({ status: 'pending', confidence: null });
    expect(await finding(file.assetId, 'exposure')).toMatchObject({
      status: 'open',
      notes: expect.stringContaining('The model takes it for restricted'),
    });
    await database.inspect(sql`
      update information_types set sensitivity = 'confidential'
       where tenant_id = ${DEV} and information_type_id = 'ift_applications'`);
  });

  test('is told as it looks now, beside what it was answered on', async () => {
    const file = await newFile(PAYROLL);
    const { candidateId, summary } = await file.question(people);
    await decided(people, candidateId, { decision: 'mine' });
    await file.at('edit', { content: POLICY });
    const { answer, ...now } = await detailOf(people, candidateId);
    expect(summary).toContain('pass their checksums');
    expect([now.status, answer?.evidence?.summary]).toEqual(['confirmed', summary]);
    expect(now.summary).not.toContain('checksum');
    expect(now.confidence).toBe(now.inference?.confidence);
    expect(now.types).toMatchObject([{ candidateId, confidence: now.confidence }]);
  });

  test('given by a receiver, it is not thrown away by the sender', async () => {
    const file = await newFile(POLICY);
    const { candidateId } = await file.question(people);
    await decided(people, candidateId, { decision: 'another_domain', routedDomainId: FINANCE });
    const there = (await file.question(finance)).candidateId;
    await decided(finance, there, { decision: 'mine' });
    await file.at('edit', { content: SECRETS });
    expect(await file.question(finance)).toMatchObject({
      candidateId: there,
      askedBecause: 'content_changed',
    });
    await decided(people, candidateId, { decision: 'not_a_match' });
    expect(await file.question(finance)).toMatchObject({ candidateId: there });
  });

  test('keeps its excerpts until the data-handling profile changes', async () => {
    const file = await newFile(PAYROLL);
    const { candidateId } = await file.question(people);
    await decided(people, candidateId, { decision: 'mine' });
    const excerpts = async () => (await detailOf(people, candidateId)).answer?.evidence?.excerpts;
    expect(await excerpts()).not.toEqual([]);
    for (const dataHandlingProfile of ['metadata_only', 'minimized_evidence']) {
      const changed = await governor.patch('/api/onboarding/settings', { dataHandlingProfile });
      expect(changed.status).toBe(200);
      expect(await excerpts()).toEqual([]);
    }
  });

  test.each([
    ['confirmed', { decision: 'mine' }],
    ['put off', { decision: 'need_more_evidence' }],
    ['sent by a colleague', null],
  ])('%s, is not given on content that its owner has not seen', async (_, answer) => {
    const file = await newFile(PAYROLL);
    const { candidateId } = await file.question(people);
    const body = answer ?? { decision: 'another_domain', routedDomainId: FINANCE };
    await decided(people, candidateId, body);
    const [who, asked] =
      answer === null
        ? ([finance, (await file.question(finance)).candidateId] as const)
        : ([people, candidateId] as const);
    const { revision } = await detailOf(who, asked);
    await file.at('rename', { name: 'Renamed.txt' });
    expect((await detailOf(who, asked)).revision).toBe(revision);
    await file.at('edit', { content: PAYROLL.replace('June', 'July') });
    expect((await decide(who, asked, { decision: 'mine_not_sensitive', revision })).body).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('its content has been read again'),
    });
    const read = await detailOf(who, asked);
    await decided(who, asked, { decision: 'mine_not_sensitive', revision: read.revision });
  });

  test('stands where what matters is the same, and says that the content is another', async () => {
    const file = await newFile(PAYROLL);
    const { candidateId } = await file.question(people);
    await decided(people, candidateId, { decision: 'mine' });
    const said = async () => {
      const { items } = (await read(file.assetId)).provenance;
      const own = (
        await people.get<{ items: { candidateId: string; isAboutPresentContent: boolean }[] }>(
          '/api/review/decisions',
        )
      ).body.items.find((each) => each.candidateId === candidateId);
      return [
        (await detailOf(people, candidateId)).answer?.isAboutPresentContent,
        items.find(({ kind }) => kind === 'human')?.isAboutPresentContent,
        own?.isAboutPresentContent,
      ];
    };
    expect(await said()).toEqual([true, true, true]);
    await file.at('edit', { content: PAYROLL.replace('June', 'July') });
    expect(await detailOf(people, candidateId)).toMatchObject({ status: 'confirmed' });
    expect(await said()).toEqual([false, false, false]);
    // Said again, it is an answer about what the asset holds now.
    await decided(people, candidateId, { decision: 'mine' });
    expect(await said()).toEqual([true, false, true]);
    // A rename is no other content.
    const renamed = await newFile(PAYROLL.replace('June', 'May'));
    const other = await renamed.question(people);
    await decided(people, other.candidateId, { decision: 'mine' });
    await renamed.at('rename', { name: 'Payroll May.txt' });
    expect((await detailOf(people, other.candidateId)).answer?.isAboutPresentContent).toBe(true);
  });
});

test('staleness goes by the content, whatever is written beside it', async () => {
  const file = await newFile(PAYROLL);
  await file.at('overshare');
  await daysLater(400);
  await scan('inventory');
  const stale = await finding(file.assetId, 'stale_access');
  expect(stale).toMatchObject({ status: 'open' });
  await file.at('set_label');
  await file.at('rename', { name: 'Renamed.txt' });
  const renamed = await finding(file.assetId, 'stale_access');
  expect(renamed?.path).toBe('Renamed.txt');
  expect(renamed).toEqual({ ...stale, path: 'Renamed.txt', sourceUrl: renamed?.sourceUrl });
  await file.at('edit', { content: `${PAYROLL}\nBonus paid.` });
  expect(await finding(file.assetId, 'stale_access')).toMatchObject({ status: 'resolved' });
});

const endOwnersOf = (domainId: string) =>
  database.inspect(sql`
    update owner_assignments set ended_at = now()
     where tenant_id = ${DEV} and domain_id = ${domainId} and ended_at is null`);

test('a question sent to a domain without an owner is a finding after a week', async () => {
  await endOwnersOf(FINANCE);
  const sweep = () =>
    sweepNoOwner(database.db, { clock: service.clock.now, signal: new AbortController().signal });
  const file = await newFile(POLICY);
  const { candidateId } = await file.question(people);
  await decided(people, candidateId, { decision: 'another_domain', routedDomainId: FINANCE });
  await daysLater(6);
  await sweep();
  expect(await finding(file.assetId, 'no_owner')).toBeUndefined();
  await daysLater(1.01);
  expect(await sweep()).toBeGreaterThan(0);
  expect(await finding(file.assetId, 'no_owner')).toMatchObject({ status: 'open', severity: 'medium' });
  expect(await sweep()).toBe(0);

  const owner = { principalId: PERSONA.financeOwner, domainId: FINANCE };
  expect((await governor.post('/api/governance/owners', owner)).status).toBe(200);
  await sweep();
  expect(await finding(file.assetId, 'no_owner')).toMatchObject({ status: 'resolved' });
  await endOwnersOf(FINANCE);
  await sweep();
  expect(await finding(file.assetId, 'no_owner')).toMatchObject({ status: 'reopened' });
  // Whoever sent it takes it back.
  await decided(people, candidateId, { decision: 'mine' });
  expect(await finding(file.assetId, 'no_owner')).toMatchObject({ status: 'resolved' });
});
