import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { type CampaignId, newId } from '../../core/kernel/ids.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { withLeasedTx } from '../../core/work/leased-tx.ts';
import type { WorkUnit } from '../../core/work/unit.ts';
import {
  expectCountersAreRows,
  isDone,
  LANES,
  makeEngine,
  pick,
  RETRY_DELAY_MS,
} from '../support/campaign-engine.ts';
import type { ModelResult } from '../support/campaign-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** It goes on until so many were started, or for so long. */
const CAMPAIGNS = 30;
const BUDGET_MS = 10_000;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
});
afterAll(() => database.drop());

test('under concurrent changes the counters equal the rows, and every campaign ends', async () => {
  let now = Date.UTC(2026, 0, 1);
  const engine = await makeEngine(database, now);
  const campaigns: CampaignId[] = [];
  const letters: string[] = [];
  const random = (below: number) => Math.floor(Math.random() * below);
  const until = performance.now() + BUDGET_MS;
  const keepOn = async (fn: () => Promise<unknown>) => {
    while (campaigns.length < CAMPAIGNS && performance.now() < until) {
      await fn();
      await sleep(1);
    }
  };
  const start = () => {
    const keys = Array.from({ length: 1 + random(12) }, (_, n) => `unit:${n}`);
    return isDone(engine.start(random(LANES), keys, now).then((id) => campaigns.push(id)));
  };
  const settle = async (owner: string, unit: WorkUnit, result: ModelResult) => {
    const deadLetterId = result === 'dead' ? newId('dlq', now) : null;
    const { units } = await engine.settle(owner, [{ ...unit, result, deadLetterId }], now);
    if (deadLetterId !== null && units.size > 0) letters.push(deadLetterId);
  };
  const work = (owner: string) => async () => {
    // Time goes by with the work, however slow the machine: most attempts end before their lease.
    now += random(12) === 0 ? LEASE_MS : RETRY_DELAY_MS;
    for (const unit of await engine.lease(owner, 4, now)) {
      const chance = random(10);
      if (chance === 0) continue;
      if (chance === 1) {
        // What a handler adds while it works; one that has lost its lease adds nothing.
        await withLeasedTx(database.db, unit, (tx) =>
          enqueueUnits(tx, unit.campaignId, [{ ...unit, logicalKey: `unit:${random(20)}` }], now),
        ).catch((error: unknown) => expect(error).toBeInstanceOf(UnitFailure));
      }
      await settle(
        owner,
        unit,
        pick(['completed', 'completed', 'retry', 'dead', 'handed_back'], chance) ?? 'completed',
      );
    }
  };
  const control = async () => {
    const campaign = pick(campaigns.slice(-LANES * 2), random(1_000));
    const action = pick(['pause', 'resume', 'resume', 'cancel'] as const, random(4));
    if (campaign !== undefined && action !== undefined) await isDone(engine.act(campaign, action, now));
  };
  const retry = async () => {
    const letter = pick(letters, random(1_000));
    if (letter !== undefined) await isDone(engine.retry(letter, now));
  };
  const sweepEnds = () =>
    sweepCampaignEnds({ db: database.db, clock: () => now }, new AbortController().signal);
  await Promise.all([
    ...['a', 'b', 'c', 'd'].map((owner) => keepOn(work(owner))),
    ...[start, control, retry].map(keepOn),
    keepOn(() => engine.sweep(now)),
    ...[sweepEnds, sweepEnds].map(keepOn),
  ]);
  const read = <T>(fn: (tx: Tx) => Promise<T>) =>
    withTx(database.db, { tenantId: engine.tenantId, mode: 'read' }, fn);
  await read(expectCountersAreRows);

  for (const campaign of campaigns) await isDone(engine.act(campaign, 'resume', now));
  let leased: WorkUnit[];
  do {
    now += LEASE_MS + 1;
    leased = await engine.lease('last', 100, now);
    for (const unit of leased) await settle('last', unit, 'completed');
  } while (leased.length > 0);
  await engine.sweep(now);
  await read(async (tx) => {
    await expectCountersAreRows(tx);
    const stuck = await tx.query(sql`
      select campaign_id, status from campaigns where status not in ('completed', 'cancelled') or cancelling`);
    expect(stuck).toEqual([]);
    const open = await tx.query(sql`select unit_id from work_units where status in ('pending', 'leased')`);
    expect(open).toEqual([]);
  });

  await sweepEnds();
  const audited = sql`
    select record::jsonb #>> '{event,target,id}' as campaign_id, record::jsonb #>> '{event,type}' as type,
           record::jsonb #> '{event,details}' as details, seq
      from audit_events`;
  await read(async (tx) => {
    // The last event of each campaign says how it ended, and no end is told twice.
    const untold = await tx.query(sql`
      select c.campaign_id, c.status, last.* from campaigns c left join lateral (
        select type, details from (${audited}) e where e.campaign_id = c.campaign_id order by seq desc limit 1) last on true
       where (last.type, last.details ->> 'status', last.details -> 'unitsCompleted', last.details -> 'unitsDead')
               is distinct from (
             case c.status when 'completed' then 'scan_completed' else 'scan_cancellation_completed' end, c.status,
             to_jsonb(c.units_completed), to_jsonb(c.units_dead))`);
    expect(untold).toEqual([]);
    const twice = await tx.query(sql`
      select campaign_id, details from (${audited}) e group by 1, 2 having count(*) > 1`);
    expect(twice).toEqual([]);
    const cancelledTwice = await tx.query(sql`
      select campaign_id from (${audited}) e where type = 'scan_cancellation_completed' group by 1 having count(*) > 1`);
    expect(cancelledTwice).toEqual([]);
  });
});
