import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cancelAction } from '../../core/actions/draft.ts';
import { claimAction, LEASE_MS } from '../../core/actions/execute.ts';
import { sql } from '../../core/db/sql.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import { storedAction, WANTED } from '../support/actions.ts';
import type { TestDatabase } from '../support/database.ts';
import { createLiveActionWorld, type LiveActionWorld } from '../support/live-actions.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const { financeOwner: OWNER, approver: APPROVER } = PERSONA;
const WEAKER = LABEL_CATALOG[1].guid;
const HOUR = 60 * 60_000;

let database: TestDatabase;
let live: LiveActionWorld;
beforeAll(async () => {
  database = await createSeededDatabase({ max: 15, itemsPerScope: 1 });
  live = await createLiveActionWorld(database);
});
afterAll(async () => {
  expect(live.fake.violations).toEqual([]);
  await live.fake.close();
  await database.drop();
});

let assets = 0;
let assetId: string;
let itemId: string;
beforeEach(async () => {
  assetId = `ast_${++assets}`;
  itemId = await live.makeAsset(assetId);
  live.fake.noMoreFaults();
  live.fake.clearCalls();
});

async function submitted(more = {}): Promise<string> {
  const { actionId } = await live.world.draft(OWNER, assetId, more);
  await live.world.submit(OWNER, actionId);
  return actionId;
}
const approve = (actionId: string) => live.world.decide(APPROVER, actionId);
async function accepted(): Promise<string> {
  const actionId = await submitted();
  expect(await approve(actionId)).toMatchObject({ status: 'executing', outcomeReason: 'source_writing' });
  return actionId;
}
const stored = async (actionId: string) => {
  const [row] = await database.inspect<{ monitor: string | null; accepted_at: Date | null }>(
    sql`select monitor, accepted_at from actions where action_id = ${actionId}`,
  );
  return { ...(await storedAction(database, actionId)), ...row };
};
const writes = () => live.fake.callsOf('label_assign').length;
const polls = () => live.fake.callsOf('monitor').length;
const labelAtSource = () => live.library.drive.items.get(itemId)?.label?.labelId ?? null;
/** The source carries its writes out when its monitor is asked for the third time, or never. */
const neverByItself = () => {
  for (const operation of live.fake.tenant().operations.values()) operation.dueAt = Number.POSITIVE_INFINITY;
};
const over = { monitor: null, accepted_at: null, due_at: null };

describe('a write that the source accepts', () => {
  test('answers the approval at once, is looked at by the timer and then verified', async () => {
    const actionId = await accepted();
    expect(polls()).toBe(0);
    expect(await stored(actionId)).toMatchObject({ monitor: expect.any(String), attempt: 1 });
    await live.sweepAfter(9_000);
    expect(polls()).toBe(0);
    for (const [n, ms] of [11_000, 20_000, 20_000].entries()) {
      await live.sweepAfter(ms);
      expect(polls()).toBe(n + 1);
    }
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified', attempt: 1 });
    expect([writes(), labelAtSource()]).toEqual([1, WANTED]);
    const [asset] = await database.inspect(sql`select label_guid from assets where asset_id = ${assetId}`);
    expect(asset).toEqual({ label_guid: WANTED });
  });

  test('has failed if the monitor says so', async () => {
    live.fake.failLabels(1);
    const actionId = await accepted();
    for (let n = 0; n < 3; n++) await live.sweepAfter(20_000);
    expect(await stored(actionId)).toMatchObject({
      ...{ ...over, status: 'failed', outcome_reason: 'write_failed_at_source' },
    });
  });

  test('has failed if the item is not as it shall be afterwards', async () => {
    const actionId = await accepted();
    neverByItself();
    live.change({
      outcomeOf: async () => {
        live.library.label(itemId, WEAKER);
        return { state: 'completed' };
      },
    });
    await live.sweepAfter(20_000);
    expect(await stored(actionId)).toMatchObject({
      ...over,
      status: 'failed',
      outcome_reason: 'not_verified',
    });
  });

  test('that never ends is given up after an hour, with few looks', async () => {
    const actionId = await accepted();
    neverByItself();
    let looks = 0;
    live.change({
      outcomeOf: async () => {
        looks++;
        return { state: 'pending' };
      },
    });
    for (let passed = 0; passed < HOUR + 20_000; passed += 20_000) await live.sweepAfter(20_000);
    expect(await stored(actionId)).toMatchObject({
      ...{ ...over, status: 'failed', outcome_reason: 'source_never_finished', attempt: 1 },
    });
    expect(looks).toBeGreaterThan(10);
    expect(looks).toBeLessThan(30);
    expect(writes()).toBe(1);
  });

  test('that ends unseen within the hour is verified', async () => {
    const actionId = await accepted();
    live.change({ outcomeOf: async () => ({ state: 'pending' }) });
    await live.sweepAfter(HOUR);
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified' });
  });

  test.each([
    ['the source no longer knows it', { outcomeOf: async () => ({ state: 'unknown' }) as const }],
    ['the source gave no monitor', {}],
  ])('is found by reading the item where %s', async (_why, change) => {
    const { writer } = live;
    live.change({
      writeLabel: async (...of) => {
        const written = await writer.writeLabel(...of);
        return 'outcomeOf' in change || written.state !== 'accepted'
          ? written
          : { ...written, monitor: null };
      },
    });
    const actionId = await accepted();
    live.change(change);
    await live.sweepAfter(20_000);
    expect((await stored(actionId)).status).toBe('executing');
    await live.sweepAfter(60_000);
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified' });
    expect([writes(), polls()]).toEqual([1, 0]);
  });

  test('is not asked before a 429 allows it, and the wait is no attempt', async () => {
    const actionId = await accepted();
    live.fake.fail({ on: 'monitor', fault: { kind: 'throttle', retryAfter: 90 } });
    await live.sweepAfter(20_000);
    expect(await stored(actionId)).toMatchObject({
      status: 'executing',
      monitor: expect.any(String),
      attempt: 1,
    });
    await live.sweepAfter(80_000);
    expect(polls()).toBe(1);
    for (let n = 0; n < 3; n++) await live.sweepAfter(HOUR / 12);
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified', attempt: 1 });
  });

  test('cannot be cancelled, and lost rights no longer stop it', async () => {
    const actionId = await accepted();
    await expect(
      live.world.inTenant((tx) => cancelAction(tx, live.world.by(APPROVER), actionId)),
    ).rejects.toMatchObject({ code: 'conflict' });
    await database.inspect(sql`update principals set status = 'disabled' where principal_id = ${OWNER}`);
    try {
      for (let n = 0; n < 3; n++) await live.sweepAfter(20_000);
    } finally {
      await database.inspect(sql`update principals set status = 'active' where principal_id = ${OWNER}`);
    }
    expect((await stored(actionId)).status).toBe('verified');
  });
});

describe('a crash', () => {
  test('before it stores the acceptance: the next attempt reads, and writes nothing', async () => {
    const actionId = await submitted();
    const { writer } = live;
    live.change({
      writeLabel: async (...of) => {
        await writer.writeLabel(...of);
        return new Promise<never>(() => undefined);
      },
    });
    void approve(actionId);
    await expect.poll(writes).toBe(1);
    live.change({});
    await live.sweepAfter(LEASE_MS);
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified', attempt: 2 });
    expect(writes()).toBe(1);
  });

  test('before that, of a slow source: the same label is written again, and verified', async () => {
    const actionId = await submitted();
    const { writer } = live;
    live.change({
      writeLabel: async (...of) => {
        await writer.writeLabel(...of);
        neverByItself();
        return new Promise<never>(() => undefined);
      },
    });
    void approve(actionId);
    await expect.poll(writes).toBe(1);
    live.change({});
    await live.sweepAfter(LEASE_MS);
    // The call is metered, so this costs one call more.
    expect(writes()).toBe(2);
    for (let n = 0; n < 3; n++) await live.sweepAfter(20_000);
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified' });
  });

  test('of the process that looks: another one looks after the lease', async () => {
    const actionId = await accepted();
    for (let n = 0; n < 8; n++) {
      live.world.clock.now += n === 0 ? 20_000 : LEASE_MS;
      expect(await claimAction(live.world.parts, DEV, actionId)).toMatchObject({ attempt: 1 });
      expect(await claimAction(live.world.parts, DEV, actionId)).toBeNull();
    }
    await live.sweepAfter(LEASE_MS);
    for (let n = 0; n < 2; n++) await live.sweepAfter(5 * 60_000);
    expect(await stored(actionId)).toMatchObject({ ...over, status: 'verified', attempt: 1 });
    expect(writes()).toBe(1);
  });

  test('that was none: what a process says that lost its lease is not taken', async () => {
    const actionId = await submitted();
    const { writer } = live;
    const held = Promise.withResolvers<void>();
    let first = true;
    live.change({
      writeLabel: async (...of) => {
        const written = await writer.writeLabel(...of);
        if (!first) return written;
        first = false;
        neverByItself();
        await held.promise;
        return { state: 'accepted', monitor: 'https://late.example/monitor' };
      },
    });
    const late = approve(actionId);
    await expect.poll(() => first).toBe(false);
    await live.sweepAfter(LEASE_MS);
    const { monitor } = await stored(actionId);
    held.resolve();
    expect(await late).toMatchObject({ status: 'executing', attempts: 2 });
    expect(await stored(actionId)).toMatchObject({ monitor });
    expect(monitor).not.toContain('late');
    for (let n = 0; n < 3; n++) await live.sweepAfter(20_000);
    expect((await stored(actionId)).status).toBe('verified');
  });
});

describe('a write that the source refuses', () => {
  test('has failed with a reason, and is possible once the cause is gone', async () => {
    const actionId = await submitted();
    live.library.lock(itemId, 'openForEditing');
    expect(await approve(actionId)).toMatchObject({ status: 'failed', outcomeReason: 'file_locked' });
    live.library.lock(itemId, null);
    await live.world.repreview(OWNER, actionId);
    await live.world.submit(OWNER, actionId);
    expect((await approve(actionId)).status).toBe('executing');
  });

  test('because nobody pays is told apart', async () => {
    const actionId = await submitted();
    live.fake.fail({ on: 'label_assign', fault: { kind: 'error', status: 402, code: 'paymentRequired' } });
    expect(await approve(actionId)).toMatchObject({ status: 'failed', outcomeReason: 'metered_api_off' });
  });

  test('for want of time is tried again', async () => {
    const actionId = await submitted();
    live.fake.fail({ on: 'label_assign', fault: { kind: 'throttle', retryAfter: 90 } });
    expect(await approve(actionId)).toMatchObject({ status: 'approved', outcomeReason: 'source_throttled' });
    await live.sweepAfter(80_000);
    expect(writes()).toBe(1);
    await live.sweepAfter(20_000);
    expect((await stored(actionId)).status).toBe('executing');
  });
});

describe('a preview', () => {
  test('tells what prevents the write, which is then not submitted', async () => {
    live.library.lock(itemId, 'checkedOut');
    const { actionId, preview } = await live.world.draft(OWNER, assetId);
    expect(preview).toMatchObject({ changes: true, preventedBy: 'file_checked_out', lowersLabel: false });
    await expect(live.world.submit(OWNER, actionId)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('file_checked_out'),
    });
    live.library.lock(itemId, null);
    expect((await live.world.repreview(OWNER, actionId)).preview.preventedBy).toBeNull();
    expect((await live.world.submit(OWNER, actionId)).status).toBe('awaiting_approval');
    expect(writes()).toBe(0);
  });

  test('tells that a file of this type has no label', async () => {
    itemId = await live.makeAsset(`${assetId}_txt`, 'Plan.txt');
    const { preview } = await live.world.draft(OWNER, `${assetId}_txt`);
    expect(preview.preventedBy).toBe('file_type_not_supported');
  });

  test('tells that a label becomes weaker, which carries the justification', async () => {
    live.library.label(itemId, WANTED);
    const weaker = await live.world.draft(OWNER, assetId, { desiredLabelGuid: WEAKER });
    expect(weaker.preview).toMatchObject({ lowersLabel: true, preventedBy: null });
    const removal = await live.world.draft(OWNER, assetId, { kind: 'sensitivity_label_remove' });
    expect(removal.preview.lowersLabel).toBe(true);
    await live.world.submit(OWNER, removal.actionId);
    // The source refuses this without a justification.
    expect((await approve(removal.actionId)).status).toBe('executing');
    for (let n = 0; n < 3; n++) await live.sweepAfter(20_000);
    expect([(await stored(removal.actionId)).status, labelAtSource()]).toEqual(['verified', null]);
  });

  test('asks for no prevention where nothing would change', async () => {
    live.library.label(itemId, WANTED);
    live.library.lock(itemId, 'checkedOut');
    const { preview } = await live.world.draft(OWNER, assetId);
    expect(preview).toMatchObject({ changes: false, preventedBy: null });
  });
});

test('the address of a monitor is in no answer, audit or log, and goes with the write', async () => {
  const actionId = await submitted();
  const answers = [await approve(actionId)];
  const { monitor } = await stored(actionId);
  const address = new URL(monitor ?? '');
  const secrets = [address.pathname.split('/').at(-1) ?? '', address.searchParams.get('tempAuth') ?? ''];
  expect(secrets.every((secret) => secret.length > 10)).toBe(true);
  live.fake.fail({ on: 'monitor', fault: { kind: 'throttle', retryAfter: 60 } });
  live.fake.fail({ on: 'monitor', fault: { kind: 'html', status: 500 }, times: 3 });
  for (let n = 0; n < 6; n++) await live.sweepAfter(5 * 60_000);
  answers.push(await approve(actionId));
  expect(answers[1]?.status).toBe('verified');
  const kept = await database.inspect(sql`
    select to_jsonb(a) as row from actions a union all select to_jsonb(t) from action_transitions t
     union all select to_jsonb(e) from audit_events e`);
  const told = JSON.stringify([answers, kept, live.logged]);
  for (const secret of secrets) expect(told).not.toContain(secret);
});

test('the database keeps a monitor only while the action executes', async () => {
  const actionId = await accepted();
  await expect(
    database.inspect(sql`update actions set status = 'approved' where action_id = ${actionId}`),
  ).rejects.toMatchObject({ constraint: 'actions_accepted' });
  await expect(
    database.inspect(sql`update actions set accepted_at = null where action_id = ${actionId}`),
  ).rejects.toMatchObject({ constraint: 'actions_monitor' });
});
