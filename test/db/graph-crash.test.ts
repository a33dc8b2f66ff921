import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { connectorOf } from '../support/graph/connect.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import { tagOf } from '../support/graph/ids.ts';
import {
  knownAssets,
  libraryTruth,
  liveWorker,
  makeLiveTenant,
  startLiveScan,
} from '../support/graph/live-scan.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import { mortalProcess } from '../support/mortal-process.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { contradictions, openUnits } from '../support/work-truth.ts';

/**
 * "No content twice" can mean this much: once the result of a content is stored, that version is never fetched again.
 * A content that a killed process had fetched and not stored is lost with it, so the next one fetches it. That is at most
 * one for each unit that ran at the kill.
 */

const CONCURRENCY = 3;
/** Fewer than the attempts of a unit: one that is killed each time is a dead letter, rightly. */
const MOST_KILLS = 3;
/** More processes than it takes. */
const MAX_PROCESSES = 20;

let database: TestDatabase;
let fake: GraphFake;
let library: FakeLibrary;
let files: string[];
let folder: string;
let now: number;
let deaths = 0;
let tenant: { tenantId: TenantId; scopeId: ScopeId };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(startWorld);
afterEach(endWorld);

async function startWorld(): Promise<void> {
  now = Date.UTC(2026, 2, 1);
  fake = await smallFake({}, { clock: () => now });
  library = fake.library('Finance');
  folder = library.addFolder('Reports/Year');
  files = Array.from({ length: 9 }, (_, n) =>
    n % 3 === 0
      ? library.add(`File ${n}.txt`, `content ${n}`)
      : library.addTo(folder, `${n}.txt`, `text ${n}`),
  );
  // Pages beyond the first, without hundreds of files.
  fake.fail({ on: 'delta', fault: { kind: 'emptyPage' }, times: 2 });
  const tenantId = newId('ten', now) as string as TenantId;
  tenant = { tenantId, scopeId: await makeLiveTenant(database, library, tenantId, now) };
}

async function endWorld(): Promise<void> {
  expect(fake.violations).toEqual([]);
  await fake.close();
}

/** Runs the scan in one process after the other. Each is killed at its step; the one after the last is not. */
async function scan(kind: 'inventory' | 'delta', kills: readonly number[]) {
  fake.clearCalls();
  await startLiveScan(database.db, tenant, kind, now);
  const stored = new Set<string>();
  const again: string[] = [];
  let processes = 0;
  while ((await openUnits(database)) > 0) {
    expect(processes).toBeLessThan(MAX_PROCESSES);
    const process = mortalProcess(database, kills[processes++] ?? Number.POSITIVE_INFINITY);
    const connector = connectorOf(fake, APP.clientId, { gate: process.gate });
    const parts = { db: process.db, clock: () => now, connector, concurrency: CONCURRENCY };
    const before = fetched().length;
    const drained = liveWorker(database.url, parts).drain(Infinity, new AbortController().signal);
    await Promise.race([drained, process.halt.then(() => deaths++)]);
    again.push(
      ...fetched()
        .slice(before)
        .filter((id) => stored.has(id)),
    );
    for (const id of await storedAssets()) stored.add(id);
    void process.db.close();
    // Past the leases of the dead, and past what retries wait for.
    now += LEASE_MS + 1;
  }
  return { again, fetches: fetched().length };
}

const fetched = (): string[] =>
  fake.callsOf('content').map(({ path }) => /\/items\/([^/]+)\/content/.exec(path)?.[1] ?? '');

/** Those whose present version is stored with its content. */
async function storedAssets(): Promise<string[]> {
  const known = Object.entries(await knownAssets(database, tenant.tenantId));
  return known.flatMap(([id, { version, hash }]) => {
    const item = library.drive.items.get(id);
    return item !== undefined && hash !== null && version === tagOf(item.guid, item.revision) ? [id] : [];
  });
}

async function nothingIsLost(): Promise<void> {
  expect(await knownAssets(database, tenant.tenantId)).toEqual(
    await libraryTruth(library, connectorOf(fake, APP.clientId)),
  );
  expect(await contradictions(database)).toEqual([]);
  const letters = sql`select safe_diagnostic from dead_letters where tenant_id = ${tenant.tenantId}`;
  expect(await database.inspect(letters)).toEqual([]);
  const [scope] = await database.inspect(sql`
    select delta_cursor_status as cursor, asset_count::int as assets from scopes where tenant_id = ${tenant.tenantId}`);
  const assets = Object.keys(await knownAssets(database, tenant.tenantId)).length;
  expect(scope).toEqual({ cursor: 'valid', assets });
}

/** Acts of which each changes something else. Three contents change. */
function change(): void {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = files;
  library.edit(first, 'other content');
  library.edit(second, 'other text');
  library.rename(third, 'Renamed.txt');
  library.remove(fourth);
  library.share(fifth, { to: 'link', scope: 'anonymous', type: 'view' });
  library.share(folder, { to: 'link', scope: 'organization', type: 'view' });
  library.rename(folder, 'Years');
  library.add('Reports/New.txt', 'new');
  fake.fail({ on: 'delta', fault: { kind: 'emptyPage' }, times: 2 });
}

test('without a kill, an inventory and a delta fetch each content once', async () => {
  expect(await scan('inventory', [])).toMatchObject({ again: [], fetches: files.length });
  await nothingIsLost();
  change();
  expect(await scan('delta', [])).toMatchObject({ again: [], fetches: 3 });
  await nothingIsLost();
});

/** A process takes about 90 steps for all of this inventory, and 50 for the delta. */
const killsWithin = (steps: number) =>
  fc.array(fc.integer({ min: 1, max: steps }), { minLength: 1, maxLength: MOST_KILLS });

test('a kill at any point of a scan loses nothing and fetches nothing stored', async () => {
  await fc.assert(
    fc
      .asyncProperty(killsWithin(90), killsWithin(50), async (first, second) => {
        const inventory = await scan('inventory', first);
        expect(inventory.again).toEqual([]);
        expect(inventory.fetches).toBeLessThanOrEqual(files.length + first.length * CONCURRENCY);
        await nothingIsLost();
        change();
        const delta = await scan('delta', second);
        expect(delta.again).toEqual([]);
        expect(delta.fetches).toBeLessThanOrEqual(3 + second.length * CONCURRENCY);
        await nothingIsLost();
      })
      .beforeEach(async () => {
        await endWorld();
        await startWorld();
      }),
    { numRuns: propertyRuns(5), endOnFailure: true },
  );
  expect(deaths).toBeGreaterThan(0);
});
