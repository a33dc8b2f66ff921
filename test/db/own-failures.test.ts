import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import type { Db } from '../../core/db/tx.ts';
import { newId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { OwnPartFailed } from '../../core/work/failure.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { withLeasedTx } from '../../core/work/leased-tx.ts';
import { PAUSE_MS } from '../../core/work/own-parts.ts';
import type { GroupHandler, UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { makeFullDisk } from '../support/full-disk.ts';
import { contradictions, doubleEffects, leaveEffect, makeEffects } from '../support/work-truth.ts';

const UNITS = 30;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let disk: Awaited<ReturnType<typeof makeFullDisk>>;
let now = Date.now();
let tenants = 0;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
  await makeEffects(database);
  disk = await makeFullDisk(database);
});
beforeEach(async () => {
  await disk.refuse('nothing');
  await database.inspect(sql`truncate campaigns, work_units, dead_letters, unit_effects cascade`);
});
afterAll(() => database?.drop());

const startUnits = async () => {
  const tenantId = `own-${tenants++}` as TenantId;
  return makeCampaign(database.db, tenantId, await makeTenant(database, tenantId, now), UNITS, now);
};

function process(
  handler: UnitHandler | GroupHandler,
  { db = database.db, rings = [] as number[] }: { db?: Db; rings?: number[] } = {},
) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const worker = createWorker({
    owner: newId('wrk', now),
    db,
    clock: () => now,
    log: createLogger({
      level: 'info',
      clock: () => now,
      destination: { write: (line) => lines.push(line) },
    }),
    metrics,
    doorbell: {
      ring: async (_, delayMs) => {
        rings.push(delayMs);
      },
      isRinging: async () => false,
    },
    handlers: { process_asset: handler },
    concurrency: 4,
    leaseBatch: 5,
  });
  return {
    ...worker,
    lines,
    counters: () => metrics.snapshot().counters,
    drainAll: () => worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal),
  };
}

const works: UnitHandler = async (unit) => {
  await withLeasedTx(database.db, unit, (tx) => leaveEffect(tx, unit));
  return { observe: 'computed' };
};

const unitsBy = () =>
  database.inspect<{ status: string; attempt: number; units: number }>(sql`
    select status, attempt, count(*)::int as units from work_units group by 1, 2 order by 1, 2`);

async function expectAllDone() {
  expect(
    await database.inspect(sql`select status, units_completed as done, units_dead as dead from campaigns`),
  ).toEqual([{ status: 'completed', done: UNITS, dead: 0 }]);
  expect(await contradictions(database)).toEqual([]);
  expect(await doubleEffects(database)).toEqual([]);
}

test.each(['additions', 'all'] as const)(
  'a full disk that refuses %s costs no attempt, and the scan ends whole',
  async (refused) => {
    await startUnits();
    let runs = 0;
    const subject = process((unit, signal) => {
      runs++;
      return works(unit, signal);
    });
    // The lease comes first, then the disk is full.
    await disk.refuse(refused === 'all' ? 'nothing' : refused);
    let isFull = refused === 'additions';
    const full: UnitHandler = async (unit, signal) => {
      if (!isFull) await disk.refuse(refused);
      isFull = true;
      return works(unit, signal);
    };
    const first = process(full);
    await first.drainAll();
    expect(first.problem()).toBe('database_refuses');
    // An hour of it, in which every rule of leases and scanners has run out many times.
    for (let minute = 0; minute < 60; minute++) {
      now += HOUR_MS / 60;
      await first.drainAll();
    }
    expect(first.problem()).toBe('database_refuses');
    expect(first.counters()).toMatchObject({ 'own_part_failed:database_refuses': expect.any(Number) });
    expect(first.lines.filter((line) => line.includes('own_part_failed'))).toHaveLength(1);
    expect(await database.inspect(sql`select 1 from dead_letters`)).toEqual([]);
    expect(runs).toBe(0);

    await disk.refuse('nothing');
    for (let seconds = 0; seconds < 4 * PAUSE_MS; seconds += 1_000) {
      now += 1_000;
      await first.drainAll();
    }
    expect(first.problem()).toBeNull();
    await subject.drainAll();
    await expectAllDone();
    expect(await unitsBy()).toEqual([{ status: 'completed', attempt: 1, units: UNITS }]);
  },
);

test('while a part fails, one unit is tried after each pause, and no other is leased', async () => {
  await startUnits();
  const begun: number[] = [];
  const subject = process(async () => {
    begun.push(now);
    throw new OwnPartFailed('no_threads');
  });
  const from = now;
  await subject.drainAll();
  const atOnce = begun.length;
  expect(atOnce).toBeLessThanOrEqual(5);
  for (; now < from + 10 * PAUSE_MS; now += 500) await subject.drainAll();
  expect(begun.length - atOnce).toBeGreaterThanOrEqual(8);
  expect(begun.length - atOnce).toBeLessThanOrEqual(10);
  expect(await unitsBy()).toEqual([{ status: 'pending', attempt: 0, units: UNITS }]);
});

test('a doorbell after a failure rings when the pause is over', async () => {
  await startUnits();
  const rings: number[] = [];
  const subject = process(() => Promise.reject(new OwnPartFailed('no_resources')), { rings });
  await subject.drainAll();
  rings.length = 0;
  now += 1_000;
  await subject.drainAll();
  expect(rings).toEqual([PAUSE_MS - 1_000]);
});

test('attempts that end while the database is away are settled when it is back', async () => {
  await startUnits();
  const away = createPool('postgres://nobody@127.0.0.1:1/none', { max: 1, applicationName: 'test' });
  let isAway = false;
  // The pool of the process leads nowhere while the database is away.
  const db: Db = {
    ...database.db,
    get pool() {
      return isAway ? away.pool : database.db.pool;
    },
  };
  let runs = 0;
  const subject = process(
    async (unit, signal) => {
      runs++;
      const outcome = await works(unit, signal);
      isAway = true;
      return outcome;
    },
    { db },
  );
  await subject.drainAll();
  expect(subject.problem()).toBe('database_away');
  const ran = runs;
  now += LEASE_MS / 2;
  await subject.drainAll();
  expect(runs).toBe(ran);
  isAway = false;
  await subject.sweep();
  expect(await unitsBy()).toEqual([
    { status: 'completed', attempt: 1, units: ran },
    { status: 'pending', attempt: 0, units: UNITS - ran },
  ]);
  await away.close();
});

const ended = async () => {
  const [campaign] = await database.inspect(
    sql`select status, units_completed as done, units_dead as dead from campaigns`,
  );
  return campaign;
};

/** What a statement of one unit can do to the database each time, and the words of the dead letter. */
const POISONS = [
  [
    'takes more memory than there is',
    sql`do $$ begin raise 'x' using errcode = '53200'; end $$`,
    'database_53200',
  ],
  [
    'writes larger files than it may',
    sql`do $$ begin raise 'x' using errcode = '53400'; end $$`,
    'database_53400',
  ],
  ['stops the server', sql`do $$ begin raise 'x' using errcode = '57P02'; end $$`, 'database_57P02'],
] as const;

test.each(POISONS)('a unit that %s is not handed back for ever', async (_, statement, safeDiagnostic) => {
  await startUnits();
  let poisoned: number | undefined;
  let runs = 0;
  const subject = process(async (unit, signal) => {
    poisoned ??= unit.unitId;
    if (unit.unitId !== poisoned) return works(unit, signal);
    runs++;
    await withLeasedTx(database.db, unit, (tx) => tx.query(statement));
    return {};
  });
  for (let seconds = 0; seconds < 600; seconds++) {
    now += 1_000;
    await subject.drainAll();
  }
  expect(await ended()).toEqual({ status: 'completed', done: UNITS - 1, dead: 1 });
  expect(
    await database.inspect(
      sql`select retry_class as "retryClass", safe_diagnostic as "safeDiagnostic" from dead_letters`,
    ),
  ).toEqual([{ retryClass: 'transient', safeDiagnostic }]);
  expect(runs).toBeLessThan(40);
  expect(subject.problem()).toBeNull();
});

test('a unit that is poison to a group does not keep the others of it from their end', async () => {
  await startUnits();
  let poisoned: number | undefined;
  const subject = process({
    runGroup: async (units) => {
      poisoned ??= units[0]?.unitId;
      if (units.some(({ unitId }) => unitId === poisoned))
        await database.db.pool.query(`do $$ begin raise 'x' using errcode = '53200'; end $$`);
      return Promise.all(units.map((unit) => works(unit, new AbortController().signal)));
    },
  });
  for (let seconds = 0; seconds < 600; seconds++) {
    now += 1_000;
    await subject.drainAll();
  }
  expect(await ended()).toEqual({ status: 'completed', done: UNITS - 1, dead: 1 });
});
