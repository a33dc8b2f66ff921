import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { ConnectorError } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { clientStateOf } from '../../core/notifications/client-state.ts';
import { expireSubscriptions } from '../../core/notifications/expire.ts';
import { findHint } from '../../core/notifications/hints.sql.ts';
import { listNotifications } from '../../core/notifications/notification-list.sql.ts';
import { lastAccepted, recordNotification } from '../../core/notifications/notifications.sql.ts';
import type { SubscriptionParts } from '../../core/notifications/notifier.ts';
import { renewDue, renewSubscriptions } from '../../core/notifications/renew.ts';
import { resubscribe, resubscribeAll } from '../../core/notifications/resubscribe.ts';
import { completeSubscription, registerSubscription } from '../../core/notifications/subscribe.ts';
import { listSubscriptions } from '../../core/notifications/subscription-list.sql.ts';
import {
  claimDueRenewals,
  findByExternalIds,
  forceMockSubscription,
  lockSubscription,
  moveSubscription,
} from '../../core/notifications/subscriptions.sql.ts';
import { createMetrics, type Metrics } from '../../core/observability/metrics.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noGraph } from '../support/graph/no-graph.ts';
import { type NotifyingSource, notifyingSource } from '../support/notifying-source.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let database: TestDatabase;
let now: number;
let tenantId: TenantId;
let scopeId: ScopeId;
let source: NotifyingSource;
let metrics: Metrics;
let parts: SubscriptionParts;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let tenants = 0;
beforeEach(async () => {
  // A day for each test, so that a sweep over all tenants finds nothing to renew of the former ones.
  now = Date.parse('2026-01-05T08:00:00Z') + ++tenants * DAY;
  tenantId = `tenant${tenants}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  source = notifyingSource();
  metrics = createMetrics();
  parts = {
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    graph: noGraph,
    fixture: fixtureCompany,
    db: database.db,
    clock: () => now,
    metrics,
    connectorOf: () => source.connector,
  };
});

const inTenant = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);
const subscribe = async () => {
  const registration = await registerSubscription(parts, tenantId, scopeId);
  return inTenant((tx) => completeSubscription(tx, registration));
};
const sweep = { signal: new AbortController().signal, budgetMs: MINUTE };
const renew = () => renewDue(parts, tenantId, sweep);
const listed = () => inTenant((tx) => listSubscriptions(tx, 10));
const counters = () => metrics.snapshot().counters;
const move = (subscriptionId: string, trigger: Parameters<typeof moveSubscription>[2]) =>
  inTenant(async (tx) => {
    const subscription = await lockSubscription(tx, subscriptionId);
    return subscription && moveSubscription(tx, subscription, trigger);
  });
const refused = (safeDiagnostic: string) => Promise.reject(new ConnectorError('permanent', safeDiagnostic));
/** The first so many calls of the source are refused. */
const refuseFirst = (calls: number, safeDiagnostic = 'graph_subscription_renew_400') => {
  let left = calls;
  source.before = async () => {
    if (left-- > 0) await refused(safeDiagnostic);
  };
};
const throttled = (retryAfterMs: number | null) =>
  Promise.reject(new ConnectorError('throttled', 'source_throttled', retryAfterMs));

describe('subscribing', () => {
  test('has the row before the source is called, and the source gets the state from it', async () => {
    let rows: { subscription_id: string; status: string | null; client_state: boolean }[] = [];
    source.before = async () => {
      rows = await database.inspect(sql`
        select subscription_id, status from change_subscriptions where tenant_id = ${tenantId}`);
    };
    const { subscription, created } = await subscribe();
    expect(rows).toEqual([{ subscription_id: subscription.subscriptionId, status: null }]);
    expect(created).toBe(true);
    expect(source.subscribed).toEqual([
      expect.objectContaining({
        scopeExternalId: 'site-1',
        clientState: clientStateOf(parts.config.SVC_SESSION_SECRET, subscription.subscriptionId),
        expiresAt: new Date(now + 60 * MINUTE),
      }),
    ]);
    expect(await listed()).toMatchObject([
      { scopeId, status: 'active', expiresAt: new Date(now + 60 * MINUTE).toISOString(), renewedAt: null },
    ]);
  });

  test('makes one, however many ask at once, and the source is asked once', async () => {
    const ids = new Set<string>();
    let created = 0;
    const ask = async () => {
      const answer = await subscribe();
      ids.add(answer.subscription.subscriptionId);
      if (answer.created) created++;
    };
    await Promise.all(Array.from({ length: 10 }, ask));
    expect({ ids: ids.size, created, asked: source.subscribed.length }).toEqual({
      ids: 1,
      created: 1,
      asked: 1,
    });
  });

  test('a crash after the call leaves a hidden row that the next registration takes up', async () => {
    const lost = await registerSubscription(parts, tenantId, scopeId);
    expect(await listed()).toEqual([]);
    now += 61_000;
    const { subscription, created } = await subscribe();
    expect(created).toBe(true);
    expect(lost).toMatchObject({ kind: 'confirmed', claim: { subscriptionId: subscription.subscriptionId } });
    // The answer that was lost comes after all: it changes nothing, and is told what there is.
    const late = await inTenant((tx) => completeSubscription(tx, lost));
    expect(late).toMatchObject({ created: false, subscription: { externalId: subscription.externalId } });
  });

  test('what the source refuses leaves nothing shown, and may be tried again at once', async () => {
    source.before = () => throttled(1000);
    await expect(subscribe()).rejects.toThrow('source_throttled');
    expect(await listed()).toEqual([]);
    source.before = async () => undefined;
    expect((await subscribe()).created).toBe(true);
    expect((await listed())[0]?.lastError).toBeNull();
  });

  test.each(['subscriptionRemoved', 'renewal_failed', 'lapsed'] as const)(
    'after %s it registers again, and notifications of the former one are unknown',
    async (trigger) => {
      const before = (await subscribe()).subscription;
      await move(before.subscriptionId, trigger);
      now += 1000;
      const after = await subscribe();
      expect(after.created).toBe(true);
      expect(after.subscription).toMatchObject({ subscriptionId: before.subscriptionId, status: 'active' });
      const found = await withEngineTx(database.db, (tx) =>
        findByExternalIds(tx, [before.externalId, after.subscription.externalId, 'nobody'].map(String)),
      );
      expect(found).toEqual([
        expect.objectContaining({ tenantId, externalId: after.subscription.externalId, status: 'active' }),
      ]);
    },
  );

  test('in every other state the existing one is returned, and the source is not asked', async () => {
    const { subscription } = await subscribe();
    await move(subscription.subscriptionId, 'reauthorizationRequired');
    expect(await subscribe()).toMatchObject({ created: false, subscription: { status: 'expiring' } });
    expect(source.subscribed).toHaveLength(1);
  });

  test('a source that never notifies is refused, in words that tell what does', async () => {
    const { notifications: _, ...connector } = source.connector;
    parts = { ...parts, connectorOf: () => connector };
    await expect(subscribe()).rejects.toThrow(/does not support change notifications.*SVC_DELTA_SCHEDULE/);
    await expect(registerSubscription(parts, tenantId, 'scp_none')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('renewing', () => {
  test('begins once less than 20 minutes remain', async () => {
    await subscribe();
    now += 40 * MINUTE;
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 0 });
    now += 1;
    expect(await renew()).toEqual({ renewed: 1, failed: 0, postponed: 0 });
    expect(await listed()).toMatchObject([
      {
        status: 'active',
        renewedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + 60 * MINUTE).toISOString(),
      },
    ]);
    expect(counters()).toEqual({ 'change_subscription_renewed:mock': 1 });
  });

  test('begins at once where the source wants it authorized again', async () => {
    const { subscription } = await subscribe();
    now += MINUTE;
    await move(subscription.subscriptionId, 'reauthorizationRequired');
    expect(await listed()).toMatchObject([{ status: 'expiring' }]);
    await renewSubscriptions(parts, { signal: new AbortController().signal, budgetMs: MINUTE });
    expect(await listed()).toMatchObject([
      { status: 'active', expiresAt: new Date(now + 60 * MINUTE).toISOString() },
    ]);
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 0 });
  });

  test.each(['graph_subscription_renew_400', 'graph_subscription_renew_404', 'graph_subscription_renew_308'])(
    'asks a second time after %s',
    async (diagnostic) => {
      await subscribe();
      now += 45 * MINUTE;
      refuseFirst(1, diagnostic);
      expect(await renew()).toEqual({ renewed: 1, failed: 0, postponed: 0 });
      expect(await listed()).toMatchObject([{ status: 'active', lastError: null }]);
      expect(source.renewed).toHaveLength(2);
    },
  );

  test('that fails leads to an error, audited and counted', async () => {
    const { subscription } = await subscribe();
    now += 45 * MINUTE;
    source.before = () => throttled(null);
    expect(await renew()).toEqual({ renewed: 0, failed: 1, postponed: 0 });
    expect(await listed()).toMatchObject([{ status: 'error', lastError: 'renew_failed' }]);
    expect(counters()).toEqual({ change_subscription_renew_failed: 1 });
    const events = await database.inspect<{ record: string }>(
      sql`select record from audit_events where tenant_id = ${tenantId}`,
    );
    expect(events.map(({ record }) => JSON.parse(record).event)).toMatchObject([
      {
        category: 'config',
        type: 'subscription_renew_failed',
        principalId: null,
        target: { id: subscription.subscriptionId },
      },
    ]);
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 0 });
  });

  test('a source that asks to wait is asked again then, unless that would be too late', async () => {
    await subscribe();
    now += 45 * MINUTE;
    source.before = () => throttled(5 * MINUTE);
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 1 });
    now += 4 * MINUTE;
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 0 });
    now += MINUTE;
    source.before = () => throttled(10 * MINUTE);
    expect(await renew()).toEqual({ renewed: 0, failed: 1, postponed: 0 });
    expect(source.renewed).toHaveLength(2);
  });

  test('a source that grants hardly any time is not asked again at once', async () => {
    await subscribe();
    now += 45 * MINUTE;
    source.before = () => throttled(0);
    expect(await renew()).toMatchObject({ postponed: 1 });
    now += MINUTE;
    source.before = async () => undefined;
    source.grant = () => new Date(now + 2 * MINUTE);
    expect(await renew()).toMatchObject({ renewed: 1 });
    expect(source.renewed).toHaveLength(2);
    now += MINUTE;
    expect(await renew()).toMatchObject({ renewed: 1 });
  });

  test('after a change of the secret registers again, and fails as a renewal does', async () => {
    const { subscription } = await subscribe();
    const SVC_SESSION_SECRET = 'the session secret after';
    parts = { ...parts, config: { ...parts.config, SVC_SESSION_SECRET } };
    now += 45 * MINUTE;
    source.before = () => throttled(5 * MINUTE);
    expect(await renew()).toMatchObject({ postponed: 1 });
    now += 5 * MINUTE;
    source.before = async () => undefined;
    expect(await renew()).toMatchObject({ renewed: 1 });
    const expiresAt = new Date(now + 60 * MINUTE);
    expect(source.subscribed.at(-1)).toMatchObject({
      scopeExternalId: 'site-1',
      clientState: clientStateOf(SVC_SESSION_SECRET, subscription.subscriptionId),
      expiresAt,
    });
    expect(await listed()).toMatchObject([{ status: 'active', expiresAt: expiresAt.toISOString() }]);
    expect((await listed())[0]?.sourceSubscriptionId).not.toBe(subscription.externalId);

    parts = { ...parts, config: { ...parts.config, SVC_SESSION_SECRET: 'a third one' } };
    now += 45 * MINUTE;
    source.before = () => throttled(null);
    expect(await renew()).toMatchObject({ failed: 1 });
    expect([await listed(), source.renewed]).toMatchObject([[{ lastError: 'renew_failed' }], []]);
  });

  test('two sweeps at once ask the source once', async () => {
    await subscribe();
    now += 45 * MINUTE;
    const tallies = await Promise.all([renew(), renew(), renewSubscriptions(parts, sweep)]);
    expect(source.renewed).toHaveLength(1);
    expect((tallies[0]?.renewed ?? 0) + (tallies[1]?.renewed ?? 0)).toBeLessThanOrEqual(1);
    expect(counters()).toEqual({ 'change_subscription_renewed:mock': 1 });
  });

  test('a claim whose process died is free again in time', async () => {
    await subscribe();
    now += 45 * MINUTE;
    await inTenant((tx) => claimDueRenewals(tx, 10, now));
    expect(await renew()).toMatchObject({ renewed: 0 });
    now += MINUTE;
    expect(await renew()).toMatchObject({ renewed: 1 });
  });

  test('what was removed while the source was asked stays removed, even if it renewed', async () => {
    const { subscription } = await subscribe();
    now += 45 * MINUTE;
    source.before = async () => {
      await move(subscription.subscriptionId, 'subscriptionRemoved');
    };
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 0 });
    expect((await listed())[0]?.status).toBe('removed');
    expect(counters()).toEqual({});
  });

  test('a process that is ending postpones what it was about to learn', async () => {
    await subscribe();
    now += 45 * MINUTE;
    const stop = new AbortController();
    source.before = async () => {
      stop.abort();
      throw new ConnectorError('transient', 'aborted');
    };
    expect(await renewDue(parts, tenantId, { ...sweep, signal: stop.signal })).toMatchObject({
      postponed: 1,
    });
    source.before = async () => undefined;
    expect(await renew()).toMatchObject({ renewed: 1 });
  });

  test('one source that refuses keeps no other tenant’s subscription waiting', async () => {
    await subscribe();
    const refused = tenantId;
    const other = `${tenantId}_b` as TenantId;
    const otherScope = await makeTenant(database, other, now);
    const registration = await registerSubscription(parts, other, otherScope);
    await withTx(database.db, { tenantId: other, mode: 'write' }, (tx) =>
      completeSubscription(tx, registration),
    );
    now += 45 * MINUTE;
    const first = (
      await database.inspect<{ external_id: string }>(
        sql`select external_id from change_subscriptions where tenant_id = ${refused}`,
      )
    )[0]?.external_id;
    source.before = async (_, externalId) => {
      if (externalId === first) await throttled(null);
    };
    await renewSubscriptions(parts, sweep);
    const rows = await database.inspect(sql`
      select tenant_id, status from change_subscriptions where tenant_id in (${refused}, ${other}) order by 1`);
    expect(rows).toEqual([
      { tenant_id: refused, status: 'error' },
      { tenant_id: other, status: 'active' },
    ]);
  });

  test('a subscription of a former mode is not renewed by the present one', async () => {
    await subscribe();
    now += 45 * MINUTE;
    source.connector = { ...source.connector, mode: 'live' };
    expect(await renew()).toMatchObject({ failed: 1 });
    expect(source.renewed).toEqual([]);
  });
});

describe('registering again', () => {
  const again = () => resubscribe(parts, tenantId, sweep);
  const lose = async (trigger: 'renewal_failed' | 'subscriptionRemoved' | 'lapsed') => {
    const { subscription } = await subscribe();
    await move(subscription.subscriptionId, trigger);
    return subscription;
  };

  test.each(['renewal_failed', 'subscriptionRemoved', 'lapsed'] as const)(
    'the sweep does it after %s, and has a delta read what was missed',
    async (trigger) => {
      const before = await lose(trigger);
      await resubscribeAll(parts, sweep);
      const [after] = await listed();
      expect(after).toMatchObject({ status: 'active', lastError: null });
      expect(after?.sourceSubscriptionId).not.toBe(before.externalId);
      expect(await inTenant((tx) => findHint(tx, before.subscriptionId))).toEqual({
        scopeId,
        covered: false,
      });
      const events = await database.inspect<{ record: string }>(
        sql`select record from audit_events where tenant_id = ${tenantId} order by seq desc limit 1`,
      );
      expect(JSON.parse(events[0]?.record ?? '').event).toMatchObject({
        ...{ type: 'subscription_created', principalId: null, target: { id: before.subscriptionId } },
      });
      expect(await again()).toBe(0);
    },
  );

  test('follows a failed renewal in the same sweep', async () => {
    await subscribe();
    now += 45 * MINUTE;
    refuseFirst(2);
    expect(await renew()).toMatchObject({ failed: 1 });
    expect(await listed()).toMatchObject([{ status: 'error', lastError: 'renew_failed' }]);
    expect(await again()).toBe(1);
    expect(await listed()).toMatchObject([{ status: 'active', lastError: null }]);
    expect(counters()).toEqual({
      ...{ change_subscription_renew_failed: 1, 'change_subscription_created:mock': 1 },
    });
  });

  test('waits twice as long after each refusal, up to 6 hours, until it succeeds', async () => {
    const before = await lose('renewal_failed');
    source.before = () => refused('graph_subscription_create_404');
    const asked: number[] = [];
    for (let minute = 0; minute < 2 * 24 * 60; minute += 5) {
      const calls = source.subscribed.length;
      await again();
      if (source.subscribed.length > calls) asked.push(minute);
      now += 5 * MINUTE;
    }
    expect(asked.slice(0, 5)).toEqual([0, 5, 15, 35, 75]);
    const pauses = asked.slice(1).map((minute, at) => minute - (asked[at] ?? 0));
    expect(Math.max(...pauses)).toBe(6 * 60);
    expect(await listed()).toMatchObject([{ status: 'error', lastError: 'subscribe_failed' }]);
    source.before = async () => undefined;
    now += 6 * 60 * MINUTE;
    expect(await again()).toBe(1);
    await move(before.subscriptionId, 'subscriptionRemoved');
    refuseFirst(1, 'graph_subscription_create_404');
    expect(await again()).toBe(0);
    now += 5 * MINUTE;
    expect(await again()).toBe(1);
  });

  test('leaves scopes alone that nobody has selected or subscribed to', async () => {
    await lose('subscriptionRemoved');
    await database.inspect(sql`update scopes set selected = false where tenant_id = ${tenantId}`);
    expect(await again()).toBe(0);
    await database.inspect(sql`update scopes set selected = true where tenant_id = ${tenantId}`);
    source.connector = { ...source.connector, mode: 'live' };
    expect(await again()).toBe(0);
    expect(source.subscribed).toHaveLength(1);
  });

  test('two sweeps at once register once', async () => {
    await lose('subscriptionRemoved');
    const registered = await Promise.all([again(), again()]);
    expect(registered.toSorted()).toEqual([0, 1]);
    expect(source.subscribed).toHaveLength(2);
  });
});

describe('expiring', () => {
  test('ends what no renewal rescued, once, also twice at once', async () => {
    await subscribe();
    now += 60 * MINUTE - 1;
    await expireSubscriptions(parts, sweep);
    expect((await listed())[0]?.status).toBe('active');
    now += 1;
    expect(await renew()).toMatchObject({ renewed: 0, failed: 0 });
    await Promise.all([expireSubscriptions(parts, sweep), expireSubscriptions(parts, sweep)]);
    expect((await listed())[0]?.status).toBe('expired');
    const audited = await database.inspect(sql`select seq from audit_events where tenant_id = ${tenantId}`);
    expect(audited).toHaveLength(1);
  });

  test('waits for a renewal that is under way', async () => {
    await subscribe();
    now += 60 * MINUTE - 1;
    source.before = async () => {
      now += 2;
      await expireSubscriptions(parts, sweep);
    };
    expect(await renew()).toMatchObject({ renewed: 1 });
    expect((await listed())[0]?.status).toBe('active');
  });
});

describe('a forced mock subscription', () => {
  test('uses the running mock of the scope, or one beside it that no sweep renews', async () => {
    const made = await inTenant((tx) => forceMockSubscription(tx, scopeId, now));
    expect(made).toMatchObject({ forced: true, mode: 'mock', status: 'active' });
    expect((await inTenant((tx) => forceMockSubscription(tx, scopeId, now))).subscriptionId).toBe(
      made.subscriptionId,
    );
    now += 45 * MINUTE;
    expect(await renew()).toEqual({ renewed: 0, failed: 0, postponed: 0 });
    const { subscription } = await subscribe();
    expect((await inTenant((tx) => forceMockSubscription(tx, scopeId, now))).subscriptionId).toBe(
      subscription.subscriptionId,
    );
  });
});

describe('notifications', () => {
  const hint = (subscriptionId: string, receivedAt: number) => ({
    subscriptionId,
    changeType: 'updated' as const,
    source: 'live' as const,
    eventAt: null,
    receivedAt,
  });

  test('are listed with the lag of a completed reconcile, which a repeat does not change', async () => {
    const { subscriptionId } = (await subscribe()).subscription;
    const campaignId = await makeCampaign(database.db, tenantId, scopeId, 1, now);
    await inTenant(async (tx) => {
      await recordNotification(tx, hint(subscriptionId, now), { outcome: 'reconcile_enqueued', campaignId });
      await recordNotification(tx, hint(subscriptionId, now + 5), { outcome: 'deduplicated' });
      const skipped = { ...hint(subscriptionId, now + 9), changeType: 'created' as const };
      await recordNotification(tx, skipped, { outcome: 'reconcile_skipped', reason: 'scan_already_active' });
    });
    expect(await inTenant((tx) => lastAccepted(tx, subscriptionId, 'updated'))).toBe(now);
    expect(await inTenant((tx) => lastAccepted(tx, subscriptionId, 'deleted'))).toBeNull();
    const shown = () => inTenant((tx) => listNotifications(tx, 10));
    expect(await shown()).toMatchObject([
      { outcome: 'reconcile_skipped', rejectReason: 'scan_already_active', changeType: 'created', scopeId },
      { outcome: 'deduplicated', rejectReason: null, reconcileLagMs: null },
      { outcome: 'reconcile_enqueued', campaignId, reconcileLagMs: null, source: 'live' },
    ]);
    const finish = (status: string) =>
      database.inspect(sql`
        update campaigns set status = ${status}, finished_at = ${new Date(now + 1234)}, units_completed = units_total
         where campaign_id = ${campaignId}`);
    await finish('cancelled');
    expect((await shown())[2]?.reconcileLagMs).toBeNull();
    await finish('completed');
    expect((await shown())[2]?.reconcileLagMs).toBe(1234);
  });
});
