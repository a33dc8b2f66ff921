import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { sweepRetention } from '../../core/retention/sweep.ts';
import type { TelemetryPayload } from '../../core/support/payload.ts';
import { sendTelemetry } from '../../core/support/send.ts';
import type { TelemetryStatus } from '../../core/support/status.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DAY_MS, entitlement, LICENSED } from '../support/entitlements.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { startReceiver } from '../support/receiver.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PREVIEW = '/api/controlplane/telemetry-preview';
const TELEMETRY = '/api/controlplane/telemetry';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let answer: (response: ServerResponse) => unknown;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 3 });
  service = await startService(database, LICENSED);
  await (await service.signInAs(PERSONA.platformAdmin)).post('/api/sources/connect', {});
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(async () => {
  answer = (response) => response.writeHead(202).end();
  receiver = await startReceiver((response) => answer(response));
  await database.inspect(sql`delete from telemetry_sent`);
  await database.inspect(sql`delete from licenses`);
  await service.reconfigure({ SVC_TELEMETRY_URL: receiver.url });
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.patch(TELEMETRY, { optedOut: false });
});
afterEach(() => receiver.close());

const license = async (telemetry: boolean) =>
  admin.post('/api/controlplane/activate', { token: await entitlement(service.clock.now(), { telemetry }) });
const send = () => sendTelemetry(service.runtime());
const status = async () => (await admin.get<TelemetryStatus>(TELEMETRY)).body;
/** The next day. Sessions end by then. */
const nextDay = async () => {
  service.clock.advance(DAY_MS);
  admin = await service.signInAs(PERSONA.platformAdmin);
};
const audited = async (type: string) => {
  const rows = await database.inspect<{ record: string }>(sql`
    select record from audit_events where tenant_id = ${DEV} and record::jsonb #>> '{event,type}' = ${type} order by seq`);
  return rows.map(({ record }) => JSON.parse(record).event);
};

describe('what is sent', () => {
  test('is, byte for byte, what the preview showed, and it is kept to be looked at', async () => {
    await license(true);
    const { text: previewed, headers } = await admin.get(PREVIEW);
    expect(headers.get('content-type')).toContain('application/json');
    await send();
    expect(receiver.received.map(({ method, url, text }) => [method, url, text])).toEqual([
      ['POST', '/', previewed],
    ]);
    expect(receiver.received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(previewed)),
    });
    expect(await status()).toMatchObject({
      ...{ isSent: true, unsentBecause: null, address: receiver.url, optedOutAt: null },
      sent: { items: [{ payload: previewed, outcome: 'accepted' }], truncated: false },
    });
    expect((await audited('telemetry_sent')).at(-1)).toMatchObject({
      ...{ category: 'config', principalId: null, details: { outcome: 'accepted' } },
    });
    expect(service.logs.join('')).toContain('telemetry_sent');
  });

  test('names nobody and nothing of the customer', async () => {
    await license(true);
    const names = await database.inspect<{ name: string }>(sql`
      select tenant_id as name from tenants union all select name from tenants
      union all select display_name from principals union all select name from scopes union all select name from assets`);
    await send();
    const text = receiver.received[0]?.text ?? '';
    expect(text).toContain('"productVersion"');
    for (const { name } of names.filter((row) => row.name.length > 3)) expect(text).not.toContain(name);
    const requested = JSON.stringify(receiver.received[0]?.headers);
    expect(requested).not.toContain(DEV);
    expect(requested).not.toMatch(/cookie|authorization|correlation|traceparent/);
  });

  test('goes out once a day, however many processes send', async () => {
    await license(true);
    await Promise.all([send(), send(), send()]);
    await send();
    expect(receiver.received).toHaveLength(1);
    await nextDay();
    await Promise.all([send(), send()]);
    expect(receiver.received).toHaveLength(2);
    expect((await status()).sent.items).toHaveLength(2);
  });

  test.each<[string, string, (response: ServerResponse) => unknown]>([
    ['refuses with 403', 'refused', (response) => response.writeHead(403).end('no')],
    ['fails with 500', 'failed', (response) => response.writeHead(500).end('no')],
    [
      'sends the caller elsewhere',
      'failed',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['breaks the connection', 'unreachable', (response) => response.destroy()],
  ])('to a receiver who %s is told as that, and not repeated', async (_, outcome, faulty) => {
    answer = faulty;
    await license(true);
    await send();
    await send();
    expect(receiver.received).toHaveLength(1);
    expect((await status()).sent.items).toMatchObject([{ outcome }]);
    expect((await audited('telemetry_sent')).at(-1)).toMatchObject({ details: { outcome } });
    expect(service.logs.join('')).toContain('telemetry_not_accepted');
  });

  test('to a receiver who does not answer in time is told as that', async () => {
    answer = () => undefined;
    await license(true);
    const { timeout } = AbortSignal;
    const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    try {
      await send();
      expect(limit).toHaveBeenCalledWith(10_000);
    } finally {
      limit.mockRestore();
    }
    expect((await status()).sent.items).toMatchObject([{ outcome: 'timeout' }]);
  });

  test('has the age of the last scan, which a rescore after an answer is not', async () => {
    const lastScan = async () => (await admin.get<TelemetryPayload>(PREVIEW)).body.health.lastCompletedScan;
    const at = new Date(service.clock.now());
    await database.inspect(sql`
      insert into campaigns (campaign_id, tenant_id, kind, status, correlation_id, created_at, finished_at)
      values ('cmp_rescore', ${DEV}, 'rescore', 'completed', 'cor_1', ${at}, ${at})`);
    expect(await lastScan()).toBe('none');
    await database.inspect(sql`
      insert into campaigns (campaign_id, tenant_id, scope_id, kind, status, correlation_id, created_at, finished_at)
      select 'cmp_delta', ${DEV}, min(scope_id), 'delta', 'completed', 'cor_1', ${at}, ${at} from scopes`);
    expect(await lastScan()).toBe('under_1_hour');
  });

  test('is kept for 90 days', async () => {
    await license(true);
    await send();
    const sweep = (days: number) => {
      const { config, db } = service.runtime();
      const later = () => service.clock.now() + days * DAY_MS;
      return sweepRetention(
        { config, db, clock: later },
        { signal: new AbortController().signal, budgetMs: 60_000 },
      );
    };
    const kept = () => database.inspect(sql`select from telemetry_sent`);
    await sweep(89);
    expect(await kept()).toHaveLength(1);
    await sweep(91);
    expect(await kept()).toHaveLength(0);
  });
});

describe('nothing is sent', () => {
  test.each([
    ['without a license', 'not_in_terms', async () => undefined],
    ['if the terms do not ask for it', 'not_in_terms', () => license(false)],
    [
      'after the license was deactivated',
      'not_in_terms',
      async () => {
        await license(true);
        await admin.post('/api/controlplane/deactivate');
      },
    ],
    [
      'after the grace window',
      'not_in_terms',
      async () => {
        await license(true);
        const endsAt = new Date(service.clock.now() - 15 * DAY_MS).toISOString();
        const ended = await entitlement(service.clock.now() - 100 * DAY_MS, { telemetry: true, endsAt });
        await database.inspect(sql`update licenses set entitlement = ${ended}`);
      },
    ],
    [
      'without an address',
      'no_address',
      async () => {
        await license(true);
        await service.reconfigure({});
        admin = await service.signInAs(PERSONA.platformAdmin);
      },
    ],
    [
      'after an opt-out',
      'opted_out',
      async () => {
        await license(true);
        await admin.patch(TELEMETRY, { optedOut: true });
      },
    ],
  ])('%s, and the preview works', async (_, reason, bringAbout) => {
    await bringAbout();
    await send();
    expect(receiver.received).toEqual([]);
    expect(await status()).toMatchObject({ isSent: false, unsentBecause: reason, sent: { items: [] } });
    expect((await admin.get(PREVIEW)).status).toBe(200);
  });
});

describe('the opt-out', () => {
  const deploymentNow = async () => (await admin.get<{ deployment: string }>(PREVIEW)).body.deployment;

  test('replaces the pseudonym, is audited once, and can be taken back', async () => {
    const before = await deploymentNow();
    const audits = async () => (await audited('telemetry_opted_out')).length;
    const known = await audits();
    const { body } = await admin.patch<TelemetryStatus>(TELEMETRY, { optedOut: true });
    expect(body.optedOutAt).not.toBeNull();
    await admin.patch(TELEMETRY, { optedOut: true });
    expect(await audits()).toBe(known + 1);
    const after = await deploymentNow();
    expect(after).not.toBe(before);
    await admin.patch(TELEMETRY, { optedOut: false });
    expect((await audited('telemetry_opted_in')).at(-1)).toMatchObject({
      principalId: PERSONA.platformAdmin,
    });
    expect(await deploymentNow()).toBe(after);
    expect((await status()).optedOutAt).toBeNull();
  });

  test('waits for a payload that is being made, and tells of it', async () => {
    await license(true);
    await withClient(database.adminUrl, async (locker) => {
      await locker.query('begin; lock table scopes in access exclusive mode');
      const sending = send();
      await expect.poll(() => lockWaits(database, 'from scopes')).toBe(1);
      const optingOut = admin.patch<TelemetryStatus>(TELEMETRY, { optedOut: true });
      await expect.poll(() => lockWaits(database, 'update tenants')).toBe(1);
      await locker.query('rollback');
      expect((await optingOut).body.sent.items).toHaveLength(1);
      await sending;
    });
    await nextDay();
    await send();
    expect(receiver.received).toHaveLength(1);
  });

  test('needs telemetry.manage, and the preview telemetry.read', async () => {
    const statuses = async (persona: string) => {
      const who = await service.signInAs(persona);
      const { status: changed } = await who.patch(TELEMETRY, { optedOut: false });
      return [(await who.get(PREVIEW)).status, (await who.get(TELEMETRY)).status, changed];
    };
    expect(await statuses(PERSONA.governanceAdmin)).toEqual([200, 200, 200]);
    expect(await statuses(PERSONA.auditor)).toEqual([200, 200, 403]);
    expect(await statuses(PERSONA.financeOwner)).toEqual([403, 403, 403]);
  });
});
