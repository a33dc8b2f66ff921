import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withQueueTx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import { LEASE_MS, leaseUnits, renewLeases, takeBackLeases } from '../../core/work/lease.sql.ts';
import { takeOverUnits } from '../../core/work/scanners.sql.ts';
import { type Settlement, settleUnits } from '../../core/work/settle.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import {
  afterDrain,
  type DrainOutcome,
  hasEnded,
  isDue,
  isOrphan,
  type Model,
  newUnit,
  rowsOf,
} from '../support/unit-model.ts';
import { contradictions } from '../support/work-truth.ts';

/**
 * Units against a model of them in memory: whatever is done in whatever order, the rows are what the model says after
 * each command.
 */

/** What a unit has, and what those that a campaign starts with are given here. */
const MAX_ATTEMPTS = 4;
const FEW_ATTEMPTS = 2;
const CAMPAIGNS = 2;
const OWNERS = ['a', 'b', 'c'];
const COMMANDS = 60;

type Real = { campaigns: { tenantId: TenantId; campaignId: CampaignId }[] };

let database: TestDatabase;
const scopes: { tenantId: TenantId; scopeId: ScopeId }[] = [];
const start = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  database = await createTestDatabase();
  for (let n = 0; n < CAMPAIGNS; n++) {
    const tenantId = `model-${n}` as TenantId;
    scopes.push({ tenantId, scopeId: await makeTenant(database, tenantId, start) });
  }
});
afterAll(() => database.drop());

const engine = <T>(fn: Parameters<typeof withQueueTx<T>>[2]) =>
  withQueueTx(database.db, { lasting: false, planned: 'once' }, fn);

const KEYS = Array.from({ length: 12 }, (_, n) => `asset:${n}`);
/** Of them a campaign has these from its start. */
const FIRST = 3;

async function begin(): Promise<{ model: Model; real: Real }> {
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  await database.inspect(sql`
    update work_units set status = 'cancelled', lease_owner = null, lease_expires_at = null
     where status in ('pending', 'leased')`);
  const model: Model = { now: start, units: [], held: [] };
  const real: Real = { campaigns: [] };
  for (const campaign of scopes.keys()) await startCampaign(model, real, campaign);
  return { model, real };
}

/** A new campaign in the place of one that has ended. */
async function startCampaign(model: Model, { campaigns }: Real, campaign: number): Promise<void> {
  const scope = scopes[campaign];
  if (scope === undefined) throw new Error('no such scope');
  const { tenantId, scopeId } = scope;
  const payloadOf = (n: number) => ({ key: `asset:${n}` });
  const campaignId = await makeCampaign(database.db, tenantId, scopeId, FIRST, model.now, payloadOf);
  await database.inspect(
    sql`update work_units set max_attempts = ${FEW_ATTEMPTS} where campaign_id = ${campaignId}`,
  );
  campaigns[campaign] = { tenantId, campaignId };
  const first = KEYS.slice(0, FIRST).map((key) => newUnit(campaign, key, FEW_ATTEMPTS, model.now));
  model.units = [...model.units.filter((unit) => unit.campaign !== campaign), ...first];
}

type Command = fc.AsyncCommand<Model, Real>;
/** A command that can always be given, and after which the rows are the model's. */
const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real);
    await expectRows(model, real);
  },
  toString: () => name,
});

async function expectRows(model: Model, { campaigns }: Real): Promise<void> {
  const rows = await engine((tx) =>
    tx.query(sql`
      select campaign_id, logical_key, status, attempt, run_after, lease_owner, lease_expires_at
        from work_units where campaign_id = any(${campaigns.map(({ campaignId }) => campaignId)})
       order by campaign_id, logical_key`),
  );
  const expected = rowsOf(
    model,
    campaigns.map(({ campaignId }) => campaignId),
  );
  expect(rows).toEqual(expected);
}

/** Adds units to a campaign, or starts the next one where it has ended: only units that go on enqueue others. */
const enqueue = (campaign: number, keys: readonly string[]) =>
  command(`enqueue(${campaign}, ${keys})`, async (model, real) => {
    if (hasEnded(model, campaign)) return startCampaign(model, real, campaign);
    const of = real.campaigns[campaign];
    if (of === undefined) throw new Error('no such campaign');
    const known = model.units.filter((unit) => unit.campaign === campaign).map(({ key }) => key);
    const fresh = Array.from(new Set(keys)).filter((key) => !known.includes(key));
    const wanted = keys.map((key) => ({ kind: 'process_asset' as const, logicalKey: key, payload: { key } }));
    const added = await withTx(database.db, { tenantId: of.tenantId, mode: 'write' }, (tx) =>
      enqueueUnits(tx, of.campaignId, wanted, model.now),
    );
    expect(added).toBe(fresh.length);
    model.units.push(...fresh.map((key) => newUnit(campaign, key, MAX_ATTEMPTS, model.now)));
  });

const lease = (owner: string, units: number, orphans: number) =>
  command(`lease(${owner}, ${units}, ${orphans})`, async (model, { campaigns }) => {
    const { now } = model;
    const orphaned = model.units.filter((unit) => isOrphan(unit, now));
    const due = model.units.filter((unit) => isDue(unit, now));
    const leased = await engine((tx) => leaseUnits(tx, owner, { units, orphans }, now));
    const taken = leased.map((row) => {
      const { key } = row.payload as { key: string };
      const unit = model.units.find(
        (known) => known.key === key && campaigns[known.campaign]?.campaignId === row.campaignId,
      );
      if (unit === undefined) throw new Error('leased what was never enqueued');
      expect(row).toMatchObject({
        attempt: unit.attempt + 1,
        maxAttempts: unit.maxAttempts,
        leaseOwner: owner,
      });
      return { row, unit };
    });
    const back = taken.filter(({ row }) => row.orphaned).map(({ unit }) => unit);
    const fresh = taken.filter(({ row }) => !row.orphaned).map(({ unit }) => unit);
    expect(back).toHaveLength(Math.min(orphans, orphaned.length));
    // How much of a batch each campaign gets is not the model's to say; that it goes on with what is due is.
    const room = Math.min(units - back.length, due.length);
    expect(fresh.length).toBeLessThanOrEqual(room);
    expect(fresh.length > 0).toBe(room > 0);
    const leastTried = Math.min(...orphaned.map((unit) => unit.attempt));
    for (const unit of back) {
      expect(orphaned).toContain(unit);
      expect(unit.attempt).toBe(leastTried);
    }
    for (const unit of fresh) {
      expect(due).toContain(unit);
      const passedOver = due.filter((other) => other.campaign === unit.campaign && !fresh.includes(other));
      for (const other of passedOver) expect(unit.runAfter).toBeLessThanOrEqual(other.runAfter);
    }
    for (const { row, unit } of taken) {
      unit.status = 'leased';
      unit.attempt++;
      unit.lease = { owner, until: now + LEASE_MS };
      model.held.push({ owner, unitId: row.unitId, attempt: row.attempt, unit });
    }
  });

type Result = Settlement['result'];
const DELAY_MS = 4_000;

/** Settles up to as many units as there are results, of those that the owner leased last: late and settled ones too. */
const settle = (owner: string, skip: number, results: readonly Result[]) =>
  command(`settle(${owner}, ${skip}, ${results})`, async (model, { campaigns }) => {
    const { now } = model;
    const own = model.held.filter((held) => held.owner === owner).reverse();
    const batch = results.flatMap((result, index) => {
      const held = own[skip + index];
      return held === undefined ? [] : [{ result, held }];
    });
    const settlements = batch.map(
      ({ result, held }): Settlement => ({
        unitId: held.unitId,
        attempt: held.attempt,
        result,
        runAfter: result === 'retry' ? now + DELAY_MS : null,
        retryClass: result === 'dead' ? 'permanent' : null,
        safeDiagnostic: result === 'dead' ? 'scope_gone' : null,
        deadLetterId: result === 'dead' ? `dlq_${held.unitId}_${held.attempt}` : null,
        stages: result === 'completed' ? { observe: 'computed' } : {},
      }),
    );
    const endedBefore = campaigns.filter((_, campaign) => hasEnded(model, campaign));
    const settled = await engine((tx) => settleUnits(tx, owner, settlements, now));
    const effective = batch.filter(
      ({ held: { unit, attempt } }) => unit.lease?.owner === owner && unit.attempt === attempt,
    );
    expect(settled.units).toEqual(new Set(effective.map(({ held }) => held.unitId)));
    // A drain, which leases under a name of its own, ends with what it hands back: nothing of that comes late.
    model.held = model.held.filter(
      (held) => !effective.some((ended) => ended.held === held && ended.result === 'handed_back'),
    );
    for (const {
      result,
      held: { unit },
    } of effective) {
      unit.lease = null;
      unit.status = result === 'completed' || result === 'dead' ? result : 'pending';
      if (result === 'handed_back') unit.attempt--;
      if (result === 'retry') unit.runAfter = now + DELAY_MS;
    }
    const ended = campaigns.filter(
      (campaign, index) => hasEnded(model, index) && !endedBefore.includes(campaign),
    );
    expect(new Set(settled.completed.map(({ campaignId }) => campaignId))).toEqual(
      new Set(ended.map(({ campaignId }) => campaignId)),
    );
  });

const renew = (owner: string) =>
  command(`renew(${owner})`, async (model) => {
    const own = model.held.filter((held) => held.owner === owner);
    await engine((tx) =>
      renewLeases(
        tx,
        owner,
        own.map(({ unitId }) => unitId),
        model.now,
      ),
    );
    for (const { unit } of own) {
      if (unit.lease?.owner === owner) unit.lease.until = model.now + LEASE_MS;
    }
  });

const advance = (ms: number) =>
  command(`advance(${ms})`, async (model) => {
    model.now += ms;
  });

const takeBack = command('takeBack', async (model) => {
  await engine(takeBackLeases);
  for (const { status, lease } of model.units) if (status === 'leased' && lease !== null) lease.until = 0;
});

/** The scanner of the owner is found offline, and its units are taken over. */
const takeOver = (owner: string) =>
  command(`takeOver(${owner})`, async (model) => {
    await database.inspect(sql`
      insert into scanners (scanner_id, display_name, host, version, started_at, heartbeat_at)
      values (${owner}, 'A scanner', 'host', '1', 'epoch', 'epoch')`);
    const lost = model.units.filter(({ lease }) => lease?.owner === owner);
    expect(await engine((tx) => takeOverUnits(tx, model.units.length, model.now))).toBe(lost.length);
    for (const unit of lost) {
      unit.status = 'pending';
      unit.lease = { owner: null, until: model.now };
    }
    // Whoever leases under this name next is one that came back.
    await database.inspect(sql`delete from scanners`);
  });

/** A worker with nobody beside it works off what is due. Orphans whose attempts are spent it buries unseen. */
const drain = (outcome: DrainOutcome) =>
  command(`drain(${outcome})`, async (model) => {
    const { now } = model;
    let runs = 0;
    const worker = createWorker({
      owner: `drain-${now}`,
      db: database.db,
      clock: () => now,
      log: createLogger({ level: 'error', clock: () => now }),
      metrics: createMetrics(),
      doorbell: null,
      concurrency: 3,
      handlers: {
        process_asset: async () => {
          runs++;
          if (outcome !== 'works') throw new UnitFailure(outcome, 'scope_gone');
          return { observe: 'computed' };
        },
      },
    });
    await worker.drain(60_000, new AbortController().signal);
    const due = model.units.filter((unit) => isDue(unit, now) || isOrphan(unit, now));
    const spent = due.filter((unit) => unit.attempt >= unit.maxAttempts);
    expect(runs).toBe(due.length - spent.length);
    for (const unit of due) afterDrain(unit, outcome, now);
  });

const owner = fc.constantFrom(...OWNERS);
const result = fc.constantFrom<Result>('completed', 'dead', 'retry', 'handed_back');
const commands = fc.commands(
  [
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.nat(CAMPAIGNS - 1), fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 6 }))
          .map(([campaign, keys]) => enqueue(campaign, keys)),
      },
      {
        weight: 8,
        arbitrary: fc
          .tuple(owner, fc.integer({ min: 1, max: 5 }), fc.nat(1))
          .map(([who, units, orphans]) => lease(who, units, orphans)),
      },
      {
        weight: 8,
        arbitrary: fc
          .tuple(owner, fc.nat(3), fc.array(result, { minLength: 1, maxLength: 4 }))
          .map(([who, skip, results]) => settle(who, skip, results)),
      },
      { weight: 1, arbitrary: owner.map(renew) },
      { weight: 5, arbitrary: fc.constantFrom(500, DELAY_MS, LEASE_MS - 1, LEASE_MS).map(advance) },
      { weight: 1, arbitrary: fc.constant(takeBack) },
      { weight: 1, arbitrary: owner.map(takeOver) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<DrainOutcome>('works', 'transient', 'permanent').map(drain),
      },
    ),
  ],
  { maxCommands: COMMANDS, size: 'max' },
);

test('units are what a model of them says, whatever is done in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (given) => {
      await fc.asyncModelRun(begin, given);
      expect(await contradictions(database)).toEqual([]);
    }),
    { numRuns: propertyRuns(12), endOnFailure: false },
  );
});
