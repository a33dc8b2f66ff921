import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ModelCall } from '../../core/ai/meter.ts';
import { meterFor, SpendingCapReached } from '../../core/ai-usage/meter-for.ts';
import { usageReport } from '../../core/ai-usage/usage-report.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, OTHER } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const HOUR_MS = 3_600_000;
/** The last hour of a month. */
const NOW = Date.UTC(2026, 2, 31, 23, 30);
/** With these prices it costs 1. */
const CALL: ModelCall = { task: 'embedding', model: 'embedder', expected: { input: 1_000_000, output: 0 } };
const PRICES = new Map([
  ['embedder', { input: 1, output: 0 }],
  ['writer', { input: 2, output: 8 }],
]);

let database: TestDatabase;
let now: number;

beforeEach(async () => {
  await database?.drop();
  database = await createSeededDatabase();
  now = NOW;
});
afterAll(() => database.drop());

const meter = (cap?: number, tenantId: TenantId = DEV) =>
  meterFor(
    {
      config: { SVC_AI_PRICES: PRICES, SVC_AI_MONTHLY_CAP: cap },
      db: database.db,
      clock: () => now,
    },
    tenantId,
  );
const report = (tenantId: TenantId = DEV, month?: string) =>
  withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
    usageReport(tx, { mode: 'live', cap: undefined }, month, now),
  );

describe('without a cap', () => {
  test('calls are summed by day, task and model', async () => {
    const draft: ModelCall = {
      task: 'taxonomy_draft',
      model: 'writer',
      expected: { input: 500, output: 1_000 },
    };
    await (await meter()(CALL))({ input: 250_000, output: 0 });
    await (await meter()(CALL))('unknown');
    await (await meter()(CALL))('none');
    await (await meter()(draft))({ input: 400, output: 100 });
    await (await meter()({ ...CALL, model: 'unpriced' }))({ input: 9, output: 0 });
    const embedded = {
      ...{ calls: 2, callsWithEstimatedTokens: 1, callsWithoutCost: 0 },
      ...{ inputTokens: 1_250_000, outputTokens: 0, estimatedCost: 1.25 },
    };
    const drafted = {
      ...{ calls: 1, callsWithEstimatedTokens: 0, callsWithoutCost: 0 },
      ...{ inputTokens: 400, outputTokens: 100, estimatedCost: 0.0016 },
    };
    const unpriced = {
      ...{ calls: 1, callsWithEstimatedTokens: 0, callsWithoutCost: 1 },
      ...{ inputTokens: 9, outputTokens: 0, estimatedCost: null },
    };
    const embeddings = { ...embedded, calls: 3, callsWithoutCost: 1, inputTokens: 1_250_009 };
    const whole = {
      ...{ calls: 4, callsWithEstimatedTokens: 1, callsWithoutCost: 1 },
      ...{ inputTokens: 1_250_409, outputTokens: 100, estimatedCost: 1.2516 },
    };
    const day = '2026-03-31';
    expect(await report()).toEqual({
      ...{ month: '2026-03', mode: 'live', truncated: false },
      items: [
        { day, task: 'embedding', model: 'embedder', ...embedded },
        { day, task: 'embedding', model: 'unpriced', ...unpriced },
        { day, task: 'taxonomy_draft', model: 'writer', ...drafted },
      ],
      totals: {
        tasks: [
          { task: 'embedding', ...embeddings },
          { task: 'taxonomy_draft', ...drafted },
        ],
        models: [
          { model: 'embedder', ...embedded },
          { model: 'unpriced', ...unpriced },
          { model: 'writer', ...drafted },
        ],
        days: [{ day, ...whole }],
        month: whole,
      },
      spending: { cap: null, reserved: 0 },
    });
  });

  test('a month without calls has cost nothing', async () => {
    await (await meter()(CALL))('unknown');
    const { items, totals } = await report(DEV, '2026-02');
    expect(items).toEqual([]);
    expect(totals.month).toMatchObject({ calls: 0, estimatedCost: 0 });
  });

  test('a name of a model of any length is counted', async () => {
    await (await meter()({ ...CALL, model: '模'.repeat(2_000) }))('unknown');
    expect((await report()).items).toMatchObject([{ model: '模'.repeat(256), calls: 1 }]);
  });
});

describe('with a cap', () => {
  test('calls at the same time cannot exceed it', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => meter(5)(CALL)));
    const admitted = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect([admitted.length, refused.length]).toEqual([5, 7]);
    for (const error of refused) {
      expect(error).toBeInstanceOf(SpendingCapReached);
      expect(error).toMatchObject({
        code: 'blocked_capability',
        message: expect.stringContaining('SVC_AI_MONTHLY_CAP'),
      });
    }
    expect((await report()).spending.reserved).toBe(5);
    await Promise.all(admitted.map((settle) => settle(CALL.expected)));
    expect(await report()).toMatchObject({
      totals: { month: { calls: 5, estimatedCost: 5 } },
      spending: { reserved: 0 },
    });
    await expect(meter(5)(CALL)).rejects.toThrow(SpendingCapReached);
  });

  test('a call that used less, or nothing, leaves the rest', async () => {
    await (await meter(1)(CALL))('none');
    await (await meter(1)(CALL))({ input: 1, output: 0 });
    await expect(meter(1)(CALL)).rejects.toThrow(SpendingCapReached);
    const small = { ...CALL, expected: { input: 999_999, output: 0 } };
    await (await meter(1)(small))('none');
  });

  test('a call that is never settled counts as spent', async () => {
    await meter(2)(CALL);
    expect((await report()).spending.reserved).toBe(1);
    now += HOUR_MS / 4;
    // Until the next call it is told as reserved.
    expect((await report()).spending.reserved).toBe(1);
    await (await meter(2)(CALL))('none');
    expect(await report()).toMatchObject({
      totals: { month: { calls: 1, callsWithEstimatedTokens: 1, inputTokens: 1_000_000, estimatedCost: 1 } },
      spending: { reserved: 0 },
    });
    await expect(meter(1)(CALL)).rejects.toThrow(SpendingCapReached);
  });

  test('calls that are never settled each count in their own month', async () => {
    await Promise.all([meter(9)(CALL), meter(9)(CALL), meter()({ ...CALL, model: 'unpriced' })]);
    now += HOUR_MS;
    await (await meter(1)(CALL))('none');
    expect((await report(DEV, '2026-03')).totals.month).toMatchObject({
      ...{ calls: 3, callsWithEstimatedTokens: 3, callsWithoutCost: 1, estimatedCost: 2 },
    });
    expect((await report()).totals.month.calls).toBe(0);
  });

  test('a call that outlives its reservation is counted once', async () => {
    const settle = await meter(2)(CALL);
    now += HOUR_MS / 4;
    await (await meter(2)(CALL))('none');
    await settle('unknown');
    expect((await report()).totals.month).toMatchObject({ calls: 1, estimatedCost: 1 });
  });

  test('a failure to settle loses neither the answer nor the count', async () => {
    const settle = await meter()(CALL);
    await database.inspect(sql`alter table ai_usage rename to ai_usage_away`);
    await settle(CALL.expected);
    await database.inspect(sql`alter table ai_usage_away rename to ai_usage`);
    expect(await report()).toMatchObject({ totals: { month: { calls: 0 } }, spending: { reserved: 1 } });
    now += HOUR_MS / 4;
    await (await meter()(CALL))('none');
    expect((await report()).totals.month).toMatchObject({ calls: 1, callsWithEstimatedTokens: 1 });
  });

  test('a reservation of the release before expires', async () => {
    await database.inspect(sql`
      insert into ai_reservations (tenant_id, reservation_id, cost, expires_at)
      values (${DEV}, 'air_old', 1, ${new Date(now + 1_000)})`);
    await expect(meter(1)(CALL)).rejects.toThrow(SpendingCapReached);
    now += 1_000;
    await (await meter(1)(CALL))('none');
    expect((await report()).totals.month.calls).toBe(0);
  });

  test('each month and each tenant has its own', async () => {
    await (await meter(1)(CALL))('unknown');
    await (await meter(1, OTHER)(CALL))('unknown');
    await expect(meter(1)(CALL)).rejects.toThrow(SpendingCapReached);
    expect((await report(OTHER)).totals.month.calls).toBe(1);
    now += HOUR_MS;
    await (await meter(1)(CALL))('unknown');
    expect((await report()).month).toBe('2026-04');
    expect((await report(DEV, '2026-03')).totals.month.calls).toBe(1);
  });

  test('a cap of zero admits only what costs nothing', async () => {
    await expect(meter(0)(CALL)).rejects.toThrow(SpendingCapReached);
    PRICES.set('local', { input: 0, output: 0 });
    await (await meter(0)({ ...CALL, model: 'local' }))('unknown');
  });
});
