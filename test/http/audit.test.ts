import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { allowRewriting } from '../support/append-only.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Event = { seq: number; category: string; type: string; principalId: string; correlationId: string };
type Events = { items: Event[]; truncated: boolean; total: number; totalIsExact: boolean };
type Report = { ok: boolean; count: number; head: { seq: number; hash: string }; firstBreak: unknown };

const events = async (query = '', caller = auditor) => (await caller.get<Events>(`/api/audit${query}`)).body;

describe('the audit trail', () => {
  test('is for auditors only; every refusal is itself an event', async () => {
    for (const principalId of Object.values(PERSONA)) {
      if (principalId === PERSONA.auditor) continue;
      const caller = await service.signInAs(principalId);
      expect((await caller.get('/api/audit')).status, principalId).toBe(403);
      expect((await caller.get('/api/audit/verify')).status, principalId).toBe(403);
    }
    const denials = (await events('?category=auth')).items.filter(
      (event) => event.type === 'authorization_denied',
    );
    expect(denials).toHaveLength(2 * (Object.keys(PERSONA).length - 1));
  });

  test('lists events newest first, with the correlation id of their request', async () => {
    const admin = await service.signInAs(PERSONA.platformAdmin);
    await admin.post('/api/sources/connect', {}, { 'x-svc-correlation': 'connect-1' });
    const { items } = await events();
    expect(items[0]).toMatchObject({
      category: 'config',
      type: 'source_connected',
      principalId: PERSONA.platformAdmin,
      correlationId: 'connect-1',
      target: { kind: 'connector_instance' },
      details: { family: 'm365', mode: 'mock' },
      policyDecision: null,
    });
    const seqs = items.map((event) => event.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
  });

  test('is filtered by category', async () => {
    const { items } = await events('?category=config');
    expect(items.length).toBeGreaterThan(0);
    expect(new Set(items.map((event) => event.category))).toEqual(new Set(['config']));
    expect((await events('?category=model')).items).toEqual([]);
  });

  test('is filtered by person, type, target and time, with the number of events', async () => {
    const denied = '?type=authorization_denied';
    const { items, total, totalIsExact } = await events(denied);
    expect({ total, totalIsExact }).toEqual({ total: items.length, totalIsExact: true });
    expect(new Set(items.map(({ type }) => type))).toEqual(new Set(['authorization_denied']));
    const byApprover = await events(`${denied}&principalId=${PERSONA.approver}`);
    expect(byApprover.total).toBe(2);
    expect((await events(`${denied}&principalId=pri_nobody_knows`)).items).toEqual([]);
    const connected = await events('?targetKind=connector_instance');
    expect(connected.items[0]?.type).toBe('source_connected');
    const oldestFirst = await events(`${denied}&sort=at`);
    expect(oldestFirst.items).toEqual(items.toReversed());
    expect((await events(`${denied}&before=2001-01-01T00:00:00Z`)).total).toBe(0);
    expect((await events(`${denied}&from=2001-01-01T00:00:00Z`)).total).toBe(total);
    expect((await auditor.get('/api/audit?from=yesterday')).status).toBe(400);
  });

  test('shows nothing of another tenant', async () => {
    const foreign = await service.signInAs(inOther(PERSONA.auditor));
    const { items } = await events('', foreign);
    expect(items.map((event) => event.principalId)).toEqual([inOther(PERSONA.auditor)]);
  });

  test('holds no event of a change that failed', async () => {
    const admin = await service.signInAs(PERSONA.platformAdmin);
    const before = (await events()).items[0]?.seq ?? 0;
    const scan = { scopeId: 'scp_none', kind: 'inventory' };
    expect((await admin.post('/api/scans', scan)).status).toBe(404);
    const since = (await events()).items.filter(({ seq }) => seq > before);
    expect(since.map(({ type }) => type)).toEqual(['not_found_answered']);
    expect((await admin.post('/api/scans', { ...scan, kind: 'none' })).status).toBe(400);
    expect((await events()).items[0]?.seq).toBe(since[0]?.seq);
  });

  test('shows the 200 most recent and says that there are more', async () => {
    expect((await events()).truncated).toBe(false);
    const nobody = await service.signInAs(PERSONA.nobody);
    await Promise.all(Array.from({ length: 210 }, () => nobody.get('/api/audit')));
    const { items, truncated } = await events();
    expect([items.length, truncated]).toEqual([200, true]);
  });
});

describe('verification', () => {
  const verify = async () => (await auditor.get<Report>('/api/audit/verify')).body;

  test('reports a whole chain: count, head, no break', async () => {
    const report = await verify();
    expect(report).toMatchObject({ ok: true, firstBreak: null });
    expect(report.count).toBe(report.head.seq);
    const { items } = await events();
    expect(report.head).toMatchObject({ seq: items[0]?.seq });
  });

  test('reports where a chain first breaks', async () => {
    await allowRewriting(database, 'audit_events');
    await database.inspect(sql`
      update audit_events set record = replace(record, ${PERSONA.nobody}, 'pri_somebody_else')
       where tenant_id = ${DEV} and seq >= 40`);
    const report = await verify();
    const [first] = await database.inspect<{ seq: string }>(sql`
      select min(seq) as seq from audit_events where tenant_id = ${DEV} and record like '%pri_somebody_else%'`);
    const seq = Number(first?.seq);
    expect(report).toMatchObject({ ok: false, count: seq - 1, head: { seq: seq - 1 } });
    expect(report.firstBreak).toEqual({ seq, reason: 'hash_mismatch' });
  });
});
