import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { clientStateOf } from '../../core/notifications/client-state.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const NOTIFICATIONS = '/api/webhooks/graph/notifications';
const LIFECYCLE = '/api/webhooks/graph/lifecycle';
const SIMULATE = '/api/dev/notifications/simulate';
const SECRET = 'a secret of these tests alone';

type List<T> = { items: T[] };
type Simulated = {
  subscriptionId: string;
  outcome: string;
  rejectReason: string | null;
  campaignId: string | null;
};
type Row = {
  change_type: string;
  outcome: string;
  reject_reason: string | null;
  source: string;
  campaign_id: string | null;
};

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
/** Scopes with an inventory; each test takes one of its own. */
let scopes: string[];

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 2 });
  service = await startService(database, { SVC_SESSION_SECRET: SECRET });
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const sources = await admin.get<List<{ scopeId: string; assetCount: number }>>('/api/sources');
  scopes = sources.body.items.map(({ scopeId }) => scopeId);
  for (const scopeId of scopes.slice(0, 6)) {
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  }
  await drain();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
// Past every deduplication window of the test before.
beforeEach(() => service.clock.advance(60_000));

const drain = () => service.drain();
const counters = () => service.runtime().metrics.snapshot().counters;
const scopeAt = (index: number) => scopes[index] ?? '';

/** A subscription that a source knows, of the scope's own. */
async function subscribed(scopeId: string): Promise<{ subscriptionId: string; externalId: string }> {
  expect((await admin.post('/api/admin/notifications/subscribe', { scopeId })).status).toBe(200);
  const [row] = await database.inspect<{ subscription_id: string; external_id: string }>(
    sql`select subscription_id, external_id from change_subscriptions where scope_id = ${scopeId} and not forced`,
  );
  return { subscriptionId: row?.subscription_id ?? '', externalId: row?.external_id ?? '' };
}
const itemOf = (
  { subscriptionId, externalId }: { subscriptionId: string; externalId: string },
  rest: object = { changeType: 'updated' },
) => ({ subscriptionId: externalId, clientState: clientStateOf(SECRET, subscriptionId), ...rest });
const rowsOf = (subscriptionId: string) =>
  database.inspect<Row>(sql`
    select change_type, outcome, reject_reason, source, campaign_id from change_notifications
     where subscription_id = ${subscriptionId} order by received_at, ctid`);
const statusOf = async (subscriptionId: string) =>
  (
    await database.inspect<{ status: string }>(
      sql`select status from change_subscriptions where subscription_id = ${subscriptionId}`,
    )
  )[0]?.status;

describe.each([NOTIFICATIONS, LIFECYCLE])('%s', (path) => {
  test('echoes the validation token as plain text, decoded as a form is', async () => {
    const answer = await service.anonymous.request(
      'POST',
      `${path}?validationToken=Validation%3A+one%2Btwo%20%3Cb%3E`,
      { headers: { 'content-type': 'text/plain' } },
    );
    expect(answer).toMatchObject({ status: 200, text: 'Validation: one+two <b>' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-svc-auth-mode')).toBe('dev');
  });

  test('echoes control characters, as plain text that no browser takes for more', async () => {
    const answer = await service.anonymous.request('POST', `${path}?validationToken=a%00b%0D%0Ac%1B%7F`, {});
    expect(answer).toMatchObject({ status: 200, text: 'a\0b\r\nc\x1b\x7f' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  test.each([
    ['too long', `validationToken=${'x'.repeat(3_000)}`],
    ['empty', 'validationToken='],
  ])('a token that is %s is none', async (_, query) => {
    const answer = await service.anonymous.request('POST', `${path}?${query}`, { body: {} });
    expect(answer).toMatchObject({ status: 202, text: '{}' });
    expect(answer.headers.get('location')).toBe('/api/admin/notifications/recent');
  });

  test.each<[string, string, string]>([
    ['malformed JSON', 'application/json', '{"value": ['],
    ['another media type', 'text/xml', '<value/>'],
    ['no media type', '', '{"value":[]}'],
    ['more than is read', 'application/json', JSON.stringify({ value: ['x'.repeat(600_000)] })],
    ['no list', 'application/json', '{"value": 7}'],
    ['a word', 'application/json', '"value"'],
    ['null', 'application/json', 'null'],
    ['a deep one', 'application/json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    [
      'items of every kind',
      'application/json',
      '{"value":[null,1,"a",[],{},{"subscriptionId":7},{"subscriptionId":"\\u0000","lifecycleEvent":"missed"},{"subscriptionId":"x","clientState":"\\ud800","lifecycleEvent":"missed"}]}',
    ],
    ['nothing', 'application/json', ''],
  ])('a body that is %s is accepted, and no answer says what is wrong with it', async (_, type, body) => {
    const answer = await service.anonymous.request('POST', path, { headers: { 'content-type': type }, body });
    expect(answer).toMatchObject({ status: 202, text: '{}' });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('asks no session for a token, holds or not, and looks none up', async () => {
    const { cookie } = admin;
    for (const headers of [{ cookie }, { cookie, 'x-svc-csrf': 'wrong' }, { cookie: 'svc_session=a.b' }]) {
      expect((await service.anonymous.post(path, { value: [] }, headers)).status).toBe(202);
    }
    const seen = () => database.inspect(sql`select last_seen_at from sessions order by session_hash`);
    const before = await seen();
    service.clock.advance(30 * 60_000);
    await service.anonymous.post(path, { value: [] }, { cookie });
    expect(await seen()).toEqual(before);
    admin = await service.signInAs(PERSONA.platformAdmin);
  });

  test('other methods are refused as everywhere', async () => {
    expect((await service.anonymous.get(`${path}?validationToken=x`)).status).toBe(405);
  });
});

describe('change notifications', () => {
  test('of an unknown subscription or a wrong state leave nothing but a metric', async () => {
    const known = await subscribed(scopeAt(0));
    const item = itemOf(known);
    const before = counters();
    await service.anonymous.post(NOTIFICATIONS, {
      value: [
        { ...item, subscriptionId: 'nobodys' },
        { ...item, clientState: 'wrong' },
        { ...item, clientState: undefined },
        { ...item, clientState: `${item.clientState}0` },
        { ...item, clientState: clientStateOf('another secret', known.subscriptionId) },
        { ...item, clientState: { toString: 1 } },
      ],
    });
    const counted = (name: string) => (counters()[name] ?? 0) - (before[name] ?? 0);
    expect(counted('change_notification:rejected:unknown_subscription')).toBe(1);
    expect(counted('change_notification:rejected:client_state_mismatch')).toBe(5);
    expect(await rowsOf(known.subscriptionId)).toEqual([]);
  });

  test('start one delta; what repeats within ten seconds is recorded as such', async () => {
    const known = await subscribed(scopeAt(0));
    const item = itemOf(known, { changeType: 'updated', resource: 'drives/x', tenantId: 'y', more: [1] });
    expect((await service.anonymous.post(NOTIFICATIONS, { value: [item, item] })).status).toBe(202);
    service.clock.advance(5_000);
    await service.anonymous.post(NOTIFICATIONS, [item]);
    const [first, ...others] = await rowsOf(known.subscriptionId);
    expect(first).toMatchObject({ outcome: 'reconcile_enqueued', change_type: 'updated', source: 'live' });
    expect(others).toHaveLength(2);
    for (const row of others) expect(row).toMatchObject({ outcome: 'deduplicated', campaign_id: null });

    await drain();
    const scan = await admin.get(`/api/scans/${first?.campaign_id}`);
    expect(scan.body).toMatchObject({ kind: 'delta', status: 'completed', scopeId: scopeAt(0) });
    // The window is ten seconds from the last hint that was not itself a repeat.
    service.clock.advance(5_000);
    await service.anonymous.post(NOTIFICATIONS, { value: [item] });
    expect((await rowsOf(known.subscriptionId)).at(-1)).toMatchObject({ outcome: 'reconcile_enqueued' });
    await drain();
  });

  test('another type is no repeat; an unknown type is `other`; `missed` is refused', async () => {
    const known = await subscribed(scopeAt(1));
    const words = ['created', 'deleted', 'updated', 'missed', 'weird', 7, 'other'];
    await service.anonymous.post(NOTIFICATIONS, {
      value: words.map((changeType) => itemOf(known, { changeType })),
    });
    expect(
      (await rowsOf(known.subscriptionId)).map((row) => [row.change_type, row.outcome, row.reject_reason]),
    ).toEqual([
      ['created', 'reconcile_enqueued', null],
      ['deleted', 'reconcile_skipped', 'scan_already_active'],
      ['updated', 'reconcile_skipped', 'scan_already_active'],
      ['other', 'reconcile_skipped', 'scan_already_active'],
      ['other', 'deduplicated', null],
      ['other', 'deduplicated', null],
      ['other', 'deduplicated', null],
    ]);
    await drain();
  });

  test('fifty at once make one campaign', async () => {
    const known = await subscribed(scopeAt(2));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] }, { 'x-svc-correlation': 'cor-1' }),
      ),
    );
    for (const { status } of answers) expect(status).toBe(202);
    await expect.poll(async () => (await rowsOf(known.subscriptionId)).length).toBe(50);
    const outcomes = (await rowsOf(known.subscriptionId)).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'reconcile_enqueued')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'deduplicated')).toHaveLength(49);
    await drain();
    const campaigns = await database.inspect<{ created_by: null; correlation_id: string }>(sql`
      select created_by, correlation_id from campaigns where scope_id = ${scopeAt(2)} and kind = 'delta'`);
    expect(campaigns).toEqual([{ created_by: null, correlation_id: 'cor-1' }]);
  });

  test('are audited as what they start, by nobody', async () => {
    const known = await subscribed(scopeAt(3));
    await service.anonymous.post(
      NOTIFICATIONS,
      { value: [itemOf(known)] },
      { 'x-svc-correlation': 'audited' },
    );
    const auditor = await service.signInAs(PERSONA.auditor);
    const events = await auditor.get<List<Record<string, unknown>>>('/api/audit?category=scan');
    expect(events.body.items[0]).toMatchObject({
      type: 'scan_started',
      principalId: null,
      correlationId: 'audited',
      details: { scopeId: scopeAt(3), kind: 'delta', origin: 'change_notification' },
    });
    expect((await auditor.get('/api/audit/verify')).body).toMatchObject({ ok: true });
    await drain();
  });

  test('of a removed subscription are unknown; of an expired one they still count', async () => {
    const known = await subscribed(scopeAt(4));
    const set = (status: string) =>
      database.inspect(
        sql`update change_subscriptions set status = ${status} where subscription_id = ${known.subscriptionId}`,
      );
    await set('removed');
    await service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] });
    expect(await rowsOf(known.subscriptionId)).toEqual([]);
    await set('expired');
    await service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] });
    expect(await rowsOf(known.subscriptionId)).toHaveLength(1);
    await set('active');
    await drain();
  });

  test('without an inventory have no cursor to start from', async () => {
    const known = await subscribed(scopeAt(7));
    await service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] });
    expect(await rowsOf(known.subscriptionId)).toMatchObject([{ reject_reason: 'no_delta_cursor' }]);
  });

  test('of a scope that the configuration no longer selects have no scope', async () => {
    const known = await subscribed(scopeAt(5));
    await database.inspect(sql`update scopes set selected = false where scope_id = ${scopeAt(5)}`);
    await service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] });
    expect(await rowsOf(known.subscriptionId)).toMatchObject([{ reject_reason: 'no_scope' }]);
    await database.inspect(sql`update scopes set selected = true where scope_id = ${scopeAt(5)}`);
  });
});

describe('lifecycle events', () => {
  const send = (...value: object[]) => service.anonymous.post(LIFECYCLE, { value });

  test('move the subscription; a wrong state moves nothing and counts nothing', async () => {
    const known = await subscribed(scopeAt(0));
    const before = counters();
    const counted = (event: string) =>
      (counters()[`change_lifecycle:${event}`] ?? 0) - (before[`change_lifecycle:${event}`] ?? 0);
    await send({ ...itemOf(known, { lifecycleEvent: 'subscriptionRemoved' }), clientState: 'wrong' });
    await send({
      ...itemOf(known, { lifecycleEvent: 'reauthorizationRequired' }),
      subscriptionId: 'nobodys',
    });
    await send(itemOf(known, { lifecycleEvent: 'neverHeardOf' }));
    expect(await statusOf(known.subscriptionId)).toBe('active');
    expect([counted('reauthorizationRequired'), counted('subscriptionRemoved')]).toEqual([0, 0]);

    await send(itemOf(known, { lifecycleEvent: 'reauthorizationRequired' }));
    expect(await statusOf(known.subscriptionId)).toBe('expiring');
    await send(itemOf(known, { lifecycleEvent: 'subscriptionRemoved' }));
    expect(await statusOf(known.subscriptionId)).toBe('removed');
    expect([counted('reauthorizationRequired'), counted('subscriptionRemoved')]).toEqual([1, 1]);
    const auditor = await service.signInAs(PERSONA.auditor);
    const events = await auditor.get<List<{ type: string }>>('/api/audit?category=config');
    expect(events.body.items.slice(0, 2).map(({ type }) => type)).toEqual([
      'subscription_removed',
      'subscription_expiring',
    ]);
  });

  test('`missed` forces a delta, repeats no ordinary hint and leaves the status alone', async () => {
    const known = await subscribed(scopeAt(1));
    const before = counters()['change_lifecycle:missed'] ?? 0;
    await service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] });
    await drain();
    service.clock.advance(1_000);
    await send(itemOf(known, { lifecycleEvent: 'missed' }));
    expect((await rowsOf(known.subscriptionId)).at(-1)).toMatchObject({
      change_type: 'missed',
      outcome: 'reconcile_enqueued',
    });
    expect(await statusOf(known.subscriptionId)).toBe('active');
    expect(counters()['change_lifecycle:missed']).toBe(before + 1);
    await drain();
  });
});

describe('POST /api/dev/notifications/simulate', () => {
  test('goes the way of a notification and is measured to the end of the delta', async () => {
    const scopeId = scopeAt(5);
    const first = await admin.post<Simulated>(SIMULATE, { scopeId });
    expect(first).toMatchObject({ status: 200, body: { outcome: 'reconcile_enqueued', rejectReason: null } });
    const again = await admin.post<Simulated>(SIMULATE, { scopeId });
    expect(again.body).toMatchObject({
      outcome: 'deduplicated',
      subscriptionId: first.body.subscriptionId,
      campaignId: null,
    });
    const lags = () => {
      const histograms = service.runtime().metrics.snapshot().histograms;
      return Object.fromEntries(histograms.map(({ name, count, max }) => [name, { count, max }]));
    };
    const before = lags();
    expect(before.notification_receive_lag_ms).toMatchObject({ max: 0 });
    service.clock.advance(7_000);
    await drain();
    const measured = lags().notification_reconcile_lag_ms;
    expect(measured?.count).toBe((before.notification_reconcile_lag_ms?.count ?? 0) + 1);
    expect(measured?.max).toBeGreaterThanOrEqual(7_000);

    const recent = await admin.get<List<Record<string, unknown>>>('/api/admin/notifications/recent');
    const [, mine] = recent.body.items;
    expect(mine).toMatchObject({ outcome: 'reconcile_enqueued', source: 'simulated', changeType: 'updated' });
    expect(mine?.reconcileLagMs).toBeGreaterThanOrEqual(7_000);
  });

  test('is skipped while a scan is active', async () => {
    const scopeId = scopeAt(3);
    await admin.post('/api/scans', { scopeId, kind: 'inventory' });
    expect((await admin.post<Simulated>(SIMULATE, { scopeId })).body).toMatchObject({
      outcome: 'reconcile_skipped',
      rejectReason: 'scan_already_active',
      campaignId: null,
    });
    await drain();
  });

  test('is refused in words for a scope that is not selected any more', async () => {
    const scopeId = scopeAt(5);
    const select = (selected: boolean) =>
      database.inspect(sql`update scopes set selected = ${selected} where scope_id = ${scopeId}`);
    await select(false);
    const { status, body } = await admin.post<{ message: string }>(SIMULATE, { scopeId });
    await select(true);
    expect([status, body.message]).toEqual([409, expect.stringContaining('Connect its source again')]);
  });

  test('is for those who are signed in, in their own tenant, in development', async () => {
    const scopeId = scopeAt(0);
    expect((await service.anonymous.post(SIMULATE, { scopeId })).status).toBe(401);
    const theirs = await service.signInAs(inOther(PERSONA.platformAdmin));
    expect((await theirs.post(SIMULATE, { scopeId })).status).toBe(404);
    expect((await admin.post(SIMULATE, {})).status).toBe(400);
    await service.reconfigure({ SVC_ENV: 'production', SVC_AUTH_MODE: 'idp', SVC_SESSION_SECRET: SECRET });
    expect((await service.anonymous.post(SIMULATE, { scopeId })).status).toBe(404);
    await service.reconfigure({});
  });
});

/** What a source waits for, at most. */
const WITHIN_MS = 1_500;

describe('however long it takes, the answer comes in time:', () => {
  /** How many answers could still be late. */
  const arrived = () => vi.mocked(setTimeout).mock.calls.filter(([, ms]) => ms === WITHIN_MS).length;

  // The sockets are real; time goes by when a test says so.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(globalThis, 'setTimeout');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test('while the database is slow, it is 202, and the work goes on after it', async () => {
    const known = await subscribed(scopeAt(2));
    const before = (await rowsOf(known.subscriptionId)).length;
    await withClient(database.adminUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table change_subscriptions');
      const answers = Array.from({ length: 4 }, () =>
        service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] }),
      );
      await expect.poll(arrived).toBe(4);
      await vi.advanceTimersByTimeAsync(WITHIN_MS);
      for (const { status } of await Promise.all(answers)) expect(status).toBe(202);
      // However many wait, others have a connection left.
      expect((await admin.get('/api/auth/me')).status).toBe(200);
      await client.query('rollback');
    });
    await expect.poll(async () => (await rowsOf(known.subscriptionId)).length - before).toBe(4);
    await drain();
  });

  test('more than may wait is dropped, told in the log and answered like anything', async () => {
    const value = Array.from({ length: 1_000 }, (_, n) => ({ subscriptionId: `guess-${n}` }));
    const looked = () => counters()['change_notification:rejected:unknown_subscription'] ?? 0;
    const before = looked();
    await withClient(database.adminUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table change_subscriptions');
      const answers = Array.from({ length: 23 }, () => service.anonymous.post(NOTIFICATIONS, { value }));
      await expect.poll(arrived).toBe(23);
      await vi.advanceTimersByTimeAsync(WITHIN_MS);
      for (const { status } of await Promise.all(answers)) expect(status).toBe(202);
      expect(service.logs.filter((line) => line.includes('"hint_lost"'))).toHaveLength(3);
      await client.query('rollback');
    });
    await expect.poll(() => looked() - before).toBe(20_000);
  });

  test('while the database is away, it is 202 all the same, and no time goes by', async () => {
    const known = await subscribed(scopeAt(0));
    await service.reconfigure({ SVC_DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' });
    const lost = () => service.logs.filter((line) => line.includes('"hint_lost"')).length;
    const before = lost();
    const answer = await service.anonymous.post(NOTIFICATIONS, { value: [itemOf(known)] });
    expect(answer.status).toBe(202);
    await expect.poll(() => lost() - before).toBe(1);
    await service.reconfigure({});
  });
});
