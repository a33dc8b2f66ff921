import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import type { DeltaChange, SourceFolder, SourceItem } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant, mustStart } from '../support/campaign.ts';
import { type ChangingSource, createChangingSource, scanOf } from '../support/changing-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

const SITE = 'site-1';
const TOP = 'top';

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: ScopeId;
let source: ChangingSource;
let tenants = 0;
let now = 0;
/** How often the source was asked for one item. */
let gets = 0;

beforeAll(async () => {
  database = await createTestDatabase({ max: 8 });
});
afterAll(() => database.drop());
beforeEach(() => anotherTenant());

async function anotherTenant(): Promise<void> {
  now = Date.UTC(2026, 0, 1);
  tenantId = `folders-${tenants++}` as TenantId;
  scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  source = createChangingSource();
  gets = 0;
  source.beforeGet = async () => {
    gets++;
    return undefined;
  };
}

async function scan(kind: 'inventory' | 'delta') {
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const campaign = { scopeId, kind, createdBy: null, correlationId: 'cor_1', first };
  await withTx(database.db, { tenantId, mode: 'write' }, async (tx) =>
    mustStart(await startCampaign(tx, campaign, now)),
  );
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { handlers, ...common } = scanOf(source, 'feed', { database, clock: () => now });
    const worker = createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 4 });
    await worker.drain(Number.POSITIVE_INFINITY, new AbortController().signal);
    now += 60_000;
  }
}

/** A drive: folders and files that know the folder they are in. What the source says of a path is not true. */
class Drive {
  readonly folders = new Map<string, SourceFolder>([
    [TOP, { externalId: TOP, parentExternalId: null, name: '' }],
  ]);
  readonly files = new Map<string, SourceItem>();
  #version = 0;

  folder(externalId: string, parentExternalId: string, name: string): DeltaChange {
    const folder = { externalId, parentExternalId, name };
    this.folders.set(externalId, folder);
    return { type: 'folder', folder };
  }

  file(externalId: string, parentExternalId: string, name: string): DeltaChange {
    const item = {
      ...source.put(SITE, externalId, `v${++this.#version}`),
      name,
      path: `guess/${name}`,
      parentExternalId,
      contentVersion: 'c1',
    };
    source.items(SITE).set(externalId, item);
    this.files.set(externalId, item);
    return { type: 'upsert', item };
  }

  /** A deleted folder is all that the source reports. */
  remove(externalId: string): DeltaChange {
    for (const [id, { parentExternalId }] of [...this.folders])
      if (parentExternalId === externalId) this.remove(id);
    for (const [id, item] of [...this.files]) {
      if (id === externalId || item.parentExternalId === externalId) {
        this.files.delete(id);
        source.remove(SITE, id);
      }
    }
    this.folders.delete(externalId);
    return { type: 'delete', externalId };
  }

  isWithin(externalId: string, folder: string): boolean {
    if (externalId === folder) return true;
    const parent = this.folders.get(externalId)?.parentExternalId ?? null;
    return parent !== null && this.isWithin(parent, folder);
  }

  pathOf(folder: string): string {
    const { name = '', parentExternalId = null } = this.folders.get(folder) ?? {};
    return parentExternalId === null ? name : [this.pathOf(parentExternalId), name].filter(Boolean).join('/');
  }

  paths(): Record<string, string> {
    return Object.fromEntries(
      [...this.files].map(([id, { name, parentExternalId }]) => [
        id,
        [this.pathOf(parentExternalId ?? ''), name].filter(Boolean).join('/'),
      ]),
    );
  }
}

async function stored(): Promise<Record<string, string>> {
  const rows = await database.inspect<{ id: string; path: string }>(sql`
    select external_id as id, path from assets where tenant_id = ${tenantId} and status = 'active'`);
  return Object.fromEntries(rows.map(({ id, path }) => [id, path]));
}

/** Folders that wait for something, and units that failed for good. */
async function leftOver() {
  return {
    unsettled: await database.inspect(sql`
      select external_id from source_folders where tenant_id = ${tenantId} and state <> 'settled'`),
    dead: await database.inspect(
      sql`select unit_id from work_units where tenant_id = ${tenantId} and status = 'dead'`,
    ),
  };
}
const NOTHING = { unsettled: [], dead: [] };

function laidOut(): Drive {
  const drive = new Drive();
  drive.folder('hr', TOP, 'HR');
  drive.folder('pay', 'hr', 'Payroll');
  drive.folder('old', 'pay', '2024');
  drive.file('f1', TOP, 'readme.txt');
  drive.file('f2', 'hr', 'staff.txt');
  for (let i = 0; i < 30; i++) drive.file(`p${i}`, i % 2 ? 'pay' : 'old', `slip ${i}.txt`);
  source.folders.set(SITE, [...drive.folders.values()].reverse());
  return drive;
}

test('a renamed folder gives its items new paths without a call for any of them', async () => {
  const drive = laidOut();
  await scan('inventory');
  expect(await stored()).toEqual(drive.paths());
  expect((await stored()).p0).toBe('HR/Payroll/2024/slip 0.txt');
  const before = gets;
  source.feed.set(SITE, [[drive.folder('pay', 'hr', 'Salaries')]]);
  await scan('delta');
  expect((await stored()).p0).toBe('HR/Salaries/2024/slip 0.txt');
  expect(await stored()).toEqual(drive.paths());
  expect(gets).toBe(before);
  expect(await leftOver()).toEqual(NOTHING);
  const rescored = await database.inspect(sql`
    select 1 from work_units where tenant_id = ${tenantId} and kind = 'rescore_asset' and status = 'completed'`);
  expect(rescored).toHaveLength(30);
});

test('a deleted folder takes along what is in it, but not what left it meanwhile', async () => {
  const drive = laidOut();
  await scan('inventory');
  const moved = drive.file('p1', TOP, 'slip 1.txt');
  const kept = drive.folder('old', TOP, 'Archive');
  source.feed.set(SITE, [[drive.remove('hr')], [moved, kept]]);
  await scan('delta');
  expect(await stored()).toEqual(drive.paths());
  expect(Object.keys(drive.paths())).toHaveLength(17);
  expect((await stored()).p0).toBe('Archive/slip 0.txt');
  expect(await leftOver()).toEqual(NOTHING);
  const [scope] = await database.inspect<{ count: number }>(sql`
    select asset_count as count from scopes where tenant_id = ${tenantId} and scope_id = ${scopeId}`);
  expect(scope?.count).toBe(17);
});

test('folders that contain each other, or a folder nobody knows, stop no scan', async () => {
  const drive = laidOut();
  drive.file('lost', 'unknown', 'lost.txt');
  drive.folder('a', 'b', 'A');
  drive.folder('b', 'a', 'B');
  drive.file('round', 'a', 'round.txt');
  source.folders.set(SITE, [...drive.folders.values()]);
  await scan('inventory');
  expect((await stored()).lost).toBe('guess/lost.txt');
  expect((await stored()).round).toBe('B/A/round.txt');
  expect(await leftOver()).toEqual(NOTHING);
});

test('a move of 3,000 items goes on where a lost worker stopped', async () => {
  const drive = laidOut();
  await scan('inventory');
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, parent_external_id, kind, size_bytes,
                        source_version, content_version, stage_keys, first_seen_at, last_seen_at)
    select tenant_id, 'ast_many_' || n, scope_id, 'many-' || n, 'many ' || n, 'HR/Payroll/many ' || n, 'pay', 'file', 1, 'v', 'c', '{"observe": "v"}',
           now(), now()
      from assets, generate_series(1, 3000) n where tenant_id = ${tenantId} and external_id = 'f1'`);
  source.feed.set(SITE, [[drive.folder('hr', TOP, 'People')]]);
  await database.inspect(sql`
    update source_folders set name = 'People', path = 'People', state = 'settled'
     where tenant_id = ${tenantId} and external_id = 'hr'`);
  await database.inspect(sql`
    update source_folders set state = 'named' where tenant_id = ${tenantId} and external_id in ('pay', 'old')`);
  await scan('delta');
  const [old] = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from assets
     where tenant_id = ${tenantId} and parent_external_id in ('pay', 'old') and not starts_with(path, 'People/Payroll/')`);
  expect(old?.count).toBe(0);
  expect(await leftOver()).toEqual(NOTHING);
});

type Act = {
  what: 'file' | 'folder' | 'move file' | 'move folder' | 'rename' | 'remove';
  a: number;
  b: number;
};
const acts = fc.array(
  fc.record<Act>({
    what: fc.constantFrom('file', 'folder', 'move file', 'move folder', 'rename', 'remove'),
    a: fc.nat(1_000),
    b: fc.nat(1_000),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Does an act, and returns what the source reports of it. */
function act(drive: Drive, { what, a, b }: Act, n: number): DeltaChange | null {
  const pick = <T>(from: Iterable<T>, at: number): T | undefined => {
    const all = [...from];
    return all[at % all.length];
  };
  const folder = pick(drive.folders.keys(), a) ?? TOP;
  const into = pick(drive.folders.keys(), b) ?? TOP;
  const file = pick(drive.files.values(), a);
  if (what === 'file') return drive.file(`new-${n}`, folder, `new ${n}.txt`);
  if (what === 'folder') return drive.folder(`dir-${n}`, folder, `Dir ${n}`);
  if (what === 'move file') return file ? drive.file(file.externalId, into, file.name) : null;
  if (folder === TOP) return null;
  const { name, parentExternalId } = drive.folders.get(folder) ?? expect.unreachable('The folder exists.');
  if (what === 'rename') return drive.folder(folder, parentExternalId ?? TOP, `Renamed ${n}`);
  if (what === 'move folder') return drive.isWithin(into, folder) ? null : drive.folder(folder, into, name);
  return drive.remove(folder);
}

test('after any history, each item has the path that its folders give it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 3 }), async (feeds) => {
      await anotherTenant();
      const drive = laidOut();
      await scan('inventory');
      let n = 0;
      for (const feed of feeds) {
        const changes = feed.map((one) => act(drive, one, n++)).filter((change) => change !== null);
        // A source reports an item as often as it likes, and only its present state.
        const pages = changes.map((change) => [change]);
        source.feed.set(SITE, pages.length > 0 ? pages : [[]]);
        await scan('delta');
        expect(await stored()).toEqual(drive.paths());
        expect(await leftOver()).toEqual(NOTHING);
      }
      source.folders.set(SITE, [...drive.folders.values()]);
      await scan('inventory');
      expect(await stored()).toEqual(drive.paths());
    }),
    { numRuns: propertyRuns(8) },
  );
});
