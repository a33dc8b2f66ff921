import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Times = { cron: string | null; nextAt: string | null; last: object | null } | null;
type Schedule = {
  family: string | null;
  scopeId: string | null;
  revision: number;
  delta: Times;
  thisHour: { calls: number; megabytes: number } | null;
};
type List = { items: Schedule[]; truncated: boolean; defaults: object };
type Scan = {
  status: string;
  waitingFor: string | null;
  waitingUntil: string | null;
  scheduled: object | null;
};
type Problem = { error: string; issues: { path: string }[] };

const SCHEDULES = '/api/admin/schedules';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let scopeId: string;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 6 });
  // One unit at a time, so that a scan can be stopped in its middle.
  service = await startService(database, { SVC_WORKER_LEASE_BATCH: '1', SVC_WORKER_CONCURRENCY: '1' });
  admin = await service.signInAs(PERSONA.platformAdmin);
  await service.runtime().fleet.join();
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  scopeId = items.find(({ externalId }) => externalId === 'site-people')?.scopeId ?? '';
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(() =>
  database.inspect(sql`
    with times as (delete from schedule_times), used as (delete from source_usage),
         ended as (update campaigns set status = 'cancelled' where status not in ('completed', 'cancelled'))
    delete from schedules`),
);

const put = <T = Schedule>(body: object, who = admin) =>
  who.request<T>('PUT', SCHEDULES, { body: { revision: 0, ...body } });
const read = async (id: string) => (await admin.get<Scan>(`/api/scans/${id}`)).body;
const start = async () =>
  (await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' })).body.campaignId;
/** A drain whose time is over after the first unit. Its time can be over before. */
async function oneUnit(): Promise<number> {
  let settled = 0;
  for (let tries = 0; settled === 0 && tries < 50; tries++)
    settled = await service.runtime().worker.drain(1, new AbortController().signal);
  return settled;
}
const timeOf = (at: number) => new Date(at).toISOString().slice(11, 16);

test('a schedule is stored with its next times, and the settings are its defaults', async () => {
  const stored = await put({
    timeZone: 'Europe/Berlin',
    inventory: { cron: '0 3 * * sun' },
    delta: { cron: null },
    quietHours: [{ days: ['monday', 'friday'], from: '22:00', to: '06:00' }],
    callsPerHour: 5_000,
    whenRunning: 'queue',
  });
  expect(stored.status).toBe(200);
  expect(stored.body).toMatchObject({
    family: null,
    scopeId: null,
    revision: 1,
    timeZone: 'Europe/Berlin',
    inventory: { cron: '0 3 * * sun', last: null },
    delta: { cron: null, nextAt: null, last: null },
    quietHours: [{ days: ['monday', 'friday'], from: '22:00', to: '06:00' }],
    callsPerHour: 5_000,
    megabytesPerHour: null,
    thisHour: { calls: 0, megabytes: 0 },
    whenRunning: 'queue',
    whenLate: 'run',
    changedBy: PERSONA.platformAdmin,
  });
  const { body } = await admin.get<List>(SCHEDULES);
  expect(body.items).toEqual([stored.body]);
  expect(body.defaults).toEqual({ deltaSchedule: null, inventoryMaxAgeDays: 7 });
});

test('those that include a scope are listed for it, the widest first', async () => {
  await put({ scopeId });
  await put({ family: 'smb' });
  await put({ family: 'm365' });
  await put({});
  const { items } = (await admin.get<List>(`${SCHEDULES}?scopeId=${scopeId}`)).body;
  expect(items.map((each) => [each.family, each.scopeId])).toEqual([
    [null, null],
    ['m365', null],
    [null, scopeId],
  ]);
});

test('a schedule that somebody else has changed is refused', async () => {
  expect((await put({ revision: 3 })).status).toBe(409);
  expect((await put({})).body.revision).toBe(1);
  expect((await put({ delta: { cron: '0 1 * * *' } })).status).toBe(409);
  const both = await Promise.all(
    [1, 2].map((hour) => put({ revision: 1, delta: { cron: `0 ${hour} * * *` } })),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test('what is wrong is named by its field', async () => {
  const wrong: readonly [object, string][] = [
    [{ delta: { cron: '0 2 * *' } }, 'delta.cron'],
    [{ inventory: { cron: '0 0 31 2 *' } }, 'inventory.cron'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ quietHours: [{ from: '24:30', to: '06:00' }] }, 'quietHours.0.from'],
    [{ quietHours: [{ from: '06:00', to: '06:00' }] }, 'quietHours'],
    [{ callsPerHour: 0 }, 'callsPerHour'],
    [{ megabytesPerHour: 1.5 }, 'megabytesPerHour'],
    [{ whenLate: 'never' }, 'whenLate'],
    [{ family: 'm365', scopeId }, 'scopeId'],
    [{ family: 'chat' }, 'family'],
  ];
  for (const [body, path] of wrong) {
    const refused = await put<Problem>(body);
    expect([path, refused.status]).toEqual([path, 400]);
    expect(refused.body.issues.map((issue) => issue.path)).toEqual([path]);
  }
  expect((await put({ scopeId: 'scp_nowhere' })).status).toBe(404);
});

test('administrators change schedules, auditors read them, and others do neither', async () => {
  const statuses = async (persona: string) => {
    const who = await service.signInAs(persona);
    return [(await who.get(SCHEDULES)).status, (await put({}, who)).status];
  };
  expect(await statuses(PERSONA.auditor)).toEqual([200, 403]);
  expect(await statuses(PERSONA.governanceAdmin)).toEqual([403, 403]);
  expect(await statuses(PERSONA.financeOwner)).toEqual([403, 403]);
});

test('a change is audited with what was before and what is now', async () => {
  await put({ scopeId, delta: { cron: '*/15 8-18 * * mon,tue' }, callsPerHour: 100 });
  await put({
    scopeId,
    revision: 1,
    delta: { cron: null },
    quietHours: [{ days: ['sunday'], from: '09:00', to: '17:00' }],
  });
  const events = await database.inspect<{
    event: { target: object; principalId: string; details: object };
  }>(sql`
    select record::jsonb -> 'event' as event from audit_events
     where record::jsonb #>> '{event,type}' = 'schedule_changed' order by seq desc limit 1`);
  expect(events.map(({ event }) => event)).toMatchObject([
    { target: { kind: 'schedule', id: `scope:${scopeId}` }, principalId: PERSONA.platformAdmin },
  ]);
  expect(events[0]?.event.details).toEqual({
    deltaBefore: 'any/15_8-18_any_any_mon.tue',
    deltaAfter: 'never',
    callsPerHourBefore: 100,
    callsPerHourAfter: null,
    quietHoursBefore: null,
    quietHoursAfter: 1,
    quietHours1Before: null,
    quietHours1After: 'sun:09:00-17:00',
  });
});

test('times that are longer than the trail takes are audited in pieces', async () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  await put({ scopeId, delta: { cron: `${minutes.join(',')} 2 * * *` } });
  const [event] = await database.inspect<{ details: Record<string, string> }>(sql`
    select record::jsonb #> '{event,details}' as details from audit_events
     where record::jsonb #>> '{event,type}' = 'schedule_changed' order by seq desc limit 1`);
  const { deltaAfter = '', delta2After = '', delta3After } = event?.details ?? {};
  expect(`${deltaAfter}${delta2After}`).toBe(`${minutes.join('.')}_2_any_any_any`);
  expect(delta3After).toBeUndefined();
});

test('quiet hours stop a scan in its middle, and it goes on after', async () => {
  const from = Math.ceil(service.clock.now() / MINUTE_MS) * MINUTE_MS + 2 * MINUTE_MS;
  const until = from + 10 * MINUTE_MS;
  await put({ family: 'm365', quietHours: [{ from: timeOf(from), to: timeOf(until) }] });
  const id = await start();
  expect(await oneUnit()).toBe(1);
  expect(await read(id)).toMatchObject({ status: 'running', waitingFor: null });
  service.clock.advance(from - service.clock.now());
  expect(await service.drain()).toBe(0);
  expect(await read(id)).toMatchObject({
    status: 'running',
    waitingFor: 'quiet_hours',
    waitingUntil: new Date(until).toISOString(),
  });
  service.clock.advance(until - service.clock.now());
  expect(await service.drain()).toBeGreaterThan(0);
  expect(await read(id)).toMatchObject({ status: 'completed', waitingFor: null, waitingUntil: null });
});

test('a scan that starts in quiet hours waits, and goes on when they are taken back', async () => {
  const now = service.clock.now();
  const windows = [{ from: timeOf(now - HOUR_MS), to: timeOf(now + HOUR_MS) }];
  await put({ quietHours: windows });
  const id = await start();
  expect(await service.drain()).toBe(0);
  expect(await read(id)).toMatchObject({ waitingFor: 'quiet_hours' });
  // The narrower schedule has none.
  await put({ scopeId, quietHours: [] });
  expect((await read(id)).waitingFor).not.toBe('quiet_hours');
  await service.drain();
  expect(await read(id)).toMatchObject({ status: 'completed' });
});

/** Former tests read too. The service stores their calls late, and believes for five seconds that nobody has a ceiling. */
const withoutCounts = () => service.reconfigure({});

test('a ceiling holds the scans of all that it includes until the next hour', async () => {
  // Not at the end of an hour, which would begin meanwhile.
  service.clock.advance(HOUR_MS - (service.clock.now() % HOUR_MS) + MINUTE_MS);
  const nextHour = Math.floor(service.clock.now() / HOUR_MS) * HOUR_MS + HOUR_MS;
  await withoutCounts();
  await put({ family: 'm365', callsPerHour: 1 });
  await put({ scopeId, callsPerHour: 1_000_000 });
  const id = await start();
  expect(await oneUnit()).toBe(1);
  const used = async () =>
    (await admin.get<List>(SCHEDULES)).body.items.map(({ thisHour }) => thisHour?.calls);
  await vi.waitFor(async () => expect(await used()).toEqual([1, 1]), 10_000);
  expect(await service.drain()).toBe(0);
  expect(await read(id)).toMatchObject({
    waitingFor: 'ceiling',
    waitingUntil: new Date(nextHour).toISOString(),
  });
  service.clock.advance(nextHour - service.clock.now());
  expect(await oneUnit()).toBe(1);
});

test('the megabytes of contents that scans read are counted', async () => {
  await withoutCounts();
  await put({ megabytesPerHour: 1_000 });
  await database.inspect(sql`update assets set stage_keys = '{}', content_hash = null where true`);
  await start();
  await service.drain();
  await vi.waitFor(async () => {
    const [usage] = await database.inspect<{ calls: number; bytes: number }>(sql`
      select sum(calls)::int as calls, sum(bytes)::int as bytes from source_usage`);
    expect(usage?.bytes).toBeGreaterThan(100);
    expect(usage?.calls).toBeGreaterThan(6);
  }, 10_000);
});

test('the examples of the guide are accepted as they are', async () => {
  const guide = await readFile(new URL('../../docs/schedules.md', import.meta.url), 'utf8');
  const examples = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, example = '']) => JSON.parse(example));
  expect(examples).toHaveLength(2);
  for (const example of examples) expect(await put(example)).toMatchObject({ status: 200 });
});

test('more than 200 are listed as truncated, the widest first', async () => {
  await put({});
  await database.inspect(sql`
    with added as (
      insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, selected, created_at)
      select tenant_id, 'scp_many_' || n, connector_instance_id, family, 'many-' || n, name, kind, false, created_at
        from scopes, generate_series(1, 200) n where scope_id = ${scopeId} returning tenant_id, scope_id)
    insert into schedules (tenant_id, target, scope_id, time_zone, when_running, when_late, revision, changed_at, changed_by)
    select tenant_id, 'scope:' || scope_id, scope_id, 'UTC', 'skip', 'run', 1, now(), 'pri_1' from added`);
  const { items, truncated } = (await admin.get<List>(SCHEDULES)).body;
  expect([items.length, truncated, items[0]?.scopeId]).toEqual([200, true, null]);
});
