import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { FIRST_ENSEMBLE } from '../../core/inference/inference.ts';
import type { Tally } from '../../core/models/evaluation.ts';
import type { Release, ReleaseDetail } from '../../core/models/release-schema.ts';
import { nextReleaseState, RELEASE_STATUSES, type ReleaseStatus } from '../../core/models/release-states.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const STEPS = ['evaluate', 'approve', 'reject', 'withdraw', 'promote', 'rollback'] as const;
const { version: _, learned: __, ...FIRST } = FIRST_ENSEMBLE;

let database: TestDatabase;
let service: TestService;
let proposer: SignedIn;
let approver: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  proposer = await service.signInAs(PERSONA.governanceAdmin);
  approver = await service.signInAs(PERSONA.secondGovernanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const tallyOf = (domainId: string, informationTypeId: string, truePositives: number): Tally => {
  const outcomes = { truePositives, falsePositives: 1, trueNegatives: 0, falseNegatives: 0 };
  return {
    informationTypeId,
    domainId,
    outcomes: { current: outcomes, candidate: outcomes },
    bins: {
      current: [{ at: 9, labels: truePositives + 1, positives: truePositives, confidenceSum: 1 }],
      candidate: [],
    },
    onlyRight: { current: 0, candidate: 0 },
    skipped: { contentChanged: 0, featuresMissing: 0, typeNotApproved: 0, notReached: 0 },
    queue: { appear: 1, vanish: 0, toHigh: 0, toReview: 0, unchanged: 0 },
  };
};
const EVALUATION = {
  tallies: [tallyOf('dom_finance', 'ift_invoices', 3), tallyOf('dom_legal', 'ift_contracts', 40)],
  queueAssets: { examined: 5, featuresMissing: 1, total: 6 },
  training: {
    labels: 20,
    skipped: { contentChanged: 0, featuresMissing: 0, typeNotApproved: 0, notReached: 3 },
  },
};

let made = 0;
/** Stores a release in a state. There is no other one in force then. */
async function releaseIn(status: ReleaseStatus): Promise<string> {
  const releaseId = `rel_made_${made++}`;
  const isDecided = !['proposed', 'evaluated', 'withdrawn'].includes(status);
  const isEvaluated = status !== 'proposed';
  const promoted = ['promoted', 'superseded', 'rolled_back'].includes(status) ? 1 : null;
  await database.inspect(
    sql`update model_releases set status = 'superseded' where tenant_id = ${DEV} and status = 'promoted'`,
  );
  await database.inspect(sql`
    insert into model_releases (tenant_id, release_id, status, config_patch, thresholds, compared_version, rationale,
                                proposed_by, evaluation, evaluated_at, decided_by, promoted_version, former_version,
                                created_at, updated_at)
    values (${DEV}, ${releaseId}, ${status}, '{}', ${sql.json(FIRST)}::jsonb, 1, 'Why', ${proposer.principalId},
            ${isEvaluated ? sql.json(EVALUATION) : null}::jsonb, ${isEvaluated ? new Date() : null},
            ${isDecided ? approver.principalId : null}, ${promoted}, ${promoted}, now(), now())`);
  return releaseId;
}

const stored = async (releaseId: string) => {
  const rows = await database.inspect<object>(
    sql`select * from model_releases where release_id = ${releaseId}`,
  );
  return rows[0];
};
/** Who may take a step: the proposer withdraws, and another person decides. */
const takerOf = (step: string) => (step === 'withdraw' ? proposer : approver);
const path = (releaseId: string, step: string) => `/api/models/releases/${releaseId}/${step}`;

describe.each(RELEASE_STATUSES)('a release that is %s', (status) => {
  test.each(STEPS)('%s goes as the table of states says', async (step) => {
    const releaseId = await releaseIn(status);
    const before = await stored(releaseId);
    const answer = await takerOf(step).post<ReleaseDetail>(path(releaseId, step), {});
    const next = nextReleaseState(status, step);
    if (next === null) {
      expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
      expect(await stored(releaseId)).toEqual(before);
      return;
    }
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { status: next, revision: 1, history: [{ trigger: step, fromStatus: status, toStatus: next }] },
    ]);
  });
});

test('several steps at once are taken one after the other', async () => {
  for (let round = 0; round < 8; round++) {
    const releaseId = await releaseIn('evaluated');
    const answers = await Promise.all(
      STEPS.flatMap((step) => [step, step]).map(async (step) => ({
        step,
        status: (await takerOf(step).post(path(releaseId, step), {})).status,
      })),
    );
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const { body } = await approver.get<ReleaseDetail>(`/api/models/governed-releases/${releaseId}`);
    const steps = body.history.toReversed();
    expect(steps).toHaveLength(answers.filter(({ status }) => status === 200).length);
    let at: ReleaseStatus = 'evaluated';
    for (const { fromStatus, trigger, toStatus } of steps) {
      expect([fromStatus, toStatus]).toEqual([at, nextReleaseState(at, trigger)]);
      at = toStatus;
    }
    expect(body.status).toBe(at);
  }
});

describe('who may', () => {
  test('others than governance admins take no step', async () => {
    const releaseId = await releaseIn('evaluated');
    for (const persona of [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.approver, PERSONA.auditor]) {
      const who = await service.signInAs(persona);
      for (const step of STEPS)
        expect((await who.post(path(releaseId, step), {})).status, `${persona} ${step}`).toBe(403);
      expect((await who.post('/api/models/releases/propose', {})).status, persona).toBe(403);
    }
  });

  test('only the proposer withdraws a release, approved or not, and that is audited', async () => {
    const evaluated = await releaseIn('evaluated');
    const refused = await approver.post(path(evaluated, 'withdraw'), {});
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect((await proposer.post(path(evaluated, 'withdraw'), { revision: 1 })).status).toBe(409);
    const approved = await releaseIn('approved');
    const { status, body } = await proposer.post<ReleaseDetail>(path(approved, 'withdraw'), {
      revision: 0,
      note: 'Other thresholds are better',
    });
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ status: 'withdrawn', decidedBy: approver.principalId },
        history: [{ trigger: 'withdraw', note: 'Other thresholds are better' }],
      },
    ]);
    expect((await approver.post(path(approved, 'promote'), {})).status).toBe(409);
    const [audited] = await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} order by seq desc limit 1`);
    expect(JSON.parse(audited?.record ?? '').event).toMatchObject({
      ...{ category: 'model', type: 'release_withdrawn', target: { kind: 'release', id: approved } },
    });
  });

  test('a release of another tenant is as one that is not there', async () => {
    const releaseId = await releaseIn('evaluated');
    const foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
    for (const id of [releaseId, 'rel_unknown']) {
      for (const step of STEPS) expect((await foreign.post(path(id, step), {})).status).toBe(404);
      expect((await foreign.get(`/api/models/governed-releases/${id}`)).status).toBe(404);
    }
    const { body } = await foreign.get<{ items: Release[] }>('/api/models/governed-releases');
    expect(body.items).toEqual([]);
  });

  test('unknown members of a step are refused', async () => {
    const releaseId = await releaseIn('evaluated');
    for (const body of [{ revision: -1 }, { revision: 'x' }, { note: 'x'.repeat(2_001) }, { by: 'me' }])
      expect((await approver.post(path(releaseId, 'approve'), body)).status).toBe(400);
  });
});

describe('readers', () => {
  const shown = async (who: SignedIn, releaseId: string) => {
    const { status, body } = await who.get<ReleaseDetail>(`/api/models/governed-releases/${releaseId}`);
    expect(status).toBe(200);
    return body;
  };

  test('of the tenant see all domains and the progress of the rescore', async () => {
    const releaseId = await releaseIn('approved');
    await approver.post(path(releaseId, 'promote'), {});
    const body = await shown(await service.signInAs(PERSONA.auditor), releaseId);
    expect(body.evaluation?.domains.map(({ domainId }) => domainId)).toEqual(['dom_finance', 'dom_legal']);
    expect(body.evaluation).toMatchObject({
      overall: { labels: 45 },
      ...{ queueAssets: EVALUATION.queueAssets, training: EVALUATION.training },
    });
    expect(body.rescore).toMatchObject({ kind: 'rescore' });
  });

  test('of a domain see the evaluation of that domain only', async () => {
    const releaseId = await releaseIn('approved');
    await approver.post(path(releaseId, 'promote'), {});
    const owner = await service.signInAs(PERSONA.financeOwner);
    const body = await shown(owner, releaseId);
    expect(body).toMatchObject({
      status: 'promoted',
      rescore: null,
      evaluation: {
        overall: {
          labels: 4,
          isSmall: true,
          current: { truePositives: 3 },
          queue: { appear: 1, isSample: true },
        },
        domains: [{ domainId: 'dom_finance', result: { labels: 4 } }],
        types: [{ informationTypeId: 'ift_invoices' }],
        reliability: { current: { bins: [{ labels: 4 }] } },
        ...{ queueAssets: null, training: null },
      },
    });
    const list = await owner.get<{ items: Release[] }>('/api/models/governed-releases');
    expect(list.body.items.find((each) => each.releaseId === releaseId)).toMatchObject({
      rescore: null,
      evaluation: { labels: 4, queue: { isSample: true } },
    });
    expect(list.text + JSON.stringify(body)).not.toMatch(/dom_legal|ift_contracts/);
  });

  test('of a domain without labels see an empty evaluation', async () => {
    const releaseId = await releaseIn('evaluated');
    const body = await shown(await service.signInAs(PERSONA.peopleOwner), releaseId);
    expect(body.evaluation).toMatchObject({
      overall: { labels: 0, current: { f1: null } },
      domains: [],
      types: [],
    });
  });
});

test('versions of thresholds and detectors are listed for readers of the taxonomy', async () => {
  type Releases = Record<'ensembles' | 'detectors', { items: Record<string, unknown>[]; truncated: boolean }>;
  for (const persona of [PERSONA.governanceAdmin, PERSONA.financeOwner, PERSONA.auditor]) {
    const who = await service.signInAs(persona);
    const { status, body } = await who.get<Releases>('/api/models/releases');
    expect(status).toBe(200);
    expect(body.ensembles.items.at(-1)).toMatchObject({
      ...FIRST,
      version: 1,
      cause: 'first',
      releaseId: null,
    });
    expect(body.ensembles.items.filter(({ active }) => active)).toHaveLength(1);
    expect(body.detectors.items).toContainEqual(
      expect.objectContaining({ id: 'iban', origin: 'built_in', enabled: true }),
    );
    expect(body.detectors.items[0]).not.toHaveProperty('custom');
  }
  expect((await (await service.signInAs(PERSONA.platformAdmin)).get('/api/models/releases')).status).toBe(
    403,
  );
});

test('more versions than the list has are said to be there', async () => {
  await database.inspect(sql`
    insert into ensembles (tenant_id, version, candidate_threshold, review_low_threshold, review_high_threshold,
                           near_dup_confirmed_boost, exact_dup_confirmed_boost, active, created_at)
    select ${DEV}, 1000 + n, 0.4, 0.4, 0.8, 0.3, 0.6, false, now() from generate_series(1, 101) as n`);
  const { body } = await proposer.get<{ ensembles: { items: object[]; truncated: boolean } }>(
    '/api/models/releases',
  );
  expect([body.ensembles.items.length, body.ensembles.truncated]).toEqual([100, true]);
});
