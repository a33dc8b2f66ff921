import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DeltaCursorInvalid, type FeedConnector } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { comparingSharing } from '../../core/scan/compare-sharing.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { connectorOf } from '../support/graph/connect.ts';
import type { GrantSpec } from '../support/graph/grants.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import {
  knownAssets,
  libraryTruth,
  liveWorker,
  makeLiveTenant,
  startLiveScan,
} from '../support/graph/live-scan.ts';
import { REPORTS_SHARING } from '../support/graph/permissions.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import { openUnits } from '../support/work-truth.ts';

const ANYONE: GrantSpec = { to: 'link', scope: 'anonymous', type: 'view' };
/** More than all attempts of a unit take. */
const MAX_ROUNDS = 20;

let database: TestDatabase;
let fake: GraphFake;
let library: FakeLibrary;
let connector: FeedConnector;
let now: number;
let tenant: { tenantId: TenantId; scopeId: ScopeId };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

async function startWorld(more: readonly string[]): Promise<void> {
  now = Date.UTC(2026, 2, 1);
  fake = await smallFake({}, { clock: () => now });
  fake.app(APP.clientId).permissions.push(...more);
  library = fake.library('Finance');
  connector = connectorOf(fake, APP.clientId);
  const tenantId = newId('ten', now) as string as TenantId;
  tenant = { tenantId, scopeId: await makeLiveTenant(database, library, tenantId, now) };
}

/** Runs a scan to its end. */
async function scan(kind: 'inventory' | 'delta', settings: Record<string, string> = {}): Promise<void> {
  fake.clearCalls();
  const campaignId = await startLiveScan(database.db, tenant, kind, now);
  const worker = liveWorker(database.url, { db: database.db, clock: () => now, connector, settings });
  for (let rounds = 0; (await openUnits(database)) > 0; rounds++) {
    expect(rounds).toBeLessThan(MAX_ROUNDS);
    await worker.drain(Infinity, new AbortController().signal);
    now += 5 * 60_000;
  }
  const ended = sql`select status, units_dead as dead from campaigns where campaign_id = ${campaignId}`;
  expect(await database.inspect(ended)).toEqual([{ status: 'completed', dead: 0 }]);
}

const cancelled = (campaignId: string) => sql`
  update campaigns set status = 'cancelled', cancelling = true, finished_at = ${new Date(now)}
   where campaign_id = ${campaignId}`;

const expectTruth = async (): Promise<void> =>
  expect(await knownAssets(database, tenant.tenantId)).toEqual(await libraryTruth(library, connector));
const sharedWithAnyone = async (): Promise<string[]> =>
  Object.values(await knownAssets(database, tenant.tenantId))
    .filter(({ grants }) => grants.some(({ principalKind }) => principalKind === 'anyone'))
    .map(({ path }) => path)
    .sort();
const exposures = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (
      await database.inspect<{ path: string; status: string }>(sql`
        select a.path, f.status from findings f join assets a using (tenant_id, asset_id)
         where f.tenant_id = ${tenant.tenantId} and f.kind = 'exposure'`)
    ).map(({ path, status }) => [path, status]),
  );
const calls = (family: 'permissions' | 'delta' | 'content') => fake.callsOf(family).length;

const SECRET =
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzLHGEXAMPLEKEY\npassword: hunter2-Ahx83jq!\n';

describe.each([
  ['the documented permissions', []],
  ['the feed reporting sharing', [REPORTS_SHARING]],
])('with %s', (_, more) => {
  test('a folder that is shared and unshared reaches its files within one delta', async () => {
    await startWorld(more);
    library.add('HR/Pay/2026/secret.txt', SECRET);
    library.add('HR/Pay/list.txt', SECRET);
    library.add('HR/plan.txt', SECRET);
    await scan('inventory');
    const pay = library.addFolder('HR/Pay');

    const link = library.share(pay, ANYONE);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['HR/Pay/2026/secret.txt', 'HR/Pay/list.txt']);
    expect(await exposures()).toEqual({
      'HR/Pay/2026/secret.txt': 'open',
      'HR/Pay/list.txt': 'open',
    });
    expect(calls('content')).toBe(0);
    await expectTruth();

    library.unshare(pay, link);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual([]);
    expect(await exposures()).toEqual({
      'HR/Pay/2026/secret.txt': 'resolved',
      'HR/Pay/list.txt': 'resolved',
    });
    await expectTruth();
  });

  test('a file that is shared and unshared is known within one delta', async () => {
    await startWorld(more);
    const id = library.add('HR/plan.txt', SECRET);
    library.add('HR/other.txt', SECRET);
    await scan('inventory');
    const link = library.share(id, ANYONE);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['HR/plan.txt']);
    expect(calls('content')).toBe(0);
    library.unshare(id, link);
    await scan('delta');
    await expectTruth();
  });

  test('files that move into and out of a shared folder get and lose its grants', async () => {
    await startWorld(more);
    const open = library.addFolder('Open');
    const closed = library.addFolder('Closed');
    const file = library.addTo(closed, 'file.txt', SECRET);
    const inner = library.addFolder('Closed/Inner/Deep');
    library.addTo(inner, 'deep.txt', SECRET);
    library.share(open, ANYONE);
    await scan('inventory');
    expect(await sharedWithAnyone()).toEqual([]);
    library.move(file, open);
    library.move(library.addFolder('Closed/Inner'), open);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Open/Inner/Deep/deep.txt', 'Open/file.txt']);
    library.move(library.addFolder('Open/Inner'), closed);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Open/file.txt']);
    await expectTruth();
  });

  test('an inventory reads all permissions again', async () => {
    await startWorld(more);
    for (let n = 0; n < 5; n++) library.add(`A/${n}.txt`, `content ${n}`);
    await scan('inventory');
    await scan('inventory');
    // Those of the files, of their folder and of the root.
    expect(calls('permissions')).toBe(7);
    expect(calls('content')).toBe(0);
  });
});

describe('what a shared folder costs', () => {
  test('one permissions call for each file and folder in it, in batches of 20', async () => {
    await startWorld([REPORTS_SHARING]);
    for (let n = 0; n < 230; n++) library.add(`Big/Part ${n % 3}/${n}.txt`, `content ${n}`);
    library.add('Other/file.txt', 'content');
    await scan('inventory');
    library.share(library.addFolder('Big'), ANYONE);
    await scan('delta');
    // With the root, which the feed reports too.
    expect(calls('permissions')).toBe(230 + 3 + 1 + 1);
    expect(fake.callsOf('item')).toEqual([]);
    const requests = fake.calls.filter(({ batched }) => !batched).length;
    // The feed, the root and the folder, the three folders, and 200 and 30 files.
    expect(requests).toBeLessThanOrEqual(1 + 1 + 1 + 10 + 2 + 1);
    await expectTruth();
    await scan('delta');
    expect(calls('permissions')).toBe(0);
  });

  test('nothing below a folder in it that grants what it granted before', async () => {
    await startWorld([REPORTS_SHARING]);
    library.add('Big/Inner/Deep/a.txt', 'a');
    library.add('Big/b.txt', 'b');
    library.share(library.addFolder('Big/Inner'), ANYONE);
    await scan('inventory');
    library.share(library.addFolder('Big'), ANYONE);
    await scan('delta');
    // The root, the shared folder, the folder in it and the file.
    expect(calls('permissions')).toBe(4);
    await expectTruth();
  });

  test('no listing of a scope that has more items than are compared', async () => {
    await startWorld([]);
    const file = library.add('A/file.txt', 'a');
    await scan('inventory');
    library.share(file, ANYONE);
    await scan('delta', { SVC_SHARING_COMPARED_ITEMS: '0' });
    expect(await sharedWithAnyone()).toEqual([]);
    expect(calls('delta')).toBe(1);
    await scan('inventory');
    expect(await sharedWithAnyone()).toEqual(['A/file.txt']);
  });
});

describe('a delta that did not read everything', () => {
  test('is continued by the next one after it was cancelled', async () => {
    await startWorld([REPORTS_SHARING]);
    library.add('Big/Inner/a.txt', 'a');
    await scan('inventory');
    library.share(library.addFolder('Big'), ANYONE);
    const campaignId = await startLiveScan(database.db, tenant, 'delta', now);
    const inner = library.addFolder('Big/Inner');
    const cancelling: FeedConnector = {
      ...connector,
      getPermissions: async (scope, item, signal) => {
        if (item === inner) await database.inspect(cancelled(campaignId));
        return connector.getPermissions(scope, item, signal);
      },
    };
    const parts = { db: database.db, clock: () => now, connector: cancelling };
    await liveWorker(database.url, parts).drain(Infinity, new AbortController().signal);
    now += 5 * 60_000;
    expect(await sharedWithAnyone()).toEqual([]);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Big/Inner/a.txt']);
    await expectTruth();
  });

  test('keeps what it knew where permissions are refused', async () => {
    await startWorld([REPORTS_SHARING]);
    const file = library.add('Big/a.txt', 'a');
    library.add('Big/b.txt', 'b');
    await scan('inventory');
    library.share(library.addFolder('Big'), ANYONE);
    fake.fail({
      ...{ on: 'permissions', where: (path) => path.includes(file), times: 10 },
      fault: { kind: 'error', status: 403, code: 'accessDenied' },
    });
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Big/b.txt']);
    fake.noMoreFaults();
    // The feed reports nothing any more. What was not read is taken up.
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Big/a.txt', 'Big/b.txt']);
    await expectTruth();
  });

  test('reads files of a shared folder whose grants were not known before', async () => {
    await startWorld([REPORTS_SHARING]);
    library.add('Big/a.txt', 'a');
    await scan('inventory');
    await database.inspect(sql`
      update source_folders set permissions_key = null where tenant_id = ${tenant.tenantId}`);
    library.share(library.addFolder('Big'), ANYONE);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Big/a.txt']);
    await scan('delta');
    expect(calls('permissions')).toBe(0);
  });

  test('reads files of a shared folder whose grants are refused', async () => {
    await startWorld([REPORTS_SHARING]);
    library.add('Big/a.txt', 'a');
    await scan('inventory');
    const big = library.addFolder('Big');
    const link = library.share(big, ANYONE);
    fake.fail({
      ...{ on: 'permissions', where: (path) => path.includes(big), times: 10 },
      fault: { kind: 'error', status: 403, code: 'accessDenied' },
    });
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual(['Big/a.txt']);
    fake.noMoreFaults();
    library.unshare(big, link);
    await scan('delta');
    expect(await sharedWithAnyone()).toEqual([]);
    await expectTruth();
  });
});

test('a worker of an earlier release begins again instead of listing on', async () => {
  await startWorld([]);
  const { deltaCursor } = await connector.listItems(library.id, null, new AbortController().signal);
  // The place that such a worker reads.
  const { pageToken } = comparingSharing(1, deltaCursor).payload as unknown as { pageToken: string };
  const listing = connector.listItems(library.id, pageToken, new AbortController().signal);
  await expect(listing).rejects.toThrow(DeltaCursorInvalid);
});
