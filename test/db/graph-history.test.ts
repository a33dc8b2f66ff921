import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FeedConnector } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { connectorOf } from '../support/graph/connect.ts';
import type { Fault } from '../support/graph/faults.ts';
import type { FakeLibrary, GraphFake } from '../support/graph/graph-fake.ts';
import {
  knownAssets,
  libraryTruth,
  liveWorker,
  makeLiveTenant,
  startLiveScan,
} from '../support/graph/live-scan.ts';
import { REPORTS_SHARING } from '../support/graph/permissions.ts';
import { quickXorHash } from '../support/graph/quick-xor-hash.ts';
import { APP, smallFake } from '../support/graph/small-tenant.ts';
import type { Quirks } from '../support/graph/state.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { openUnits } from '../support/work-truth.ts';

/** More than all attempts of a unit take. */
const MAX_ROUNDS = 20;
const PERSON = {
  id: 'person-1',
  displayName: 'Ada',
  mail: 'ada@small.example',
  userPrincipalName: 'ada@small.example',
};
const NO_PERSON = { jobTitle: null, department: null, managerId: null, guest: false };

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

async function startWorld(quirks: Partial<Quirks> = {}, more: readonly string[] = []): Promise<void> {
  now = Date.UTC(2026, 2, 1);
  const people = [{ ...PERSON, ...NO_PERSON }];
  fake = await smallFake(quirks, { clock: () => now }, { people });
  fake.app(APP.clientId).permissions.push(...more);
  library = fake.library('Finance');
  connector = connectorOf(fake, APP.clientId);
  const tenantId = newId('ten', now) as string as TenantId;
  tenant = { tenantId, scopeId: await makeLiveTenant(database, library, tenantId, now) };
}

async function endWorld(): Promise<void> {
  expect(fake.violations).toEqual([]);
  await fake.close();
}

async function scan(kind: 'inventory' | 'delta'): Promise<void> {
  fake.clearCalls();
  await startLiveScan(database.db, tenant, kind, now);
  const worker = liveWorker(database.url, { db: database.db, clock: () => now, connector });
  for (let rounds = 0; (await openUnits(database)) > 0; rounds++) {
    expect(rounds).toBeLessThan(MAX_ROUNDS);
    await worker.drain(Infinity, new AbortController().signal);
    // Longer than a source asks to wait, and than retries do.
    now += 5 * 60_000;
  }
}

async function expectTruth(): Promise<void> {
  fake.noMoreFaults();
  expect(await knownAssets(database, tenant.tenantId)).toEqual(await libraryTruth(library, connector));
  const letters = sql`select safe_diagnostic from dead_letters where tenant_id = ${tenant.tenantId}`;
  expect(await database.inspect(letters)).toEqual([]);
}

const fetched = () => fake.callsOf('content').length;
const idsOf = (kind: 'file' | 'folder') =>
  [...library.drive.items.values()]
    .filter((item) => item.kind === kind && !item.deleted && item.parentId !== null)
    .map(({ id }) => id);

/** A folder and what is above it. */
function wayUp(id: string): string[] {
  const way: string[] = [];
  for (let here: string | null = id; here !== null; here = library.drive.items.get(here)?.parentId ?? null)
    way.push(here);
  return way;
}

type Pick = { n: number; m: number; unique: number };
const chosen = (ids: readonly string[], n: number): string | undefined => ids[n % Math.max(1, ids.length)];

/** What people do in the library, with whatever is there. */
const ACTS: Readonly<Record<string, (pick: Pick) => void>> = {
  add: ({ n, unique }) => {
    const parent = chosen([library.drive.rootId, ...idsOf('folder')], n) ?? '';
    library.addTo(parent, `file ${unique}.txt`, `content ${unique}`);
  },
  addFolder: ({ n, unique }) => {
    // Two deep, with a file at the bottom.
    library.add(`folder ${n % 3}/inner ${unique}/deep.txt`, `deep ${unique}`);
  },
  edit: ({ n, unique }) => onFile(n, (id) => library.edit(id, `edited ${unique}`)),
  rename: ({ n, unique }) => onFile(n, (id) => library.rename(id, `renamed ${unique}.txt`)),
  move: ({ n, m }) =>
    onFile(n, (id) => library.move(id, chosen([library.drive.rootId, ...idsOf('folder')], m) ?? '')),
  remove: ({ n }) => onFile(n, (id) => library.remove(id)),
  renameFolder: ({ n, unique }) => onFolder(n, (id) => library.rename(id, `folder r${unique}`)),
  moveFolder: ({ n, m }) =>
    onFolder(n, (id) => {
      const to = chosen([library.drive.rootId, ...idsOf('folder')], m) ?? '';
      if (!wayUp(to).includes(id)) library.move(id, to);
    }),
  removeFolder: ({ n }) => onFolder(n, (id) => library.remove(id)),
  share: ({ n, m }) => onFile(n, (id) => share(id, m)),
  unshare: ({ n }) => onFile(n, unshare),
  shareFolder: ({ n, m }) => onFolder(n, (id) => share(id, m)),
  unshareFolder: ({ n }) => onFolder(n, unshare),
  restore: ({ n }) =>
    onFile(n, (id) => {
      const [earlier] = library.drive.items.get(id)?.earlier ?? [];
      if (earlier !== undefined) library.restoreVersion(id, earlier.id);
    }),
  resync: ({ n }) => library.resync({ withLocation: n % 2 === 0 }),
};

/** Once, because a second grant leaves the mark of sharing as it is, by which alone some deltas know. */
function share(id: string, m: number): void {
  if ((library.drive.items.get(id)?.grants.length ?? 0) > 0) return;
  if (m % 2 === 0) library.share(id, { to: 'person', personId: PERSON.id, role: 'write' });
  else library.share(id, { to: 'link', scope: 'anonymous', type: 'view' });
}
function unshare(id: string): void {
  const [grant] = library.drive.items.get(id)?.grants ?? [];
  if (grant !== undefined) library.unshare(id, grant.id);
}

const onFile = (n: number, act: (id: string) => void): void => {
  const id = chosen(idsOf('file'), n);
  if (id !== undefined) act(id);
};
const onFolder = (n: number, act: (id: string) => void): void => {
  const id = chosen(idsOf('folder'), n);
  if (id !== undefined) act(id);
};

const ON_THE_WAY: readonly Fault[] = [
  { kind: 'throttle', retryAfter: 1 },
  { kind: 'throttle', retryAfter: 120 },
  { kind: 'throttle', status: 503, retryAfter: null },
  { kind: 'cut' },
  { kind: 'reset' },
  { kind: 'brokenJson' },
  { kind: 'html', status: 502 },
];
const IN_FEEDS: readonly Fault[] = [
  { kind: 'emptyPage' },
  { kind: 'repeatItems' },
  { kind: 'repeatLink' },
  { kind: 'error', status: 410, code: 'resyncRequired' },
];
const STRUCK = ['delta', 'item', 'permissions', 'content', 'download', 'batch'] as const;

const quirks: fc.Arbitrary<Partial<Quirks>> = fc.record({
  deltaOmitsContentTag: fc.boolean(),
  deltaShowsPath: fc.boolean(),
  deletedFolderAlone: fc.boolean(),
  inherited: fc.constantFrom('empty' as const, 'reference' as const, 'absent' as const),
  sharingChangesTag: fc.constantFrom('people' as const, 'always' as const, 'never' as const),
  withUnknownFields: fc.boolean(),
  links: fc.constantFrom('call' as const, 'query' as const, 'skiptoken' as const, 'keys' as const),
  pageOverflow: fc.constantFrom(0, 250),
});
const number = fc.nat(1_000);
const acts = fc.array(fc.record({ act: fc.constantFrom(...Object.keys(ACTS)), n: number, m: number }), {
  maxLength: 8,
});
const faults = fc.array(
  fc.oneof(
    fc
      .record({ on: fc.constantFrom(...STRUCK), fault: fc.constantFrom(...ON_THE_WAY), after: fc.nat(4) })
      // Changed bytes of a file that arrives whole look like another version of the file.
      .filter(({ on, fault }) => !(on === 'download' && fault.kind === 'brokenJson')),
    fc.record({ on: fc.constant('delta' as const), fault: fc.constantFrom(...IN_FEEDS), after: fc.nat(2) }),
  ),
  { maxLength: 2 },
);
const history = fc.array(fc.record({ acts, faults }), { minLength: 1, maxLength: 3 });

/** Beyond the documented permissions. */
const more = fc.constantFrom([], [REPORTS_SHARING]);

test('after each delta, assets are what the library holds, whatever happened', async () => {
  await fc.assert(
    fc.asyncProperty(quirks, more, history, async (how, permissions, steps) => {
      await startWorld(how, permissions);
      let unique = 0;
      for (let n = 0; n < 3; n++) ACTS.addFolder?.({ n, m: n, unique: unique++ });
      await scan('inventory');
      await expectTruth();
      for (const { acts, faults } of steps) {
        now += 60_000;
        for (const { act, n, m } of acts) ACTS[act]?.({ n, m, unique: unique++ });
        for (const spec of faults) fake.fail(spec);
        await scan('delta');
        await expectTruth();
      }
      await endWorld();
    }),
    { numRuns: propertyRuns(8), endOnFailure: true },
  );
});

describe('what a change costs', () => {
  let files: string[];
  beforeEach(async () => {
    await startWorld({}, [REPORTS_SHARING]);
    files = Array.from({ length: 30 }, (_, n) => library.add(`A/B/file ${n}.txt`, `content ${n}`));
    await scan('inventory');
    expect(fetched()).toBe(30);
  });
  afterEach(endWorld);

  const calls = () => fake.calls.map(({ family }) => family).filter((family) => family !== 'batch');

  test('a rename and a move of a folder cost the feed and the permissions of folders', async () => {
    const [a = ''] = idsOf('folder');
    library.rename(a, 'Z');
    library.move(a, library.addFolder('Top'));
    await scan('delta');
    // Those of the folder, and of the folders above it, which the feed reports too.
    expect(new Set(calls())).toEqual(new Set(['delta', 'permissions', 'site_permissions']));
    expect(fake.callsOf('permissions')).toHaveLength(3);
    await expectTruth();
    expect((await knownAssets(database, tenant.tenantId))[files[0] ?? '']?.path).toBe('Top/Z/B/file 0.txt');
  });

  test('a change of sharing costs no content, and a rename of a file neither', async () => {
    const [first = '', second = ''] = files;
    library.share(first, { to: 'link', scope: 'organization', type: 'edit' });
    library.rename(second, 'renamed.txt');
    await scan('delta');
    expect(fetched()).toBe(0);
    // Those of the files, and of the folders above them.
    expect(fake.callsOf('permissions')).toHaveLength(2 + 3);
    await expectTruth();
  });

  test('content that was made to have the hash of another is read', async () => {
    const long = (text: string) => Buffer.from(text.padEnd(400, '.'));
    const harmless = long('a list of harmless words');
    // Bytes 160 apart fall on the same bits of the hash.
    const forged = Buffer.from(harmless);
    harmless.copy(forged, 160, 0, 80);
    harmless.copy(forged, 0, 160, 240);
    expect(quickXorHash(forged)).toBe(quickXorHash(harmless));
    const [edited = ''] = files;
    library.edit(edited, harmless);
    await scan('delta');
    library.edit(edited, forged);
    library.add('copy.txt', harmless);
    library.add('forged.txt', forged);
    await scan('delta');
    expect(fetched()).toBe(3);
    await expectTruth();
  });
});
