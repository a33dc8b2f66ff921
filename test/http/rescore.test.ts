import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { Thresholds } from '../../core/inference/inference.ts';
import type { PrincipalId } from '../../core/kernel/ids.ts';
import { lockActiveEnsemble } from '../../core/models/ensembles.sql.ts';
import { rescoreUnder } from '../../core/models/rescore.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createScannedDatabase } from '../support/seeded-database.ts';

type Scan = {
  campaignId: string;
  scopeId: string | null;
  kind: string;
  status: string;
  workUnits: Record<string, number>;
  stageOutcomes: { stage: string; outcome: string; count: number }[];
};
type List<T> = { items: T[]; truncated: boolean };
type Started = { campaignId: string; ensembleVersion: number };
type Candidate = {
  candidateId: string;
  assetId: string;
  informationTypeId: string | null;
  revision: number;
  status: string;
};
type Detail = Candidate & {
  inference: {
    inferenceId: string;
    ensembleVersion: number;
    contributions: { name: string; evidence: Record<string, unknown> }[];
  };
  decisions: { items: unknown[] };
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;
let owner: SignedIn;

beforeAll(async () => {
  database = await createScannedDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  owner = await service.signInAs(PERSONA.peopleOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const drain = () => service.drain();
const scans = async (who: SignedIn) => (await who.get<List<Scan>>('/api/scans')).body.items;
const activeAssets = async () => {
  const [row] = await database.inspect<{ count: number }>(
    sql`select count(*)::int as count from assets where tenant_id = 'dev' and status = 'active'`,
  );
  return row?.count ?? 0;
};

describe('POST /api/models/rescore', () => {
  let started: Started;

  test('starts a tenant-wide campaign under the next version of the same thresholds', async () => {
    const answer = await governance.post<Started>('/api/models/rescore', {});
    expect(answer).toMatchObject({ status: 200, body: { ensembleVersion: 2 } });
    started = answer.body;
    const watched = await governance.get(answer.headers.get('location') ?? '');
    expect(watched.body).toMatchObject({ kind: 'rescore', campaignId: started.campaignId });
    const [former, current] = await database.inspect<Record<string, unknown>>(sql`
      select version, candidate_threshold, review_low_threshold, review_high_threshold, near_dup_confirmed_boost,
             exact_dup_confirmed_boost, active
        from ensembles where tenant_id = 'dev' order by version`);
    expect(current).toEqual({ ...former, version: 2, active: true });
    expect(former?.active).toBe(false);
  });

  test('is refused while one is active, and starts another one afterwards', async () => {
    expect(await governance.post('/api/models/rescore', {})).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    });
    await drain();
    const { body } = await governance.get<Scan>(`/api/scans/${started.campaignId}`);
    const assets = await activeAssets();
    expect(assets).toBeGreaterThan(20);
    expect(body).toMatchObject({
      kind: 'rescore',
      scopeId: null,
      status: 'completed',
      workUnits: { pending: 0, leased: 0, completed: assets, dead: 0, cancelled: 0 },
      stageOutcomes: [{ stage: 'inference', outcome: 'computed', count: assets }],
    });
    expect(await governance.post('/api/models/rescore', {})).toMatchObject({
      status: 200,
      body: { ensembleVersion: 3 },
    });
    await drain();
  });

  test('has ended at once in a tenant without assets, and that is audited', async () => {
    const elsewhere = await service.signInAs(inOther(PERSONA.governanceAdmin));
    const { campaignId } = (await elsewhere.post<Started>('/api/models/rescore', {})).body;
    const auditor = await service.signInAs(inOther(PERSONA.auditor));
    const { items } = (await auditor.get<List<object>>('/api/audit?category=scan')).body;
    expect(items).toMatchObject([
      {
        type: 'scan_completed',
        principalId: elsewhere.principalId,
        target: { kind: 'campaign', id: campaignId },
        details: { kind: 'rescore', status: 'completed', unitsCompleted: 0, durationSeconds: 0 },
      },
    ]);
  });

  test('shows itself to who sees the whole tenant, and to nobody else', async () => {
    const isThere = async (who: SignedIn) =>
      (await scans(who)).some(({ campaignId }) => campaignId === started.campaignId);
    expect(await isThere(admin)).toBe(true);
    expect(await isThere(await service.signInAs(PERSONA.auditor))).toBe(true);
    expect(await isThere(owner)).toBe(false);
    expect((await owner.get(`/api/scans/${started.campaignId}`)).status).toBe(404);
    const foreign = await service.signInAs(inOther(PERSONA.platformAdmin));
    expect(await isThere(foreign)).toBe(false);
  });

  test('is for who approves releases, and is audited', async () => {
    for (const who of [admin, owner]) expect((await who.post('/api/models/rescore', {})).status).toBe(403);
    const auditor = await service.signInAs(PERSONA.auditor);
    type Event = { type: string; target: { id: string } | null; details: object };
    const { items } = (await auditor.get<List<Event>>('/api/audit?category=model')).body;
    expect(items.map(({ type, target, details }) => ({ type, id: target?.id, details }))).toContainEqual({
      type: 'rescore_started',
      id: started.campaignId,
      details: { ensembleVersion: 2 },
    });
    expect(items).toHaveLength(2);
  });
});

describe('a decision', () => {
  /** A waiting question about an asset of which there is a byte-identical copy, and the copy's own question. */
  const pairOfCopies = async () => {
    const [pair] = await database.inspect<{ decided: string; copy: string }>(sql`
      select k.candidate_id as decided, c.candidate_id as copy
        from candidates k
        join assets a using (tenant_id, asset_id)
        join assets b on b.tenant_id = a.tenant_id and b.content_hash = a.content_hash and b.asset_id <> a.asset_id
        join candidates c on c.tenant_id = b.tenant_id and c.asset_id = b.asset_id
         and c.information_type_id = k.information_type_id
       where k.tenant_id = 'dev' and k.status = 'pending' and c.status = 'pending'
         and k.domain_id in ('dom_human_resources', 'dom_health_and_safety')
       order by 1 limit 1`);
    if (pair === undefined) throw new Error('the fixture has no such copies');
    return pair;
  };
  const detail = async (candidateId: string) =>
    (await owner.get<Detail>(`/api/review/candidates/${candidateId}`)).body;
  const following = async () => {
    const rows = await database.inspect<{ status: string; units_total: number }>(sql`
      select status, units_total from campaigns where tenant_id = 'dev' and follows_decisions
       order by created_at, campaign_id`);
    return rows;
  };

  test('that is refused leaves nothing to be scored', async () => {
    const before = await following();
    const { decided } = await pairOfCopies();
    const answer = await owner.post(`/api/review/candidates/${decided}/decision`, {
      decision: 'mine',
      revision: 999,
    });
    expect(answer.status).toBe(409);
    expect(await following()).toEqual(before);
  });

  test('has the copies scored again without a scan, with the reason, and confirms none', async () => {
    const { decided, copy } = await pairOfCopies();
    const before = await detail(copy);
    expect(await following()).toEqual([]);
    const answer = { decision: 'mine' };
    expect((await owner.post(`/api/review/candidates/${decided}/decision`, answer)).status).toBe(200);
    const [campaign] = await following();
    expect(campaign).toMatchObject({ status: 'pending' });
    expect(campaign?.units_total).toBeGreaterThan(0);

    // The same said again is no decision, and follows up nothing.
    await owner.post(`/api/review/candidates/${decided}/decision`, answer);
    expect(await following()).toEqual([campaign]);

    // Neither a rescore of the whole tenant stands in its way, nor it in that one's.
    expect((await governance.post('/api/models/rescore', {})).status).toBe(200);
    await drain();
    expect((await following()).map(({ status }) => status)).toEqual(['completed']);
    const after = await detail(copy);
    expect(after).toMatchObject({ status: 'pending', decisions: { items: [] } });
    expect(after.inference.inferenceId).not.toBe(before.inference.inferenceId);
    expect(after.inference.contributions).toContainEqual(
      expect.objectContaining({
        name: 'confirmed_copies',
        evidence: expect.objectContaining({ confirmed: 1, refused: 0 }),
      }),
    );
  });

  test('of many at once goes to one campaign', async () => {
    const { items } = (await owner.get<List<Candidate>>('/api/review/queue')).body;
    const answers = await Promise.all(
      items
        .slice(0, 6)
        .map(({ candidateId }) =>
          owner.post(`/api/review/candidates/${candidateId}/decision`, { decision: 'not_a_match' }),
        ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await following()).filter(({ status }) => status !== 'completed')).toHaveLength(1);
    const active = (await scans(admin)).filter(({ status }) => status === 'pending');
    expect(active.map(({ kind }) => kind)).toEqual(['rescore']);
    await drain();
    expect(new Set((await following()).map(({ status }) => status))).toEqual(new Set(['completed']));
    // One that ended well stays readable and makes room for others in the list.
    const [ended] = active;
    expect((await admin.get<Scan>(`/api/scans/${ended?.campaignId}`)).body).toMatchObject({
      status: 'completed',
    });
    const listed = async () => (await scans(admin)).map(({ campaignId }) => campaignId);
    expect(await listed()).not.toContain(ended?.campaignId);
    await database.inspect(
      sql`update campaigns set units_dead = 1, units_completed = units_completed - 1 where campaign_id = ${ended?.campaignId ?? ''}`,
    );
    expect(await listed()).toContain(ended?.campaignId);
  });
});

test('tells and keeps the version of the last scoring, also if it changed nothing', async () => {
  // The first one counts all answers so far.
  await governance.post('/api/models/rescore', {});
  await drain();
  const { ensembleVersion: version } = (await governance.post<Started>('/api/models/rescore', {})).body;
  await drain();
  const [first] = (await owner.get<List<Candidate>>('/api/review/queue')).body.items;
  const { candidateId, revision } = first ?? expect.unreachable('Nothing is asked.');
  const { body } = await owner.get<Detail>(`/api/review/candidates/${candidateId}`);
  expect(body.inference.ensembleVersion).toBe(version);
  const [stored] = await database.inspect<{ version: number }>(sql`
    select ensemble_version as version from inferences where inference_id = ${body.inference.inferenceId}`);
  expect(stored?.version).toBeLessThan(version);
  const answer = { decision: 'mine', revision, trainingEligible: true };
  expect((await owner.post(`/api/review/candidates/${candidateId}/decision`, answer)).status).toBe(200);
  const labels = await database.inspect(sql`
    select distinct ensemble_version from dataset_candidates where candidate_id = ${candidateId}`);
  expect(labels).toEqual([{ ensemble_version: version }]);
});

test('a question that another domain sends back follows the next scoring', async () => {
  const rescored = async (changes: Partial<Thresholds>) => {
    const origin = { createdBy: PERSONA.governanceAdmin as PrincipalId, correlationId: 'cor_1' };
    await withTx(database.db, { tenantId: DEV, mode: 'write' }, async (tx) =>
      rescoreUnder(tx, { ...(await lockActiveEnsemble(tx)), ...changes }, null, origin, Date.now()),
    );
    await drain();
  };
  const queue = async (who: SignedIn) => (await who.get<List<Candidate>>('/api/review/queue')).body.items;
  const sent = (await queue(owner)).find(({ informationTypeId }) => informationTypeId !== null);
  const { candidateId, assetId } = sent ?? expect.unreachable('Nothing is asked.');
  const routed = { decision: 'another_domain', routedDomainId: 'dom_finance' };
  expect((await owner.post(`/api/review/candidates/${candidateId}/decision`, routed)).status).toBe(200);
  await drain();
  await rescored({ candidateThreshold: 1 });
  const finance = await service.signInAs(PERSONA.financeOwner);
  const asked = (await queue(finance)).find(
    (each) => each.assetId === assetId && each.informationTypeId === null,
  );
  const refusal = { decision: 'not_a_match' };
  expect((await finance.post(`/api/review/candidates/${asked?.candidateId}/decision`, refusal)).status).toBe(
    200,
  );
  const status = async () =>
    database.inspect(sql`select status from candidates where candidate_id = ${candidateId}`);
  expect(await status()).toEqual([{ status: 'pending' }]);
  await drain();
  expect(await status()).toEqual([{ status: 'withdrawn' }]);
  await rescored({ candidateThreshold: 0.4 });
});

test('a candidate whose correction was revised follows the next scoring', async () => {
  const { items } = (await owner.get<List<Candidate>>('/api/review/queue')).body;
  const scored = (assetId: string) =>
    database.inspect(sql`select 1 from asset_scorings where asset_id = ${assetId}`);
  const [asked] = items.filter(({ informationTypeId }) => informationTypeId !== null);
  const { candidateId, assetId } = asked ?? expect.unreachable('Nothing is asked.');
  const answer = (decision: object) => owner.post(`/api/review/candidates/${candidateId}/decision`, decision);
  const types = await database.inspect<{ id: string }>(sql`
    select t.information_type_id as id from information_types t
     where t.tenant_id = ${DEV} and t.domain_id = 'dom_human_resources' and t.status = 'approved' and not exists (
       select from candidates k where k.asset_id = ${assetId} and k.information_type_id = t.information_type_id)`);
  const corrected = { decision: 'mine_different_type', correctedInformationTypeId: types[0]?.id };
  expect((await answer(corrected)).status).toBe(200);
  expect(await scored(assetId)).toHaveLength(1);
  expect((await answer({ decision: 'mine' })).status).toBe(200);
  expect(await scored(assetId)).toHaveLength(0);
  await governance.post('/api/models/rescore', {});
  await drain();
  expect(await scored(assetId)).toHaveLength(1);
});
