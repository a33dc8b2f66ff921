import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTask } from '../../core/actions/attempt.ts';
import { claimAction, LEASE_MS } from '../../core/actions/execute.ts';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { connectorFor } from '../../core/integrations/connector-for.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { type ActionWorld, createActionWorld, storedAction, WANTED } from '../support/actions.ts';
import { addOwner } from '../support/add-owner.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const OTHER_APPROVER = PERSONA.approver;

let database: TestDatabase;
let world: ActionWorld;
beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 1 });
  world = await createActionWorld(database);
});
afterAll(() => database.drop());

/** People and an asset that each test has for itself. */
let runs = 0;
let assetId: string;
let requester: string;
let approver: string;
beforeEach(async () => {
  runs++;
  [assetId, requester, approver] = [`ast_${runs}`, `pri_requester_${runs}`, `pri_approver_${runs}`];
  const domainId = 'dom_finance' as DomainId;
  await addOwner(database, requester, { roles: ['domain_owner'], domainId });
  await addOwner(database, approver, { roles: ['remediation_approver'], domainId });
  await world.makeAsset(assetId);
  world.around.before = async () => undefined;
  world.written.count = 0;
});

const sweep = () => sweepActions(world.parts, { signal: new AbortController().signal, budgetMs: 60_000 });
async function submitted(more = {}): Promise<string> {
  const { actionId } = await world.draft(requester, assetId, more);
  await world.submit(requester, actionId);
  return actionId;
}
/** Its approval is committed, and nobody has begun to execute it. */
async function approved(more = {}): Promise<string> {
  const actionId = await submitted(more);
  await database.inspect(sql`
    update actions set status = 'approved', decided_by = ${approver}, due_at = ${new Date(world.clock.now)}
     where action_id = ${actionId}`);
  return actionId;
}
const disabled = (who: string) => sql`update principals set status = 'disabled' where principal_id = ${who}`;
const withoutRole = (who: string) => sql`delete from principal_roles where principal_id = ${who}`;
const withoutDomain = (who: string) =>
  sql`update owner_assignments set ended_at = now() where principal_id = ${who}`;
const unrelated = () => sql`update candidates set status = 'rejected' where asset_id = ${assetId}`;

/** Ways to lose what it takes to have an action executed. */
const LOSSES: [string, string, () => Statement][] = [
  ['whose requester is disabled', 'requester_not_permitted', () => disabled(requester)],
  ['whose requester has lost the role', 'requester_not_permitted', () => withoutRole(requester)],
  ['whose requester has lost the domain', 'requester_not_permitted', () => withoutDomain(requester)],
  ['whose asset is of no domain any more', 'requester_not_permitted', unrelated],
  ['whose approver is disabled', 'approver_not_permitted', () => disabled(approver)],
  ['whose approver has lost the role', 'approver_not_permitted', () => withoutRole(approver)],
];

describe.each(LOSSES)('an action %s', (_, reason, loss) => {
  test('fails at the next attempt, and nothing is written', async () => {
    world.around.before = () => Promise.reject(new ConnectorError('throttled', 'source_throttled'));
    const actionId = await submitted();
    expect((await world.decide(approver, actionId)).status).toBe('approved');
    world.around.before = async () => undefined;
    await database.inspect(loss());
    world.clock.now += 10 * LEASE_MS;
    await sweep();
    expect(await storedAction(database, actionId)).toMatchObject({
      status: 'failed',
      outcome_reason: reason,
      attempt: 2,
      due_at: null,
    });
    expect([world.written.count, await world.labelOf(assetId)]).toEqual([0, null]);
  });

  test('is not written where that happens while the source answers', async () => {
    const actionId = await submitted();
    world.parts.connectorOf = (tenantId, family) => {
      const connector = connectorFor(world.parts, tenantId, family);
      return {
        ...connector,
        getLabel: async (...of) => {
          await database.inspect(loss());
          return connector.getLabel(...of);
        },
      };
    };
    const decided = await world.decide(approver, actionId);
    delete world.parts.connectorOf;
    expect(decided).toMatchObject({ status: 'failed', outcomeReason: reason, verification: null });
    expect([world.written.count, await world.labelOf(assetId)]).toEqual([0, null]);
  });

  test('is not claimed for another look at the source', async () => {
    const actionId = await approved();
    await world.atSource(assetId, { action: 'set_label', labelGuid: WANTED });
    await database.inspect(loss());
    await sweep();
    // As it is labelled already, nothing would be written.
    expect(await storedAction(database, actionId)).toMatchObject({
      status: 'failed',
      outcome_reason: reason,
    });
    const history = await database.inspect<{ trigger: string; reason: string | null }>(sql`
      select trigger, reason from action_transitions where action_id = ${actionId} order by revision desc limit 2`);
    expect(history).toEqual([
      { trigger: 'failed', reason },
      { trigger: 'claimed', reason: null },
    ]);
  });

  test('makes no task, also where that happens after the claim', async () => {
    const actionId = await approved({ kind: 'internal_task', taskTitle: 'Ask the team' });
    const action = (await claimAction(world.parts, DEV, actionId)) ?? expect.unreachable('not due');
    await database.inspect(loss());
    const { signal } = new AbortController();
    expect(await makeTask({ parts: world.parts, tenantId: DEV, action, signal })).toEqual({
      trigger: 'failed',
      reason,
    });
    world.clock.now += LEASE_MS;
    await sweep();
    expect(await storedAction(database, actionId)).toMatchObject({
      status: 'failed',
      outcome_reason: reason,
    });
    expect(await database.inspect(sql`select from tasks where action_id = ${actionId}`)).toEqual([]);
  });
});

test('an approval by somebody who lost the role after it is replaced by another one', async () => {
  world.around.before = () => Promise.reject(new ConnectorError('throttled', 'source_throttled'));
  const actionId = await submitted();
  await world.decide(approver, actionId);
  await database.inspect(withoutRole(approver));
  world.around.before = async () => undefined;
  world.clock.now += 10 * LEASE_MS;
  await sweep();
  expect((await storedAction(database, actionId)).outcome_reason).toBe('approver_not_permitted');
  await world.repreview(requester, actionId);
  await world.submit(requester, actionId);
  expect((await world.decide(OTHER_APPROVER, actionId)).status).toBe('verified');
  expect(await world.labelOf(assetId)).toBe(WANTED);
});

test('an action on an asset that is gone has drifted, whatever its requester owns', async () => {
  const actionId = await submitted({ kind: 'internal_task', taskTitle: 'Ask the team' });
  await world.inTenant((tx) =>
    tx.execute(sql`update assets set status = 'deleted' where tenant_id = ${DEV} and asset_id = ${assetId}`),
  );
  await database.inspect(unrelated());
  expect(await world.decide(approver, actionId)).toMatchObject({
    status: 'drifted',
    outcomeReason: 'target_gone',
  });
});
