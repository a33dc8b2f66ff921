import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startScan } from '../../core/campaigns/start-scan.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createPool, type Db } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { afterCampaigns, followUp } from '../../core/notifications/follow-up.ts';
import type { ChangeType } from '../../core/notifications/notifications.sql.ts';
import { type ReceiveParts, receiveHints } from '../../core/notifications/receive.ts';
import { forceMockSubscription } from '../../core/notifications/subscriptions.sql.ts';
import type { Verified } from '../../core/notifications/verified-item.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { fixtureCompany } from '../../infra/local/fixture/fixture-company.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noGraph } from '../support/graph/no-graph.ts';
import { propertyRuns } from '../support/property-runs.ts';

let database: TestDatabase;
let tenants = 0;
/** The service's time. */
let now: number;
/** A tenant with one scope that has an inventory and a subscription; each test has its own. */
let tenantId: TenantId;
let scopeId: ScopeId;
let subscription: Verified;
let parts: ReceiveParts;
let rung: number;
const logs: string[] = [];

const START = Date.parse('2030-01-01T00:00:00Z');

beforeAll(async () => {
  database = await createTestDatabase({ max: 10 });
});
afterAll(() => database.drop());
beforeEach(renewTenant);

const inspect: TestDatabase['inspect'] = (statement) => database.inspect(statement);

async function renewTenant(): Promise<void> {
  // The tenants of other tests have nothing left to follow up.
  await inspect(sql`update change_subscriptions set hinted_at = null`);
  now = START;
  rung = 0;
  tenantId = `tenant_${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  await inspect(sql`update scopes set coverage_state = 'baseline' where scope_id = ${scopeId}`);
  const { subscriptionId, externalId } = await withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    forceMockSubscription(tx, scopeId, now),
  );
  subscription = { tenantId, subscriptionId, item: { subscriptionId: externalId ?? '' } };
  parts = partsOf(database.db);
}

const partsOf = (db: Db): ReceiveParts => ({
  config: loadConfig({ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: database.url }),
  db,
  clock: () => now,
  graph: noGraph,
  fixture: fixtureCompany,
  log: createLogger({ level: 'warn', clock: () => now, destination: { write: (line) => logs.push(line) } }),
  metrics: createMetrics(),
  doorbell: {
    ring: async () => {
      rung++;
    },
    isRinging: async () => false,
  },
});

const hint = (at = now, changeType: ChangeType = 'updated', by = parts) =>
  receiveHints(by, subscription, [{ changeType, source: 'live', eventAt: null }], {
    correlationId: 'cor',
    now: at,
  }).then(([outcome]) => outcome);
const scan = (kind: 'inventory' | 'delta' = 'inventory') =>
  withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    startScan(parts, tx, {
      scopeId,
      kind,
      createdBy: 'somebody' as PrincipalId,
      correlationId: 'theirs',
      now,
    }),
  );

type Campaign = {
  campaign_id: CampaignId;
  kind: string;
  status: string;
  created_by: string | null;
  started_at: Date | null;
};
const campaigns = () =>
  inspect<Campaign>(sql`
    select campaign_id, kind, status, created_by, started_at from campaigns where tenant_id = ${tenantId} order by ctid`);
const deltas = async () => (await campaigns()).filter(({ kind }) => kind === 'delta');
/** What leasing and settling make of the active campaign. */
const begin = () =>
  inspect(sql`
    update campaigns set status = 'running', started_at = ${new Date(now)}
     where tenant_id = ${tenantId} and status = 'pending'`);
const end = (status: 'completed' | 'cancelled' = 'completed') =>
  inspect<{ campaignId: CampaignId }>(sql`
    update campaigns set status = ${status}, finished_at = ${new Date(now)},
           units_completed = case ${status}::text when 'completed' then units_total else units_completed end
     where tenant_id = ${tenantId} and status in ('pending', 'running') returning campaign_id as "campaignId"`);
const hintedAt = async () =>
  (
    await inspect<{ hinted_at: Date | null }>(
      sql`select hinted_at from change_subscriptions where tenant_id = ${tenantId}`,
    )
  )[0]?.hinted_at ?? null;
const recorded = () =>
  inspect<{ outcome: string; reject_reason: string | null }>(sql`
    select outcome, reject_reason from change_notifications where tenant_id = ${tenantId} order by ctid`);

describe('a hint that came while a scan was reading', () => {
  beforeEach(async () => {
    await scan();
    await begin();
    now += 1_000;
    expect(await hint()).toEqual({ outcome: 'reconcile_skipped', reason: 'scan_already_active' });
  });

  test('is followed up by one delta once that has ended, and its record stays as it was', async () => {
    await followUp(parts);
    expect(await deltas()).toEqual([]);
    now += 1_000;
    const completed = (await end()).map(({ campaignId }) => ({ tenantId, campaignId }));
    await afterCampaigns(parts, completed);
    expect(await deltas()).toMatchObject([{ status: 'pending', created_by: null }]);
    expect(rung).toBe(1);
    expect(await recorded()).toEqual([
      { outcome: 'reconcile_skipped', reject_reason: 'scan_already_active' },
    ]);
    const [event] = await inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${tenantId} order by seq desc limit 1`);
    expect(JSON.parse(event?.record ?? '').event).toMatchObject({
      type: 'scan_started',
      principalId: null,
      details: { scopeId, kind: 'delta', origin: 'change_notification' },
    });
    await begin();
    await end();
    now += 60_000;
    await followUp(parts);
    expect(await deltas()).toHaveLength(1);
  });

  test('is followed up once, however many processes look', async () => {
    await end();
    await Promise.all(Array.from({ length: 20 }, () => followUp(parts)));
    expect(await deltas()).toHaveLength(1);
    expect(rung).toBe(1);
    expect(logs).toEqual([]);
  });

  test('is followed up where that scan was cancelled', async () => {
    await end('cancelled');
    await followUp(parts);
    expect(await deltas()).toHaveLength(1);
  });

  test('is not followed up where another scan has begun since', async () => {
    await end();
    now += 1_000;
    await scan();
    await followUp(parts);
    await begin();
    await end();
    await followUp(parts);
    expect(await deltas()).toEqual([]);
    expect(await hintedAt()).toBeNull();
  });

  test('is not followed up for ever where deltas fail', async () => {
    await end();
    for (let round = 0; round < 5; round++) {
      await followUp(parts);
      await begin();
      // As after a dead unit: the campaign is complete and the cursor where it was.
      await end();
      now += 60_000;
    }
    expect(await deltas()).toHaveLength(1);
  });

  test('is dropped where the source can no longer be read', async () => {
    await end();
    await inspect(sql`update scopes set selected = false where scope_id = ${scopeId}`);
    await followUp(parts);
    expect(await deltas()).toEqual([]);
    expect(await hintedAt()).toBeNull();
  });
});

test('a hint whose delta is cancelled before it begins is handled', async () => {
  expect(await hint()).toMatchObject({ outcome: 'reconcile_enqueued' });
  await end('cancelled');
  now += 60_000;
  await followUp(parts);
  expect(await deltas()).toHaveLength(1);

  await scan();
  await begin();
  expect(await hint()).toMatchObject({ reason: 'scan_already_active' });
  await end();
  await followUp(parts);
  await end('cancelled');
  now += 60_000;
  await followUp(parts);
  expect(await deltas()).toHaveLength(2);
});

test('a repeat of a hint whose delta is cancelled before it begins is followed up', async () => {
  await hint();
  expect(await hint()).toEqual({ outcome: 'deduplicated' });
  await end('cancelled');
  await followUp(parts);
  expect(await deltas()).toHaveLength(2);
});

test('a hint that came before the active scan began to read needs no other', async () => {
  await scan();
  expect(await hint()).toMatchObject({ reason: 'scan_already_active' });
  now += 1_000;
  await begin();
  await end();
  await followUp(parts);
  expect(await deltas()).toEqual([]);
  expect(await hintedAt()).toBeNull();
});

test('a process whose clock is behind loses no hint', async () => {
  await scan();
  await begin();
  expect(await hint(now - 30_000)).toMatchObject({ reason: 'scan_already_active' });
  await end();
  await followUp(parts);
  expect(await deltas()).toHaveLength(1);
});

test('a hint during the first inventory is followed up, one before it is not', async () => {
  await inspect(sql`update scopes set coverage_state = null where scope_id = ${scopeId}`);
  expect(await hint()).toEqual({ outcome: 'reconcile_skipped', reason: 'no_delta_cursor' });
  await followUp(parts);
  expect(await hintedAt()).toBeNull();

  await scan();
  await begin();
  now += 20_000;
  expect(await hint()).toMatchObject({ reason: 'scan_already_active' });
  await followUp(parts);
  expect(await deltas()).toEqual([]);
  await inspect(sql`update scopes set coverage_state = 'baseline' where scope_id = ${scopeId}`);
  await end();
  await followUp(parts);
  expect(await deltas()).toHaveLength(1);
});

describe('repeats', () => {
  test('before the delta begins to read are all served by it', async () => {
    expect(await hint()).toMatchObject({ outcome: 'reconcile_enqueued' });
    for (let n = 0; n < 5; n++) expect(await hint(++now)).toEqual({ outcome: 'deduplicated' });
    now += 1_000;
    await begin();
    await end();
    now += 60_000;
    await followUp(parts);
    expect(await deltas()).toHaveLength(1);
  });

  test('while it reads or soon after have one more delta, when the window is over', async () => {
    await hint();
    await begin();
    now += 1_000;
    expect(await hint()).toEqual({ outcome: 'deduplicated' });
    await end();
    now += 1_000;
    expect(await hint()).toEqual({ outcome: 'deduplicated' });
    await followUp(parts);
    expect(await deltas()).toHaveLength(1);
    now += 8_000;
    await followUp(parts);
    expect(await deltas()).toHaveLength(2);
  });

  test('are those within ten seconds of the last one that was none itself', async () => {
    const outcomes: (string | undefined)[] = [];
    for (const at of [0, 4_000, 9_999, 10_000, 19_999, 20_000]) {
      outcomes.push((await hint(START + at))?.outcome);
      now = START + at;
      await end();
    }
    const [e, d] = ['reconcile_enqueued', 'deduplicated'];
    expect(outcomes).toEqual([e, d, d, e, d, e]);
  });
});

test('fifty hints that reach two processes at once make one campaign', async () => {
  const other = createPool(database.url, { max: 10, applicationName: 'other' });
  try {
    const both = [parts, partsOf(other)];
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => hint(now + (n % 7), 'updated', both[n % 2])),
    );
    expect(outcomes.filter((each) => each?.outcome === 'reconcile_enqueued')).toHaveLength(1);
    expect(outcomes.filter((each) => each?.outcome === 'deduplicated')).toHaveLength(49);
    expect(await deltas()).toHaveLength(1);
  } finally {
    await other.close();
  }
});

test('of a hint and a person who start a scan at the same moment one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    const [outcome, scanned] = await Promise.all([hint(), scan()]);
    expect('started' in scanned).toBe(outcome?.outcome !== 'reconcile_enqueued');
    now += 10_000;
    await end();
  }
});

test('nothing is written of a subscription that changed hands meanwhile', async () => {
  const set = (column: 'status' | 'external_id', value: string) =>
    inspect(
      sql`update change_subscriptions set ${sql.ident(column)} = ${value} where tenant_id = ${tenantId}`,
    );
  await set('external_id', 'a-new-one');
  expect(await hint()).toEqual({ outcome: 'rejected:unknown_subscription' });
  await set('external_id', subscription.item.subscriptionId);
  await set('status', 'removed');
  expect(await hint()).toEqual({ outcome: 'rejected:unknown_subscription' });
  expect(await recorded()).toEqual([]);
});

test('the time to reconcile is that from the receipt to the end of the delta', async () => {
  await hint();
  await begin();
  now += 12_345;
  const completed = (await end()).map(({ campaignId }) => ({ tenantId, campaignId }));
  await afterCampaigns(parts, completed);
  expect(parts.metrics.snapshot().histograms).toEqual([
    { name: 'notification_reconcile_lag_ms', count: 1, p50: 12_345, p95: 12_345, max: 12_345 },
  ]);
});

const step = fc.record({
  act: fc.constantFrom('hint', 'hint', 'hint', 'scan', 'begin', 'complete', 'cancel', 'follow up' as const),
  wait: fc.integer({ min: 0, max: 6_000 }),
  changeType: fc.constantFrom<ChangeType>('updated', 'created', 'missed'),
});

test('in any order, each hint has one scan that began after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      await renewTenant();
      /** `by`: the delta that was started for the hint. */
      const log: { what: 'hint' | 'began'; by?: CampaignId }[] = [];
      const began = async () => {
        if ((await campaigns()).some(({ status }) => status === 'pending')) log.push({ what: 'began' });
        await begin();
      };
      for (const { act, wait, changeType } of steps) {
        now += wait;
        if (act === 'hint') {
          const outcome = await hint(now, changeType);
          const started = outcome?.outcome === 'reconcile_enqueued';
          log.push({ what: 'hint', ...(started && { by: outcome.campaignId }) });
        } else if (act === 'scan') await scan().catch(() => undefined);
        else if (act === 'begin') await began();
        else if (act === 'complete') {
          await began();
          await end();
        } else if (act === 'cancel') await end('cancelled');
        else {
          const former = new Set((await deltas()).map((delta) => delta.campaign_id));
          await followUp(parts);
          const by = (await deltas()).find((delta) => !former.has(delta.campaign_id))?.campaign_id;
          // It is for all hints that came before it.
          if (by !== undefined) for (const each of log) if (each.what === 'hint') each.by = by;
        }
      }
      for (let round = 0; (await hintedAt()) !== null || round < 2; round++) {
        expect(round).toBeLessThan(4);
        await began();
        await end();
        now += 11_000;
        await followUp(parts);
      }
      await began();

      // Who cancels the delta that was started for a hint, before it reads, has dealt with the hint.
      const unread = new Set(
        (await campaigns()).filter(({ started_at }) => started_at === null).map((each) => each.campaign_id),
      );
      const lastScan = log.map(({ what }) => what).lastIndexOf('began');
      const lost = log
        .slice(lastScan + 1)
        .filter(({ what, by }) => what === 'hint' && !(by && unread.has(by)));
      expect(lost).toEqual([]);
      const hints = log.filter(({ what }) => what === 'hint').length;
      expect((await deltas()).length).toBeLessThanOrEqual(hints);
    }),
    { numRuns: propertyRuns(40) },
  );
});
