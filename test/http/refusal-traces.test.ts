import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Event = {
  principalId: string;
  correlationId: string;
  target: null;
  details: { method: string; route: string; count?: number };
  policyDecision: string | null;
};

const MINUTE = 60_000;
/** Of a probed id: no code, schema or fixture holds it. */
const CANARY = 'xylophonquagga';

let database: TestDatabase;
let service: TestService;
let prober: SignedIn;
/** A campaign of the prober's tenant, and one of the other. */
let own: string;
let foreign: string;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 1 });
  service = await startService(database);
  const scan = async (principalId: string) => {
    const admin = await service.signInAs(principalId);
    await admin.post('/api/sources/connect', {});
    const { items } = (await admin.get<{ items: { scopeId: string }[] }>('/api/sources')).body;
    const scope = { scopeId: items[0]?.scopeId, kind: 'inventory' };
    return (await admin.post<{ campaignId: string }>('/api/scans', scope)).body.campaignId;
  };
  own = await scan(PERSONA.platformAdmin);
  foreign = `cmp_of_${OTHER}`;
  await database.inspect(sql`
    insert into campaigns (tenant_id, campaign_id, kind, correlation_id, created_at)
    values (${OTHER}, ${foreign}, 'rescore', 'cor_1', now())`);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(async () => {
  prober = await service.signInAs(PERSONA.platformAdmin);
  await database.inspect(sql`delete from not_found_counts`);
  begun = await lastSeq();
});

let begun = 0;
const lastSeq = async () => {
  const [row] = await database.inspect<{ seq: number }>(
    sql`select seq from audit_heads where tenant_id = ${DEV}`,
  );
  return Number(row?.seq ?? 0);
};
/** Events of the tenant since the test began, in order. */
const traces = async (type: string): Promise<Event[]> => {
  const rows = await database.inspect<{ event: Event & { type: string } }>(sql`
    select record::jsonb -> 'event' as event from audit_events
     where tenant_id = ${DEV} and seq > ${begun} order by seq`);
  return rows.map(({ event }) => event).filter((event) => event.type === type);
};
const notFoundTraces = () => traces('not_found_answered');
const counts = () =>
  database.inspect(sql`
    select tenant_id, principal_id, endpoint, count from not_found_counts order by tenant_id, principal_id, endpoint`);
const probe = (id: string, who = prober) => who.get(`/api/scans/${id}`);
const times = <T>(count: number, act: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n)));

describe('a denial', () => {
  test('names the method and the route as it is declared, never the path', async () => {
    expect((await prober.get(`/api/review/candidates/cnd_${CANARY}?q=${CANARY}`)).status).toBe(403);
    const [event] = await traces('authorization_denied');
    expect(event).toMatchObject({
      principalId: PERSONA.platformAdmin,
      policyDecision: 'review.read',
      target: null,
      details: { method: 'GET', route: '/api/review/candidates/:id' },
    });
    expect(JSON.stringify(event)).not.toContain(CANARY);
  });
});

describe('an answer that nothing was found', () => {
  test('is on record with who asked, of which endpoint, in which request', async () => {
    await prober.get('/api/scans/cmp_none', { 'x-svc-correlation': 'probed-1' });
    expect(await notFoundTraces()).toMatchObject([
      {
        category: 'auth',
        principalId: PERSONA.platformAdmin,
        correlationId: 'probed-1',
        target: null,
        details: { method: 'GET', route: '/api/scans/:id', count: 1 },
        policyDecision: null,
      },
    ]);
  });

  test('is counted exactly, however many ask at once', async () => {
    const answers = await times(20, (n) => probe(`cmp_none_${n}`));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(await counts()).toEqual([
      { tenant_id: DEV, principal_id: PERSONA.platformAdmin, endpoint: 'scans-get', count: 20 },
    ]);
    expect((await notFoundTraces()).map(({ details }) => details.count)).toEqual([1, 10]);
  });

  test('leaves three events of 150, and one row', async () => {
    await times(150, (n) => probe(`cmp_none_${n}`));
    expect((await notFoundTraces()).map(({ details }) => details.count)).toEqual([1, 10, 100]);
    expect(await counts()).toMatchObject([{ count: 150 }]);
  });

  test('is the same for what is somebody else’s as for what is nobody’s', async () => {
    const left = async (id: string) => {
      await database.inspect(sql`delete from not_found_counts`);
      begun = await lastSeq();
      const { status, text } = await prober.get(`/api/scans/${id}`, { 'x-svc-correlation': 'same' });
      const events = (await notFoundTraces()).map((event) => ({ ...event, at: null }));
      return { status, text, events, counts: await counts() };
    };
    const [ofOther, ofNobody] = [await left(foreign), await left('cmp_none')];
    expect(ofOther).toEqual(ofNobody);
    expect(ofOther).toMatchObject({
      status: 404,
      events: [{ correlationId: 'same' }],
      counts: [{ count: 1 }],
    });
  });

  test('keeps nothing of the id, wherever it stood', async () => {
    await prober.request('HEAD', `/api/scans/cmp_${CANARY}`);
    await prober.post(`/api/scans/${CANARY}/pause`);
    await prober.post('/api/scans', { scopeId: `scp_${CANARY}`, kind: 'inventory' });
    // Longer than any id.
    await probe(CANARY.repeat(20));
    const owner = await service.signInAs(PERSONA.financeOwner);
    // Found out before the transaction, where the action is previewed.
    const action = { kind: 'internal_task', targetAssetId: `ast_${CANARY}`, justification: CANARY };
    expect((await owner.post('/api/actions', { ...action, taskTitle: CANARY })).status).toBe(404);
    expect((await notFoundTraces()).map(({ principalId, details }) => ({ principalId, ...details }))).toEqual(
      [
        { principalId: PERSONA.platformAdmin, method: 'GET', route: '/api/scans/:id', count: 1 },
        { principalId: PERSONA.platformAdmin, method: 'POST', route: '/api/scans/:id/pause', count: 1 },
        { principalId: PERSONA.platformAdmin, method: 'POST', route: '/api/scans', count: 1 },
        { principalId: PERSONA.financeOwner, method: 'POST', route: '/api/actions', count: 1 },
      ],
    );
    expect(await counts()).toContainEqual(expect.objectContaining({ endpoint: 'scans-get', count: 2 }));
    const kept = await database.inspect(sql`
      select record from audit_events union all select to_jsonb(c)::text from not_found_counts c`);
    expect(JSON.stringify([kept, service.logs])).not.toContain(CANARY);
  });

  test('is counted again once the hour since the first one is over', async () => {
    await times(9, (n) => probe(`cmp_none_${n}`));
    service.clock.advance(59 * MINUTE);
    await probe('cmp_none', await service.signInAs(PERSONA.platformAdmin));
    expect((await notFoundTraces()).map(({ details }) => details.count)).toEqual([1, 10]);
    service.clock.advance(MINUTE);
    await probe('cmp_none', await service.signInAs(PERSONA.platformAdmin));
    expect((await notFoundTraces()).map(({ details }) => details.count)).toEqual([1, 10, 1]);
    expect(await counts()).toMatchObject([{ count: 1 }]);
  });

  test('is counted for each person and endpoint, and in their own tenant', async () => {
    const stranger = await service.signInAs(inOther(PERSONA.platformAdmin));
    await probe('cmp_none');
    await probe(own, stranger);
    await prober.post(`/api/scans/${foreign}/pause`);
    expect(await counts()).toEqual([
      { tenant_id: DEV, principal_id: PERSONA.platformAdmin, endpoint: 'scans-get', count: 1 },
      { tenant_id: DEV, principal_id: PERSONA.platformAdmin, endpoint: 'scans-pause', count: 1 },
      { tenant_id: OTHER, principal_id: stranger.principalId, endpoint: 'scans-get', count: 1 },
    ]);
    expect((await notFoundTraces()).map(({ principalId }) => principalId)).toEqual([
      PERSONA.platformAdmin,
      PERSONA.platformAdmin,
    ]);
  });

  test('leaves no trace of who is not signed in, nor of a path that does not exist', async () => {
    expect((await service.anonymous.get('/api/scans/cmp_none')).status).toBe(401);
    expect((await service.anonymous.get('/api/nowhere')).status).toBe(404);
    expect((await prober.get('/api/nowhere/cmp_none')).status).toBe(404);
    expect((await prober.post('/api/nowhere/cmp_none')).status).toBe(404);
    // Found.
    expect((await probe(own)).status).toBe(200);
    expect([await counts(), await notFoundTraces()]).toEqual([[], []]);
  });

  test('leaves no trace of what exists in development only, outside it', async () => {
    const mutate = () =>
      prober.post('/api/dev/fixture/mutate', {
        action: 'delete',
        scopeExternalId: 'site-none',
        fileId: 'none',
      });
    await service.reconfigure({ SVC_AUTH_MODE: 'idp' });
    await database.inspect(sql`update sessions set auth_mode = 'idp'`);
    expect((await prober.get('/api/auth/me')).status).toBe(200);
    expect((await mutate()).status).toBe(404);
    await database.inspect(sql`update sessions set auth_mode = 'dev'`);
    await service.reconfigure({});
    expect([await counts(), await notFoundTraces()]).toEqual([[], []]);
    expect((await mutate()).status).toBe(404);
    expect(await notFoundTraces()).toMatchObject([{ details: { route: '/api/dev/fixture/mutate' } }]);
  });

  test('is the same answer where it cannot be counted, and the log says so', async () => {
    const usual = await probe('cmp_none', prober);
    await database.inspect(sql`revoke insert on not_found_counts from svc_app`);
    const uncounted = await prober.get('/api/scans/cmp_none', { 'x-svc-correlation': 'uncounted-1' });
    await database.inspect(sql`grant insert on not_found_counts to svc_app`);
    expect([uncounted.status, uncounted.text]).toEqual([404, usual.text]);
    expect(await counts()).toMatchObject([{ count: 1 }]);
    const lines = service.logs.map((line) => JSON.parse(line));
    expect(lines.filter(({ event }) => event === 'not_found_uncounted')).toMatchObject([
      {
        level: 'warn',
        route: '/api/scans/:id',
        tenantId: DEV,
        correlationId: 'uncounted-1',
        errorCode: '42501',
      },
    ]);
  });
});
