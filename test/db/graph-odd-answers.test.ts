import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { newId, type TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { connectorOf } from '../support/graph/connect.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import { liveWorker, makeLiveTenant, startLiveScan } from '../support/graph/live-scan.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import { openUnits } from '../support/work-truth.ts';

let database: TestDatabase;
let fake: GraphFake;
let library: FakeLibrary;
let now: number;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  fake = await smallFake({}, { clock: () => now });
  library = fake.library('Finance');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fake.close();
});

/** Scans the library. Returns its assets and the diagnostics of what could not be done. */
async function scanned() {
  const tenantId = newId('ten', now) as string as TenantId;
  const tenant = { tenantId, scopeId: await makeLiveTenant(database, library, tenantId, now) };
  await startLiveScan(database.db, tenant, 'inventory', now);
  const connector = connectorOf(fake, APP.clientId);
  const worker = liveWorker(database.url, { db: database.db, clock: () => now, connector });
  for (let rounds = 0; (await openUnits(database)) > 0; rounds++) {
    expect(rounds).toBeLessThan(20);
    await worker.drain(Infinity, new AbortController().signal);
    now += 5 * 60_000;
  }
  const letters = sql`select safe_diagnostic as diagnostic from dead_letters where tenant_id = ${tenantId}`;
  return {
    assets: await database.inspect<{ path: string; contentState: string; labelState: string }>(sql`
      select path, content_state as "contentState", label_state as "labelState"
        from assets where tenant_id = ${tenantId} and status = 'active' order by path`),
    letters: (await database.inspect<{ diagnostic: string }>(letters)).map(({ diagnostic }) => diagnostic),
  };
}

/** Fields that no published shape has, each in a page of sound files. */
const ODD: readonly object[] = [
  { size: '99999999999999999999' },
  { size: 1.5 },
  { createdDateTime: '2024-02-30T00:00:00Z' },
  { lastModifiedDateTime: '9999-12-31T23:59:59.9999999Z' },
  { name: 'a\0b.txt' },
  { name: 'half \ud800.txt' },
  { name: 'n'.repeat(9_000) },
  { eTag: 'e'.repeat(9_000) },
  { lastModifiedBy: 5, parentReference: 'x', webUrl: 7 },
  { parentReference: { id: 'nowhere' } },
];

test('whatever the fields of an item hold, the page is stored and every file is read', async () => {
  for (let n = 0; n < ODD.length + 2; n++) library.add(`folder/${n}.txt`, `text ${n}`);
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await fetch(input, init);
    if (!new URL(String(input)).pathname.endsWith('/delta')) return response;
    const page = (await response.json()) as { value: { file?: object }[] };
    const [odd, sound] = [page.value.filter(({ file }) => file), page.value.filter(({ file }) => !file)];
    const value = [...sound, { name: 'no id' }, ...odd.map((item, n) => ({ ...item, ...ODD[n] }))];
    return Response.json({ ...page, value });
  });
  const { assets, letters } = await scanned();
  expect(letters).toEqual([]);
  expect(assets).toHaveLength(ODD.length + 2);
  expect(new Set(assets.map(({ contentState }) => contentState))).toEqual(new Set(['available']));
});

test('the sections of a notebook are in it', async () => {
  const notebook = library.addPackage('Team/Notebook');
  library.addTo(notebook, 'Section.one', 'section');
  expect((await scanned()).assets).toMatchObject([
    { path: 'Team/Notebook', contentState: 'unsupported' },
    { path: 'Team/Notebook/Section.one' },
  ]);
});

test('a library without items is scanned', async () => {
  expect(await scanned()).toEqual({ assets: [], letters: [] });
});

test('a file whose label and permissions are never told is read nevertheless', async () => {
  library.add('plan.docx', 'Plan');
  for (const [on, status] of [
    ['labels_extract', 500],
    ['permissions', 401],
  ] as const)
    fake.fail({ on, fault: { kind: 'error', status, code: 'generalException' }, times: 1_000 });
  const { assets, letters } = await scanned();
  expect(letters).toEqual([]);
  expect(assets).toEqual([{ path: 'plan.docx', contentState: 'available', labelState: 'unknown' }]);
});
