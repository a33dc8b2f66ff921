import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Answer, type SignedIn, startService, type TestService } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { inOther, PERSONA, seedTenants } from '../support/seed.ts';

type Candidate = {
  candidateId: string;
  assetId: string;
  assetName: string;
  location: { scopeId: string; path: string };
  domainId: string;
  informationTypeId: string | null;
  confidence: number | null;
  band: 'routed' | 'high' | 'review';
  status: string;
  revision: number;
};
type Detail = Candidate & {
  inference: {
    inferenceId: string;
    confidence: number;
    contributions: { name: string; explanation: string; direction: 'for' | 'against'; value: number }[];
  } | null;
  signals: Record<string, unknown>[];
  excerpts: { detectorId: string; text: string }[];
  decisions: { items: { decision: string; note: string | null; revision: number; principalId: string }[] };
  provenance: {
    items: {
      assertionId: string;
      kind: string;
      statement: string;
      domainId: string;
      informationTypeId: string | null;
      inferenceId: string | null;
      decisionId: string | null;
      answersAssertionId: string | null;
    }[];
  };
};
type Decided = {
  candidateId: string;
  decision: string;
  status: string;
  revision: number;
  assertionId: string;
};
type List<T> = { items: T[]; truncated: boolean };
type Event = { type: string; target: { id: string } | null; details: Record<string, unknown> };

const DELEGATE = 'pri_agnes_lindqvist';
const SAFETY = 'dom_health_and_safety';
const PEOPLE = 'dom_human_resources';
const DAY_MS = 24 * 3_600_000;

let database: TestDatabase;
let service: TestService;
/** Owns people and safety; the delegate answers for safety too. */
let owner: SignedIn;
let delegate: SignedIn;
let stranger: SignedIn;
let auditor: SignedIn;
let otherTenant: SignedIn;

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
  await seedTenants(database.db);
  service = await startService(database);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<List<{ scopeId: string; externalId: string }>>('/api/sources')).body;
  for (const { scopeId, externalId } of items) {
    if (!['site-operations', 'site-people'].includes(externalId)) continue;
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  }
  await service.runtime().worker.drain(60_000, new AbortController().signal);
  owner = await service.signInAs(PERSONA.peopleOwner);
  delegate = await service.signInAs(DELEGATE);
  stranger = await service.signInAs(PERSONA.financeOwner);
  auditor = await service.signInAs(PERSONA.auditor);
  otherTenant = await service.signInAs(inOther(PERSONA.peopleOwner));
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const queue = async (who: SignedIn, domainId?: string) =>
  (await who.get<List<Candidate>>(`/api/review/queue${domainId ? `?domainId=${domainId}` : ''}`)).body.items;
const detail = async (who: SignedIn, candidateId: string) =>
  (await who.get<Detail>(`/api/review/candidates/${candidateId}`)).body;
const decide = (who: SignedIn, candidateId: string, body: object): Promise<Answer<Decided>> =>
  who.post<Decided>(`/api/review/candidates/${candidateId}/decision`, body);
/** An open question of a domain that the model asked. */
const open = async (domainId: string): Promise<Candidate & { informationTypeId: string }> => {
  const found = (await queue(owner, domainId)).find((each) => each.informationTypeId !== null);
  if (found?.informationTypeId == null) throw new Error(`nothing is open in ${domainId}`);
  return { ...found, informationTypeId: found.informationTypeId };
};
/** One whose asset the owner sees by this question alone. */
const openWithExcerpts = async (): Promise<Detail> => {
  const all = await queue(owner);
  for (const { candidateId, assetId } of await queue(owner, PEOPLE)) {
    if (all.filter((each) => each.assetId === assetId).length > 1) continue;
    const found = await detail(owner, candidateId);
    if (found.excerpts.length > 0 && found.provenance.items.every((each) => each.kind === 'inferred'))
      return found;
  }
  throw new Error('no open question has excerpts');
};
const events = async (category: string, targetId: string) =>
  (await auditor.get<List<Event>>(`/api/audit?category=${category}`)).body.items.filter(
    (event) => event.target?.id === targetId,
  );
const decisionRows = (candidateId: string) =>
  database.inspect<{ revision: number }>(
    sql`select revision from decisions where candidate_id = ${candidateId} order by revision`,
  );

describe('GET /api/review/queue', () => {
  test('holds the open questions of the domains of the caller, and of no other', async () => {
    const all = await queue(owner);
    expect(new Set(all.map((each) => each.domainId))).toEqual(new Set([SAFETY, PEOPLE]));
    expect(new Set(all.map((each) => each.status))).toEqual(new Set(['pending']));
    const safety = all.filter((each) => each.domainId === SAFETY);
    expect(await queue(delegate)).toEqual(safety);
    expect(await queue(owner, SAFETY)).toEqual(safety);
    expect(await queue(delegate, PEOPLE)).toEqual([]);
    expect(await queue(owner, 'dom_none')).toEqual([]);
    expect(await queue(otherTenant)).toEqual([]);
  });

  test('is ordered by band, then confidence, then id', async () => {
    const rank = { routed: 0, high: 1, review: 2 };
    const all = await queue(owner);
    const sorted = [...all].sort(
      (a, b) =>
        rank[a.band] - rank[b.band] ||
        (b.confidence ?? -1) - (a.confidence ?? -1) ||
        (a.candidateId < b.candidateId ? -1 : 1),
    );
    expect(all.map((each) => each.candidateId)).toEqual(sorted.map((each) => each.candidateId));
    expect(new Set(all.map((each) => each.band))).toEqual(new Set(['high', 'review']));
  });

  test('is for owners alone: an auditor, an operator and a governor are denied, which is audited', async () => {
    for (const persona of [
      PERSONA.platformAdmin,
      PERSONA.governanceAdmin,
      PERSONA.approver,
      PERSONA.auditor,
    ]) {
      const caller = await service.signInAs(persona);
      expect(await caller.get('/api/review/queue'), persona).toMatchObject({ status: 403 });
    }
    const { items } = (
      await auditor.get<List<Event & { policyDecision: string }>>('/api/audit?category=auth')
    ).body;
    expect(items.filter((event) => event.policyDecision === 'review.read')).toHaveLength(4);
  });
});

describe('GET /api/review/candidates/{id}', () => {
  test('explains the confidence by named, signed reasons that add up to it', async () => {
    const { inference } = await detail(owner, (await open(PEOPLE)).candidateId);
    const reasons = inference?.contributions ?? [];
    expect(reasons.length).toBeGreaterThan(1);
    for (const { name, explanation, direction, value } of reasons) {
      expect(explanation.length, name).toBeGreaterThan(10);
      expect(direction, name).toBe(value < 0 ? 'against' : 'for');
    }
    // The log-odds are the reasons and a bias that is the same for all.
    const biasOf = ({ inference: each }: Detail) => {
      const { confidence, contributions } = each ?? { confidence: Number.NaN, contributions: [] };
      return (
        Math.log(confidence / (1 - confidence)) - contributions.reduce((sum, { value }) => sum + value, 0)
      );
    };
    const [first, second] = await queue(owner, SAFETY);
    const bias = biasOf(await detail(owner, first?.candidateId ?? ''));
    expect(bias).toBeCloseTo(biasOf(await detail(owner, second?.candidateId ?? '')), 6);
  });

  test('tells signals by kind and number, and where the provenance starts', async () => {
    const candidate = await open(PEOPLE);
    const { signals, provenance, decisions, inference } = await detail(owner, candidate.candidateId);
    for (const signal of signals) {
      expect(Object.keys(signal).sort()).toEqual(['confidence', 'count', 'detectorId', 'family', 'tiers']);
    }
    expect(provenance.items).toContainEqual(
      expect.objectContaining({
        kind: 'inferred',
        statement: 'belongs_to',
        domainId: PEOPLE,
        informationTypeId: candidate.informationTypeId,
        inferenceId: inference?.inferenceId,
        answersAssertionId: null,
      }),
    );
    expect(decisions.items).toEqual([]);
  });

  test('shows redacted excerpts to who may read them, and records that, without names', async () => {
    const shown: Detail[] = [];
    for (const { candidateId } of await queue(owner)) {
      const found = await detail(owner, candidateId);
      const reads = await events('evidence_access', found.assetId);
      const [read] = reads;
      // One asset may be asked about twice, so that it was read before.
      expect(reads.length > 0, candidateId).toBe(found.excerpts.length > 0);
      if (read === undefined) continue;
      shown.push(found);
      expect(read.type).toBe('asset_excerpts_read');
      expect(JSON.stringify(read)).not.toContain(found.assetName);
      expect(JSON.stringify(read)).not.toContain(found.location.path);
      for (const { text } of found.excerpts) expect(text).not.toMatch(/\d{5}|[^\s•]@[^\s•]/);
      if (shown.length === 3) break;
    }
    expect(shown.length).toBeGreaterThan(0);
  });

  test('shows no excerpts where the tenant keeps none any more', async () => {
    const profile = (name: string) =>
      database.inspect(sql`update tenants set data_handling_profile = ${name} where tenant_id = 'dev'`);
    const all = await queue(owner);
    const details = await Promise.all(all.slice(0, 20).map((each) => detail(owner, each.candidateId)));
    const kept = details.find((each) => each.excerpts.length > 0);
    await profile('metadata_only');
    const { excerpts } = await detail(owner, kept?.candidateId ?? '');
    await profile('minimized_evidence');
    expect(kept).toBeDefined();
    expect(excerpts).toEqual([]);
  });
});

test('what is missing, foreign or in another tenant is not found, in the same words', async () => {
  const { candidateId } = await open(PEOPLE);
  const missing = await owner.get('/api/review/candidates/cnd_none');
  expect(missing).toMatchObject({ status: 404, body: { error: 'not_found' } });
  for (const who of [delegate, stranger, otherTenant]) {
    expect(await who.get(`/api/review/candidates/${candidateId}`)).toMatchObject({
      status: 404,
      text: missing.text,
    });
    expect(await decide(who, candidateId, { decision: 'mine' })).toMatchObject({
      status: 404,
      text: missing.text,
    });
  }
  expect(await decide(owner, 'cnd_none', { decision: 'mine' })).toMatchObject({ text: missing.text });
  expect(await decisionRows(candidateId)).toEqual([]);
});

describe('POST /api/review/candidates/{id}/decision', () => {
  test.each([
    ['mine', 'confirmed', 'belongs_to'],
    ['mine_not_sensitive', 'confirmed', 'belongs_not_sensitive'],
    ['not_a_match', 'rejected', 'does_not_belong_to'],
    ['need_more_evidence', 'deferred', 'needs_more_evidence'],
  ])(
    '%s: the candidate is %s, and an assertion answers the inferred one',
    async (decision, status, statement) => {
      const candidate = await open(PEOPLE);
      const { candidateId, informationTypeId } = candidate;
      const before = await detail(owner, candidateId);
      const inferences = () => database.inspect(sql`select * from inferences order by inference_id`);
      const said = await inferences();
      const answer = await decide(owner, candidateId, { decision, note: 'As agreed' });
      expect(answer).toMatchObject({ status: 200, body: { candidateId, decision, status, revision: 1 } });
      const after = await detail(owner, candidateId);
      expect(after).toMatchObject({ status, revision: 1, inference: before.inference });
      expect(after.decisions.items).toMatchObject([
        { decision, note: 'As agreed', revision: 1, principalId: owner.principalId },
      ]);
      const inferred = before.provenance.items.find(
        (each) => each.inferenceId === before.inference?.inferenceId,
      );
      expect(after.provenance.items).toContainEqual(
        expect.objectContaining({
          assertionId: answer.body.assertionId,
          kind: 'human',
          statement,
          domainId: PEOPLE,
          informationTypeId,
          answersAssertionId: inferred?.assertionId,
        }),
      );
      expect(await inferences()).toEqual(said);
      expect((await queue(owner)).map((each) => each.candidateId)).not.toContain(candidateId);
      expect(await events('review', candidateId)).toMatchObject([
        { type: 'candidate_decided', details: { decision } },
      ]);
      expect(Object.keys((await events('review', candidateId))[0]?.details ?? {})).toEqual(['decision']);
    },
  );

  test('mine_different_type: confirmed, and asserted of the corrected type', async () => {
    const { candidateId, assetId, informationTypeId } = await open(PEOPLE);
    const corrected = informationTypeId === 'ift_payroll' ? 'ift_applications' : 'ift_payroll';
    const answer = await decide(owner, candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: corrected,
      trainingEligible: true,
    });
    expect(answer).toMatchObject({ status: 200, body: { status: 'confirmed' } });
    const { provenance, informationTypeId: asked } = await detail(owner, candidateId);
    expect(asked).toBe(informationTypeId);
    expect(provenance.items).toContainEqual(
      expect.objectContaining({
        assertionId: answer.body.assertionId,
        statement: 'belongs_to',
        informationTypeId: corrected,
      }),
    );
    const { classifications } = (
      await owner.get<{ classifications: { candidateId: string; informationTypeId: string }[] }>(
        `/api/assets/${assetId}`,
      )
    ).body;
    expect(classifications.find((each) => each.candidateId === candidateId)?.informationTypeId).toBe(
      corrected,
    );
  });

  test('another_domain: routed away, and asked of the other domain once, without a type', async () => {
    const { candidateId, assetId } = await openWithExcerpts();
    const visible = () => stranger.get(`/api/assets/${assetId}`);
    expect((await visible()).status).toBe(404);
    const route = { decision: 'another_domain', routedDomainId: 'dom_finance' };
    const answer = await decide(owner, candidateId, route);
    expect(answer).toMatchObject({ status: 200, body: { status: 'routed' } });
    expect(await decide(owner, candidateId, route)).toMatchObject({ status: 200, body: answer.body });

    const asked = (await queue(stranger)).filter(
      (each) => each.assetId === assetId && each.band === 'routed',
    );
    expect(asked).toMatchObject([
      { domainId: 'dom_finance', informationTypeId: null, confidence: null, revision: 0 },
    ]);
    expect((await visible()).status).toBe(200);
    // The evidence went with it.
    expect((await owner.get(`/api/assets/${assetId}`)).status).toBe(404);
    expect((await detail(owner, candidateId)).excerpts).toEqual([]);
    expect((await detail(stranger, asked[0]?.candidateId ?? '')).excerpts).not.toEqual([]);
    expect(await decide(owner, candidateId, { decision: 'mine' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    });

    const taken = await decide(stranger, asked[0]?.candidateId ?? '', { decision: 'mine' });
    const { provenance } = await detail(stranger, asked[0]?.candidateId ?? '');
    expect(provenance.items).toContainEqual(
      expect.objectContaining({
        assertionId: taken.body.assertionId,
        domainId: 'dom_finance',
        informationTypeId: null,
        answersAssertionId: answer.body.assertionId,
      }),
    );
  });

  test('what another domain answered stands when it is asked again; what it passed on is asked again', async () => {
    const [candidate] = await queue(delegate, SAFETY);
    const { candidateId, assetId } = candidate ?? { candidateId: '', assetId: '' };
    await decide(delegate, candidateId, { decision: 'another_domain', routedDomainId: 'dom_finance' });
    const inFinance = async () => (await queue(stranger)).filter((each) => each.assetId === assetId);
    const back = { decision: 'another_domain', routedDomainId: SAFETY };
    expect((await decide(stranger, (await inFinance())[0]?.candidateId ?? '', back)).status).toBe(200);
    expect(await inFinance()).toEqual([]);

    const returned = (await queue(delegate, SAFETY)).find(
      (each) => each.assetId === assetId && each.band === 'routed',
    );
    const forth = { decision: 'another_domain', routedDomainId: 'dom_finance' };
    expect((await decide(delegate, returned?.candidateId ?? '', forth)).status).toBe(200);
    const [again] = await inFinance();
    expect(again).toMatchObject({ status: 'pending', revision: 1 });
    const refused = await decide(stranger, again?.candidateId ?? '', { decision: 'not_a_match' });
    expect(refused).toMatchObject({ status: 200, body: { status: 'rejected', revision: 2 } });
    await database.inspect(
      sql`update candidates set status = 'pending' where candidate_id = ${returned?.candidateId ?? ''}`,
    );
    expect((await decide(delegate, returned?.candidateId ?? '', forth)).status).toBe(200);
    expect(await inFinance()).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['no decision', {}, 'decision'],
    ['an unknown decision', { decision: 'perhaps' }, 'decision'],
    ['an unknown field', { decision: 'mine', principalId: 'pri_x' }, ''],
    ['a type with another decision', { decision: 'mine', correctedInformationTypeId: 'ift_payroll' }, ''],
    ['a domain with another decision', { decision: 'mine', routedDomainId: 'dom_finance' }, ''],
    ['no corrected type', { decision: 'mine_different_type' }, 'correctedInformationTypeId'],
    [
      'an unknown type',
      { decision: 'mine_different_type', correctedInformationTypeId: 'ift_none' },
      'correctedInformationTypeId',
    ],
    [
      'a type of a foreign domain',
      { decision: 'mine_different_type', correctedInformationTypeId: 'ift_invoices' },
      'correctedInformationTypeId',
    ],
    ['no domain', { decision: 'another_domain' }, 'routedDomainId'],
    ['an unknown domain', { decision: 'another_domain', routedDomainId: 'dom_none' }, 'routedDomainId'],
    ['its own domain', { decision: 'another_domain', routedDomainId: PEOPLE }, 'routedDomainId'],
    ['a long note', { decision: 'mine', note: 'x'.repeat(2_001) }, 'note'],
    ['a negative revision', { decision: 'mine', revision: -1 }, 'revision'],
  ])('400 for %s', async (_, body, path) => {
    const { candidateId } = await open(PEOPLE);
    expect(await decide(owner, candidateId, body)).toMatchObject({
      status: 400,
      body: { error: 'validation_failed', issues: [{ path }] },
    });
    expect(await decisionRows(candidateId)).toEqual([]);
  });

  test('400 for the type that was asked about, and for one or a domain that is still a draft', async () => {
    const { candidateId, informationTypeId } = await open(PEOPLE);
    const draft = informationTypeId === 'ift_performance' ? 'ift_personnel_files' : 'ift_performance';
    const status = (name: string) =>
      database.inspect(sql`
        with types as (
          update information_types set status = ${name} where tenant_id = 'dev' and information_type_id = ${draft}
        )
        update domains set status = ${name} where tenant_id = 'dev' and domain_id = 'dom_product'`);
    await status('draft');
    const refused = await Promise.all([
      decide(owner, candidateId, {
        decision: 'mine_different_type',
        correctedInformationTypeId: informationTypeId,
      }),
      decide(owner, candidateId, { decision: 'mine_different_type', correctedInformationTypeId: draft }),
      decide(owner, candidateId, { decision: 'another_domain', routedDomainId: 'dom_product' }),
    ]);
    await status('approved');
    expect(refused.map((answer) => answer.status)).toEqual([400, 400, 400]);
    expect(await decisionRows(candidateId)).toEqual([]);
  });

  test('the same again changes nothing and gives the same answer, also with the revision first seen', async () => {
    const { candidateId } = await open(PEOPLE);
    const body = { decision: 'mine', note: 'Ours', revision: 0 };
    const first = await decide(owner, candidateId, body);
    const again = await decide(owner, candidateId, body);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await decisionRows(candidateId)).toHaveLength(1);
    expect(await events('review', candidateId)).toHaveLength(1);
  });

  test('may be revised; each revision is a further row, and a stale one conflicts', async () => {
    const { candidateId } = await open(PEOPLE);
    await decide(owner, candidateId, { decision: 'not_a_match' });
    expect(await decide(owner, candidateId, { decision: 'mine', revision: 0 })).toMatchObject({
      status: 409,
    });
    const revised = await decide(owner, candidateId, { decision: 'mine', revision: 1 });
    expect(revised).toMatchObject({ status: 200, body: { status: 'confirmed', revision: 2 } });
    expect((await detail(owner, candidateId)).decisions.items).toMatchObject([
      { decision: 'mine', revision: 2 },
      { decision: 'not_a_match', revision: 1 },
    ]);
  });

  test('two who decide at once: with the revision they saw one wins, without it both are recorded', async () => {
    const [first, second] = await queue(delegate, SAFETY);
    const both = (candidateId: string, revision: object) =>
      Promise.all([
        decide(owner, candidateId, { decision: 'mine', ...revision }),
        decide(delegate, candidateId, { decision: 'not_a_match', ...revision }),
      ]);
    const seen = await both(first?.candidateId ?? '', { revision: 0 });
    expect(seen.map((answer) => answer.status).sort()).toEqual([200, 409]);
    expect(await decisionRows(first?.candidateId ?? '')).toEqual([{ revision: 1 }]);

    const unseen = await both(second?.candidateId ?? '', {});
    expect(unseen.map((answer) => answer.status)).toEqual([200, 200]);
    expect(unseen.map((answer) => answer.body.revision).sort()).toEqual([1, 2]);
    const last = unseen.find((answer) => answer.body.revision === 2)?.body.status;
    expect((await detail(owner, second?.candidateId ?? '')).status).toBe(last);
  });

  test('one who sends the same five times at once is recorded once', async () => {
    const { candidateId } = await open(PEOPLE);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => decide(owner, candidateId, { decision: 'mine' })),
    );
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(await decisionRows(candidateId)).toHaveLength(1);
  });

  test('whoever may not decide leaves no decision', async () => {
    const { candidateId } = await open(PEOPLE);
    expect((await decide(auditor, candidateId, { decision: 'mine' })).status).toBe(403);
    const forged = service.withCookie(owner.cookie, 'wrong');
    const path = `/api/review/candidates/${candidateId}/decision`;
    expect(await forged.post(path, { decision: 'mine' })).toMatchObject({ status: 403 });
    expect(await decisionRows(candidateId)).toEqual([]);
  });
});

test('the audit trail names no asset, place, note or person by name', async () => {
  const texts = await database.inspect<{ text: string }>(sql`
    select distinct text from (
      select name as text from assets where tenant_id = 'dev' union select path from assets where tenant_id = 'dev'
      union select note from decisions union select display_name from principals) as named
     where length(text) > 3`);
  const records = await database.inspect<{ record: string }>(sql`select record from audit_events`);
  const trail = records.map((row) => row.record).join('\n');
  expect(records.length).toBeGreaterThan(20);
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.map((row) => row.text).filter((text) => trail.includes(text))).toEqual([]);
});

// Moves the clock, so it comes last.
test('an answer may be revised for 30 days; what was put off stays open', async () => {
  const answered = await open(PEOPLE);
  await decide(owner, answered.candidateId, { decision: 'not_a_match' });
  const putOff = await open(PEOPLE);
  await decide(owner, putOff.candidateId, { decision: 'need_more_evidence' });

  service.clock.advance(29 * DAY_MS);
  owner = await service.signInAs(PERSONA.peopleOwner);
  expect((await decide(owner, answered.candidateId, { decision: 'mine' })).status).toBe(200);

  service.clock.advance(31 * DAY_MS);
  owner = await service.signInAs(PERSONA.peopleOwner);
  expect(await decide(owner, answered.candidateId, { decision: 'not_a_match' })).toMatchObject({
    status: 409,
    body: { error: 'conflict' },
  });
  expect((await decide(owner, putOff.candidateId, { decision: 'mine' })).status).toBe(200);
});
