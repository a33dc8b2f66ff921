import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askForInaccessible, startScheduledDeltas } from '../../core/campaigns/scheduled-deltas.ts';
import { loadConfig } from '../../core/config/config.ts';
import type { FeedConnector } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { listFindings } from '../../core/findings/finding-list.sql.ts';
import { newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { GONE_AFTER_MS } from '../../core/scan/refused-scope.ts';
import { listAssets } from '../../core/search/asset-list.sql.ts';
import { listScopes } from '../../core/sources/scopes.sql.ts';
import type { Worker } from '../../core/work/worker.ts';
import { iban } from '../../infra/local/fixture/identifiers.ts';
import { seededRandom } from '../../infra/local/fixture/random.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { clientOf, cloudOf, connectorOf } from '../support/graph/connect.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import { liveWorker, makeLiveTenant, startLiveScan } from '../support/graph/live-scan.ts';
import { noGraph } from '../support/graph/no-graph.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import type { Refusal } from '../support/graph/state.ts';
import { openUnits } from '../support/work-truth.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const random = seededRandom('inaccessible scope');
/** Accounts that prove themselves, so that a link for anyone is a finding whatever else the file is. */
const ACCOUNTS = Array.from({ length: 5 }, () => `IBAN ${iban(random, 'DE')}`).join('\n');

let database: TestDatabase;
let fake: GraphFake;
let library: FakeLibrary;
let connector: FeedConnector;
let worker: Worker;
let tenantId: TenantId;
let scopeId: ScopeId;
let now: number;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  fake = await smallFake({}, { clock: () => now });
  library = fake.library('Finance');
  connector = connectorOf(fake, APP.clientId);
  worker = liveWorker(database.url, { db: database.db, clock: () => now, connector });
  tenantId = newId('ten', now) as string as TenantId;
  scopeId = await makeLiveTenant(database, library, tenantId, now);
  library.share(library.add('shared/accounts.txt', ACCOUNTS), {
    to: 'link',
    scope: 'anonymous',
    type: 'view',
  });
  library.add('plan.txt', 'The plan');
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
  // The timer asks for the scopes of all tenants.
  await database.inspect(sql`update scopes set selected = false, asset_count = 0`);
});

const live = new AbortController().signal;
async function drained(): Promise<void> {
  for (let rounds = 0; (await openUnits(database)) > 0; rounds++) {
    expect(rounds).toBeLessThan(20);
    await worker.drain(Number.POSITIVE_INFINITY, live);
    now += MINUTE;
  }
}
const scan = async (kind: 'inventory' | 'delta') => {
  await startLiveScan(database.db, { tenantId, scopeId }, kind, now);
  await drained();
};
const parts = () => ({
  config: loadConfig({
    SVC_ENV: 'development',
    SVC_DATABASE_URL: database.url,
    SVC_CONNECTOR_MODE: 'graph',
    SVC_GRAPH_TENANT_ID: fake.tenant().id,
    SVC_GRAPH_CLIENT_ID: APP.clientId,
    SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET',
    GRAPH_SECRET: APP.secret,
    SVC_GRAPH_SITES: 'all',
  }),
  db: database.db,
  clock: () => now,
  graph: { ...noGraph, cloud: cloudOf(fake), reads: () => clientOf(fake, APP.clientId) },
  fixture: null,
  log: createLogger({ level: 'error', clock: () => now, destination: { write: () => undefined } }),
  doorbell: null,
});
/** The timer runs. Returns how many scans it started. */
const asked = async () => {
  const started = await askForInaccessible(parts(), live);
  await drained();
  return started;
};

const read = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'read' }, fn);
const EVERYTHING = { kind: 'tenant' } as const;
const scope = async () => (await read((tx) => listScopes(tx, EVERYTHING, 10)))[0];
const assets = async () => (await read((tx) => listAssets(tx, EVERYTHING, {}, 10))).assets;
const findings = (status?: 'all') =>
  read(async (tx) => (await listFindings(tx, EVERYTHING, { status }, 10)).findings);
const letters = async () => {
  const rows = await database.inspect<{ diagnostic: string }>(
    sql`select safe_diagnostic as diagnostic from dead_letters where tenant_id = ${tenantId}`,
  );
  return rows.map(({ diagnostic }) => diagnostic);
};
const audited = async (type: string) => {
  const rows = await database.inspect<{ event: { type: string; details: object } }>(sql`
    select record::jsonb -> 'event' as event from audit_events where tenant_id = ${tenantId} order by seq`);
  return rows.flatMap(({ event }) => (event.type === type ? [event.details] : []));
};
const standing = async () =>
  (await findings()).map(({ kind, status, assetName }) => ({ kind, status, assetName }));

describe('a library that is refused', () => {
  test.each<[Refusal, string, string]>([
    ['gone', 'not_found', 'graph_delta_404'],
    ['locked', 'locked', 'graph_delta_423'],
    ['denied', 'denied', 'graph_delta_403'],
    ['malformed', 'malformed_id', 'graph_drive_400'],
  ])('as %s is inaccessible, stale, and keeps its findings', async (refusal, reason, diagnostic) => {
    await scan('inventory');
    const before = { findings: await standing(), assets: await assets() };
    expect(before.findings).not.toEqual([]);
    library.drive.refusal = refusal;
    const since = now;
    await scan('delta');
    const shown = await scope();
    expect(shown).toMatchObject({
      ...{ coverageState: 'stale', deltaCursorStatus: 'valid', assetCount: 2, inaccessible: { reason } },
    });
    expect(Date.parse(shown?.inaccessible?.since ?? '') - since).toBeLessThan(5 * MINUTE);
    const { inaccessible } = shown ?? {};
    for (const each of await findings()) expect(each.scopeInaccessible).toEqual(inaccessible);
    for (const each of await assets()) expect(each.scopeInaccessible).toEqual(inaccessible);
    for (let n = 0; n < 3; n++) await scan('delta');
    await scan('inventory');
    expect(await letters()).toEqual([diagnostic]);
    expect(await scope()).toMatchObject({ inaccessible });
    expect(await audited('scope_inaccessible')).toEqual([{ reason }]);

    library.drive.refusal = null;
    await scan('delta');
    expect(await scope()).toMatchObject({
      ...{ coverageState: 'delta', deltaCursorStatus: 'valid', inaccessible: null },
    });
    expect({ findings: await standing(), assets: await assets() }).toEqual({
      ...before,
      assets: before.assets.map((asset) => ({ ...asset, lastSeenAt: expect.any(String) })),
    });
    expect(await audited('scope_accessible')).toEqual([{}]);
    // Another time leaves another letter.
    library.drive.refusal = refusal;
    await scan('delta');
    expect(await letters()).toHaveLength(2);
  });

  test('before its first inventory is not covered, and is listed when it answers', async () => {
    library.drive.refusal = 'locked';
    await scan('inventory');
    expect(await scope()).toMatchObject({ coverageState: null, inaccessible: { reason: 'locked' } });
    library.drive.refusal = null;
    now += 15 * MINUTE;
    expect(await asked()).toBe(1);
    expect(await scope()).toMatchObject({ coverageState: 'baseline', inaccessible: null, assetCount: 2 });
  });

  test('because its site is locked keeps what the site holds', async () => {
    await scan('inventory');
    const [site] = fake.tenant().sites;
    if (site === undefined) return expect.unreachable();
    site.refusal = 'locked';
    await scan('delta');
    expect(await scope()).toMatchObject({ inaccessible: { reason: 'locked' }, assetCount: 2 });
  });
});

test('an asset is not taken for deleted when its library goes away meanwhile', async () => {
  for (let n = 0; n < 10; n++) library.add(`more/${n}.txt`, `text ${n}`);
  await startLiveScan(database.db, { tenantId, scopeId }, 'inventory', now);
  // The listing is answered. The first item that is asked for is not.
  const { getItem } = connector;
  connector.getItem = (...of) => {
    library.drive.refusal = 'gone';
    return getItem(...of);
  };
  await drained();
  expect(await scope()).toMatchObject({ assetCount: 12, inaccessible: { reason: 'not_found' } });
  expect(await letters()).toEqual(['graph_drive_404']);
  connector.getItem = getItem;
  library.drive.refusal = null;
  await scan('delta');
  expect(await assets()).toHaveLength(10);
  const states = await database.inspect(
    sql`select distinct content_state from assets where tenant_id = ${tenantId}`,
  );
  expect(states).toEqual([{ content_state: 'available' }]);
  expect(await letters()).toHaveLength(1);
});

test('a library that answers no delta but is served is not gone', async () => {
  await scan('inventory');
  const before = await assets();
  fake.fail({
    ...{ on: 'delta', where: () => true, times: 1_000 },
    fault: { kind: 'error', status: 400, code: 'invalidRequest' },
  });
  await scan('delta');
  expect(await letters()).toEqual(['graph_delta_400']);
  expect(await scope()).toMatchObject({ inaccessible: null, assetCount: 2 });
  now += GONE_AFTER_MS + DAY;
  await scan('inventory');
  expect((await assets()).map(({ assetId }) => assetId)).toEqual(before.map(({ assetId }) => assetId));
});

test('permissions of files whose library goes away meanwhile stay as they were', async () => {
  await scan('inventory');
  const before = await standing();
  const [accounts] = [...library.drive.items.values()].filter(({ name }) => name === 'accounts.txt');
  library.share(library.addFolder('shared'), { to: 'link', scope: 'organization', type: 'view' });
  const { getPermissions } = connector;
  connector.getPermissions = (scopeId, itemId, signal) => {
    if (itemId === accounts?.id) library.drive.refusal = 'gone';
    return getPermissions(scopeId, itemId, signal);
  };
  await scan('delta');
  expect(await standing()).toEqual(before);
  expect(await scope()).toMatchObject({ inaccessible: { reason: 'not_found' } });
});

test('an item that is deleted in a library that answers is deleted', async () => {
  await scan('inventory');
  await database.inspect(
    sql`update assets set stage_keys = stage_keys - 'observe' where tenant_id = ${tenantId}`,
  );
  const [id = ''] = [...library.drive.items.values()].flatMap(({ name, id }) =>
    name === 'plan.txt' ? [id] : [],
  );
  const item = library.drive.items.get(id);
  if (item === undefined) return expect.unreachable();
  item.deleted = true;
  await scan('delta');
  expect(await scope()).toMatchObject({ coverageState: 'delta', inaccessible: null, assetCount: 1 });
  expect(await letters()).toEqual([]);
});

describe('the timer', () => {
  test('asks again after as long as the library has been inaccessible, at least daily', async () => {
    await scan('inventory');
    library.drive.refusal = 'locked';
    await scan('delta');
    const first = now;
    const at: number[] = [];
    while (now < first + 5 * DAY) {
      now += 30 * MINUTE;
      if ((await asked()) > 0) at.push(Math.round((now - first) / HOUR));
    }
    expect(at.length).toBeGreaterThan(8);
    expect(at.length).toBeLessThan(16);
    const pauses = at.slice(1).map((hour, n) => hour - (at[n] ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(25);
    expect(await startScheduledDeltas(parts(), live)).toBe(0);
    expect(await letters()).toHaveLength(1);
    // However long it is locked: it exists.
    now += 30 * DAY;
    await asked();
    expect(await scope()).toMatchObject({ assetCount: 2 });
    library.drive.refusal = null;
    now += DAY;
    expect(await asked()).toBe(1);
    expect(await scope()).toMatchObject({ coverageState: 'delta', inaccessible: null });
    expect(await startScheduledDeltas(parts(), live)).toBe(1);
    await drained();
  });

  test('leaves a library alone that is no longer selected', async () => {
    await scan('inventory');
    library.drive.refusal = 'locked';
    await scan('delta');
    await database.inspect(sql`update scopes set selected = false where tenant_id = ${tenantId}`);
    now += DAY;
    expect(await asked()).toBe(0);
  });
});

describe('a library that is gone for good', () => {
  const daily = async (days: number) => {
    for (let day = 0; day < days; day++) {
      now += DAY;
      await scan('delta');
    }
  };

  test('ends its assets, and its findings resolve with the reason', async () => {
    await scan('inventory');
    const before = await standing();
    library.drive.refusal = 'gone';
    await scan('delta');
    await daily(GONE_AFTER_MS / DAY - 1);
    expect([await standing(), await assets()]).toMatchObject([before, [{}, {}]]);
    await daily(1);
    expect([await findings(), await assets()]).toEqual([[], []]);
    for (const each of await findings('all'))
      expect(each).toMatchObject({ status: 'resolved', resolvedBecause: 'scope_gone' });
    expect(await scope()).toMatchObject({ coverageState: 'stale', assetCount: 0 });
    await daily(2);
    expect(await audited('scope_ended')).toEqual([{ assets: 2 }]);
    expect(await letters()).toHaveLength(1);

    library.drive.refusal = null;
    await scan('delta');
    expect(await scope()).toMatchObject({
      ...{ coverageState: 'baseline', deltaCursorStatus: 'valid', inaccessible: null, assetCount: 2 },
    });
    expect(await standing()).toEqual(before.map((each) => ({ ...each, status: 'reopened' })));
  });

  test('ends its assets also if nobody selects it any more', async () => {
    await scan('inventory');
    library.drive.refusal = 'gone';
    await scan('delta');
    await database.inspect(sql`update scopes set selected = false where tenant_id = ${tenantId}`);
    now += GONE_AFTER_MS + DAY;
    expect(await asked()).toBe(1);
    expect(await assets()).toEqual([]);
    now += 2 * DAY;
    expect(await asked()).toBe(0);
  });

  test('is not scanned if it comes back and nobody selects it', async () => {
    await scan('inventory');
    library.drive.refusal = 'gone';
    await scan('delta');
    await database.inspect(sql`update scopes set selected = false where tenant_id = ${tenantId}`);
    library.drive.refusal = null;
    now += DAY;
    expect(await asked()).toBe(1);
    expect(await scope()).toMatchObject({ inaccessible: null, coverageState: 'stale', assetCount: 2 });
    now += DAY;
    expect(await asked()).toBe(0);
  });

  test('is not one that was only locked in between', async () => {
    await scan('inventory');
    library.drive.refusal = 'gone';
    await scan('delta');
    await daily(6);
    library.drive.refusal = 'locked';
    await daily(1);
    library.drive.refusal = 'malformed';
    await daily(7);
    expect(await assets()).toHaveLength(2);
    await daily(1);
    expect(await assets()).toEqual([]);
  });

  test('a finding of a deleted file and one whose risk is gone say so', async () => {
    const other = library.add('shared/more accounts.txt', ACCOUNTS);
    library.share(other, { to: 'link', scope: 'anonymous', type: 'view' });
    await scan('inventory');
    const open = await findings();
    expect(open.map(({ resolvedBecause }) => resolvedBecause)).toEqual(open.map(() => null));
    library.remove(other);
    const [accounts] = [...library.drive.items.values()].filter(({ name }) => name === 'accounts.txt');
    for (const { id } of [...(accounts?.grants ?? [])]) library.unshare(accounts?.id ?? '', id);
    await scan('delta');
    const reasons = (await findings('all')).map(({ assetName, resolvedBecause }) => ({
      ...{ assetName, resolvedBecause },
    }));
    expect(reasons).toContainEqual({ assetName: 'more accounts.txt', resolvedBecause: 'asset_deleted' });
    expect(reasons).toContainEqual({ assetName: 'accounts.txt', resolvedBecause: 'risk_gone' });
  });
});
