import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { assetsList } from '../../client/generated/assets/assets.ts';
import { auditList, auditVerify } from '../../client/generated/audit/audit.ts';
import { devMutateFixture } from '../../client/generated/dev/dev.ts';
import { findingsList } from '../../client/generated/findings/findings.ts';
import { homeShow } from '../../client/generated/home/home.ts';
import { operationsShowMetrics } from '../../client/generated/ops/ops.ts';
import { reviewDecide } from '../../client/generated/review/review.ts';
import { scansStart } from '../../client/generated/scans/scans.ts';
import type {
  Candidate,
  CandidateDetail,
  DevMutateFixtureRequest,
  ReviewDecideAnswer,
  ReviewDecideRequest,
} from '../../client/generated/service.schemas.ts';
import { sourcesConnect, sourcesList } from '../../client/generated/sources/sources.ts';
import { removePostgres } from '../../infra/local/postgres.ts';
import { type LocalStack, startStack } from '../../infra/local/stack.ts';
import {
  detailOf,
  domainCalled,
  enter,
  isAsked,
  ownDecisions,
  ownTypeCalled,
  type Person,
  questionAbout,
  queueOf,
} from '../support/person.ts';

/*
 * A day of Lena Vogel, who owns Human Resources and Health and Safety, through the typed client: the local stack serves
 * the development tenant, and everybody in the story knows only what the API has shown them. The tests are its chapters, in order.
 */
let data: string;
let stack: LocalStack;
let lena: Person;
/** Stands in for Lena in Health and Safety, and there alone. */
let agnes: Person;
/** Owns Finance. */
let amara: Person;
/** Owns Legal. */
let daniel: Person;
/** Operates the pipeline. */
let priya: Person;
/** Audits. */
let marcus: Person;

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'day-'));
  // Each thread loads every extractor and detector, for what is a handful of files here.
  vi.stubEnv('SVC_EXTRACT_WORKERS', '1');
  const root = path.resolve(import.meta.dirname, '../..');
  const log = (message: string) => console.error(message);
  stack = await startStack({ root, dataDir: data, port: 0, share: null, fresh: false, log });
  lena = await enter(stack.url, 'Lena Vogel');
  agnes = await enter(stack.url, 'Agnes Lindqvist');
  amara = await enter(stack.url, 'Amara Okafor');
  daniel = await enter(stack.url, 'Daniel Whitcombe');
  priya = await enter(stack.url, 'Priya Nair');
  marcus = await enter(stack.url, 'Marcus Bell');
});
afterAll(async () => {
  await stack.stop();
  await removePostgres(path.join(data, 'postgres'));
  await rm(data, { recursive: true, force: true });
});

/** As the queue has it, or its detail. */
type Question = Candidate | CandidateDetail;

/** What was answered in the course of the day, for the auditor to find. */
const given: { who: Person; question: Question; request: ReviewDecideRequest }[] = [];

async function answer(
  who: Person,
  question: Question,
  request: ReviewDecideRequest,
): Promise<ReviewDecideAnswer> {
  const said = await reviewDecide(question.candidateId, request, who);
  expect(said.decision).toBe(request.decision);
  given.push({ who, question, request });
  return said;
}

/** The domain or type that an answer names. */
function namedIn(request: ReviewDecideRequest) {
  if (request.decision === 'another_domain') return { routedDomainId: request.routedDomainId };
  if (request.decision !== 'mine_different_type') return {};
  return { correctedInformationTypeId: request.correctedInformationTypeId };
}

type Site = { scopeId: string; externalId: string };
async function siteCalled(name: string): Promise<Site> {
  const { items } = await sourcesList(priya);
  return items.find((each) => each.name === name) ?? expect.unreachable(name);
}
async function scan({ scopeId }: Site, kind: 'inventory' | 'delta'): Promise<void> {
  // What answers have left to be scored again comes first, so that the scan need not wait for it.
  await workIsDone();
  await scansStart({ scopeId, kind }, priya);
  await workIsDone();
}
/** Somebody changes a file at the source, and the next scan finds it. */
async function changeAndScan(change: (scopeExternalId: string) => DevMutateFixtureRequest): Promise<string> {
  const site = await siteCalled('People');
  const { fileId } = await devMutateFixture(change(site.externalId), priya);
  await scan(site, 'delta');
  return fileId ?? expect.unreachable('no file was changed');
}
async function workIsDone(): Promise<void> {
  for (;;) {
    const { derived } = await operationsShowMetrics(priya);
    if (derived.queuePending + derived.queueLeased === 0) return;
    await sleep(20);
  }
}

const ONBOARDING = 'Onboarding day for new employees.txt';
const PROGRAMME =
  'Onboarding day for new employees. Every new employee meets their manager. We explain the probation period, ' +
  'annual leave, working time and the notice period of the employment contract. The employer brings the cake, the ' +
  'employee brings questions, and whoever cannot come writes to people@nordwind.example.';
/** What somebody makes of it later, with account numbers that pass their checksums. */
const PAY_LIST =
  'Payroll of the new employees. Gross salary, deductions, income tax and net pay of their first month. The net pay ' +
  'goes to IBAN DE57 2004 1133 0000 0421 75 and to IBAN DE56 2505 0000 9930 1872 64; questions about payroll and salary ' +
  'go to people@nordwind.example.';
let onboardingFile: string;
let inTheMorning: Candidate;

describe('the morning', () => {
  test('the operator has two sites scanned, and the owner is asked about what was found', async () => {
    await sourcesConnect({}, priya);
    for (const name of ['People', 'Operations']) await scan(await siteCalled(name), 'inventory');
    expect((await queueOf(lena)).length).toBeGreaterThan(30);
  });

  test('a file that is new at the source is asked about after the next scan', async () => {
    onboardingFile = await changeAndScan((scopeExternalId) => ({
      action: 'add',
      scopeExternalId,
      name: ONBOARDING,
      content: PROGRAMME,
    }));
    inTheMorning = await questionAbout(lena, ONBOARDING);
    expect(inTheMorning).toMatchObject({
      domainName: 'Human Resources',
      askedBecause: 'inferred',
      earlierAnswer: null,
      revision: 0,
    });
  });

  test('home shows the domains of the owner, the queue what to answer first', async () => {
    const { domains } = await homeShow(lena);
    expect(domains.map((each) => each.domainName)).toEqual(['Health and Safety', 'Human Resources']);
    const queue = await queueOf(lena);
    for (const { domainName, pendingReviews } of domains)
      expect(queue.filter((each) => each.domainName === domainName)).toHaveLength(pendingReviews);
    expect(Math.min(...domains.map((each) => each.pendingReviews))).toBeGreaterThan(0);
    const values = queue.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    for (const { value, reasons } of queue)
      expect(reasons.reduce((sum, { points }) => sum + points, 0)).toBe(value);
  });

  test('every question says what it is about and why, and its reasons add up', async () => {
    for (const question of await queueOf(lena)) {
      expect(question.summary).toMatch(/^Looks like .+: .+\.$/);
      expect(question.summary).toContain(question.informationTypeName);
      const { informationTypeDefinition, inference, confidenceInWords } = await detailOf(lena, question);
      expect(informationTypeDefinition).toMatch(/.{20}/);
      if (inference === null) throw new Error(`the model says nothing of ${question.assetName}`);
      expect([confidenceInWords, inference.confidenceInWords]).toEqual([
        expect.stringMatching(/likely|certain|possible/),
        confidenceInWords,
      ]);
      const { contributions, confidence } = inference;
      for (const { inWords, explanation, direction } of contributions) {
        expect(inWords).toMatch(/^speaks (?:slightly|clearly|strongly) (?:for|against) it$/);
        expect(inWords).toContain(direction);
        expect(explanation).toMatch(/.{20}/);
      }
      const logOdds = contributions.reduce((sum, { value }) => sum + value, 0);
      expect(1 / (1 + Math.exp(-logOdds))).toBeCloseTo(confidence, 9);
    }
  });
});

describe('the answers', () => {
  test('mine: the first question is closed, and the same answer again changes nothing', async () => {
    const [first] = await queueOf(lena);
    if (first === undefined) throw new Error('nothing is asked');
    const said = await answer(lena, first, { decision: 'mine' });
    expect(said).toMatchObject({ status: 'confirmed', revision: 1 });
    expect(await isAsked(lena, first.assetName)).toBe(false);
    const before = await detailOf(lena, first);

    expect(await answer(lena, first, { decision: 'mine' })).toEqual(said);
    given.pop();
    expect(await detailOf(lena, first)).toMatchObject({
      revision: 1,
      answer: before.answer,
      decisions: before.decisions,
    });
    expect(await ownDecisions(lena)).toHaveLength(1);
  });

  test('a file with two types is one question, and one answer closes both', async () => {
    const question = await questionAbout(lena, 'Safety training assembly hall.pptx');
    expect(question.types.map((each) => each.informationTypeName).toSorted()).toEqual([
      'Risk assessments and inspections',
      'Workplace accidents',
    ]);
    await answer(lena, question, { decision: 'mine' });
    expect(await isAsked(lena, question.assetName)).toBe(false);
    const answers = await Promise.all(question.types.map((each) => detailOf(lena, each)));
    expect(answers.map((each) => [each.status, each.answer?.decision])).toEqual([
      ['confirmed', 'mine'],
      ['confirmed', 'mine'],
    ]);
    expect(new Set(answers.map((each) => each.answer?.decisionId)).size).toBe(1);
  });

  test('not sensitive: the file is hers, and no risk', async () => {
    const question = await questionAbout(lena, ONBOARDING);
    expect(question.riskSeverity).not.toBeNull();
    await answer(lena, question, { decision: 'mine_not_sensitive', revision: question.revision });
    expect(await detailOf(lena, question)).toMatchObject({ status: 'confirmed', riskSeverity: null });
  });

  test('not a match: the file is not asked about any more, and the answer may be revised', async () => {
    const question = await questionAbout(lena, 'Workplace accident report A-978.docx');
    await answer(lena, question, { decision: 'not_a_match' });
    expect(await isAsked(lena, question.assetName)).toBe(false);
    expect(await ownDecisions(lena, { state: 'revisable' })).toContainEqual(
      expect.objectContaining({ candidateId: question.candidateId, status: 'rejected', isRevisable: true }),
    );
  });

  test('need more evidence: the question is put off, and found among those that are', async () => {
    const question = await questionAbout(lena, 'Safety inspection assembly hall, 2025-11-11.pdf');
    await answer(lena, question, { decision: 'need_more_evidence' });
    expect(await isAsked(lena, question.assetName)).toBe(false);
    expect(await ownDecisions(lena, { state: 'deferred' })).toMatchObject([
      { candidateId: question.candidateId, assetName: question.assetName, status: 'deferred', stands: true },
    ]);
  });

  test('another domain, with a note: the colleague reads the note and whose it is', async () => {
    const question = await questionAbout(lena, 'Employment contract David Garcia.docx');
    const note = 'You hold it for the dispute of last May.';
    const routedDomainId = await domainCalled(lena, 'Legal');
    await answer(lena, question, { decision: 'another_domain', routedDomainId, note });
    const [there] = await queueOf(daniel);
    expect(there).toMatchObject({
      assetName: question.assetName,
      askedBecause: 'routed',
      summary: 'Somebody of another domain says that it belongs to Legal.',
    });
    expect(
      (await detailOf(daniel, await questionAbout(daniel, question.assetName))).decisions.items,
    ).toMatchObject([
      { decision: 'another_domain', note, principalId: lena.principalId, principalName: 'Lena Vogel' },
    ]);
  });

  test('another domain, without a note: the colleague learns neither who nor where from', async () => {
    const question = await questionAbout(lena, 'Salary review and bonus proposal.docx');
    const routedDomainId = await domainCalled(lena, 'Finance');
    await answer(lena, question, { decision: 'another_domain', routedDomainId });
    const there = await detailOf(amara, await questionAbout(amara, question.assetName));
    expect(there.decisions.items).toMatchObject([
      { decision: 'another_domain', note: null, principalId: null, principalName: null, candidateId: null },
    ]);
    const shown = JSON.stringify(there);
    for (const hidden of [
      lena.principalId,
      lena.displayName,
      ...question.types.map((each) => each.candidateId),
    ])
      expect(shown).not.toContain(hidden);
  });

  test('another domain, and taken back before anybody there has answered', async () => {
    const question = await questionAbout(lena, 'Relocation file Quentin Lambert.docx');
    const routedDomainId = await domainCalled(lena, 'Legal');
    await answer(lena, question, { decision: 'another_domain', routedDomainId });
    expect([await isAsked(lena, question.assetName), await isAsked(daniel, question.assetName)]).toEqual([
      false,
      true,
    ]);

    const sent = (await ownDecisions(lena, { state: 'revisable' })).find(
      (each) => each.assetName === question.assetName,
    );
    expect(sent).toMatchObject({
      decision: 'another_domain',
      routedDomainId,
      candidateId: question.candidateId,
    });
    await answer(lena, question, { decision: 'mine', revision: sent?.revision ?? 0 });
    expect(await isAsked(daniel, question.assetName)).toBe(false);
    expect(await detailOf(lena, question)).toMatchObject({
      status: 'confirmed',
      answer: { decision: 'mine' },
    });
  });

  test('another domain, which refuses it: it comes back with the answer and the refusal', async () => {
    const question = await questionAbout(lena, 'Statement of fitness for work Bruno Zimmer.pdf');
    const routedDomainId = await domainCalled(lena, 'Finance');
    await answer(lena, question, { decision: 'another_domain', routedDomainId });
    const there = await questionAbout(amara, question.assetName);
    const note = 'We pay the wages, the certificates stay with you.';
    await answer(amara, there, { decision: 'not_a_match', note });

    const back = await questionAbout(lena, question.assetName);
    expect(back).toMatchObject({
      candidateId: question.candidateId,
      askedBecause: 'returned',
      earlierAnswer: { decision: 'another_domain', changes: [] },
    });
    expect((await detailOf(lena, back)).decisions.items).toMatchObject([
      { decision: 'not_a_match', note, principalName: 'Amara Okafor' },
      { decision: 'another_domain', routedDomainId, principalName: 'Lena Vogel' },
    ]);
  });

  test('a type of her other domain, which her delegate there refuses: it comes back', async () => {
    const question = await questionAbout(lena, 'Benefits enrolment.csv');
    const correctedInformationTypeId = await ownTypeCalled(lena, 'Health records');
    await answer(lena, question, { decision: 'mine_different_type', correctedInformationTypeId });
    expect(await isAsked(lena, question.assetName)).toBe(false);

    // It is confirmed, so that nobody asks Agnes, who finds it among the assets of her domain.
    const { items } = await assetsList({}, agnes);
    const found = items.find((each) => each.name === question.assetName)?.classification;
    const there = await detailOf(agnes, found ?? expect.unreachable('Agnes does not see it'));
    expect(there).toMatchObject({
      informationTypeName: 'Health records',
      summary: 'A correction says that it is Health records.',
      status: 'confirmed',
    });
    await answer(agnes, there, { decision: 'not_a_match', revision: there.revision });

    const back = await questionAbout(lena, question.assetName);
    expect(back).toMatchObject({
      candidateId: question.candidateId,
      askedBecause: 'returned',
      earlierAnswer: { decision: 'mine_different_type', changes: [] },
    });
    const { answer: earlier, decisions } = await detailOf(lena, back);
    expect(earlier).toMatchObject({ decision: 'mine_different_type', isAboutPresentContent: true });
    expect(decisions.items).toContainEqual(
      expect.objectContaining({ decisionId: earlier?.decisionId, correctedInformationTypeId }),
    );
  });

  test('what the API has not shown her, she cannot name: the guard of this story', async () => {
    const unread = 'contains ids that the API has not returned';
    const [ofAmara, ofLena] = [(await queueOf(amara))[0], (await queueOf(lena))[0]];
    if (ofAmara === undefined || ofLena === undefined) throw new Error('nothing is asked');
    await expect(detailOf(lena, ofAmara)).rejects.toThrow(unread);
    const correctedInformationTypeId = await ownTypeCalled(amara, 'Tax papers');
    await expect(assetsList({ informationTypeId: correctedInformationTypeId }, lena)).rejects.toThrow(unread);
    const request: ReviewDecideRequest = { decision: 'mine_different_type', correctedInformationTypeId };
    await expect(answer(lena, ofLena, request)).rejects.toThrow(unread);
  });

  test('they are kept as she gave them, each kind of them', async () => {
    const decisions = (await ownDecisions(lena)).map((each) => each.decision).toReversed();
    expect(decisions).toEqual(given.filter((each) => each.who === lena).map((each) => each.request.decision));
    expect(decisions).toHaveLength(11);
    expect(new Set(decisions).size).toBe(6);
  });
});

describe('the afternoon', () => {
  test('the content changes, and the owner is asked again, with what was and what is', async () => {
    await changeAndScan((scopeExternalId) => ({
      action: 'edit',
      scopeExternalId,
      fileId: onboardingFile,
      content: PAY_LIST,
    }));
    const question = await questionAbout(lena, ONBOARDING);
    expect(question).toMatchObject({
      status: 'pending',
      askedBecause: 'content_changed',
      earlierAnswer: { decision: 'mine_not_sensitive' },
    });
    // It now looks like another type, too.
    const names = question.types.map(({ informationTypeName }) => informationTypeName);
    expect(names).toContain('Payroll and compensation');
    expect(question.earlierAnswer?.changes).toContainEqual({
      kind: 'new_identifiers',
      explanation:
        'It now holds identifiers of kinds that it did not hold: International bank account number.',
    });

    const kinds = (found: readonly { detectorId: string }[] = []) => found.map((each) => each.detectorId);
    for (const type of question.types) {
      const { answer: earlier, inference, signals, excerpts } = await detailOf(lena, type);
      expect(earlier).toMatchObject({ decision: 'mine_not_sensitive', isAboutPresentContent: false });
      expect(kinds(earlier?.evidence?.signals)).toContain('email_address');
      expect(kinds(earlier?.evidence?.signals)).not.toContain('iban');
      expect(kinds(earlier?.evidence?.excerpts)).not.toContain('iban');
      expect([kinds(signals), kinds(excerpts)]).toEqual([
        expect.arrayContaining(['email_address', 'iban']),
        expect.arrayContaining(['iban']),
      ]);
      // A type that the model no longer supports is asked without a confidence.
      if (type.confidence !== null) expect(inference?.confidence).toBe(type.confidence);
    }
    const contracts = await detailOf(lena, inTheMorning);
    expect(contracts.answer?.evidence?.inference?.confidence).toBe(inTheMorning.confidence);
    expect(contracts.inference?.confidence).not.toBe(inTheMorning.confidence);
  });

  test('oversharing it opens a finding, though she had called it not sensitive', async () => {
    await changeAndScan((scopeExternalId) => ({
      action: 'overshare',
      scopeExternalId,
      fileId: onboardingFile,
    }));
    const exposure = async () =>
      (await findingsList({}, lena)).items.find(
        ({ assetName, kind }) => assetName === ONBOARDING && kind === 'exposure',
      );
    expect(await exposure()).toMatchObject({
      status: 'open',
      notes: expect.stringMatching(/^Anyone with a link can open it\. .+no owner has confirmed it\.$/),
    });

    // A second answer hides no proven identifiers: the finding stays, acknowledged.
    await answer(lena, await questionAbout(lena, ONBOARDING), { decision: 'mine_not_sensitive' });
    expect(await exposure()).toMatchObject({
      status: 'acknowledged',
      acknowledgedBy: lena.principalId,
      notes: expect.stringContaining('although an owner has confirmed that it is public'),
    });
  });
});

describe('the evening', () => {
  test('the auditor finds every answer by ids, no name, and a chain that holds', async () => {
    const { items } = await auditList({ category: 'review' }, marcus);
    const decided = items.filter((each) => each.type === 'candidate_decided').toReversed();
    expect(decided.map(({ target, details }) => ({ target, details }))).toEqual(
      given.map(({ question, request }) => ({
        target: { kind: 'candidate', id: question.candidateId },
        details: {
          decision: request.decision,
          decisionId: expect.stringMatching(/^dec_/),
          assetId: question.assetId,
          domainId: question.domainId,
          routedDomainId: null,
          correctedInformationTypeId: null,
          ...namedIn(request),
          answered: Math.max(1, question.types.length),
        },
      })),
    );
    const trail = JSON.stringify(items);
    const names = given.flatMap(({ who, question, request }) => [
      who.displayName,
      question.assetName,
      question.location.path,
      question.domainName,
      question.informationTypeName,
      request.note,
    ]);
    expect(names.filter((name) => name != null && trail.includes(name))).toEqual([]);
    expect(await auditVerify(marcus)).toMatchObject({ ok: true, firstBreak: null });
  });
});
