import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { auditText } from '../../core/audit/event.ts';
import { listCampaigns } from '../../core/campaigns/campaigns.sql.ts';
import { type Config, loadConfig } from '../../core/config/config.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { CampaignId, DomainId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { KEPT } from '../../core/retention/kept.sql.ts';
import { removeSome, START } from '../../core/retention/oldest.sql.ts';
import { retentionReport } from '../../core/retention/report.sql.ts';
import { sweepRetention } from '../../core/retention/sweep.ts';
import { CANARY, storeScanned } from '../support/assets.ts';
import { makeCampaign, makeEnsemble, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { storeContainer, storeMessage } from '../support/messages.ts';
import { nodesOf, type PlanNode, queriesOf } from '../support/plans.ts';

const DAY = 24 * 3_600_000;
const tenantId = 'mine' as TenantId;
const NOW = Date.parse('2026-06-01T12:00:00Z');
const idle = { signal: new AbortController().signal, budgetMs: 60_000 };

let database: TestDatabase;
let config: Config;
let scopeId: ScopeId;

// Each time one without other tenants.
beforeEach(async () => {
  database = await createTestDatabase();
  config = loadConfig({
    ...{ SVC_ENV: 'development', SVC_DATABASE_URL: database.url, SVC_RETENTION_CAMPAIGN_DAYS: '100' },
    ...{ SVC_RETENTION_ROUTINE_CAMPAIGN_DAYS: '10', SVC_RETENTION_NOTIFICATION_DAYS: '30' },
  });
  scopeId = await addTenant(tenantId);
});
afterEach(() => database.drop());

/** A tenant with an audit trail, which every tenant has in which something was done. */
async function addTenant(id: TenantId): Promise<ScopeId> {
  const scope = await makeTenant(database, id, NOW - 400 * DAY);
  const source = { tenantId: id, principalId: null, correlationId: 'cor_1', now: NOW };
  await withTx(database.db, { tenantId: id, mode: 'write' }, (tx) =>
    appendAudit(tx, [auditText(source, { category: 'config', type: 'tenant_made' })]),
  );
  await database.inspect(sql`
    insert into principals (tenant_id, principal_id, display_name, kind, created_at)
    values (${id}, ${`pri_${id}`}, 'Somebody', 'person', ${new Date(NOW)})`);
  return scope;
}

const sweep = (clock: Clock = () => NOW) => sweepRetention({ db: database.db, clock, config }, idle);
const ago = (days: number, ms = 0) => new Date(NOW - days * DAY - ms);
const count = async (from: Statement) =>
  (await database.inspect<{ n: number }>(sql`select count(*)::int as n from ${from}`))[0]?.n;
const idsOf = async (from: Statement) =>
  (await database.inspect<{ id: string }>(sql`select id from (${from}) rows order by id`)).map(
    ({ id }) => id,
  );

type Ended = { at: Date; units?: number; routine?: boolean; status?: string; scope?: ScopeId };

/** A campaign with its units, that ended at this time. */
async function ended({ at, units = 1, routine = false, status = 'completed' }: Ended): Promise<CampaignId> {
  const campaignId = await makeCampaign(database.db, tenantId, scopeId, units, at.getTime() - 1_000);
  await database.inspect(sql`
    update campaigns set status = 'running', started_at = created_at where campaign_id = ${campaignId}`);
  await database.inspect(sql`
    update work_units set status = 'completed', settled_at = ${at} where campaign_id = ${campaignId}`);
  await database.inspect(sql`
    update campaigns set status = ${status}, finished_at = ${at}, units_completed = units_total,
           kind = ${routine ? 'delta' : 'inventory'}, created_by = ${routine ? null : 'somebody'}
     where campaign_id = ${campaignId}`);
  await database.inspect(sql`delete from campaign_ends where campaign_id = ${campaignId}`);
  return campaignId;
}
const campaigns = () => idsOf(sql`select campaign_id as id from campaigns where tenant_id = ${tenantId}`);
const units = () => count(sql`work_units where tenant_id = ${tenantId}`);
const audited = async () =>
  (
    await database.inspect<{ kind: string; removed: number }>(sql`
      select e -> 'target' ->> 'id' as kind, (e -> 'details' ->> 'removed')::int as removed
        from (select record::jsonb -> 'event' as e from audit_events where tenant_id = ${tenantId} order by seq) events
       where e ->> 'type' = 'retention_swept'`)
  ).map(({ kind, removed }) => [kind, removed]);

describe('campaigns', () => {
  test('go with their units once they are older than the days, not before', async () => {
    await ended({ at: ago(100, 1), units: 3 });
    const young = await ended({ at: ago(100), units: 2 });
    const newest = await ended({ at: ago(1) });
    await sweep();
    expect(await campaigns()).toEqual([young, newest].sort());
    expect(await units()).toBe(3);
    expect(await audited()).toEqual([
      ['campaigns', 1],
      ['work_units', 3],
    ]);
    await sweep();
    expect(await audited()).toHaveLength(2);
  });

  test('that are the newest completed of their scope stay, and so do active ones', async () => {
    const completed = await ended({ at: ago(300) });
    const cancelled = await ended({ at: ago(200), status: 'cancelled' });
    const paused = await makeCampaign(database.db, tenantId, scopeId, 2, NOW - 150 * DAY);
    await sweep();
    expect(await campaigns()).toEqual([completed, cancelled, paused].sort());
  });

  test('whose end is not audited yet stay', async () => {
    const unaudited = await ended({ at: ago(300) });
    await ended({ at: ago(1) });
    await database.inspect(sql`
      insert into campaign_ends (tenant_id, campaign_id, status, units_completed, units_dead, units_cancelled)
      values (${tenantId}, ${unaudited}, 'completed', 1, 0, 0)`);
    await sweep();
    expect(await campaigns()).toContain(unaudited);
  });

  test('take their dead letters along, and leave their notifications', async () => {
    const old = await ended({ at: ago(150) });
    await ended({ at: ago(1) });
    await database.inspect(sql`
      insert into dead_letters (tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt, created_at)
      select ${tenantId}, 'dl', ${old}, unit_id, 'corrupt', 'x', 1, ${ago(150)} from work_units where campaign_id = ${old}`);
    await notify('ntf_1', ago(29), old);
    await sweep();
    expect(await campaigns()).toHaveLength(1);
    expect(await count(sql`dead_letters where tenant_id = ${tenantId}`)).toBe(0);
    const left = await database.inspect(sql`
      select outcome, campaign_id from change_notifications where tenant_id = ${tenantId}`);
    expect(left).toEqual([{ outcome: 'reconcile_enqueued', campaign_id: null }]);
  });

  test('with many units go in several transactions; a crash between them loses nothing', async () => {
    await ended({ at: ago(150), units: 4_500 });
    await ended({ at: ago(1) });
    let calls = 0;
    // Read before the first batch and before the second one.
    const mortal = () => {
      if (++calls > 3) throw new Error('The process died');
      return NOW;
    };
    await expect(sweep(mortal)).rejects.toThrow();
    expect(await units()).toBe(2_501);
    expect(await campaigns()).toHaveLength(2);
    expect(await audited()).toEqual([]);
    await sweep();
    expect(await units()).toBe(1);
    expect(await audited()).toEqual([
      ['campaigns', 1],
      ['work_units', 4_500],
    ]);
  });

  test('go once, with two processes at once', async () => {
    for (let days = 120; days < 150; days++) await ended({ at: ago(days), units: 3 });
    await ended({ at: ago(1) });
    await Promise.all([sweep(), sweep(), sweep()]);
    await sweep();
    expect(await campaigns()).toHaveLength(1);
    const sums = new Map<string, number>();
    for (const [kind, removed] of (await audited()) as [string, number][])
      sums.set(kind, (sums.get(kind) ?? 0) + removed);
    expect(Object.fromEntries(sums)).toEqual({ campaigns: 30, work_units: 90 });
  });

  test('that the service started and that went well go sooner', async () => {
    const inventory = await ended({ at: ago(20) });
    await ended({ at: ago(12), routine: true });
    const young = await ended({ at: ago(9), routine: true });
    const newest = await ended({ at: ago(8), routine: true });
    await sweep();
    expect(await campaigns()).toEqual([inventory, young, newest].sort());
  });

  test('that went well stay longer if their setting says so, and are counted once', async () => {
    const routine = await ended({ at: ago(150), routine: true });
    const newest = await ended({ at: ago(1) });
    const patient = { ...config, SVC_RETENTION_ROUTINE_CAMPAIGN_DAYS: 200 };
    await sweepRetention({ db: database.db, clock: () => NOW, config: patient }, idle);
    expect(await campaigns()).toEqual([routine, newest].sort());
    const report = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
      retentionReport(tx, patient, NOW),
    );
    expect(report.slice(0, 2).map(({ count }) => count)).toEqual([1, 1]);
  });

  test('cannot be deleted while they run, nor their open units, by any statement', async () => {
    await makeCampaign(database.db, tenantId, scopeId, 2, NOW);
    const gone = await withTx(database.db, { tenantId, mode: 'write' }, async (tx) => [
      await tx.execute(sql`delete from work_units`),
      await tx.execute(sql`delete from campaigns`),
    ]);
    expect(gone).toEqual([0, 0]);
  });

  test('of a source that never stops telling do not fill the list', async () => {
    const inventory = await ended({ at: ago(20) });
    const failed = await ended({ at: ago(19), routine: true });
    await database.inspect(sql`
      update campaigns set units_dead = 1, units_completed = 0 where campaign_id = ${failed}`);
    let newest = failed;
    for (let n = 60; n > 0; n--) newest = await ended({ at: ago(5, n * 60_000), routine: true });
    const listed = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
      listCampaigns(tx, { kind: 'tenant' }, 50),
    );
    expect(listed.map(({ campaignId }) => campaignId)).toEqual([newest, failed, inventory]);
  });
});

const notify = (id: string, at: Date, campaignId: string | null = null) =>
  database.inspect(sql`
    with subscription as (
      insert into change_subscriptions (tenant_id, subscription_id, scope_id, mode, status, created_at, expires_at)
      values (${tenantId}, 'sub_1', ${scopeId}, 'mock', null, ${at}, null) on conflict do nothing)
    insert into change_notifications (tenant_id, notification_id, subscription_id, change_type, outcome, source, campaign_id,
                                      received_at)
    values (${tenantId}, ${id}, 'sub_1', 'updated',
            ${campaignId === null ? 'deduplicated' : 'reconcile_enqueued'}, 'live', ${campaignId}, ${at})`);

test('notifications, sessions and questions go at their days, of each tenant alone', async () => {
  for (let n = 0; n < 3; n++) await notify(`ntf_${n}`, ago(29 + n));
  await database.inspect(sql`
    insert into change_notifications (tenant_id, notification_id, subscription_id, change_type, outcome, source, received_at)
    select ${tenantId}, 'many_' || n, 'sub_1', 'updated', 'deduplicated', 'live', ${ago(40)}
      from generate_series(1, 1200) n`);
  await database.inspect(sql`
    insert into sessions (session_hash, tenant_id, principal_id, auth_mode, csrf_token, created_at, last_seen_at, expires_at, session_id)
    select sha256((${tenantId} || n)::bytea), ${tenantId}, 'pri_mine', 'idp', 'x', ${ago(90)}, ${ago(90)},
           ${ago(29)}::timestamptz - n * interval '1 day', ${tenantId} || '_ses_' || n from generate_series(0, 2) n`);
  await database.inspect(sql`
    insert into analyst_queries (tenant_id, query_id, principal_id, question, planner, state, asked_at)
    select ${tenantId}, 'qry_' || n, 'pri_mine', ${CANARY}, 'deterministic', 'none',
           ${ago(89)}::timestamptz - n * interval '1 day' from generate_series(0, 2) n`);
  const other = 'other' as TenantId;
  await addTenant(other);
  await sweep();
  expect(
    await idsOf(sql`select notification_id as id from change_notifications where tenant_id = ${tenantId}`),
  ).toEqual(['ntf_0', 'ntf_1']);
  expect(await count(sql`sessions where tenant_id = ${tenantId}`)).toBe(2);
  expect(await count(sql`analyst_queries where tenant_id = ${tenantId}`)).toBe(2);
  expect(await audited()).toEqual([
    ['analyst_queries', 1],
    ['change_notifications', 1_201],
    ['sessions', 1],
  ]);
  const trail = await database.inspect<{ record: string }>(sql`select record from audit_events`);
  expect(JSON.stringify(trail)).not.toContain(CANARY);
  expect(await count(sql`audit_events where tenant_id = ${other}`)).toBe(1);
});

describe('assets', () => {
  beforeEach(() => makeEnsemble(database, tenantId, NOW));
  const id = (assetId: string) => `ast_${assetId}`;
  const asset = (assetId: string, days: number) => ({
    assetId: id(assetId),
    excerpts: [{ detectorId: 'iban', text: CANARY }],
    contentHash: 'ab'.repeat(32),
    seenAt: NOW - days * DAY,
  });
  const openFinding = (assetId: string) =>
    database.inspect(sql`
      insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, policy_version, notes, opened_at, changed_at)
      values (${tenantId}, ${`fnd_${id(assetId)}`}, ${id(assetId)}, 'exposure', 'high', 'open', 'p', '', ${ago(1)}, ${ago(1)})`);
  const withExcerpts = () =>
    idsOf(
      sql`select asset_id as id from asset_features where tenant_id = ${tenantId} and excerpts <> '[]'::jsonb`,
    );

  test('lose their excerpts unless a finding needs them', async () => {
    await storeScanned(database.db, tenantId, [asset('old', 181), asset('needed', 200), asset('new', 179)]);
    await openFinding('needed');
    await sweep();
    expect(await withExcerpts()).toEqual([id('needed'), id('new')]);
    await database.inspect(sql`
      update findings set status = 'resolved', resolved_at = ${ago(0)} where tenant_id = ${tenantId}`);
    await sweep();
    expect(await withExcerpts()).toEqual([id('new')]);
  });

  test('that were removed lose what was derived from them, and come back as new', async () => {
    await storeScanned(database.db, tenantId, [asset('gone', 300), asset('late', 300), asset('here', 1)]);
    const remove = (assetId: string, at: Date) =>
      database.inspect(sql`
        update assets set status = 'deleted', deleted_at = ${at}, stage_keys = '{"features":"k"}'
         where tenant_id = ${tenantId} and asset_id = ${id(assetId)}`);
    await database.inspect(sql`
      insert into asset_scorings (tenant_id, asset_id, scored_key, inference_key, result_key, ensemble_version, scored_at)
      select tenant_id, asset_id, 'k', 'k', 'k', 1, ${ago(300)} from assets where tenant_id = ${tenantId}`);
    await remove('gone', ago(91));
    await remove('late', ago(89));
    await sweep();
    for (const table of ['asset_features', 'asset_scorings'])
      expect(
        await idsOf(sql`select asset_id as id from ${sql.ident(table)} where tenant_id = ${tenantId}`),
      ).toEqual([id('here'), id('late')].sort());
    const [gone] = await database.inspect(sql`
      select name like '%Zanzibar%' as named, stage_keys, grants, content_hash from assets where asset_id = ${id('gone')}`);
    expect(gone).toEqual({ named: true, stage_keys: {}, grants: [], content_hash: null });
    // Only once, and again if it came back in between.
    await sweep();
    await database.inspect(sql`
      update assets set status = 'active', deleted_at = null where asset_id = ${id('gone')}`);
    await remove('gone', new Date(NOW + DAY));
    await sweep(() => NOW + 93 * DAY);
    const removed = (await audited()).filter(([kind]) => kind === 'removed_assets');
    expect(removed).toEqual([
      ['removed_assets', 1],
      ['removed_assets', 2],
    ]);
  });
});

test('messages lose their previews and the names of attachments; signals stay', async () => {
  await storeContainer(database, tenantId, 'mct_1', { family: 'chat' });
  const iban = { detectorId: 'iban', count: 1, confidence: 0.9 };
  for (const [messageId, days] of [
    ['msg_old', 181],
    ['msg_new', 179],
  ] as const)
    await storeMessage(database, tenantId, messageId, {
      ...{ containerId: 'mct_1', preview: CANARY, signals: [iban], storedAt: ago(days) },
      attachments: [{ kind: 'file', name: `${CANARY}.pdf`, signals: [iban] }],
    });
  await storeMessage(database, tenantId, 'msg_bare', {
    ...{ containerId: 'mct_1', preview: '', signals: [iban], storedAt: ago(181) },
    attachments: [{ kind: 'file', name: `${CANARY}.pdf`, signals: [iban] }],
  });
  await sweep();
  const left = await database.inspect(sql`
    select m.message_id, m.preview, t.name, m.signals = t.signals and m.signals <> '[]' as found
      from messages m join message_attachments t using (tenant_id, message_id) order by 1`);
  expect(left).toEqual([
    { message_id: 'msg_bare', preview: null, name: null, found: true },
    { message_id: 'msg_new', preview: CANARY, name: `${CANARY}.pdf`, found: true },
    { message_id: 'msg_old', preview: null, name: null, found: true },
  ]);
  expect(await audited()).toEqual([['message_previews', 2]]);
});

test('the report says what is kept, what goes next and what stays although it is old', async () => {
  await ended({ at: ago(120) });
  await ended({ at: ago(110) });
  const unaudited = await ended({ at: ago(105) });
  await database.inspect(sql`
    insert into campaign_ends (tenant_id, campaign_id, status, units_completed, units_dead, units_cancelled)
    values (${tenantId}, ${unaudited}, 'completed', 1, 0, 0)`);
  await ended({ at: ago(99) });
  const report = await withTx(database.db, { tenantId, mode: 'read' }, (tx) =>
    retentionReport(tx, config, NOW),
  );
  expect(report.map(({ kind }) => kind)).toEqual(KEPT.map(({ kind }) => kind));
  expect(report[0]).toMatchObject({
    ...{ kind: 'campaigns', days: 100, setting: 'SVC_RETENTION_CAMPAIGN_DAYS', count: 4, due: 2, needed: 1 },
    ...{ oldestAt: ago(120).toISOString(), nextAt: new Date(NOW + DAY).toISOString() },
  });
  expect(report[3]).toMatchObject({ kind: 'sessions', count: 0, due: 0, oldestAt: null, nextAt: null });
});

test.each([
  [
    'the sweep',
    async (tx: Tx) => {
      // Nothing is as old, so nothing is written.
      for (const kept of KEPT) await removeSome(tx, kept, { before: new Date(0), after: START, now: NOW });
    },
  ],
  [
    'the report',
    async (tx: Tx) => {
      await retentionReport(tx, config, NOW);
    },
  ],
])('%s finds the oldest of each kind by an index', async (_, read) => {
  const used = await indexesOf(read);
  for (const index of [
    ...['campaigns_ended', 'campaigns_routine', 'change_notifications_recent', 'sessions_ended'],
    ...['analyst_queries_asked', 'asset_features_excerpts', 'decision_excerpts_oldest', 'assets_removed'],
    'messages_with_preview',
  ])
    expect(used).toContain(index);
});

test('lists find campaigns that are not routine by an index', async () => {
  const visibilities = [{ kind: 'tenant' }, { kind: 'domains', domainIds: ['dom_a' as DomainId] }] as const;
  const used = await Promise.all(
    visibilities.map((visibility) => indexesOf((tx) => listCampaigns(tx, visibility, 50))),
  );
  expect(used[0]).toContain('campaigns_listed');
  expect(used[1]).toContain('campaigns_listed_of_scope');
});

/** The indexes by which these queries read. */
async function indexesOf(read: (tx: Tx) => Promise<unknown>): Promise<(string | undefined)[]> {
  const asked = await queriesOf(database.db, tenantId, read);
  return withTx(database.db, { tenantId, mode: 'write' }, async (tx) => {
    // There are next to no rows.
    for (const method of ['seqscan', 'bitmapscan', 'sort'])
      await tx.execute(sql`set local ${sql.ident(`enable_${method}`)} = off`);
    const plans: { 'QUERY PLAN': { Plan: PlanNode }[] }[] = [];
    for (const statement of asked)
      plans.push(...(await tx.query<(typeof plans)[0]>(sql`explain (format json) ${statement}`)));
    return plans.flatMap(({ 'QUERY PLAN': [plan] }) =>
      plan === undefined ? [] : nodesOf(plan.Plan).map((node) => node['Index Name']),
    );
  });
}
