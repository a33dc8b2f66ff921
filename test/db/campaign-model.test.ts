import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { newId } from '../../core/kernel/ids.ts';
import { CAMPAIGN_ACTIONS, CAMPAIGN_TRANSITIONS } from '../../core/work/campaign-states.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import type { WorkUnit } from '../../core/work/unit.ts';
import { UNIT_TRANSITIONS } from '../../core/work/unit-states.ts';
import {
  type Engine,
  EVERYTHING,
  expectCountersAreRows,
  isDone,
  keyOf,
  LANES,
  makeEngine,
  pick,
  RETRY_DELAY_MS,
} from '../support/campaign-engine.ts';
import * as model from '../support/campaign-model.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Model = model.Model;
type Command = fc.AsyncCommand<Model, Engine>;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
  await recordTransitions();
});
afterAll(() => database.drop());

/** Has the database tell of every state that a campaign or a unit went through. */
async function recordTransitions(): Promise<void> {
  await database.inspect(sql`create table seen (machine text, was text, became text)`);
  await database.inspect(sql`
    create function see() returns trigger language plpgsql security definer as $$
    begin
      insert into public.seen values (tg_table_name, case when tg_op = 'UPDATE' then old.status end, new.status);
      return null;
    end $$`);
  for (const statement of [
    sql`create trigger see_new after insert on campaigns for each row execute function see()`,
    sql`create trigger see after update on campaigns for each row when (old.status <> new.status) execute function see()`,
    sql`create trigger see_new after insert on work_units for each row execute function see()`,
    sql`create trigger see after update on work_units for each row
          when (old.status <> new.status or old.lease_owner <> new.lease_owner) execute function see()`,
  ])
    await database.inspect(statement);
}

/** Runs `fn` on model and engine, then compares everything that a reader can see of the two. */
const command = (name: string, fn: (m: Model, engine: Engine) => Promise<void>): Command => ({
  check: () => true,
  toString: () => name,
  run: async (m, engine) => {
    m.now++;
    await fn(m, engine);
    await compare(m, engine);
  },
});

const compare = (m: Model, engine: Engine) =>
  withTx(database.db, { tenantId: engine.tenantId, mode: 'read' }, async (tx) => {
    for (const campaign of m.campaigns) {
      const told = await findCampaign(tx, EVERYTHING, campaign.id);
      expect(told).toMatchObject({ status: campaign.status, workUnits: model.countsOf(campaign) });
      expect(told?.finishedAt !== null).toBe(!model.isActive(campaign));
    }
    const rows = await tx.query(sql`
      select campaign_id as campaign, logical_key as key, status, attempt from work_units order by unit_id`);
    const expected = model.unitsOf(m).map((unit) => ({ ...unit, campaign: unit.campaign.id }));
    const byUnit = (a: { campaign: string; key: string }, b: { campaign: string; key: string }) =>
      `${a.campaign} ${a.key}` < `${b.campaign} ${b.key}` ? -1 : 1;
    expect((rows as typeof expected).sort(byUnit)).toEqual(
      expected.sort(byUnit).map(({ campaign, key, status, attempt }) => ({ campaign, key, status, attempt })),
    );
    await expectCountersAreRows(tx);
  });

const small = fc.nat({ max: 1_000 });
const owner = fc.constantFrom('a', 'b');

const start = fc.tuple(fc.nat({ max: LANES - 1 }), fc.nat({ max: 3 })).map(([lane, size]) =>
  command(`start ${lane} ${size}`, async (m, engine) => {
    const keys = Array.from({ length: lane === 0 ? size : size + 1 }, (_, n) => `unit:${n}`);
    // A rescore of nothing is over before it could be in anybody's way.
    const isFree = keys.length === 0 || model.laneIsFree(m, lane);
    const started = engine.start(lane, keys, m.now);
    expect(await isDone(started)).toBe(isFree);
    if (!isFree) return;
    const campaign: model.ModelCampaign = { id: await started, lane, status: 'pending', units: [] };
    m.campaigns.push(campaign);
    for (const key of keys) model.addUnit(m, campaign, key);
    if (keys.length === 0) campaign.status = 'completed';
  }),
);
const lease = fc.tuple(owner, fc.integer({ min: 1, max: 4 })).map(([who, most]) =>
  command(`lease ${who} ${most}`, async (m, engine) => {
    const due = model.dueUnits(m);
    const orphaned = model.orphans(m);
    const leased = await engine.lease(who, most, m.now);
    const orphans = Math.min(1, orphaned.length);
    const others = leased.filter((held) => !held.orphaned).length;
    expect(leased).toHaveLength(orphans + others);
    // Campaigns have shares of a batch, which it may leave unused; it never takes nothing where something is due.
    const available = Math.min(most - orphans, due.length);
    expect(others).toBeLessThanOrEqual(available);
    expect(others > 0).toBe(available > 0);
    for (const held of leased) {
      const from = held.orphaned ? orphaned : due;
      const unit = from.find(({ campaign, key }) => campaign.id === held.campaignId && key === keyOf(held));
      if (unit === undefined) throw new Error('leased a unit that was not due');
      model.lease(m, unit, who, LEASE_MS);
      m.holds.push({ unit, unitId: held.unitId, owner: who, attempt: held.attempt });
    }
  }),
);
const settle = fc
  .array(fc.tuple(small, fc.constantFrom('completed', 'completed', 'retry', 'dead', 'handed_back')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((choices) =>
    command(`settle ${choices.join(' ')}`, async (m, engine) => {
      const who = pick(m.holds, choices[0]?.[0] ?? 0)?.owner;
      if (who === undefined) return;
      const chosen = new Map<model.ModelHold, { result: model.ModelResult; letter: string }>();
      for (const [at, result] of choices) {
        const hold = pick(
          m.holds.filter(
            (one) => one.owner === who && ![...chosen.keys()].some(({ unit }) => unit === one.unit),
          ),
          at,
        );
        if (hold !== undefined) chosen.set(hold, { result, letter: newId('dlq', m.now) });
      }
      const settled = [...chosen].map(([{ unitId, attempt }, { result, letter }]) => ({
        unitId,
        attempt,
        result,
        deadLetterId: result === 'dead' ? letter : null,
      }));
      const effective = [...chosen].filter(([hold]) => model.holdsLease(hold));
      const { units } = await engine.settle(who, settled, m.now);
      expect(units).toEqual(new Set(effective.map(([{ unitId }]) => unitId)));
      for (const [hold, { result, letter }] of effective) {
        model.settle(m, hold, result, RETRY_DELAY_MS);
        if (result === 'dead') m.letters.push({ id: letter, unit: hold.unit, retried: false });
      }
      m.holds = m.holds.filter((hold) => !chosen.has(hold));
    }),
  );
const enqueue = fc
  .tuple(small, fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }))
  .map(([at, keys]) =>
    command(`enqueue ${at} ${keys}`, async (m, engine) => {
      // Only whoever works on a unit adds others to its campaign.
      const hold = pick(m.holds.filter(model.holdsLease), at);
      if (hold === undefined) return;
      const names = [...new Set(keys)].map((n) => `unit:${n}`);
      await engine.enqueue(hold.unit.campaign.id, names, m.now);
      for (const name of names) model.addUnit(m, hold.unit.campaign, name);
    }),
  );
const control = fc.tuple(small, fc.constantFrom(...CAMPAIGN_ACTIONS)).map(([at, action]) =>
  command(`${action} ${at}`, async (m, engine) => {
    const campaign = pick(m.campaigns.slice(-LANES), at);
    if (campaign === undefined) return;
    expect(await isDone(engine.act(campaign.id, action, m.now))).toBe(model.act(campaign, action));
  }),
);
const retry = small.map((at) =>
  command(`retry ${at}`, async (m, engine) => {
    const letter = pick(m.letters, at);
    if (letter === undefined) return;
    expect(await isDone(engine.retry(letter.id, m.now))).toBe(model.retry(m, letter));
  }),
);
const advance = fc.constantFrom(RETRY_DELAY_MS, LEASE_MS + 1).map((milliseconds) =>
  command(`advance ${milliseconds}`, async (m) => {
    m.now += milliseconds;
  }),
);
const sweep = fc.constant(null).map(() =>
  command('sweep', async (m, engine) => {
    await engine.sweep(m.now);
    model.sweep(m);
  }),
);

/** What workers do comes more often than what people do, or no campaign would ever end by itself. */
const COMMANDS = [start, lease, lease, settle, settle, settle, enqueue, control, retry, advance, sweep];

type Seen = { machine: string; was: string | null; became: string };

const seen = () =>
  database.inspect<Seen>(sql`select distinct machine, was, became from seen order by machine, was, became`);

/** What the tables of the two machines lead to, in the form of what the database saw. */
const IN_TABLES = [
  ...CAMPAIGN_TRANSITIONS.map((row) => ({ machine: 'campaigns', was: row.from, became: row.to })),
  ...UNIT_TRANSITIONS.map((row) => ({ machine: 'work_units', was: row.from, became: row.to })),
];

test('campaigns and units follow the model and the tables of states', async () => {
  const start = Date.UTC(2026, 0, 1);
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { size: 'large', maxCommands: 80 }), (commands) =>
      fc.asyncModelRun(
        async () => ({ model: model.emptyModel(start), real: await makeEngine(database, start) }),
        commands,
      ),
    ),
    { numRuns: propertyRuns(12) },
  );
  for (const transition of await seen()) expect(IN_TABLES).toContainEqual(transition);
});

test('everything that the tables of states say does happen', async () => {
  let now = Date.UTC(2026, 0, 1);
  const engine = await makeEngine(database, now);
  await database.inspect(sql`truncate seen`);
  const start = (lane: number, keys: readonly string[]) => engine.start(lane, keys, ++now);
  const lease = async (owner: string) => {
    const leased = await engine.lease(owner, 4, now);
    expect(leased.length).toBeGreaterThan(0);
    return (
      result: model.ModelResult,
      key = keyOf(leased[0] as WorkUnit),
      deadLetterId: string | null = null,
    ) => {
      const unit = leased.find((one) => keyOf(one) === key);
      if (unit === undefined) throw new Error('was not leased');
      return engine.settle(owner, [{ ...unit, result, deadLetterId }], now);
    };
  };

  const first = await start(1, ['done', 'fails', 'dies']);
  const settle = await lease('a');
  await settle('completed', 'done');
  await settle('retry', 'fails');
  await settle('dead', 'dies', 'dlq_1');
  await engine.act(first, 'pause', now);
  await engine.act(first, 'resume', now);
  now += RETRY_DELAY_MS;
  await lease('lost');
  now += LEASE_MS + 1;
  await (await lease('b'))('handed_back');
  await (await lease('b'))('completed');
  await engine.retry('dlq_1', now);
  const settleAgain = await lease('b');
  await engine.act(first, 'pause', now);
  await settleAgain('completed');
  expect(await engine.act(first, 'resume', now)).toBe('completed');

  const second = await start(1, ['held', 'left', 'left too', 'and this', 'one more']);
  await lease('lost');
  await engine.act(second, 'cancel', now);
  now += LEASE_MS + 1;
  await engine.sweep(now);
  await engine.act(await start(1, ['never leased']), 'cancel', now);
  const paused = await start(1, ['held']);
  await lease('a');
  await engine.act(paused, 'pause', now);
  await engine.act(paused, 'cancel', now);
  await start(0, []);

  const happened = await seen();
  for (const transition of IN_TABLES) expect(happened).toContainEqual(transition);
});
