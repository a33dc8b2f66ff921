import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActionDetail } from '../../core/actions/action-schema.ts';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import type { Task } from '../../core/actions/tasks.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { REMEDIATION_IDENTITY } from '../../infra/local/fixture/fixture-label-writer.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import {
  type ActingPeople,
  expectRefused,
  HIGHEST_LABEL,
  type Listed,
  startActingPeople,
} from '../support/acting-people.ts';
import type { SignedIn } from '../support/client.ts';
import { DEV, PERSONA } from '../support/seed.ts';

type Finding = { findingId: string; assetId: string; kind: string; status: string };

let p: ActingPeople;
beforeAll(async () => {
  p = await startActingPeople();
});
afterAll(() => p.close());

/** An open finding on the label of an asset that nobody else here acts on. */
async function mislabeled(who: SignedIn): Promise<Finding> {
  const { items } = (await who.get<Listed<Finding>>('/api/findings')).body;
  for (const finding of items.filter(({ kind }) => kind === 'label')) {
    if ((await p.itemOf(finding.assetId)).labelGuid === null && p.take(finding.assetId)) return finding;
  }
  return expect.unreachable('no mislabeled asset is left');
}

describe('the whole loop in the fixture tenant', () => {
  test('a label is drafted, approved, written once and verified; its finding resolves', async () => {
    const { assetId, findingId } = await mislabeled(p.owner);
    const before = await p.itemOf(assetId);
    const drafted = await p.draft(p.owner, assetId, { findingId });
    expect(drafted.body).toMatchObject({
      status: 'draft',
      mode: 'mock',
      findingId,
      requester: { principalId: PERSONA.peopleOwner },
      blockedReason: null,
      verification: null,
      approvals: [],
      preview: {
        readFrom: 'source',
        changes: true,
        currentState: { kind: 'label', labelState: 'unlabeled' },
        desiredState: { labelState: 'labeled', labelGuid: HIGHEST_LABEL, labelName: 'Highly Confidential' },
      },
    });
    const { actionId } = drafted.body;
    expect((await p.submit(p.owner, actionId)).body.status).toBe('awaiting_approval');
    const decided = await p.decide(p.approver, actionId, { decision: 'approve', reason: 'Agreed.' });
    expect(decided).toMatchObject({
      status: 200,
      body: {
        status: 'verified',
        attempts: 1,
        verification: { holds: true, wrote: true, observedState: { labelGuid: HIGHEST_LABEL } },
        approvals: [{ principalId: PERSONA.approver, decision: 'approve', reason: 'Agreed.' }],
      },
    });
    expect(decided.body.history.map(({ trigger }) => trigger)).toEqual([
      ...['drafted', 'submitted', 'approved', 'claimed', 'verified'],
    ]);
    expect(await p.itemOf(assetId)).toMatchObject({
      labelGuid: HIGHEST_LABEL,
      revision: before.revision + 1,
      modifiedBy: REMEDIATION_IDENTITY,
    });
    const asset = await p.owner.get<{ label: object; findings: Finding[] }>(`/api/assets/${assetId}`);
    expect(asset.body.label).toMatchObject({ state: 'labeled', labelGuid: HIGHEST_LABEL });
    expect(asset.body.findings.find((each) => each.findingId === findingId)?.status).toBe('resolved');
    // The next delta finds the change and agrees.
    await p.scan('site-people', 'delta');
    expect((await p.owner.get<{ label: object }>(`/api/assets/${assetId}`)).body.label).toEqual(
      asset.body.label,
    );

    const again = await p.decide(p.approver, actionId);
    expect(again).toMatchObject({
      status: 200,
      body: { status: 'verified', revision: decided.body.revision },
    });
    expectRefused(await p.decide(p.approver, actionId, { decision: 'reject' }), 409, 'conflict');
    expectRefused(await p.decide(p.everybody, actionId), 409, 'conflict');
  });

  test('a label is removed', async () => {
    const assetId = await p.unlabeled(p.owner);
    await p.decide(p.approver, (await p.submitted(p.owner, assetId)).actionId);
    const remove = await p.submitted(p.owner, assetId, {
      kind: 'sensitivity_label_remove',
      desiredLabelGuid: undefined,
    });
    expect(remove.preview.desiredState).toMatchObject({ labelState: 'unlabeled' });
    expect((await p.decide(p.approver, remove.actionId)).body).toMatchObject({ status: 'verified' });
    expect((await p.itemOf(assetId)).labelGuid).toBeNull();
  });

  test('what is so already is verified without a write', async () => {
    const assetId = await p.unlabeled(p.owner);
    const { actionId } = await p.submitted(p.owner, assetId);
    await p.mutate(assetId, { action: 'set_label', labelGuid: HIGHEST_LABEL });
    const { revision } = await p.itemOf(assetId);
    expect((await p.decide(p.approver, actionId)).body).toMatchObject({
      status: 'verified',
      verification: { wrote: false, holds: true },
    });
    expect((await p.itemOf(assetId)).revision).toBe(revision);
  });

  test.each([
    ['version_changed', { action: 'rename' }],
    ['label_changed', { action: 'set_label', labelGuid: LABEL_CATALOG[0].guid }],
    ['target_gone', { action: 'delete' }],
  ])('a target that is not as previewed has drifted: %s', async (reason, change) => {
    const assetId = await p.unlabeled(p.owner);
    const { actionId, revision: read } = await p.submitted(p.owner, assetId);
    await p.mutate(assetId, change);
    const { revision } = await p.itemOf(assetId);
    const approval = { decision: 'approve', revision: read };
    expectRefused(await p.decide(p.approver, actionId, { ...approval, revision: read - 1 }), 409, 'conflict');
    const drifted = await p.decide(p.approver, actionId, approval);
    expect(drifted).toMatchObject({ status: 200, body: { status: 'drifted', outcomeReason: reason } });
    expect((await p.itemOf(assetId)).revision).toBe(revision);
    // Said again by a client that lost the answer.
    expect(await p.decide(p.approver, actionId, approval)).toMatchObject({
      status: 200,
      body: { status: 'drifted', revision: drifted.body.revision },
    });
    expectRefused(await p.decide(p.everybody, actionId), 409, 'conflict');
    expectRefused(await p.submit(p.owner, actionId), 409, 'conflict');
    const again = await p.owner.post<ActionDetail>(`/api/actions/${actionId}/repreview`);
    if (reason === 'target_gone') {
      expectRefused(again, 409, 'conflict');
      return;
    }
    expect(again).toMatchObject({ status: 200, body: { status: 'draft', outcomeReason: null } });
    // The former approval is void.
    expectRefused(await p.decide(p.approver, actionId), 409, 'conflict');
    await p.submit(p.owner, actionId);
    expectRefused(await p.decide(p.approver, actionId, approval), 409, 'conflict');
    const second = await p.decide(p.approver, actionId);
    expect(second.body).toMatchObject({ status: 'verified', attempts: 1 });
    expect(second.body.approvals).toHaveLength(2);
  });

  test('twenty approvals at once execute it once', async () => {
    const assetId = await p.unlabeled(p.owner);
    const before = await p.itemOf(assetId);
    const { actionId } = await p.submitted(p.owner, assetId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => p.decide(n % 2 === 0 ? p.approver : p.everybody, actionId)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { body } = await p.auditor.get<ActionDetail>(`/api/actions/${actionId}`);
    expect(body).toMatchObject({ status: 'verified', attempts: 1 });
    expect(body.history.map(({ trigger }) => trigger)).toEqual([
      ...['drafted', 'submitted', 'approved', 'claimed', 'verified'],
    ]);
    expect((await p.itemOf(assetId)).revision).toBe(before.revision + 1);
  });

  test('an internal task is created once for the owners of the domain, who move it', async () => {
    const assetId = await p.unlabeled(p.owner);
    const task = {
      kind: 'internal_task',
      desiredLabelGuid: undefined,
      taskTitle: 'Ask the team',
      taskNote: 'Soon',
    };
    const { actionId, preview } = await p.submitted(p.owner, assetId, task);
    expect(preview).toMatchObject({ readFrom: 'service', currentState: { kind: 'task', exists: false } });
    const done = await p.decide(p.approver, actionId);
    expect(done.body).toMatchObject({ status: 'verified', mode: null, taskStatus: 'open' });
    await p.decide(p.approver, actionId);
    const mine = (await p.owner.get<Listed<Task>>('/api/tasks')).body.items.filter(
      (each) => each.actionId === actionId,
    );
    expect(mine).toMatchObject([
      { title: 'Ask the team', note: 'Soon', status: 'open', targetAssetId: assetId },
    ]);
    expect(mine[0]?.assignees.map(({ principalId }) => principalId)).toContain(PERSONA.peopleOwner);
    expect((await p.otherOwner.get<Listed<Task>>('/api/tasks')).body.items).toEqual([]);
    const move = (who: SignedIn, body: object) =>
      who.post<Task>(`/api/tasks/${done.body.taskId}/status`, body);
    expect((await move(p.owner, { status: 'in_progress' })).body).toMatchObject({
      status: 'in_progress',
      revision: 1,
    });
    expect((await move(p.owner, { status: 'in_progress' })).body.revision).toBe(1);
    expectRefused(await move(p.owner, { status: 'done', revision: 0 }), 409, 'conflict');
    expectRefused(await move(p.otherOwner, { status: 'done' }), 404, 'not_found');
    expectRefused(await move(p.approver, { status: 'done' }), 403, 'not_permitted');
    expect((await move(p.owner, { status: 'done', revision: 1 })).body).toMatchObject({
      status: 'done',
      revision: 2,
    });
    expectRefused(await move(p.owner, { status: 'in_progress' }), 409, 'conflict');
    const listed = (await p.auditor.get<Listed<Task>>('/api/tasks')).body.items;
    expect(listed.find((each) => each.actionId === actionId)).toMatchObject({ status: 'done' });
  });
});

describe('separation of duties', () => {
  test('a person who drafted, submitted or previewed an action does not decide on it', async () => {
    const assetId = await p.unlabeled(p.everybody);
    const { actionId } = await p.submitted(p.everybody, assetId);
    for (const decision of ['approve', 'reject'])
      expectRefused(await p.decide(p.everybody, actionId, { decision }), 409, 'conflict');
    const answers = await Promise.all(Array.from({ length: 8 }, () => p.decide(p.everybody, actionId)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(409));
    expect((await p.decide(p.approver, actionId)).body.status).toBe('verified');
    const { body } = await p.auditor.get<Listed<{ type: string; target: { id: string } | null }>>(
      '/api/audit?category=action',
    );
    const refusals = body.items.filter(
      ({ type, target }) => type === 'action_self_approval_refused' && target?.id === actionId,
    );
    expect(refusals).toHaveLength(10);
  });

  test('in the database too', async () => {
    const assetId = await p.unlabeled(p.everybody);
    const { actionId } = await p.submitted(p.everybody, assetId);
    const decide = (principalId: string) =>
      withTx(p.database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
        tx.execute(sql`
          update actions set status = 'approved', decided_by = ${principalId}, due_at = now()
           where tenant_id = ${DEV} and action_id = ${actionId}`),
      );
    await expect(decide(PERSONA.legalOwner)).rejects.toMatchObject({ code: '23514' });
    const unapproved = withTx(p.database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
      tx.execute(sql`
        update actions set status = 'approved', due_at = now()
         where tenant_id = ${DEV} and action_id = ${actionId}`),
    );
    await expect(unapproved).rejects.toMatchObject({ code: '23514', constraint: 'actions_decided' });
    const rewritten = withTx(p.database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
      tx.execute(sql`update actions set requested_by = ${PERSONA.approver} where tenant_id = ${DEV}`),
    );
    await expect(rewritten).rejects.toMatchObject({ code: '42501' });
    expect(await decide(PERSONA.approver)).toBe(1);
  });

  test('a second owner who submits or previews is bound as well', async () => {
    const assetId = await p.unlabeled(p.owner);
    const { body } = await p.draft(p.owner, assetId);
    // Another owner of the same domain, who is an approver too.
    await p.database.inspect(sql`
      insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, created_at)
      select ${DEV}, 'own_' || d.domain_id, ${PERSONA.legalOwner}, d.domain_id, now()
        from action_domains d where d.action_id = ${body.actionId} on conflict do nothing`);
    expect((await p.submit(p.everybody, body.actionId)).status).toBe(200);
    expectRefused(await p.decide(p.everybody, body.actionId), 409, 'conflict');
    await p.mutate(assetId, { action: 'rename' });
    expect((await p.decide(p.approver, body.actionId)).body.status).toBe('drifted');
    expect((await p.owner.post<ActionDetail>(`/api/actions/${body.actionId}/repreview`)).body.status).toBe(
      'draft',
    );
    await p.submit(p.owner, body.actionId);
    // They submitted an earlier round of it.
    expectRefused(await p.decide(p.everybody, body.actionId), 409, 'conflict');
    expect((await p.decide(p.approver, body.actionId)).body.status).toBe('verified');
    await p.database.inspect(sql`delete from owner_assignments where assignment_id like 'own_dom%'`);
  });
});

test('the sweep executes an approved action, with the events of the approving request', async () => {
  const assetId = await p.unlabeled(p.owner);
  const { actionId } = await p.submitted(p.owner, assetId);
  await p.database.inspect(sql`
    update actions set status = 'approved', decided_by = ${PERSONA.approver}, due_at = now(), correlation_id = 'cor_test'
     where action_id = ${actionId}`);
  await sweepActions(p.service.runtime(), {
    signal: new AbortController().signal,
    budgetMs: Number.POSITIVE_INFINITY,
  });
  const { body } = await p.approver.get<ActionDetail>(`/api/actions/${actionId}`);
  expect(body.status).toBe('verified');
  const events = (
    await p.auditor.get<Listed<{ type: string; correlationId: string }>>('/api/audit?category=action')
  ).body;
  expect(
    events.items.filter(({ correlationId }) => correlationId === 'cor_test').map(({ type }) => type),
  ).toEqual(['action_verified', 'action_claimed']);
});
