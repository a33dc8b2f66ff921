import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../core/actions/action-schema.ts';
import type { Task } from '../../core/actions/tasks.sql.ts';
import { sql } from '../../core/db/sql.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import {
  type ActingPeople,
  expectRefused,
  HIGHEST_LABEL,
  type Listed,
  startActingPeople,
} from '../support/acting-people.ts';
import { addOwner } from '../support/add-owner.ts';
import { storeScanned } from '../support/assets.ts';
import type { SignedIn } from '../support/client.ts';
import { payroll, said } from '../support/review.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';

let p: ActingPeople;
beforeAll(async () => {
  p = await startActingPeople();
});
afterAll(() => p.close());

describe('who sees what', () => {
  test('owners see the actions of their domains, approvers and auditors all, others none', async () => {
    const assetId = await p.unlabeled(p.owner);
    const { actionId } = (await p.draft(p.owner, assetId)).body;
    const ids = async (who: SignedIn) =>
      (await who.get<Listed<Action>>('/api/actions')).body.items.map((each) => each.actionId);
    const foreign = await p.service.signInAs(inOther(PERSONA.approver));
    for (const who of [p.owner, p.approver, p.auditor]) {
      expect((await ids(who))[0]).toBe(actionId);
      expect((await who.get(`/api/actions/${actionId}`)).status).toBe(200);
    }
    for (const who of [p.otherOwner, p.admin, foreign]) {
      expect(await ids(who)).not.toContain(actionId);
      expectRefused(await who.get(`/api/actions/${actionId}`), 404, 'not_found');
    }
    expectRefused(await p.submit(p.otherOwner, actionId), 404, 'not_found');
    expectRefused(await p.otherOwner.post(`/api/actions/${actionId}/repreview`), 404, 'not_found');
    expectRefused(await p.otherOwner.post(`/api/actions/${actionId}/withdraw`), 404, 'not_found');
    expectRefused(await p.decide(foreign, actionId), 404, 'not_found');
    expectRefused(await foreign.post(`/api/actions/${actionId}/cancel`), 404, 'not_found');
    expectRefused(await p.draft(p.otherOwner, assetId), 404, 'not_found');
    expectRefused(await p.draft(p.otherOwner, 'ast_none', { desiredLabelGuid: 'none' }), 404, 'not_found');
  });

  test('the owner of one domain of an action is not told who owns another', async () => {
    const [assetId, both] = ['ast_of_two_domains', 'pri_of_two_domains'];
    await storeScanned(p.database.db, DEV, [
      { assetId, said: [payroll(), said('dom_customers', 'ift_customer_contacts')] },
    ]);
    const domainId = 'dom_human_resources' as DomainId;
    await addOwner(p.database, both, { roles: ['domain_owner'], domainId });
    await p.database.inspect(sql`
      insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, created_at)
      values (${DEV}, 'own_second_domain', ${both}, 'dom_customers', now())`);
    const task = { kind: 'internal_task', taskTitle: 'Ask both teams' };
    const { actionId } = await p.submitted(await p.service.signInAs(both), assetId, task);
    await p.decide(p.approver, actionId);
    const assignees = async (who: SignedIn) =>
      (await who.get<Listed<Task>>('/api/tasks')).body.items
        .find((each) => each.actionId === actionId)
        ?.assignees.map(({ principalId }) => principalId);
    const ofCustomers = 'pri_sofia_marchetti';
    expect(await assignees(p.approver)).toEqual([PERSONA.peopleOwner, both, ofCustomers]);
    expect(await assignees(p.owner)).toEqual([PERSONA.peopleOwner, both]);
    expect(await assignees(await p.service.signInAs(ofCustomers))).toEqual([both, ofCustomers]);
  });

  test('an asset of an action is named to who may see it, and to nobody else', async () => {
    const assetId = await p.unlabeled(p.owner);
    const task = { kind: 'internal_task', taskTitle: 'Ask the team' };
    const { actionId } = await p.submitted(p.owner, assetId, task);
    await p.decide(p.approver, actionId);
    const [place] = await p.database.inspect<{ name: string; path: string; scope: string }>(sql`
      select a.name, a.path, s.name as scope from assets a join scopes s using (tenant_id, scope_id)
       where a.tenant_id = ${DEV} and a.asset_id = ${assetId}`);
    const told = {
      targetAssetName: place?.name,
      targetAssetPath: place?.path,
      targetScopeName: place?.scope,
    };
    const untold = { targetAssetName: null, targetAssetPath: null, targetScopeName: null };
    const toldTo = async (who: SignedIn, what: typeof told | typeof untold) => {
      expect((await who.get(`/api/actions/${actionId}`)).body).toMatchObject(what);
      for (const path of ['/api/actions', '/api/tasks']) {
        const { items } = (await who.get<Listed<Action | Task>>(path)).body;
        expect(items.find((each) => each.actionId === actionId)).toMatchObject(what);
      }
    };
    for (const who of [p.owner, p.approver, p.auditor]) await toldTo(who, told);
    // The action stays with the domain; the asset does not.
    await p.database.inspect(sql`update candidates set status = 'rejected' where asset_id = ${assetId}`);
    await toldTo(p.owner, untold);
    for (const who of [p.approver, p.auditor]) await toldTo(who, told);
  });

  test('roles do what the table of capabilities says', async () => {
    const assetId = await p.unlabeled(p.owner);
    const { actionId } = await p.submitted(p.owner, assetId);
    for (const who of [p.admin, p.approver, p.auditor])
      expectRefused(await p.draft(who, assetId), 403, 'not_permitted');
    for (const who of [p.admin, p.owner, p.auditor])
      expectRefused(await p.decide(who, actionId), 403, 'not_permitted');
    for (const who of [p.admin, p.owner, p.auditor])
      expectRefused(await who.post(`/api/actions/${actionId}/cancel`), 403, 'not_permitted');
    expect((await p.approver.post<Action>(`/api/actions/${actionId}/cancel`)).body.status).toBe('cancelled');
    expectRefused(await p.decide(p.approver, actionId), 409, 'conflict');
  });

  test('a requester takes their own action back until it is approved', async () => {
    const assetId = await p.unlabeled(p.owner);
    const { actionId } = await p.submitted(p.owner, assetId);
    expect((await p.owner.post<Action>(`/api/actions/${actionId}/withdraw`)).body.status).toBe('cancelled');
    expectRefused(await p.owner.post(`/api/actions/${actionId}/withdraw`), 409, 'conflict');
  });
});

describe('what is refused', () => {
  test.each([
    ['justification', { justification: ' too short ' }],
    ['desiredLabelGuid', { desiredLabelGuid: undefined }],
    ['desiredLabelGuid', { desiredLabelGuid: 'no-such-label' }],
    ['taskTitle', { kind: 'internal_task' }],
    ['findingId', { findingId: 'fnd_of_another' }],
    ['kind', { kind: 'delete_it' }],
  ])('a draft with a bad %s', async (path, more) => {
    const { items } = (await p.owner.get<Listed<{ assetId: string }>>('/api/assets')).body;
    const answer = await p.draft(p.owner, items[0]?.assetId ?? '', more);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_failed', issues: [{ path }] } });
  });

  test('a justification has ten characters at least', async () => {
    const assetId = await p.unlabeled(p.owner);
    const draft = async (justification: string) =>
      (await p.draft(p.owner, assetId, { justification })).status;
    expect([await draft('nine left'), await draft('ten chars.')]).toEqual([400, 200]);
  });

  test('what would change nothing is drafted, and not submitted', async () => {
    const assetId = await p.unlabeled(p.owner);
    const remove = { kind: 'sensitivity_label_remove', desiredLabelGuid: undefined };
    const drafted = await p.draft(p.owner, assetId, remove);
    expect(drafted).toMatchObject({ status: 200, body: { status: 'draft', preview: { changes: false } } });
    const { actionId } = drafted.body;
    const refused = await p.submit(p.owner, actionId);
    expectRefused(refused, 409, 'conflict');
    expect(refused.text).toMatch(/already has the desired state.*preview it again/);
    expect((await p.owner.get(`/api/actions/${actionId}`)).body).toMatchObject({
      status: 'draft',
      revision: 0,
    });
    await p.mutate(assetId, { action: 'set_label', labelGuid: HIGHEST_LABEL });
    const again = await p.owner.post(`/api/actions/${actionId}/repreview`);
    expect(again.body).toMatchObject({ preview: { changes: true } });
    expect((await p.submit(p.owner, actionId)).status).toBe(200);
  });

  test('an action of somebody who lost the rights to it is not submitted', async () => {
    const [first, second] = ['pri_loses_domain', 'pri_loses_asset'];
    const task = { kind: 'internal_task', taskTitle: 'Ask the team' };
    const assetId = await p.unlabeled(p.owner);
    const [losesDomain, losesAsset] = [await p.colleague(first, assetId), await p.colleague(second, assetId)];
    const [one, other] = [
      (await p.draft(losesDomain, assetId, task)).body,
      (await p.draft(losesAsset, assetId, task)).body,
    ];
    await p.database.inspect(
      sql`update owner_assignments set ended_at = now() where principal_id = ${first}`,
    );
    expectRefused(await p.submit(losesDomain, one.actionId), 404, 'not_found');
    // Neither by themselves nor by a colleague who still may.
    expectRefused(await p.submit(p.owner, one.actionId), 409, 'conflict');
    await p.database.inspect(sql`update candidates set status = 'rejected' where asset_id = ${assetId}`);
    expectRefused(await p.submit(losesAsset, other.actionId), 409, 'conflict');
  });

  test('an action is not executed whose requester lost the domain before its approval', async () => {
    const who = 'pri_left_before';
    const assetId = await p.unlabeled(p.owner);
    const { actionId } = await p.submitted(await p.colleague(who, assetId), assetId);
    await p.database.inspect(sql`update owner_assignments set ended_at = now() where principal_id = ${who}`);
    expect((await p.decide(p.approver, actionId)).body).toMatchObject({
      status: 'failed',
      outcomeReason: 'requester_not_permitted',
      verification: null,
    });
    expect((await p.itemOf(assetId)).labelGuid).toBeNull();
    type Event = { type: string; target: { id: string } | null; details: object };
    const { items } = (await p.auditor.get<Listed<Event>>('/api/audit?category=action')).body;
    expect(items.find((each) => each.target?.id === actionId)).toMatchObject({
      type: 'action_failed',
      details: { status: 'failed', reason: 'requester_not_permitted' },
    });
  });

  test('a rejected action is over', async () => {
    const assetId = await p.unlabeled(p.owner);
    const { actionId } = await p.submitted(p.owner, assetId);
    const rejected = await p.decide(p.approver, actionId, { decision: 'reject' });
    expect(rejected.body).toMatchObject({
      status: 'rejected',
      approvals: [{ decision: 'reject', reason: '' }],
    });
    expectRefused(await p.submit(p.owner, actionId), 409, 'conflict');
    expectRefused(await p.owner.post(`/api/actions/${actionId}/repreview`), 409, 'conflict');
    expect((await p.itemOf(assetId)).labelGuid).toBeNull();
  });
});

test('without a live write path a label action is blocked, until there is one', async () => {
  const assetId = await p.unlabeled(p.owner);
  await p.service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
  const blocked = await p.draft(p.owner, assetId);
  expect(blocked).toMatchObject({
    status: 200,
    body: {
      status: 'blocked',
      blockedReason: 'label_write_off',
      mode: null,
      preview: { readFrom: 'scan', changes: true },
    },
  });
  const { actionId } = blocked.body;
  expectRefused(await p.submit(p.owner, actionId), 409, 'conflict');
  expectRefused(await p.decide(p.approver, actionId), 409, 'conflict');
  // A source without labels has told no catalog.
  const untold = { desiredLabelGuid: 'told-by-no-catalog' };
  const blockedToo = await p.draft(p.owner, assetId, untold);
  expect(blockedToo.body).toMatchObject({
    status: 'blocked',
    preview: { desiredState: { labelGuid: untold.desiredLabelGuid, labelName: null } },
  });
  await p.service.reconfigure({ SVC_CONNECTOR_MODE: 'mock' });
  const refused = [
    await p.draft(p.owner, assetId, untold),
    await p.owner.post(`/api/actions/${blockedToo.body.actionId}/repreview`),
  ];
  for (const answer of refused) expectRefused(answer, 400, 'validation_failed');
  const again = await p.owner.post<Action>(`/api/actions/${actionId}/repreview`);
  expect(again.body).toMatchObject({ status: 'draft', blockedReason: null, mode: 'mock' });
});

test('the list ends after a hundred, newest first, then by id, and says so', async () => {
  const assetId = await p.unlabeled(p.owner);
  const { actionId } = (await p.draft(p.owner, assetId)).body;
  await p.database.inspect(sql`
    with copied as (
      insert into actions (tenant_id, action_id, kind, target_asset_id, justification, desired_label_guid, status, preview,
                           requested_by, created_at, updated_at)
      select tenant_id, 'act_copy_' || lpad(n::text, 3, '0'), kind, target_asset_id, justification, desired_label_guid,
             status, preview, requested_by, created_at + interval '1 second', updated_at
        from actions, generate_series(1, 105) as n where action_id = ${actionId}
      returning tenant_id, action_id)
    insert into action_domains select tenant_id, action_id, 'dom_human_resources' from copied`);
  for (const who of [p.owner, p.auditor]) {
    const { body } = await who.get<Listed<Action>>('/api/actions');
    expect(body.truncated).toBe(true);
    expect(body.items.map((each) => each.actionId)).toEqual(
      Array.from({ length: 100 }, (_, n) => `act_copy_${String(105 - n).padStart(3, '0')}`),
    );
  }
  // Nor is its number known to others.
  const nothing = { items: [], truncated: false, total: 0, totalIsExact: true };
  expect((await p.otherOwner.get('/api/actions')).body).toEqual(nothing);
});
