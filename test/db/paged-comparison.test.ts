import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../core/authz/principal.ts';
import { controlCampaign } from '../../core/campaigns/campaign-control.sql.ts';
import { findCampaign, startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { changeSchedule } from '../../core/campaigns/change-schedule.ts';
import { withProgress } from '../../core/campaigns/progress.sql.ts';
import { ScheduleChangeSchema } from '../../core/campaigns/schedule-schema.ts';
import { DeltaCursorInvalid } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant, mustStart } from '../support/campaign.ts';
import { type ChangingSource, createChangingSource, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { meteredAtOnce } from '../support/metered-at-once.ts';
import { mortalProcess } from '../support/mortal-process.ts';
import { NIGHTLY, propertyRuns } from '../support/property-runs.ts';
import { openUnits } from '../support/work-truth.ts';

const SITE = 'site-1';
const EVERYTHING = { kind: 'tenant' } as const;
/** Noon of a Friday. */
const START = Date.parse('2026-11-27T12:00Z');

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let source: ChangingSource;
let now: number;
let tenants = 0;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(anotherTenant);
afterEach(() => database.inspect(sql`update campaigns set status = 'cancelled'`));

/** A tenant of its own, whose source has pages of two items. */
async function anotherTenant(): Promise<void> {
  now = START;
  await database.inspect(sql`update campaigns set status = 'cancelled'`);
  tenantId = `paged-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  source = createChangingSource();
  source.pageSize = 2;
}

const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);

function start(kind: 'inventory' | 'delta'): Promise<CampaignId> {
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const campaign = { scopeId, kind, createdBy: null, correlationId: 'cor_1', first };
  return write((tx) => startCampaign(tx, campaign, now)).then(mustStart);
}

/** One process runs what may be leased now. */
function drain({ owner = 'wrk_1', concurrency = 1, db = database.db, isMetered = false } = {}) {
  const {
    handlers,
    logs: _,
    ...parts
  } = scanOf(source, 'comparison', {
    ...{ database, db, clock: () => now },
    around: (parts, connector) => (isMetered ? meteredAtOnce(parts, tenantId, connector) : connector),
  });
  const worker = createWorker({ owner, ...parts, handlers, concurrency });
  return worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
}

const state = (campaignId: CampaignId) =>
  write(async (tx) => {
    const campaign = await findCampaign(tx, EVERYTHING, campaignId);
    if (campaign === null) throw new Error('No such campaign');
    const { status, waitingFor, waitingUntil, progress } = await withProgress(tx, campaign, now);
    return { status, waitingFor, waitingUntil, growing: progress.growing };
  });
const assets = async (): Promise<Record<string, string>> => {
  const rows = await database.inspect<{ id: string; status: string; observed: string }>(sql`
    select external_id as id, status, stage_keys ->> 'observe' as observed from assets where tenant_id = ${tenantId}`);
  return Object.fromEntries(
    rows.map(({ id, status, observed }) => [id, status === 'active' ? observed : status]),
  );
};
const coverage = async () => {
  const [scope] = await database.inspect<{ coverage: string; cursor: string; assets: number }>(sql`
    select coverage_state as coverage, delta_cursor_status as cursor, asset_count as assets from scopes
     where scope_id = ${scopeId}`);
  return scope;
};
const kept = () => database.inspect(sql`select page from delta_listings where tenant_id = ${tenantId}`);
const setSchedule = (change: object) =>
  write((tx) =>
    changeSchedule(tx, ScheduleChangeSchema.parse({ revision: 0, ...change }), {
      principal: { principalId: 'pri_admin' as PrincipalId, tenantId } as Principal,
      audit: () => undefined,
      now,
    }),
  );

/** Six files on three pages, which an inventory has read. */
async function sixFiles(): Promise<void> {
  for (const path of ['a', 'b', 'c', 'd', 'e', 'f']) source.put(SITE, path);
  const inventory = await start('inventory');
  // On a busy machine, some are tried again.
  for (let times = 0; times < 5 && (await state(inventory)).status !== 'completed'; times++) {
    await drain({ concurrency: 4 });
    now += 1_000;
  }
}

/** Of the pages that are asked for, in order. */
function pagesAsked(before: (page: number) => Promise<void> = async () => undefined): number[] {
  const asked: number[] = [];
  source.beforePage = async (page) => {
    asked.push(page);
    await before(page);
  };
  return asked;
}

describe('a comparison that stops in its middle goes on there, and ends only what vanished', () => {
  test('at quiet hours', async () => {
    await sixFiles();
    source.remove(SITE, 'b');
    source.put(SITE, 'd', 'v2');
    const delta = await start('delta');
    await setSchedule({ quietHours: [{ from: '13:00', to: '20:00' }] });
    // The pages are a and c, d and e, f.
    const asked = pagesAsked(async (page) => {
      if (page === 1) now = Date.parse('2026-11-27T13:00Z');
    });
    await drain();
    expect(asked).toEqual([0, 1]);
    expect(await state(delta)).toEqual({
      status: 'running',
      waitingFor: 'quiet_hours',
      waitingUntil: '2026-11-27T20:00:00.000Z',
      growing: true,
    });
    expect(await assets()).toEqual({ a: 'v1', b: 'v1', c: 'v1', d: 'v1', e: 'v1', f: 'v1' });
    // The first two are on a page that was listed: the next delta finds them.
    source.put(SITE, 'aa');
    source.remove(SITE, 'c');
    source.remove(SITE, 'f');
    now = Date.parse('2026-11-27T19:59Z');
    await drain();
    expect(asked).toEqual([0, 1]);
    now = Date.parse('2026-11-27T20:00Z');
    await drain();
    expect(asked).toEqual([0, 1, 2]);
    expect(await state(delta)).toMatchObject({ status: 'completed', waitingFor: null });
    const ended = { a: 'v1', b: 'deleted', d: 'v2', e: 'v1', f: 'deleted' };
    expect(await assets()).toEqual({ ...ended, c: 'v1' });
    expect(await coverage()).toEqual({ coverage: 'delta', cursor: 'none', assets: 4 });
    expect(await kept()).toEqual([]);
    pagesAsked();
    await start('delta');
    await drain();
    expect(await assets()).toEqual({ ...ended, aa: 'v1', c: 'deleted' });
  });

  test('at a ceiling of calls', async () => {
    await sixFiles();
    source.remove(SITE, 'b');
    const delta = await start('delta');
    await setSchedule({ callsPerHour: 2 });
    const asked = pagesAsked();
    await drain({ isMetered: true });
    expect(asked).toEqual([0, 1]);
    expect(await state(delta)).toMatchObject({
      waitingFor: 'ceiling',
      waitingUntil: '2026-11-27T13:00:00.000Z',
    });
    expect(await assets()).toMatchObject({ b: 'v1' });
    now = Date.parse('2026-11-27T13:00Z');
    await drain({ isMetered: true });
    expect(asked).toEqual([0, 1, 2]);
    expect(await state(delta)).toMatchObject({ status: 'completed' });
    expect(await assets()).toEqual({ a: 'v1', b: 'deleted', c: 'v1', d: 'v1', e: 'v1', f: 'v1' });
  });

  test('where a person pauses it', async () => {
    await sixFiles();
    source.remove(SITE, 'f');
    const delta = await start('delta');
    const control = (action: 'pause' | 'resume') =>
      write((tx) => controlCampaign(tx, EVERYTHING, delta, action, now));
    const asked = pagesAsked(async (page) => {
      if (page === 0) await control('pause');
    });
    await drain();
    expect(asked).toEqual([0]);
    expect(await state(delta)).toMatchObject({ status: 'paused', waitingFor: 'resume' });
    await control('resume');
    await drain();
    expect(asked).toEqual([0, 1, 2]);
    expect(await assets()).toEqual({ a: 'v1', b: 'v1', c: 'v1', d: 'v1', e: 'v1', f: 'deleted' });
  });
});

test('a cancelled comparison ends nothing, and leaves nothing to the next one', async () => {
  await sixFiles();
  source.remove(SITE, 'a');
  const delta = await start('delta');
  const asked = pagesAsked(async (page) => {
    if (page === 1) await write((tx) => controlCampaign(tx, EVERYTHING, delta, 'cancel', now));
  });
  await drain();
  expect(asked).toEqual([0, 1]);
  expect(await assets()).toMatchObject({ a: 'v1' });
  expect(await coverage()).toEqual({ coverage: 'baseline', cursor: 'none', assets: 6 });
  source.remove(SITE, 'b');
  pagesAsked();
  await start('delta');
  await drain();
  expect(await assets()).toEqual({ a: 'deleted', b: 'deleted', c: 'v1', d: 'v1', e: 'v1', f: 'v1' });
});

test('a lost place begins the comparison again, and the coverage is kept', async () => {
  await sixFiles();
  source.put(SITE, 'a', 'v2');
  await start('delta');
  let isLost = true;
  const asked = pagesAsked(async (page) => {
    if (page !== 2 || !isLost) return;
    isLost = false;
    // Seen on the pages before, the one as changed and the other as unchanged.
    source.remove(SITE, 'a');
    source.remove(SITE, 'b');
    expect(await coverage()).toMatchObject({ coverage: 'baseline' });
    throw new DeltaCursorInvalid();
  });
  await drain();
  expect(asked).toEqual([0, 1, 2, 0, 1]);
  expect(await assets()).toEqual({ a: 'deleted', b: 'deleted', c: 'v1', d: 'v1', e: 'v1', f: 'v1' });
  expect(await coverage()).toEqual({ coverage: 'delta', cursor: 'none', assets: 4 });
});

test('a source that loses every place ends in a dead letter, and ends no asset', async () => {
  await sixFiles();
  source.remove(SITE, 'a');
  const delta = await start('delta');
  const asked = pagesAsked(async (page) => {
    if (page === 1) throw new DeltaCursorInvalid();
  });
  await drain();
  expect(asked).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
  expect(await state(delta)).toMatchObject({ status: 'completed' });
  expect(await coverage()).toEqual({ coverage: 'baseline', cursor: 'none', assets: 6 });
});

/** Makes a settled listing unit of the scan due again, as if its worker had died before it was settled. */
const repeat = (campaignId: CampaignId, nth: number) =>
  database.inspect(sql`
    with chosen as (
      select unit_id from work_units
       where tenant_id = ${tenantId} and campaign_id = ${campaignId} and status = 'completed' and kind <> 'process_asset'
       order by unit_id offset ${nth} limit 1 for update skip locked
    ), again as (
      update work_units set status = 'pending', settled_at = null, attempt = 0
       where unit_id in (select unit_id from chosen) and status = 'completed' returning campaign_id)
    update campaigns c set status = case when c.status = 'completed' then 'running' else c.status end, finished_at = null,
           units_completed = units_completed - 1
      from again where c.tenant_id = ${tenantId} and c.campaign_id = again.campaign_id`);

test.each([0, 1, 2])('page %i that is repeated after the end changes nothing', async (nth) => {
  await sixFiles();
  const delta = await start('delta');
  await drain();
  source.remove(SITE, 'a');
  source.remove(SITE, 'f');
  const asked = pagesAsked();
  await repeat(delta, nth);
  await drain();
  expect(await state(delta)).toMatchObject({ status: 'completed' });
  expect(asked).toEqual([]);
  expect(await coverage()).toEqual({ coverage: 'delta', cursor: 'none', assets: 6 });
});

test('where the record of earlier pages is gone, the comparison begins again', async () => {
  await sixFiles();
  await start('delta');
  let isGone = false;
  const asked = pagesAsked(async (page) => {
    if (page !== 2 || isGone) return;
    isGone = true;
    await database.inspect(sql`delete from delta_listings where tenant_id = ${tenantId}`);
  });
  await drain();
  expect(asked).toEqual([0, 1, 2, 0, 1, 2]);
  expect(await coverage()).toEqual({ coverage: 'delta', cursor: 'none', assets: 6 });
});

/** Runs all open units: a process that dies at its step, and one beside it and after it. */
async function withDeath(haltsAt: number): Promise<'died' | 'lived'> {
  const mortal = mortalProcess(database, haltsAt);
  const ended = await Promise.race([
    drain({ owner: 'wrk_dead', db: mortal.db }).then(() => 'lived' as const),
    mortal.halt.then(() => 'died' as const),
  ]);
  void mortal.db.close();
  while ((await openUnits(database)) > 0) {
    now += LEASE_MS + 1;
    await Promise.all([drain({ owner: 'wrk_2' }), drain({ owner: 'wrk_3' })]);
  }
  return ended;
}

/** A change tries each second step. */
const STRIDE = NIGHTLY ? 1 : 2;

test('where a worker dies at any step, two others end what vanished and only that', async () => {
  let haltsAt = 1;
  let ended: 'died' | 'lived' = 'died';
  while (ended === 'died') {
    await anotherTenant();
    await sixFiles();
    source.put(SITE, 'a', 'v2');
    for (const path of ['b', 'f']) source.remove(SITE, path);
    const asked = pagesAsked();
    await start('delta');
    ended = await withDeath(haltsAt);
    expect(await assets(), `halted at ${haltsAt}`).toEqual({
      ...{ a: 'v2', b: 'deleted', c: 'v1', d: 'v1', e: 'v1', f: 'deleted' },
    });
    // It goes on where the dead one was: a page is asked for again at most.
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(await kept()).toEqual([]);
    haltsAt += STRIDE;
  }
  expect(haltsAt).toBeGreaterThan(10);
});

type Act =
  | { do: 'put'; path: string; version: string }
  | { do: 'remove'; path: string }
  | { do: 'lose' | 'forget' }
  | { do: 'repeat'; nth: number };
const path = fc.constantFrom(...'abcdefghij');
// Mostly the same, so that most assets are unchanged.
const version = fc.constantFrom('v1', 'v1', 'v1', 'v2');
const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), path, version }),
  fc.record({ do: fc.constant('remove' as const), path }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), nth: fc.nat(5) }) },
  fc.record({ do: fc.constantFrom('lose' as const, 'forget' as const) }),
);

test('after any history, what stayed is kept, and what was never there is ended', async () => {
  const history = fc.record({
    before: fc.dictionary(path, version, { minKeys: 5 }),
    after: fc.dictionary(path, version, { minKeys: 5 }),
    during: fc.array(fc.array(acts, { maxLength: 3 }), { maxLength: 8 }),
    concurrency: fc.constantFrom(1, 4),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ before, after, during, concurrency }) => {
      await anotherTenant();
      for (const [each, its] of Object.entries(before)) source.put(SITE, each, its);
      await start('inventory');
      await drain({ concurrency: 4 });
      source.items(SITE).clear();
      for (const [each, its] of Object.entries(after)) source.put(SITE, each, its);
      const stayed = new Set(Object.keys(after));
      const present = new Set(Object.keys(after));
      const delta = await start('delta');
      const happen = async (some: readonly Act[] = []) => {
        let isLost = false;
        for (const act of some) {
          if (act.do === 'put') source.put(SITE, act.path, act.version);
          if (act.do === 'put') present.add(act.path);
          if (act.do === 'remove') source.remove(SITE, act.path);
          if (act.do === 'remove') stayed.delete(act.path);
          if (act.do === 'repeat') await repeat(delta, act.nth);
          if (act.do === 'forget')
            await database.inspect(sql`delete from delta_listings where tenant_id = ${tenantId}`);
          isLost ||= act.do === 'lose';
        }
        if (isLost) throw new DeltaCursorInvalid();
      };
      let asked = 0;
      pagesAsked(() => happen(during[asked++]));
      for (let processes = 0; processes < 3; processes++) {
        await Promise.all([drain({ concurrency }), drain({ owner: 'wrk_2', concurrency })]);
        now += LEASE_MS + 1;
        await repeat(delta, processes);
      }
      await drain({ concurrency });
      pagesAsked();
      const known = await assets();
      const active = Object.keys(known).filter((each) => known[each] !== 'deleted');
      expect(await openUnits(database)).toBe(0);
      const letters = await database.inspect(sql`select 1 from dead_letters where tenant_id = ${tenantId}`);
      if (letters.length === 0) {
        expect([...stayed].filter((each) => !active.includes(each))).toEqual([]);
        expect(active.filter((each) => !present.has(each))).toEqual([]);
      } else expect(await coverage()).toMatchObject({ coverage: 'baseline' });
      await start('delta');
      await drain({ concurrency });
      const exact = Object.entries(await assets()).filter(([, its]) => its !== 'deleted');
      const truth = [...source.items(SITE).values()].map((item) => [item.externalId, item.sourceVersion]);
      expect(Object.fromEntries(exact)).toEqual(Object.fromEntries(truth));
      expect((await coverage())?.assets).toBe(truth.length);
    }),
    { numRuns: propertyRuns(15) },
  );
});
