import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEASE_MS as ACTION_LEASE_MS } from '../../core/actions/execute.ts';
import { sweepActions } from '../../core/actions/sweep-actions.ts';
import { keptCheckpoints } from '../../core/audit/kept-checkpoints.ts';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { verifyExport } from '../../core/audit/verify-export.ts';
import { sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import { createActionWorld, SITE, storedAction, WANTED } from '../support/actions.ts';
import { exportFile, newAuditKey } from '../support/audit-trail.ts';
import { archiveNow, archiveWal, type BaseBackup, takeBaseBackup } from '../support/base-backup.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { startTestCluster } from '../support/cluster.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { memoryFixtureStore } from '../support/memory-fixture-store.ts';
import { DEV, PERSONA, seedTenants } from '../support/seed.ts';
import { keepItems } from '../support/seeded-database.ts';
import { contradictions } from '../support/work-truth.ts';

const { financeOwner: OWNER, approver: APPROVER } = PERSONA;
const POINT = 'before_the_accident';
const MINUTE = 60_000;

const key = newAuditKey();
const settings = { SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_KEY', AUDIT_KEY: key.privateKey };
/** A source outside of the database: it keeps what was written to it, whatever is restored. */
const source = memoryFixtureStore({
  scopes: [{ externalId: SITE, name: 'Test site', kind: 'site', changeSeq: 0, cursorEpoch: 1 }],
  items: [],
});

let server: Awaited<ReturnType<typeof startTestCluster>>;
let backup: BaseBackup;
let original: TestDatabase;
let restored: TestDatabase;
let storage: LocalStorage;
let service: TestService;
/** What was so before the restore: after the point, and of the original when all its scans had ended. */
let before: Awaited<ReturnType<typeof live>>;

beforeAll(async () => {
  server = await startTestCluster({ durable: true });
  const archive = await archiveWal(server.cluster.adminUrl);
  await server.restart('SIGINT');
  original = await createTestDatabase({ max: 8, cluster: server.cluster });
  await seedTenants(original.owner);
  await keepItems(original, 8);
  service = await startService(original, settings);
  before = await live(archive);
  const { port } = await backup.restore(POINT);
  const adminUrl = new URL(server.cluster.adminUrl);
  adminUrl.port = String(port);
  const name = new URL(original.url).pathname.slice(1);
  restored = openTestDatabase({ ...server.cluster, adminUrl: adminUrl.href }, name, 8);
  // The queue is another one too, and empty.
  storage = await startAzurite({ inMemory: true, log: () => undefined });
  await service.reconfigure({
    SVC_DATABASE_URL: restored.url,
    AzureWebJobsStorage: storage.connectionString,
  });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([original, restored].map((database) => database?.drop()));
  await backup?.remove();
  await storage?.stop();
  await server?.remove();
});

type Campaign = { campaignId: string };
type Source = { scopeId: string; externalId: string };

/** Uses the service: a base backup under load, the point, and an accident after it. Ends when its scans have. */
async function live(archive: string) {
  const { inspect } = original;
  const [admin, auditor] = [
    await service.signInAs(PERSONA.platformAdmin),
    await service.signInAs(PERSONA.auditor),
  ];
  const [leaver, nobody] = [
    await service.signInAs(PERSONA.legalOwner),
    await service.signInAs(PERSONA.nobody),
  ];
  const world = await createActionWorld(original, source);
  const actions = { cut: '', changed: '', forgotten: '' };
  for (const name of ['cut', 'changed', 'forgotten'] as const) {
    await world.makeAsset(`ast_${name}`);
    actions[name] = (await world.draft(OWNER, `ast_${name}`)).actionId;
    await world.submit(OWNER, actions[name]);
  }
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<{ items: Source[] }>('/api/sources')).body;
  const scopes = items.filter(({ externalId }) => externalId !== SITE).slice(0, 4);
  const scan = async (some: readonly Source[]) => {
    const started = some.map(({ scopeId }) =>
      admin.post<Campaign>('/api/scans', { scopeId, kind: 'inventory' }),
    );
    return (await Promise.all(started)).map(({ body }) => body.campaignId);
  };

  const campaigns = await scan(scopes.slice(0, 2));
  await sign();
  const underLoad = new AbortController();
  const load = [keepDraining(underLoad.signal), keepAsking(nobody, underLoad.signal)];
  while ((await countUnits(original, 'completed')) === 0) await sleep(5);
  const trailLength = async () => (await inspect(trailOf)).length;
  const duringBackup = { from: await trailLength(), to: 0 };
  backup = await takeBaseBackup(server.cluster.adminUrl, archive);
  duringBackup.to = await trailLength();
  await sign();
  const keptBefore = (await auditor.get('/api/audit/checkpoints')).text;

  // At the point, two approved actions are about to write to the source, and workers hold units.
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const opened = Promise.withResolvers<void>();
  let waiting = 0;
  world.around.before = async () => {
    arrived[waiting++]?.resolve();
    await opened.promise;
  };
  const deciding = [world.decide(APPROVER, actions.cut), world.decide(APPROVER, actions.changed)];
  await Promise.all(arrived.map(({ promise }) => promise));
  await withClient(original.adminUrl, async (admin) => {
    await admin.query('begin');
    await admin.query('lock table asset_versions in exclusive mode');
    campaigns.push(...(await scan(scopes.slice(2))));
    while ((await countUnits(original, 'leased')) === 0) await sleep(5);
    await admin.query(`select pg_create_restore_point('${POINT}')`);
    await admin.query('commit');
  });
  opened.resolve();
  const decided = (await Promise.all(deciding)).map(({ status }) => status);

  // What follows will be forgotten.
  decided.push((await world.decide(APPROVER, actions.forgotten)).status);
  await world.atSource('ast_changed', { action: 'clear_label' });
  await leaver.post('/api/auth/logout');
  const late = await service.signInAs(PERSONA.secondGovernanceAdmin);
  await sign();
  const keptAfter = (await auditor.get('/api/audit/checkpoints')).text;
  while ((await countUnits(original, 'pending', 'leased')) > 0) await sleep(20);
  underLoad.abort();
  await Promise.all(load);
  await archiveNow(server.cluster.adminUrl);
  return {
    ...{ admin, auditor, leaver, late, world, actions, decided, campaigns, keptBefore, keptAfter },
    duringBackup,
    writes: world.written.count,
    scanned: await scannedOf(original),
    trail: await inspect<{ record: string }>(trailOf),
  };
}

const sign = () => {
  const { db, clock, stopping } = service.runtime();
  return signCheckpoints(db, { signer: key.signer, clock, signal: stopping });
};

async function keepDraining(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await service.drain();
    await sleep(10);
  }
}

/** Requests of a person, each of which is denied and so leaves an event. */
async function keepAsking(caller: SignedIn, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await caller.get('/api/audit');
    await sleep(10);
  }
}

async function countUnits({ inspect }: TestDatabase, ...statuses: string[]): Promise<number> {
  const [row] = await inspect<{ count: number }>(
    sql`select count(*)::int as count from work_units where status = any(${statuses}::text[])`,
  );
  return row?.count ?? 0;
}

const trailOf = sql`select record from audit_events where tenant_id = ${DEV} order by seq`;

/** What scans have found, without ids and times: one row for each asset at the source. */
const scannedOf = ({ inspect }: TestDatabase): Promise<object[]> =>
  inspect(sql`
    select a.external_id, encode(a.content_hash, 'hex') as content, a.content_state, a.label_state,
           (select count(*)::int from asset_versions v
             where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id) as versions,
           array(select concat_ws(' ', c.domain_id, c.information_type_id, c.status, c.confidence) from candidates c
                  where c.tenant_id = a.tenant_id and c.asset_id = a.asset_id order by 1) as candidates,
           array(select concat_ws(' ', f.kind, f.status) from findings f
                  where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id order by 1) as findings
      from assets a join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
     where a.tenant_id = ${DEV} and s.external_id <> ${SITE} order by 1`);

describe('restored to a point, elsewhere,', () => {
  test('the backup was taken and the point was set while everything was in use', async () => {
    expect(before.duringBackup.to).toBeGreaterThan(before.duringBackup.from);
    expect(await countUnits(restored, 'leased')).toBeGreaterThan(0);
    expect({ decided: before.decided, writes: before.writes }).toEqual({
      decided: ['verified', 'verified', 'verified'],
      writes: 3,
    });
  });

  test('the audit trail is the beginning of the former one, and its checkpoints hold', async () => {
    const trail = await restored.inspect<{ record: string }>(trailOf);
    expect(trail.length).toBeGreaterThan(0);
    expect(trail.length).toBeLessThan(before.trail.length);
    expect(before.trail.slice(0, trail.length)).toEqual(trail);
    const { body } = await before.auditor.get('/api/audit/verify');
    expect(body).toMatchObject({ ok: true, checkpoints: 2, firstBreak: null });
  });

  test('checkpoints that were kept tell whether events are missing', async () => {
    const { text } = await before.auditor.get('/api/exports/audit?format=ndjson');
    const verify = (kept: string) =>
      verifyExport([exportFile(text)], {
        anchors: { trustedKeys: new Set([key.signer.keyId]), pinned: keptCheckpoints(kept) ?? [] },
      });
    expect(await verify(before.keptBefore)).toMatchObject({ ok: true });
    expect(await verify(before.keptAfter)).toMatchObject({
      ok: false,
      firstBreak: { reason: 'tail_cut' },
    });
  });

  test('sessions are those of the point: one that ended later holds again', async () => {
    const statuses = [before.admin, before.leaver, before.late].map((caller) => caller.get('/api/auth/me'));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 401]);
  });

  test('scans go on to their end, with what the original found and nothing twice', async () => {
    const { runtime } = service;
    const { doorbell, worker, stopping, db, clock } = runtime();
    expect(await doorbell?.isRinging()).toBe(false);
    // The timer rings for due work. Leases of processes that are gone run out.
    service.clock.advance(LEASE_MS + 1);
    await worker.sweep();
    expect(await doorbell?.isRinging()).toBe(true);
    await service.drain();
    await sweepCampaignEnds({ db, clock }, stopping);

    expect(await countUnits(restored, 'pending', 'leased', 'dead')).toBe(0);
    const wrong = await contradictions(restored);
    // Units that list a page observe nothing.
    expect(wrong.filter((each) => !('what' in each && each.what === 'stages'))).toEqual([]);
    expect(await scannedOf(restored)).toEqual(before.scanned);
    const ends = await restored.inspect<{ campaign: string; type: string; times: number }>(sql`
      select record::jsonb #>> '{event,target,id}' as campaign, record::jsonb #>> '{event,type}' as type,
             count(*)::int as times
        from audit_events where record::jsonb #>> '{event,category}' = 'scan' group by 1, 2`);
    const each = (type: string) => before.campaigns.map((campaign) => ({ campaign, type, times: 1 }));
    const scans = ends.filter(({ campaign }) => before.campaigns.includes(campaign));
    expect(scans).toHaveLength(2 * before.campaigns.length);
    expect(scans).toEqual(expect.arrayContaining([...each('scan_started'), ...each('scan_completed')]));
  });

  test('no action writes again to the source, nor over what people did there since', async () => {
    const { cut, changed, forgotten } = before.actions;
    const statusOf = async (actionId: string) => (await storedAction(restored, actionId)).status;
    expect([await statusOf(cut), await statusOf(changed), await statusOf(forgotten)]).toEqual([
      'executing',
      'executing',
      'awaiting_approval',
    ]);
    const world = await createActionWorld(restored, source);
    world.clock.now += ACTION_LEASE_MS + 1;
    await sweepActions(world.parts, { signal: new AbortController().signal, budgetMs: MINUTE });
    await world.decide(APPROVER, forgotten);
    expect(await storedAction(restored, cut)).toMatchObject({ status: 'verified' });
    expect(await storedAction(restored, changed)).toMatchObject({
      status: 'drifted',
      outcome_reason: 'version_changed',
    });
    expect(await storedAction(restored, forgotten)).toMatchObject({ status: 'verified' });
    expect(world.written.count).toBe(0);
    expect([await world.labelOf('ast_cut'), await world.labelOf('ast_changed')]).toEqual([WANTED, null]);
  });

  test('the chain goes on and is signed', async () => {
    expect(await sign()).toMatchObject({ signed: 1, notAsSigned: [] });
    const { body } = await before.auditor.get('/api/audit/verify');
    expect(body).toMatchObject({ ok: true, checkpoints: 3 });
  });
});
