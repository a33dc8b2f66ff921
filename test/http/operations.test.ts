import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx } from '../../core/db/tx.ts';
import type { MetricsReport } from '../../core/operations/metrics-report.ts';
import type { Overview } from '../../core/operations/overview.ts';
import { leaseUnits } from '../../core/work/lease.sql.ts';
import { recordHeartbeat, registerScanner } from '../../core/work/scanners.sql.ts';
import { settleUnits } from '../../core/work/settle.sql.ts';
import { createFixtureStore } from '../../infra/local/fixture/fixture-store.sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const MINUTE = 60_000;

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;
let other: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 12 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  other = await service.signInAs(inOther(PERSONA.platformAdmin));
  await admin.post('/api/sources/connect', {});
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
// What one test leaves in the queue would be leased by another.
beforeEach(() =>
  database.inspect(
    sql`update campaigns set status = 'cancelled' where status not in ('completed', 'cancelled')`,
  ),
);

const metrics = async (who: SignedIn) => (await who.get<MetricsReport>('/api/ops/metrics')).body;
const overview = async (who: SignedIn) => (await who.get<Overview>('/api/ops/overview')).body;
const startScan = async (externalId: string): Promise<string> => {
  const { body } = await admin.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources');
  const scopeId = body.items.find((each) => each.externalId === externalId)?.scopeId;
  const started = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
  expect(started.status).toBe(200);
  return started.body.campaignId;
};
const drain = () => service.drain();

/** Leases one unit and buries it, as a worker does with what cannot be done. */
async function bury(number: number): Promise<void> {
  const now = service.clock.now();
  const [unit] = await withEngineTx(database.db, (tx) =>
    leaseUnits(tx, 'scn_x:1', { units: 1, orphans: 0 }, now),
  );
  if (unit === undefined) throw new Error('nothing was leased');
  const settlement = {
    unitId: unit.unitId,
    attempt: unit.attempt,
    result: 'dead' as const,
    runAfter: null,
    retryClass: 'permanent' as const,
    safeDiagnostic: 'gone',
    deadLetterId: `dlq_${String(number).padStart(4, '0')}`,
    stages: {},
  };
  await withEngineTx(database.db, (tx) => settleUnits(tx, 'scn_x:1', [settlement], now + number));
}

describe.each(['/api/ops/overview', '/api/ops/metrics'])('GET %s', (path) => {
  test('is for operators and auditors, and denied to others, which is audited', async () => {
    for (const who of [admin, auditor]) expect((await who.get(path)).status).toBe(200);
    expect((await service.anonymous.get(path)).status).toBe(401);
    for (const persona of [PERSONA.governanceAdmin, PERSONA.financeOwner, PERSONA.approver, PERSONA.nobody]) {
      const who = await service.signInAs(persona);
      expect(await who.get(path), persona).toMatchObject({ status: 403, body: { error: 'not_permitted' } });
    }
    const { body } = await auditor.get<{ items: object[] }>('/api/audit?category=auth');
    expect(body.items[0]).toMatchObject({ type: 'authorization_denied', policyDecision: 'operations.read' });
  });

  test('takes no query parameter that it does not know', async () => {
    expect((await admin.get(`${path}?tenantId=${OTHER}`)).status).toBe(400);
  });
});

describe('the metrics', () => {
  test('of a tenant that has nothing', async () => {
    expect((await metrics(other)).derived).toEqual({
      queuePending: 0,
      queueLeased: 0,
      deadLetters: 0,
      oldestPendingAgeMs: 0,
      oldestDeltaCursorAgeMs: null,
      contentStates: {
        not_fetched: 0,
        available: 0,
        partial: 0,
        unsupported: 0,
        failed: 0,
        inaccessible: 0,
      },
    });
  });

  test('show how long units have waited, and what became of a scan', async () => {
    await startScan('site-finance');
    service.clock.advance(MINUTE);
    const waiting = (await metrics(admin)).derived;
    expect(waiting).toMatchObject({ queuePending: 1, queueLeased: 0, oldestDeltaCursorAgeMs: null });
    expect(waiting.oldestPendingAgeMs).toBeGreaterThanOrEqual(MINUTE);
    expect(waiting.oldestPendingAgeMs).toBeLessThan(2 * MINUTE);

    await drain();
    service.clock.advance(MINUTE);
    const { counters, histograms, derived } = await metrics(admin);
    const [stored] = await database.inspect<{ assets: number; pages: number }>(sql`
      select (select count(*)::int from assets where status = 'active') as assets,
             (select count(*)::int from work_units where kind = 'inventory_page') as pages`);
    expect(stored?.assets).toBeGreaterThan(10);
    expect(counters).toMatchObject({
      'work_completed:inventory_page': stored?.pages,
      'work_completed:process_asset': stored?.assets,
      'stage_outcome:content:computed': stored?.assets,
    });
    const observed = histograms.find(({ name }) => name === 'stage_latency_ms:content');
    expect(observed?.count).toBe(stored?.assets);
    expect(observed?.p50).toBeLessThanOrEqual(observed?.p95 ?? -1);
    expect(observed?.p95).toBeLessThanOrEqual(observed?.max ?? -1);
    const states = Object.values(derived.contentStates).reduce((sum, assets) => sum + assets, 0);
    expect(states).toBe(stored?.assets);
    expect(derived.contentStates.available).toBeGreaterThan(0);
    expect(derived).toMatchObject({ queuePending: 0, queueLeased: 0, deadLetters: 0, oldestPendingAgeMs: 0 });
    expect(derived.oldestDeltaCursorAgeMs).toBeGreaterThanOrEqual(MINUTE);
    expect(derived.oldestDeltaCursorAgeMs).toBeLessThan(2 * MINUTE);
  });

  test('a scan counts each stage, each format that was read and each unit', async () => {
    const stages = ['observe', 'permissions', 'labels', 'content', 'features'];
    const counted = async () => {
      const { counters, histograms } = await metrics(admin);
      const latencies = histograms.map(({ name, count }): [string, number] => [name, count]);
      return new Map([...Object.entries(counters), ...latencies]);
    };
    /** What a scan of a site added to the counters and the counts of the histograms. */
    const addedBy = async (site: string) => {
      const before = await counted();
      await startScan(site);
      await drain();
      const added = [...(await counted())].map(([name, count]) => [name, count - (before.get(name) ?? 0)]);
      return Object.fromEntries(added.filter(([, count]) => count !== 0)) as Record<string, number>;
    };
    const first = await addedBy('site-sales');
    const read = await database.inspect<{ name: string; assets: number }>(sql`
      select 'extraction:' || coalesce(a.format, 'unknown') || ':' || a.content_state as name, count(*)::int as assets
        from assets a join scopes s using (tenant_id, scope_id)
       where a.tenant_id = ${DEV} and s.external_id = 'site-sales'
         and a.content_state in ('available', 'partial', 'unsupported', 'failed') group by 1 order by 1`);
    const assets = first['work_completed:process_asset'] ?? 0;
    expect(assets).toBeGreaterThan(10);
    expect(
      Object.entries(first)
        .filter(([name]) => name.startsWith('extraction:'))
        .sort(),
    ).toEqual(read.map(({ name, assets: of }) => [name, of]));
    for (const stage of stages) {
      expect(first, stage).toMatchObject({
        [`stage_outcome:${stage}:computed`]: assets,
        [`stage_latency_ms:${stage}`]: assets,
      });
    }
    const again = await addedBy('site-sales');
    expect(again['work_completed:inventory_page']).toBe(first['work_completed:inventory_page']);
    for (const stage of stages) expect(again[`stage_outcome:${stage}:cache_hit`], stage).toBe(assets);
  });

  test('of the process are the same for all tenants, those of the database are not', async () => {
    await drain();
    const [mine, theirs] = [await metrics(admin), await metrics(other)];
    // The first of the two answers is counted in the second.
    const answers = { 'http_answer:2xx': (mine.counters['http_answer:2xx'] ?? 0) + 1 };
    expect(theirs.counters).toEqual({ ...mine.counters, ...answers });
    expect(theirs.derived.contentStates.available).toBe(0);
    // Closed words alone, so that nothing in a name could be of a tenant.
    for (const name of [...Object.keys(mine.counters), ...mine.histograms.map((each) => each.name)]) {
      expect(name).toMatch(/^[a-z_]{1,40}(?::[a-z0-9_]{1,24}){0,2}$/);
    }
  });
});

describe('the overview', () => {
  test('counts units by status, and shows the newest fifty dead letters', async () => {
    const before = (await overview(admin)).queue;
    const campaignId = await startScan('site-legal');
    await database.inspect(sql`
      insert into work_units (tenant_id, campaign_id, kind, logical_key, payload, run_after, created_at)
      select ${DEV}, ${campaignId}, 'process_asset', 'more:' || n, '{}', now(), now() from generate_series(1, 59) n`);
    await database.inspect(sql`update campaigns set units_total = 60 where campaign_id = ${campaignId}`);
    for (let number = 0; number < 53; number++) await bury(number);
    const now = service.clock.now();
    const leased = await withEngineTx(database.db, (tx) =>
      leaseUnits(tx, 'scn_x:1', { units: 3, orphans: 0 }, now),
    );
    expect(leased).toHaveLength(3);

    const { queue, deadLetters } = await overview(auditor);
    expect(queue).toEqual({
      pending: before.pending + 4,
      leased: before.leased + 3,
      completed: before.completed,
      dead: before.dead + 53,
      cancelled: before.cancelled,
    });
    expect(deadLetters).toHaveLength(50);
    expect(deadLetters.map(({ id }) => Number(id.slice(4)))).toEqual(
      Array.from({ length: 50 }, (_, n) => 52 - n),
    );
    expect(deadLetters[0]).toMatchObject({
      campaignId,
      retryClass: 'permanent',
      safeDiagnostic: 'gone',
      attempt: 1,
      retriedAt: null,
    });

    const retried = await admin.post('/api/ops/dead-letters/dlq_0052/retry');
    expect(retried.status).toBe(200);
    const after = await overview(admin);
    expect(after.queue).toMatchObject({ dead: before.dead + 52, pending: before.pending + 5 });
    expect(after.deadLetters[0]?.retriedAt).not.toBeNull();
    expect((await metrics(admin)).derived).toMatchObject({ deadLetters: after.queue.dead, queueLeased: 3 });

    await admin.post(`/api/scans/${campaignId}/cancel`);
    expect((await overview(admin)).queue).toMatchObject({
      pending: before.pending,
      leased: before.leased + 3,
      cancelled: before.cancelled + 5,
    });
    expect((await metrics(admin)).derived.oldestPendingAgeMs).toBe(0);
    expect(await overview(other)).toMatchObject({
      queue: { pending: 0, leased: 0, completed: 0, dead: 0, cancelled: 0 },
      deadLetters: [],
    });
  });

  test('shows the newest log lines of the tenant and of none, never another tenant’s', async () => {
    for (let n = 0; n < 60; n++) {
      await admin.get('/api/sources');
      await other.get('/api/sources');
    }
    await service.anonymous.get('/api/auth/mode');
    const mine = (await overview(admin)).recentLogs;
    const theirs = (await overview(other)).recentLogs;
    expect(mine).toHaveLength(100);
    for (const [lines, tenantId] of [
      [mine, DEV],
      [theirs, OTHER],
    ] as const) {
      expect(new Set(lines.map((line) => line.tenantId))).toEqual(new Set([tenantId, undefined]));
      const times = lines.map((line) => line.time);
      expect(times).toEqual([...times].sort().reverse());
    }
    expect(mine.find((line) => line.route === '/api/auth/mode')).toMatchObject({
      event: 'http_request',
      level: 'info',
      status: 200,
    });
  });

  test('shows the fleet as it is at this moment', async () => {
    const now = service.clock.now();
    await withEngineTx(database.db, async (tx) => {
      const host = 'host-1';
      const scanner = { displayName: 'One', host, version: '26.1.1.0' };
      await registerScanner(tx, { scannerId: 'scn_live', ...scanner }, now);
      await registerScanner(tx, { scannerId: 'scn_gone', ...scanner, displayName: 'Two' }, now - 10 * MINUTE);
      await recordHeartbeat(tx, 'scn_live', { processed: 7, failed: 2 }, now);
    });
    const { fleet } = await overview(other);
    expect(fleet.map(({ workloadId, status }) => [workloadId, status])).toEqual(
      expect.arrayContaining([
        ['scn_live', 'active'],
        ['scn_gone', 'offline'],
      ]),
    );
    const live = fleet.find(({ workloadId }) => workloadId === 'scn_live');
    expect(live).toMatchObject({
      displayName: 'One',
      host: 'host-1',
      capabilities: ['m365'],
      version: '26.1.1.0',
      processed: 7,
      failed: 2,
      currentLeases: 0,
    });
    expect(live?.heartbeatAgeMs).toBeLessThan(MINUTE);
  });
});

test('holds no name, path, principal, content or digest of what was scanned', async () => {
  await startScan('site-people');
  await drain();
  await startScan('site-engineering');
  await bury(9_000);
  const bodies = [
    (await admin.get('/api/ops/overview')).text,
    (await admin.get('/api/ops/metrics')).text,
    (await auditor.get('/api/ops/overview')).text,
  ].map((text) => text.toLowerCase());
  const scanned = await database.inspect<{
    name: string;
    path: string;
    external_id: string;
    hash: string | null;
  }>(sql`
    select name, path, external_id, encode(content_hash, 'hex') as hash from assets where status = 'active'`);
  const [item] = await createFixtureStore(database.db, DEV).items('site-people', null, 1);
  const excerpts = await database.inspect<{ text: string }>(sql`
    select e ->> 'text' as text from asset_features cross join jsonb_array_elements(excerpts) e`);
  expect(scanned.length).toBeGreaterThan(20);
  expect(excerpts.length).toBeGreaterThan(5);
  const forbidden = [
    ...scanned.flatMap(({ name, path, external_id: id, hash }) => [name, path, id, hash ?? name]),
    ...excerpts.map(({ text }) => text),
    item?.externalId ?? 'no item',
    'site-people',
    'pri_',
    admin.csrfToken,
    admin.cookie.slice('svc_session='.length),
  ].filter((word) => word.length > 3);
  for (const body of bodies) {
    for (const word of forbidden) expect(body.includes(word.toLowerCase()), word).toBe(false);
  }
});
