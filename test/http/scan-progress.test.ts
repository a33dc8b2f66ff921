import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Principal } from '../../core/authz/principal.ts';
import { campaignEvents, STREAM_MS } from '../../core/campaigns/campaign-events.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Progress = {
  done: number;
  total: number;
  growing: boolean;
  perMinute: number | null;
  remainingSeconds: number | null;
};
type Scan = {
  campaignId: string;
  status: string;
  progress: Progress;
  waitingFor: string | null;
  waitingUntil: string | null;
};
type Event = { id?: string; event?: string; data: Scan };

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let scopeId: string;
const open: AbortController[] = [];

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 6 });
  service = await startService(database);
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
afterEach(async () => {
  for (const stream of open.splice(0)) stream.abort();
  await database.inspect(
    sql`update campaigns set status = 'cancelled' where status not in ('completed', 'cancelled')`,
  );
});

const start = async () => {
  const { body } = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
  return body.campaignId;
};
const read = async (id: string, who = admin) => (await who.get<Scan>(`/api/scans/${id}`)).body;
const setUnits = (id: string, counts: { total: number; completed: number }) =>
  database.inspect(sql`
    update campaigns set units_total = ${counts.total}, units_completed = ${counts.completed}, status = 'running',
           started_at = coalesce(started_at, ${new Date(service.clock.now())}) where campaign_id = ${id}`);

/** The events of a stream as they come. */
async function connect(id: string, who: SignedIn, lastEventId?: string) {
  const controller = new AbortController();
  open.push(controller);
  const response = await fetch(`${service.url}/api/scans/${id}/events`, {
    headers: { cookie: who.cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: controller.signal,
  });
  return { response, events: eventsOf(response), close: () => controller.abort() };
}

async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let text = '';
  for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += part;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (fields.data !== undefined) yield { ...fields, data: JSON.parse(fields.data) };
    }
  }
}
const next = async (events: AsyncGenerator<Event>) => (await events.next()).value as Event;

test('a scan says what is done, at which rate, and what is left', async () => {
  const id = await start();
  expect(await read(id)).toMatchObject({
    progress: { done: 0, total: 1, growing: true, perMinute: null, remainingSeconds: null },
  });
  await setUnits(id, { total: 101, completed: 0 });
  service.clock.advance(60_000);
  await setUnits(id, { total: 101, completed: 20 });
  const listing = (await read(id)).progress;
  expect(listing).toMatchObject({ done: 20, total: 101, growing: true, remainingSeconds: null });
  expect(listing.perMinute).toBeCloseTo(20, 0);
  await database.inspect(sql`update work_units set kind = 'process_asset' where campaign_id = ${id}`);
  const { growing, remainingSeconds } = (await read(id)).progress;
  expect(growing).toBe(false);
  // 81 units at 20 a minute.
  expect(remainingSeconds).toBeGreaterThan(235);
  expect(remainingSeconds).toBeLessThan(260);
});

test('the rate counts from the last resume, and a paused scan waits for it', async () => {
  const id = await start();
  await database.inspect(sql`update work_units set kind = 'process_asset' where campaign_id = ${id}`);
  await setUnits(id, { total: 100, completed: 50 });
  await admin.post(`/api/scans/${id}/pause`);
  expect(await read(id)).toMatchObject({ waitingFor: 'resume', progress: { done: 50, perMinute: null } });
  service.clock.advance(600_000);
  await admin.post(`/api/scans/${id}/resume`);
  expect((await read(id)).progress.perMinute).toBeNull();
  service.clock.advance(60_000);
  await setUnits(id, { total: 100, completed: 60 });
  expect((await read(id)).progress.perMinute).toBeCloseTo(10, 0);
});

test('a scan whose units are tried again later says until when', async () => {
  const id = await start();
  const at = new Date(service.clock.now() + 90_000);
  await database.inspect(sql`update work_units set run_after = ${at} where campaign_id = ${id}`);
  expect(await read(id)).toMatchObject({ waitingFor: 'retry', waitingUntil: at.toISOString() });
});

test('a reader who governs neither the scope nor the tenant learns no rate', async () => {
  const id = await start();
  await service.drain();
  const finance = await service.signInAs(PERSONA.financeOwner);
  const seen = await finance.get<Scan>(`/api/scans/${id}`);
  if (seen.status === 200) expect(seen.body.progress.perMinute).toBeNull();
  else expect(seen.status).toBe(404);
  expect(await connect(id, await service.signInAs(inOther(PERSONA.platformAdmin)))).toMatchObject({
    response: { status: 404 },
  });
});

test('events show the state at once, each change of it, and the end', async () => {
  const id = await start();
  const { response, events } = await connect(id, admin);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(await next(events)).toMatchObject({
    event: 'state',
    data: { campaignId: id, status: 'pending', progress: { done: 0, total: 1 } },
  });
  await admin.post(`/api/scans/${id}/cancel`);
  expect(await next(events)).toMatchObject({ event: 'state', data: { status: 'cancelled' } });
  expect(await next(events)).toMatchObject({ event: 'end' });
  expect((await events.next()).done).toBe(true);
});

test('a client that goes on receives a state that it has seen only after a change', async () => {
  const id = await start();
  const first = await connect(id, admin);
  const seen = await next(first.events);
  expect(seen.id).toMatch(/^[\w-]{22}$/);
  first.close();
  const again = await connect(id, admin, seen.id);
  const coming = next(again.events);
  await setUnits(id, { total: 10, completed: 4 });
  expect((await coming).data).toMatchObject({ status: 'running', progress: { done: 4, total: 10 } });
});

test('a rescore has the same events', async () => {
  const governance = await service.signInAs(PERSONA.governanceAdmin);
  const { body } = await governance.post<{ campaignId: string }>('/api/models/rescore');
  await service.drain();
  const { events } = await connect(body.campaignId, governance);
  expect(await next(events)).toMatchObject({ data: { kind: 'rescore', status: 'completed' } });
  expect(await next(events)).toMatchObject({ event: 'end' });
});

test('a stream ends after two minutes, and the number of streams is bounded', async () => {
  const id = await start();
  const streams = await Promise.all(Array.from({ length: 6 }, () => connect(id, admin)));
  for (const { events } of streams) await next(events);
  expect((await connect(id, admin)).response.status).toBe(503);
  const auditor = await service.signInAs(PERSONA.auditor);
  expect((await connect(id, auditor)).response.status).toBe(200);
  service.clock.advance(STREAM_MS);
  for (const { events } of streams) expect((await events.next()).done).toBe(true);
  const another = await connect(id, admin);
  expect(another.response.status).toBe(200);
});

test('of 200 streams that one person opens at once, six are open', async () => {
  const id = await start();
  const statuses = (await Promise.all(Array.from({ length: 200 }, () => connect(id, admin)))).map(
    ({ response }) => response.status,
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(6);
  expect(statuses.filter((status) => status === 503)).toHaveLength(194);
});

test('a stream that fails, or that nobody reads, does not count for ever', async () => {
  const id = await start();
  const visibility = { kind: 'tenant' as const };
  const openStream = (campaignId: string) => {
    const { db, clock, stopping } = service.runtime();
    const principal = { ...admin, tenantId: DEV } as unknown as Principal;
    return campaignEvents({
      runtime: { db, clock, stopping },
      principal,
      visibility,
      campaignId,
      lastEventId: null,
    }).next();
  };
  for (let n = 0; n < 7; n++)
    await expect(openStream('cmp_nowhere')).rejects.toMatchObject({ code: 'not_found' });
  for (let n = 0; n < 6; n++) await openStream(id);
  await expect(openStream(id)).rejects.toMatchObject({ code: 'overloaded' });
  service.clock.advance(STREAM_MS + 1);
  expect((await openStream(id)).done).toBe(false);
});

test('who may not read scans receives no events', async () => {
  const id = await start();
  expect((await service.anonymous.get(`/api/scans/${id}/events`)).status).toBe(401);
  const approver = await service.signInAs(PERSONA.approver);
  expect((await approver.get(`/api/scans/${id}/events`)).status).toBe(403);
  expect((await admin.get('/api/scans/cmp_nowhere/events')).status).toBe(404);
});
