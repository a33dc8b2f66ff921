import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Principal } from '../../core/authz/principal.ts';
import { changeSchedule } from '../../core/campaigns/change-schedule.ts';
import { runSchedules } from '../../core/campaigns/run-schedules.ts';
import { ScheduleChangeSchema } from '../../core/campaigns/schedule-schema.ts';
import { startScheduledDeltas } from '../../core/campaigns/scheduled-deltas.ts';
import { listSchedules } from '../../core/campaigns/schedules.sql.ts';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noGraph } from '../support/graph/no-graph.ts';

const MINUTE_MS = 60_000;
const at = (text: string) => Date.parse(text);
/** A Friday. */
const START = at('2026-11-27T12:00Z');
const NIGHTLY = { delta: { cron: '0 2 * * *' } };
const live = new AbortController().signal;

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: string;
let now: number;
let tenants = 0;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = START;
  tenantId = `sched-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, START);
  await database.inspect(sql`update scopes set coverage_state = 'baseline' where tenant_id = ${tenantId}`);
});
// Those of former tests are not due again.
afterEach(() => database.inspect(sql`update scopes set selected = false`));

const parts = () => ({
  config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
  db: database.db,
  clock: () => now,
  graph: noGraph,
  fixture: fixtureCompany,
  log: createLogger({ level: 'warn', clock: () => now }),
  doorbell: null,
});
const run = () => runSchedules(parts(), live);
const runAt = (text: string) => {
  now = at(text);
  return run();
};
const set = (change: object) =>
  withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    changeSchedule(tx, ScheduleChangeSchema.parse({ revision: 0, ...change }), {
      principal: { principalId: 'pri_admin' as PrincipalId, tenantId } as Principal,
      audit: () => undefined,
      now,
    }),
  );
const schedules = () =>
  withTx(database.db, { tenantId, mode: 'read' }, (tx) => listSchedules(tx, 'all', 10, now));
const addScopes = (count: number, family = 'm365') =>
  database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, coverage_state,
                        created_at)
    select tenant_id, scope_id || '-' || ${family}::text || n, connector_instance_id, ${family}, ${family}::text || n, name, kind,
           'delta', created_at
      from scopes, generate_series(1, ${count}::integer) as n where tenant_id = ${tenantId} and scope_id = ${scopeId}`);
/** The scans of the scope, or of all, by the times that they were due. */
const scans = async () =>
  (
    await database.inspect<{ scope: string; kind: string; due: Date; missed: number }>(sql`
      select scope_id as scope, kind, scheduled_for as due, missed_times as missed from campaigns
       where tenant_id = ${tenantId} and scheduled_for is not null order by scheduled_for, scope_id, kind`)
  ).map(({ due, ...scan }) => ({ ...scan, due: due.toISOString().slice(0, 16) }));
const dues = async () => (await scans()).map(({ due }) => due);
const endScans = () =>
  database.inspect(sql`
    update campaigns set status = 'completed', units_completed = units_total where tenant_id = ${tenantId} and status <> 'completed'`);
const events = async (type: string) =>
  (
    await database.inspect<{ details: Record<string, unknown> }>(sql`
      select record::jsonb #> '{event,details}' as details from audit_events
       where tenant_id = ${tenantId} and record::jsonb #>> '{event,type}' = ${type} order by seq`)
  ).map(({ details }) => details);

test('a time starts one scan, and none before it or after it', async () => {
  await set({ ...NIGHTLY, timeZone: 'Europe/Berlin' });
  expect(await runAt('2026-11-28T00:59Z')).toBe(0);
  expect(await runAt('2026-11-28T01:00Z')).toBe(1);
  await endScans();
  expect(await runAt('2026-11-28T01:01Z')).toBe(0);
  expect(await runAt('2026-11-29T01:00Z')).toBe(1);
  expect(await dues()).toEqual(['2026-11-28T01:00', '2026-11-29T01:00']);
});

test('a clock that is set back starts nothing again', async () => {
  await set(NIGHTLY);
  expect(await runAt('2026-11-28T02:00Z')).toBe(1);
  await endScans();
  for (const time of ['2026-11-28T01:00Z', '2026-11-28T02:00Z', '2026-11-28T03:00Z'])
    expect(await runAt(time)).toBe(0);
  expect(await runAt('2026-11-29T02:00Z')).toBe(1);
  expect(await dues()).toEqual(['2026-11-28T02:00', '2026-11-29T02:00']);
});

test('after a clock that was years ahead, the times of the right one are kept', async () => {
  await set(NIGHTLY);
  expect(await runAt('2031-01-01T12:00Z')).toBe(1);
  await endScans();
  expect(await runAt('2031-01-02T12:00Z')).toBe(1);
  await endScans();
  expect(await runAt('2026-11-28T12:00Z')).toBe(0);
  expect(await runAt('2026-11-29T02:00Z')).toBe(1);
  await endScans();
  expect(await runAt('2026-11-29T12:00Z')).toBe(0);
});

test('over a year of both changes of the clocks, each local day has one scan', async () => {
  now = at('2026-01-01T00:00Z');
  await set({ delta: { cron: '30 2 * * *' }, timeZone: 'Europe/Berlin' });
  for (const month of ['2026-03-27', '2026-10-23'])
    for (let hour = 0; hour < 96; hour += 6) {
      now = at(`${month}T00:00Z`) + hour * 60 * MINUTE_MS + 31 * MINUTE_MS;
      await run();
      await endScans();
    }
  const days = (await scans()).map(({ due }) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(at(`${due}Z`)),
  );
  // The first of each block is late, because nobody looked for months.
  expect(days).toEqual([
    ...['2026-01-01', '2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30'],
    ...['2026-03-31', '2026-10-24', '2026-10-25', '2026-10-26'],
  ]);
});

test('times that were missed are one late scan, which says so', async () => {
  await set(NIGHTLY);
  expect(await runAt('2026-11-30T09:00Z')).toBe(1);
  expect(await scans()).toEqual([{ scope: scopeId, kind: 'delta', due: '2026-11-28T02:00', missed: 2 }]);
  const lateSeconds = 55 * 3600;
  expect(await events('schedule_late')).toEqual([
    {
      kind: 'delta',
      dueAt: '2026-11-28T02:00:00.000Z',
      lateSeconds,
      missedTimes: 2,
      scopes: 1,
      skipped: false,
    },
  ]);
  expect(await events('scan_started')).toMatchObject([{ scheduled: true, lateSeconds, missedTimes: 2 }]);
  expect((await schedules())[0]?.delta).toEqual({
    cron: '0 2 * * *',
    nextAt: '2026-12-01T02:00:00.000Z',
    last: {
      dueAt: '2026-11-28T02:00:00.000Z',
      lateSeconds,
      missedTimes: 2,
      started: 1,
      waiting: 0,
      skipped: 0,
      refused: 0,
    },
  });
});

test('a late time is skipped where the schedule says so, and the next one is not', async () => {
  await set({ ...NIGHTLY, whenLate: 'skip' });
  expect(await runAt('2026-11-28T02:06Z')).toBe(0);
  expect(await events('schedule_late')).toMatchObject([{ lateSeconds: 360, missedTimes: 0, skipped: true }]);
  expect((await schedules())[0]?.delta?.last).toMatchObject({ started: 0, skipped: 1 });
  expect(await runAt('2026-11-29T02:04Z')).toBe(1);
});

test('where a scan has not ended, a time is skipped', async () => {
  await makeCampaign(database.db, tenantId, scopeId as never, 1, START);
  await set(NIGHTLY);
  expect(await runAt('2026-11-28T02:00Z')).toBe(0);
  await endScans();
  expect(await runAt('2026-11-28T03:00Z')).toBe(0);
  expect((await schedules())[0]?.delta?.last).toMatchObject({ started: 0, skipped: 1, waiting: 0 });
});

test('a queued run starts once after the scan, for all times that fell into it', async () => {
  await makeCampaign(database.db, tenantId, scopeId as never, 1, START);
  await set({ ...NIGHTLY, whenRunning: 'queue' });
  expect(await runAt('2026-11-28T02:00Z')).toBe(0);
  expect(await runAt('2026-11-29T02:00Z')).toBe(0);
  expect((await schedules())[0]?.delta?.last).toMatchObject({ started: 0, waiting: 1, missedTimes: 1 });
  await endScans();
  expect(await runAt('2026-11-29T07:00Z')).toBe(1);
  expect(await runAt('2026-11-29T07:01Z')).toBe(0);
  expect(await scans()).toEqual([{ scope: scopeId, kind: 'delta', due: '2026-11-28T02:00', missed: 1 }]);
});

test('a queued run whose times are changed does not start', async () => {
  await makeCampaign(database.db, tenantId, scopeId as never, 1, START);
  await set({ ...NIGHTLY, whenRunning: 'queue' });
  await runAt('2026-11-28T02:00Z');
  await set({ delta: { cron: null }, revision: 1 });
  await endScans();
  expect(await runAt('2026-11-28T03:00Z')).toBe(0);
  expect(await runAt('2026-11-29T02:00Z')).toBe(0);
});

test('the times of a scope win over those of its family, and these over those of all', async () => {
  await addScopes(2);
  await set({ delta: { cron: '0 1 * * *' } });
  await set({ family: 'm365', delta: { cron: '0 2 * * *' } });
  await set({ scopeId: `${scopeId}-m3651`, delta: { cron: '0 3 * * *' } });
  await set({ scopeId: `${scopeId}-m3652`, quietHours: [], delta: { cron: null } });
  for (const hour of [1, 2, 3, 4]) await runAt(`2026-11-28T0${hour}:00Z`);
  expect((await scans()).map(({ scope, due }) => [scope, due.slice(11)])).toEqual([
    [scopeId, '02:00'],
    [`${scopeId}-m3651`, '03:00'],
  ]);
});

test('a zone that this process does not know holds up no other schedule', async () => {
  await addScopes(1);
  await set(NIGHTLY);
  await set({ scopeId, ...NIGHTLY, quietHours: [{ from: '20:00', to: '21:00' }] });
  const setZone = (zone: string) =>
    database.inspect(sql`
      update schedules set time_zone = ${zone} where tenant_id = ${tenantId} and scope_id = ${scopeId}`);
  await setZone('Mars/Olympus');
  expect(await runAt('2026-11-28T02:00Z')).toBe(1);
  expect((await scans()).map(({ scope }) => scope)).toEqual([`${scopeId}-m3651`]);
  await setZone('UTC');
  expect(await runAt('2026-11-28T03:00Z')).toBe(1);
  expect((await scans()).map(({ scope }) => scope)).toContain(scopeId);
});

test('the settings start what no schedule starts', async () => {
  await addScopes(1);
  await set({ scopeId, delta: { cron: null } });
  expect(await startScheduledDeltas(parts(), live)).toBe(1);
  await endScans();
  await set({ inventory: { cron: '0 0 * * sun' } });
  expect(await startScheduledDeltas(parts(), live)).toBe(1);
  await endScans();
  await set({ delta: { cron: '0 0 * * sun' }, revision: 1 });
  expect(await startScheduledDeltas(parts(), live)).toBe(0);
});

test('an inventory starts where none was, and a delta only after one', async () => {
  await database.inspect(sql`update scopes set coverage_state = null where tenant_id = ${tenantId}`);
  await set({ delta: { cron: '0 2 * * *' }, inventory: { cron: '0 3 * * *' } });
  expect(await runAt('2026-11-28T02:00Z')).toBe(0);
  expect(await runAt('2026-11-28T03:00Z')).toBe(1);
  expect(await scans()).toMatchObject([{ kind: 'inventory' }]);
});

/** A process of its own. Returns what it wrote, or the signal that ended it. */
async function anotherProcess(mode: 'whole' | 'recorded' | 'taken'): Promise<string> {
  const script = new URL('../support/schedule-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, database.url, String(now), mode, tenantId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return signal ?? (code === 0 ? said.trim() : `exit ${code}`);
}

const connectionsOfOthers = () =>
  database.inspect(sql`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'schedule-process'`);

test('two processes at once start one scan of each scope', async () => {
  await addScopes(40);
  await set(NIGHTLY);
  now = at('2026-11-28T02:00Z');
  const started = await Promise.all([anotherProcess('whole'), anotherProcess('whole'), run(), run()]);
  expect(started.map(Number).reduce((sum, count) => sum + count, 0)).toBe(41);
  expect(new Set((await scans()).map(({ scope }) => scope)).size).toBe(41);
  expect(await scans()).toHaveLength(41);
});

test('a process that dies between recording and starting loses and repeats nothing', async () => {
  await addScopes(2);
  await set(NIGHTLY);
  now = at('2026-11-28T02:00Z');
  expect(await anotherProcess('recorded')).toBe('SIGKILL');
  expect(await scans()).toEqual([]);
  expect((await schedules())[0]?.delta?.last).toMatchObject({ waiting: 3, started: 0 });
  now += 10 * MINUTE_MS;
  expect(await run()).toBe(3);
  await endScans();
  expect(await run()).toBe(0);
  expect((await schedules())[0]?.delta?.last).toMatchObject({ started: 3, lateSeconds: 600 });
});

test('a process that dies while it starts a scan leaves it to the next one', async () => {
  await set(NIGHTLY);
  now = at('2026-11-28T02:00Z');
  expect(await anotherProcess('taken')).toBe('SIGKILL');
  // The server undoes what was open when it notices.
  await vi.waitFor(async () => expect(await connectionsOfOthers()).toEqual([]), 30_000);
  expect(await run()).toBe(1);
  expect(await dues()).toEqual(['2026-11-28T02:00']);
});
