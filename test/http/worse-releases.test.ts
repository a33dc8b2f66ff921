import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AiError } from '../../core/ai/provider.ts';
import { sql } from '../../core/db/sql.ts';
import type { EnsembleRelease, Release, ReleaseDetail } from '../../core/models/release-schema.ts';
import type { Snapshot } from '../../core/models/snapshot-schema.ts';
import type { SignedIn } from '../support/client.ts';
import { createLabelledTenant, type LabelledTenant } from '../support/labelled-tenant.ts';
import { PERSONA } from '../support/seed.ts';

const RELEASES = '/api/models/releases';
const GOVERNED = '/api/models/governed-releases';
/** Nothing is asked any more, so no positive example is found. */
const NOTHING_ASKED = { candidateThreshold: 1, reviewHighThreshold: 1 };
/** No confidence lies between it and the threshold in force. */
const NO_EFFECT = { candidateThreshold: 0.4000001 };
const REASON = 'Owners have no time this quarter';

let tenant: LabelledTenant;
let snapshot: Snapshot;

beforeAll(async () => {
  tenant = await createLabelledTenant(24, 4);
  const made = await tenant.proposer.post<Snapshot>('/api/models/datasets', {
    name: 'All',
    evalFraction: 0.5,
  });
  expect(made.status).toBe(200);
  snapshot = made.body;
});
afterAll(async () => {
  await tenant.service.close();
  await tenant.database.drop();
});

const take = (who: SignedIn, releaseId: string, step: string, body: object = {}) =>
  who.post<ReleaseDetail & { error: string; message: string }>(`${RELEASES}/${releaseId}/${step}`, body);
const taken = async (who: SignedIn, releaseId: string, step: string, body: object = {}) => {
  const answer = await take(who, releaseId, step, body);
  expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
  return answer.body;
};
const approved = async (configPatch: object) => {
  const { datasetSnapshotId } = snapshot;
  const made = await tenant.proposer.post<ReleaseDetail>(`${RELEASES}/propose`, {
    ...{ configPatch, datasetSnapshotId },
  });
  expect([made.status, made.text]).toMatchObject([200, expect.any(String)]);
  const { releaseId } = made.body;
  await taken(tenant.proposer, releaseId, 'evaluate');
  return taken(tenant.approver, releaseId, 'approve');
};
const shown = async (who: SignedIn, releaseId: string) =>
  (await who.get<ReleaseDetail>(`${GOVERNED}/${releaseId}`)).body;
const inForce = async () =>
  (
    await tenant.proposer.get<{ ensembles: { items: EnsembleRelease[] } }>(RELEASES)
  ).body.ensembles.items.find(({ active }) => active);
const auditOf = async (releaseId: string) =>
  (
    await tenant.database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = 'dev' and category = 'model' and record like ${`%${releaseId}%`}
       order by seq`)
  ).map(({ record }) => JSON.parse(record).event);
/** Takes back the release in force, so that the next one is compared with the first thresholds. */
const rolledBack = async (releaseId: string) => {
  await tenant.service.drain();
  const body = await taken(tenant.approver, releaseId, 'rollback');
  await tenant.service.drain();
  return body;
};

describe('a release that is worse than what is in force', () => {
  test('says so, before and after its approval, with what to do', async () => {
    const { releaseId, promotionWarning, evaluation } = await approved(NOTHING_ASKED);
    const { current, labels, isWorse } = evaluation?.overall ?? expect.unreachable('not evaluated');
    const right = current.truePositives + current.trueNegatives;
    expect(isWorse).toBe(true);
    expect(promotionWarning).toContain(
      `${snapshot.heldOut.counterexamples} of ${labels} labels rightly instead of ${right}`,
    );
    expect(promotionWarning).toContain('`note`');
    const { items } = (await tenant.approver.get<{ items: Release[] }>(GOVERNED)).body;
    expect(items.find((each) => each.releaseId === releaseId)).toMatchObject({
      promotionWarning,
      evaluation: { isWorse: true },
    });
    await taken(tenant.approver, releaseId, 'reject');
    expect((await shown(tenant.approver, releaseId)).promotionWarning).toBeNull();
  });

  test.each([
    ['without a note', {}],
    ['with an empty note', { note: ' \n ' }],
    ['with a note of punctuation', { note: '...' }],
  ])('is not promoted %s, and nothing changes', async (_, body) => {
    const { releaseId, promotionWarning } = await approved(NOTHING_ASKED);
    const [before, version] = [await shown(tenant.approver, releaseId), await inForce()];
    for (const who of [tenant.approver, tenant.proposer])
      expect(await take(who, releaseId, 'promote', body)).toMatchObject({
        ...{ status: 409, body: { error: 'conflict', message: promotionWarning } },
      });
    expect(await shown(tenant.approver, releaseId)).toEqual(before);
    expect(await inForce()).toEqual(version);
  });

  test('is not promoted by its proposer with a note, and that is audited', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const [before, version] = [await shown(tenant.approver, releaseId), await inForce()];
    const refused = await take(tenant.proposer, releaseId, 'promote', { note: REASON });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('Separation of duties') },
    });
    expect(await shown(tenant.approver, releaseId)).toEqual(before);
    expect(await inForce()).toEqual(version);
    const events = await auditOf(releaseId);
    expect(events.at(-1)).toMatchObject({
      ...{ category: 'model', type: 'release_self_promotion_refused' },
      ...{ principalId: tenant.proposer.principalId, target: { kind: 'release', id: releaseId } },
    });
    expect(JSON.stringify(events)).not.toContain('Owners');
  });

  test('is promoted by another person with a note, audited and in the history', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const promoted = await taken(tenant.approver, releaseId, 'promote', { note: ` ${REASON} `, revision: 2 });
    expect(promoted).toMatchObject({
      ...{ status: 'promoted', promotionWarning: null, thresholds: NOTHING_ASKED, revision: 3 },
      history: [
        { trigger: 'promote', principalId: tenant.approver.principalId, note: REASON, isWorse: true },
        { trigger: 'approve', isWorse: null },
        {},
        {},
      ],
    });
    expect(await inForce()).toMatchObject({ ...NOTHING_ASKED, releaseId });
    const events = await auditOf(releaseId);
    expect(events.at(-1)).toMatchObject({
      type: 'release_promoted',
      principalId: tenant.approver.principalId,
      details: { revision: 3, isWorse: true, hasReason: true },
    });
    expect(JSON.stringify(events)).not.toContain('Owners');
    // A rollback needs no reason, and the history keeps that of the promotion.
    const { history } = await rolledBack(releaseId);
    expect(history.slice(0, 2)).toMatchObject([
      { trigger: 'rollback', isWorse: null },
      { trigger: 'promote', note: REASON, isWorse: true },
    ]);
  });

  test('tells readers of a domain of their own labels alone', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    await taken(tenant.approver, releaseId, 'promote', { note: REASON });
    const [own, other] = [
      await shown(await tenant.service.signInAs(PERSONA.peopleOwner), releaseId),
      await shown(await tenant.service.signInAs(PERSONA.financeOwner), releaseId),
    ];
    expect([own.evaluation?.overall.isWorse, other.evaluation?.overall.isWorse]).toEqual([true, false]);
    for (const { promotionWarning, history } of [own, other])
      expect([promotionWarning, history.find(({ trigger }) => trigger === 'promote')?.isWorse]).toEqual([
        ...[null, null],
      ]);
    await rolledBack(releaseId);
  });

  test('shows readers of a domain no warning before its promotion', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const owner = await tenant.service.signInAs(PERSONA.financeOwner);
    expect((await shown(owner, releaseId)).promotionWarning).toBeNull();
    const { items } = (await owner.get<{ items: Release[] }>(GOVERNED)).body;
    expect(items.every(({ promotionWarning }) => promotionWarning === null)).toBe(true);
  });

  test('of another revision, or of a state without promotion, is refused for that', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const stale = await take(tenant.approver, releaseId, 'promote', { note: REASON, revision: 1 });
    expect([stale.status, stale.body.message]).toEqual([409, expect.stringContaining('Read it again')]);
    await taken(tenant.proposer, releaseId, 'evaluate');
    const unapproved = await take(tenant.approver, releaseId, 'promote', { note: REASON });
    expect([unapproved.status, unapproved.body.message]).toEqual([409, expect.stringContaining('evaluated')]);
  });

  test('that was evaluated against other values is evaluated again first', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const other = await approved(NO_EFFECT);
    await taken(tenant.approver, other.releaseId, 'promote');
    await tenant.service.drain();
    for (const body of [{}, { note: REASON }]) {
      const { status, body: answer } = await take(tenant.approver, releaseId, 'promote', body);
      expect([status, answer.message]).toEqual([409, expect.stringContaining('Evaluate the release again')]);
    }
    await rolledBack(other.releaseId);
  });

  test('is put in force once by several promotions at once', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const { proposer, approver } = tenant;
    const callers = [approver, proposer, approver, proposer, approver];
    const answers = await Promise.all(
      callers.map(async (who, n) => ({
        isWithReason: who === approver && n !== 2,
        status: (await take(who, releaseId, 'promote', n === 2 ? {} : { note: REASON })).status,
      })),
    );
    expect(answers.filter(({ status }) => status === 200)).toEqual([{ isWithReason: true, status: 200 }]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    const { history } = await shown(approver, releaseId);
    expect(history.filter(({ trigger }) => trigger === 'promote')).toMatchObject([
      { principalId: approver.principalId, note: REASON },
    ]);
    await rolledBack(releaseId);
  });

  test('without a reason does not ask the AI provider', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const embed = vi
      .spyOn(tenant.service.runtime().ai, 'embed')
      .mockRejectedValue(new AiError('unavailable'));
    expect((await take(tenant.approver, releaseId, 'promote')).status).toBe(409);
    expect(embed).not.toHaveBeenCalled();
    embed.mockRestore();
  });

  test('is not promoted without a note by the database either', async () => {
    const { releaseId } = await approved(NOTHING_ASKED);
    const step = (trigger: string, isWorse: boolean, note: string) => sql`
      insert into release_transitions (tenant_id, release_id, revision, from_status, trigger, to_status, principal_id,
                                       note, is_worse, created_at)
      values ('dev', ${releaseId}, 99, 'approved', ${trigger}, 'promoted', ${tenant.approver.principalId}, ${note},
              ${isWorse}, now())`;
    for (const refused of [step('promote', true, ''), step('approve', false, 'Why')])
      await expect(tenant.database.inspect(refused)).rejects.toMatchObject({
        constraint: 'release_transitions_reasoned',
      });
  });
});

describe('a release that is not worse', () => {
  test('is promoted by its proposer and without a note, as ever', async () => {
    const { releaseId, promotionWarning, evaluation } = await approved(NO_EFFECT);
    expect([promotionWarning, evaluation?.overall.isWorse]).toEqual([null, false]);
    const promoted = await taken(tenant.proposer, releaseId, 'promote');
    expect(promoted).toMatchObject({
      ...{ status: 'promoted', decidedBy: tenant.approver.principalId },
      history: [{ trigger: 'promote', note: '', isWorse: false }, {}, {}, {}],
    });
    const { details } = (await auditOf(releaseId)).at(-1);
    expect(Object.keys(details)).toEqual(['campaignId', 'ensembleVersion', 'revision', 'status']);
    await rolledBack(releaseId);
  });

  test('is one whose wrong judgements are all of answers that were reversed since', async () => {
    const { releaseId, evaluation } = await approved(NOTHING_ASKED);
    expect(evaluation?.overall.isWorse).toBe(true);
    // Without positive examples, it is right to ask about nothing.
    const owner = await tenant.service.signInAs(PERSONA.peopleOwner);
    const positives = await tenant.database.inspect<{ candidateId: string }>(sql`
      select c.candidate_id as "candidateId"
        from dataset_snapshot_items i join dataset_candidates c using (tenant_id, dataset_candidate_id)
       where i.side = 'held_out' and c.label = 'positive_example'`);
    for (const { candidateId } of positives) {
      const body = { decision: 'not_a_match' };
      expect((await owner.post(`/api/review/candidates/${candidateId}/decision`, body)).status).toBe(200);
      tenant.service.clock.advance(1_000);
    }
    const now = await shown(tenant.approver, releaseId);
    expect(now).toMatchObject({
      promotionWarning: null,
      evaluation: { overall: { isWorse: false, withoutRevised: { current: { truePositives: 0 } } } },
    });
    expect(await taken(tenant.approver, releaseId, 'promote')).toMatchObject({ status: 'promoted' });
    await rolledBack(releaseId);
  });
});
