import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Answer, type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { inOther, PERSONA } from '../support/seed.ts';
import { createScannedDatabase } from '../support/seeded-database.ts';

type Candidate = {
  candidateId: string;
  assetId: string;
  assetName: string;
  summary: string;
  location: { scopeId: string; path: string };
  domainId: string;
  informationTypeId: string | null;
  confidence: number | null;
  types: { candidateId: string; informationTypeId: string }[];
  band: 'routed' | 'high' | 'review';
  status: string;
  revision: number;
  value: number;
  reasons: { part: string; points: number }[];
};
type Detail = Candidate & {
  inference: {
    inferenceId: string;
    confidence: number;
    contributions: { name: string; explanation: string; direction: 'for' | 'against'; value: number }[];
  } | null;
  signals: Record<string, unknown>[];
  excerpts: { detectorId: string; text: string }[];
  decisions: {
    items: {
      decision: string;
      correctedInformationTypeId: string | null;
      note: string | null;
      revision: number;
      principalId: string;
    }[];
  };
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

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
/** Owns people and safety; the delegate answers for safety too. */
let owner: SignedIn;
let delegate: SignedIn;
let stranger: SignedIn;
let auditor: SignedIn;
let otherTenant: SignedIn;

beforeAll(async () => {
  database = await createScannedDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
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

const scan = async (...sites: string[]) => {
  // What decisions left to be scored comes first: a scan that meets it is tried again, some time later.
  await service.drain();
  const { items } = (await admin.get<List<{ scopeId: string; externalId: string }>>('/api/sources')).body;
  for (const { scopeId } of items.filter((each) => sites.includes(each.externalId))) {
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  }
  await service.drain();
};
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

  test('is ordered by the value of an answer, then by id, and says what makes it', async () => {
    const all = await queue(owner);
    const sorted = [...all].sort((a, b) => b.value - a.value || (a.candidateId < b.candidateId ? -1 : 1));
    expect(all.map((each) => each.candidateId)).toEqual(sorted.map((each) => each.candidateId));
    expect(new Set(all.map((each) => each.assetId + each.domainId)).size).toBe(all.length);
    for (const { value, reasons } of all)
      expect(reasons.reduce((sum, { points }) => sum + points, 0)).toBe(value);
    expect(new Set(all.flatMap(({ reasons }) => reasons.map(({ part }) => part)))).toContain('risk');
  });

  test('is for owners alone: others are denied, which is audited', async () => {
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
      expect(Object.keys(signal).sort()).toEqual([
        ...['confidence', 'count', 'detectorId', 'family', 'tiers', 'title'],
      ]);
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
    const { excerpts, summary } = await detail(owner, kept?.candidateId ?? '');
    const listed = await queue(owner);
    await profile('minimized_evidence');
    expect(kept).toBeDefined();
    expect(excerpts).toEqual([]);
    expect(all.some((each) => each.summary.includes('” in its text'))).toBe(true);
    for (const each of [summary, ...listed.map((one) => one.summary)])
      expect(each).not.toContain('” in its text');
  });
});

test('the next scan weighs a decision on copies, says so and decides nothing', async () => {
  type Copy = { assetId: string; candidateId: string; site: string };
  const [original, copy] = await database.inspect<Copy>(sql`
    select a.asset_id as "assetId", k.candidate_id as "candidateId", s.external_id as site
      from assets a
      join scopes s using (tenant_id, scope_id)
      join candidates k on k.tenant_id = a.tenant_id and k.asset_id = a.asset_id
     where k.information_type_id = 'ift_accidents' and k.status = 'pending'
       and a.content_hash in (select content_hash from assets group by content_hash having count(distinct scope_id) = 2)
     order by s.external_id`);
  if (original === undefined || copy === undefined) throw new Error('the fixture has no such copies');
  expect([original.site, copy.site]).toEqual(['site-operations', 'site-people']);
  type Inferred = { confidence: number; contributions: { name: string; evidence: object }[] };
  const inferred = (assetId: string) =>
    database.inspect<Inferred>(sql`
      select confidence, contributions from inferences
       where asset_id = ${assetId} and information_type_id = 'ift_accidents' order by created_at, inference_id`);
  const reasonOf = (each: Inferred | undefined) =>
    each?.contributions.find((contribution) => contribution.name === 'confirmed_copies')?.evidence;
  await decide(delegate, original.candidateId, { decision: 'mine' });
  await scan('site-people');
  expect(await detail(owner, copy.candidateId)).toMatchObject({
    status: 'pending',
    // What was said of a copy refuses nobody's answer here.
    revision: 0,
    decisions: { items: [] },
    inference: {
      contributions: expect.arrayContaining([
        expect.objectContaining({
          name: 'confirmed_copies',
          direction: 'for',
          evidence: { confirmed: 1, refused: 0 },
        }),
      ]),
    },
  });

  await decide(delegate, original.candidateId, { decision: 'not_a_match' });
  await scan('site-people', 'site-operations');
  const ofCopy = await inferred(copy.assetId);
  const [first, confirmed] = ofCopy;
  const refused = ofCopy.at(-1);
  expect(reasonOf(first)).toBeUndefined();
  expect(reasonOf(refused)).toEqual({ confirmed: 0, refused: 1 });
  expect(confirmed?.confidence).toBeGreaterThan(first?.confidence ?? Number.NaN);
  expect(refused?.confidence).toBeLessThan(first?.confidence ?? Number.NaN);
  // Of the decided one nobody decided a copy.
  expect((await inferred(original.assetId)).map(reasonOf)).not.toContainEqual(expect.anything());
  expect(await database.inspect(sql`select from decisions where asset_id = ${copy.assetId}`)).toEqual([]);
});

describe('a decision', () => {
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
      await owner.get<{ classifications: { informationTypeId: string }[] }>(`/api/assets/${assetId}`)
    ).body;
    expect(classifications.map((each) => each.informationTypeId)).toContain(corrected);
    expect(classifications.map((each) => each.informationTypeId)).not.toContain(informationTypeId);
  });

  test('mine_different_type answers the corrected type, which no later scan asks again', async () => {
    const all = await queue(owner, PEOPLE);
    const pair = all.flatMap((one) =>
      one.types.filter((two) => two.candidateId !== one.candidateId).map((two) => ({ one, two })),
    )[0];
    if (pair === undefined) throw new Error('no asset waits with two types');
    const { one, two } = pair;
    await decide(owner, one.candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: two.informationTypeId,
    });
    const isAsked = async () => (await queue(owner, PEOPLE)).some(({ assetId }) => assetId === one.assetId);
    expect(await isAsked()).toBe(false);
    // Another version of the thresholds, so that the next scan infers again.
    await database.inspect(sql`
      with old as (update ensembles set active = false where tenant_id = 'dev' and active returning *)
      insert into ensembles select tenant_id, version + 1, candidate_threshold, review_low_threshold,
        review_high_threshold, near_dup_confirmed_boost, exact_dup_confirmed_boost, true, created_at from old`);
    service.clock.advance(10_000);
    await scan('site-operations', 'site-people');
    expect(await isAsked()).toBe(false);
  });

  test('a corrected type of a domain that is not theirs is told to no colleague', async () => {
    const { candidateId } = await open(SAFETY);
    const answer = await decide(owner, candidateId, {
      decision: 'mine_different_type',
      correctedInformationTypeId: 'ift_payroll',
    });
    expect(answer.status).toBe(200);
    const told = async (who: SignedIn) => {
      const { provenance, decisions } = await detail(who, candidateId);
      return [
        provenance.items.find(({ assertionId }) => assertionId === answer.body.assertionId)
          ?.informationTypeId,
        decisions.items[0]?.correctedInformationTypeId,
      ];
    };
    expect(await told(owner)).toEqual(['ift_payroll', 'ift_payroll']);
    expect(await told(delegate)).toEqual([null, null]);
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
    // The excerpts went with it. The question stays with its sender until somebody there answers.
    expect((await owner.get(`/api/assets/${assetId}`)).status).toBe(404);
    expect(await detail(owner, candidateId)).toMatchObject({ status: 'routed', excerpts: [] });
    expect((await detail(stranger, asked[0]?.candidateId ?? '')).excerpts).not.toEqual([]);
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

  test('one of two who decide at once wins, whether or not they name the revision', async () => {
    const [first, second] = await queue(delegate, SAFETY);
    const both = (candidateId: string, revision: object) =>
      Promise.all([
        decide(owner, candidateId, { decision: 'mine', ...revision }),
        decide(delegate, candidateId, { decision: 'not_a_match', ...revision }),
      ]);
    for (const [candidate, revision] of [
      [first, { revision: first?.revision }],
      [second, {}],
    ] as const) {
      const answers = await both(candidate?.candidateId ?? '', revision);
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
      expect(await decisionRows(candidate?.candidateId ?? '')).toHaveLength(1);
      const won = answers.find((answer) => answer.status === 200)?.body;
      expect((await detail(owner, candidate?.candidateId ?? '')).status).toBe(won?.status);
    }
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
