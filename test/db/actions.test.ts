import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimAction, executeAction, LEASE_MS } from '../../core/actions/execute.ts';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { connectorFor } from '../../core/integrations/connector-for.ts';
import { type ActionWorld, createActionWorld, storedAction, WANTED } from '../support/actions.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const { financeOwner: OWNER, approver: APPROVER, auditor: SECOND } = PERSONA;

let database: TestDatabase;
let world: ActionWorld;
beforeAll(async () => {
  database = await createSeededDatabase({ max: 15, itemsPerScope: 1 });
  world = await createActionWorld(database);
});
afterAll(() => database.drop());

let assets = 0;
let assetId: string;
beforeEach(async () => {
  assetId = `ast_${++assets}`;
  await world.makeAsset(assetId);
  world.around.before = async () => undefined;
  world.around.after = async () => undefined;
  world.written.count = 0;
});

const sweep = () => sweepActions(world.parts, { signal: new AbortController().signal, budgetMs: 60_000 });
async function submitted(): Promise<string> {
  const { actionId } = await world.draft(OWNER, assetId);
  await world.submit(OWNER, actionId);
  return actionId;
}
const verifiedOnce = async (actionId: string) => {
  expect(await storedAction(database, actionId)).toMatchObject({ status: 'verified', due_at: null });
  expect(world.written.count).toBe(1);
  expect(await world.labelOf(assetId)).toBe(WANTED);
};

describe('a source that does not write', () => {
  test('for good: the action has failed, and can be previewed again', async () => {
    world.around.before = () => Promise.reject(new ConnectorError('policy_denied', 'http_status_403'));
    const actionId = await submitted();
    expect(await world.decide(APPROVER, actionId)).toMatchObject({
      status: 'failed',
      outcomeReason: 'source_refused',
      verification: null,
    });
    world.clock.now += 10 * LEASE_MS;
    await sweep();
    expect(world.written.count).toBe(0);
    world.around.before = async () => undefined;
    expect(await world.repreview(OWNER, actionId)).toMatchObject({ status: 'draft', attempts: 0 });
    await world.submit(OWNER, actionId);
    expect((await world.decide(APPROVER, actionId)).status).toBe('verified');
    await verifiedOnce(actionId);
  });

  test('for a while: it is tried again once the time that the source asked for is over', async () => {
    world.around.before = () => Promise.reject(new ConnectorError('throttled', 'source_throttled', 90_000));
    const actionId = await submitted();
    expect(await world.decide(APPROVER, actionId)).toMatchObject({
      status: 'approved',
      outcomeReason: 'source_throttled',
    });
    world.around.before = async () => undefined;
    world.clock.now += 80_000;
    await sweep();
    expect((await storedAction(database, actionId)).status).toBe('approved');
    world.clock.now += 10_000;
    await sweep();
    await verifiedOnce(actionId);
  });

  test('again and again: it has failed', async () => {
    world.around.before = () => Promise.reject(new ConnectorError('throttled', 'source_throttled'));
    const actionId = await submitted();
    await world.decide(APPROVER, actionId);
    for (let n = 0; n < 10; n++) {
      world.clock.now += 10 * LEASE_MS;
      await sweep();
    }
    expect(await storedAction(database, actionId)).toMatchObject({
      status: 'failed',
      outcome_reason: 'source_throttled',
      attempt: 6,
    });
  });

  test('but says so: what is read afterwards counts', async () => {
    world.around.after = () => world.atSource(assetId, { action: 'clear_label' });
    const actionId = await submitted();
    expect(await world.decide(APPROVER, actionId)).toMatchObject({
      status: 'failed',
      outcomeReason: 'not_verified',
      verification: { holds: false, wrote: true, observedState: { labelState: 'unlabeled' } },
    });
  });
});

describe('written once', () => {
  test('when the answer to the write is lost', async () => {
    world.around.after = () => Promise.reject(new ConnectorError('transient', 'aborted'));
    const actionId = await submitted();
    expect((await world.decide(APPROVER, actionId)).status).toBe('approved');
    world.clock.now += LEASE_MS;
    await sweep();
    await verifiedOnce(actionId);
  });

  test('when the process dies between the write and its record', async () => {
    const actionId = await submitted();
    // It never comes back from the write.
    world.around.after = () => new Promise<never>(() => undefined);
    void world.decide(APPROVER, actionId);
    await expect.poll(() => world.written.count).toBe(1);
    await sweep();
    expect((await storedAction(database, actionId)).status).toBe('executing');
    world.clock.now += LEASE_MS;
    await Promise.all([sweep(), sweep(), executeAction(world.parts, DEV, actionId)]);
    await verifiedOnce(actionId);
    expect((await storedAction(database, actionId)).attempt).toBe(2);
  });

  test('when a process that was given up writes late: what it comes to is not taken', async () => {
    const actionId = await submitted();
    const held = Promise.withResolvers<void>();
    let first = true;
    world.around.before = async () => {
      if (!first) return;
      first = false;
      await held.promise;
    };
    const late = world.decide(APPROVER, actionId);
    await expect.poll(() => first).toBe(false);
    world.clock.now += LEASE_MS;
    await sweep();
    await verifiedOnce(actionId);
    const { attempt } = await storedAction(database, actionId);
    held.resolve();
    expect(await late).toMatchObject({ status: 'verified', attempts: attempt });
    // Its precondition no longer held.
    expect(world.written.count).toBe(1);
  });

  test('when a process returns after another round of previews and approvals', async () => {
    const denied = () => Promise.reject(new ConnectorError('policy_denied', 'http_status_403'));
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [first.promise.then(denied), denied, second.promise];
    let tried = 0;
    world.around.before = async () => {
      const wait = waits[tried++];
      await (typeof wait === 'function' ? wait() : wait);
    };
    const actionId = await submitted();
    const givenUp = world.decide(APPROVER, actionId);
    await expect.poll(() => tried).toBe(1);
    world.clock.now += LEASE_MS;
    await sweep();
    expect((await storedAction(database, actionId)).status).toBe('failed');
    await world.repreview(OWNER, actionId);
    await world.submit(OWNER, actionId);
    const decided = world.decide(APPROVER, actionId);
    await expect.poll(() => tried).toBe(3);
    first.resolve();
    expect(await givenUp).toMatchObject({ status: 'executing', attempts: 1 });
    second.resolve();
    expect((await decided).status).toBe('verified');
    await verifiedOnce(actionId);
  });

  test('when it dies before it begins, or over and over', async () => {
    const actionId = await submitted();
    await database.inspect(sql`
      update actions set status = 'approved', decided_by = ${APPROVER}, due_at = ${new Date(world.clock.now)}
       where action_id = ${actionId}`);
    for (let n = 0; n < 6; n++) {
      expect(await claimAction(world.parts, DEV, actionId)).toMatchObject({ attempt: n + 1 });
      expect(await claimAction(world.parts, DEV, actionId)).toBeNull();
      world.clock.now += LEASE_MS;
    }
    await sweep();
    expect(await storedAction(database, actionId)).toMatchObject({
      status: 'failed',
      outcome_reason: 'attempts_spent',
    });
    expect(world.written.count).toBe(0);
  });
});

test('what a scan stores in the meantime is not overwritten by what was seen before it', async () => {
  const actionId = await submitted();
  const scanned = () =>
    world.inTenant((tx) =>
      tx.execute(sql`
        update assets set stage_keys = stage_keys || '{"content": "looked at"}'
         where tenant_id = ${DEV} and asset_id = ${assetId}`),
    );
  let reads = 0;
  world.parts.connectorOf = (tenantId, family) => {
    const connector = connectorFor(world.parts, tenantId, family);
    return {
      ...connector,
      getLabel: async (...of) => {
        // The second look is the one that verifies.
        if (++reads === 2) await scanned();
        return connector.getLabel(...of);
      },
    };
  };
  expect((await world.decide(APPROVER, actionId)).status).toBe('verified');
  delete world.parts.connectorOf;
  expect(reads).toBe(3);
  const [asset] = await database.inspect<{ stage_keys: object; label_guid: string }>(
    sql`select stage_keys, label_guid from assets where asset_id = ${assetId}`,
  );
  expect(asset).toMatchObject({ label_guid: WANTED, stage_keys: { content: 'looked at', labels: '2.1' } });
});

test('concurrent requests and decisions of one person never approve their own action', async () => {
  const ways = new Set<string>();
  for (let n = 0; n < 12; n++) {
    world.clock.now += 1;
    const { actionId } = await world.draft(OWNER, assetId);
    const [submits, decides] = await Promise.allSettled([
      world.submit(SECOND, actionId),
      world.decide(SECOND, actionId),
    ]);
    ways.add(`${submits.status} ${decides.status}`);
    const [row] = await database.inspect<{ status: string; decided_by: string | null }>(
      sql`select status, decided_by from actions where action_id = ${actionId}`,
    );
    expect(row).toEqual({ status: 'awaiting_approval', decided_by: null });
  }
  expect([...ways]).toEqual(['fulfilled rejected']);
});

test('a task is made once, however often its action is begun', async () => {
  const task = { kind: 'internal_task', taskTitle: 'Ask the team' } as const;
  const { actionId } = await world.draft(OWNER, assetId, task);
  await world.submit(OWNER, actionId);
  await database.inspect(sql`
    update actions set status = 'approved', decided_by = ${APPROVER}, due_at = ${new Date(world.clock.now)}
     where action_id = ${actionId}`);
  await claimAction(world.parts, DEV, actionId);
  world.clock.now += LEASE_MS;
  await Promise.all([sweep(), sweep(), sweep()]);
  expect((await storedAction(database, actionId)).status).toBe('verified');
  const tasks = await database.inspect(sql`select status from tasks where action_id = ${actionId}`);
  expect(tasks).toEqual([{ status: 'open' }]);
});

test('a task for an asset that is gone is not made', async () => {
  const { actionId } = await world.draft(OWNER, assetId, {
    kind: 'internal_task',
    taskTitle: 'Ask the team',
  });
  await world.submit(OWNER, actionId);
  await world.inTenant((tx) =>
    tx.execute(sql`update assets set status = 'deleted' where tenant_id = ${DEV} and asset_id = ${assetId}`),
  );
  expect(await world.decide(APPROVER, actionId)).toMatchObject({
    status: 'drifted',
    outcomeReason: 'target_gone',
  });
});

test('the history of an action is neither changed nor removed by the service', async () => {
  for (const statement of [
    sql`update action_transitions set principal_id = null where tenant_id = ${DEV}`,
    sql`delete from action_transitions where tenant_id = ${DEV}`,
    sql`delete from actions where tenant_id = ${DEV}`,
    sql`delete from tasks where tenant_id = ${DEV}`,
  ])
    await expect(world.inTenant((tx) => tx.execute(statement))).rejects.toMatchObject({ code: '42501' });
});
