import { afterEach, expect, test } from 'vitest';
import {
  type DeltaChange,
  DeltaCursorInvalid,
  type FeedConnector,
} from '../../../core/connectors/connector.ts';
import { connectorOf } from '../../support/graph/connect.ts';
import type { FakeLibrary, GraphFake, GraphFakeOptions } from '../../support/graph/graph-fake.ts';
import { REPORTS_SHARING } from '../../support/graph/permissions.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';
import type { Quirks } from '../../support/graph/state.ts';
import type { TenantSpec } from '../../support/graph/tenant.ts';

const live = new AbortController().signal;
let fake: GraphFake;
let library: FakeLibrary;
let connector: FeedConnector;

async function open(
  quirks: Partial<Quirks> = {},
  options: Omit<GraphFakeOptions, 'tenants'> = {},
  more: Partial<TenantSpec> = {},
): Promise<void> {
  fake = await smallFake(quirks, options, more);
  library = fake.library('Finance');
  connector = connectorOf(fake, APP.clientId);
}
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

/** All pages of a walk, the last of which has the cursor. */
async function walk() {
  const pages = [];
  for (let token: string | null = null, left = 100; left > 0; left--) {
    const page = await connector.listItems(library.id, token, live);
    pages.push(page);
    token = page.nextPageToken;
    if (token === null) break;
  }
  const cursor = pages.at(-1)?.deltaCursor ?? expect.unreachable('The walk has no end.');
  return { items: pages.flatMap((page) => page.items), pages, cursor };
}

async function follow(cursor: string): Promise<{ changes: DeltaChange[]; cursor: string }> {
  const changes: DeltaChange[] = [];
  for (let token: string | null = null, left = 100; left > 0; left--) {
    const page = await connector.listDelta(library.id, cursor, token, live);
    changes.push(...page.changes);
    if (page.deltaCursor !== null) return { changes, cursor: page.deltaCursor };
    token = page.nextPageToken;
  }
  return expect.unreachable('The delta has no end.');
}
const upserts = (changes: readonly DeltaChange[]) =>
  changes.flatMap((change) => (change.type === 'upsert' ? [change.item.externalId] : []));

test('an empty page with a link, repeated items and a repeated page lose nothing', async () => {
  await open();
  const ids = Array.from({ length: 450 }, (_, n) => library.add(`f/${n}.txt`, `text ${n}`));
  fake.fail({ on: 'delta', fault: { kind: 'emptyPage' }, after: 1 });
  fake.fail({ on: 'delta', fault: { kind: 'repeatItems' }, times: 2 });
  const { items } = await walk();
  expect(new Set(items.map((item) => item.externalId))).toEqual(new Set(ids));
  expect(items.every((item) => /^\d+\.txt$/.test(item.name))).toBe(true);
});

test('a link that leads to itself ends the walk, and the walk begins again', async () => {
  await open();
  for (let n = 0; n < 450; n++) library.add(`${n}.txt`, 'x');
  const first = await connector.listItems(library.id, null, live);
  fake.fail({ on: 'delta', fault: { kind: 'repeatLink' } });
  await expect(connector.listItems(library.id, first.nextPageToken, live)).rejects.toBeInstanceOf(
    DeltaCursorInvalid,
  );
  expect((await walk()).items).toHaveLength(450);
});

test('a delta holds one change for a renamed folder, and one for what is deleted', async () => {
  await open();
  const folder = library.addFolder('HR/Payroll');
  const kept = library.add('HR/Payroll/slip.txt', 'x');
  const lost = library.add('HR/lost.txt', 'x');
  const { cursor } = await walk();
  library.rename(folder, 'Salaries');
  library.remove(lost);
  const { changes } = await follow(cursor);
  expect(changes).toContainEqual({
    type: 'folder',
    folder: expect.objectContaining({ externalId: folder, name: 'Salaries' }),
  });
  expect(changes).toContainEqual({ type: 'delete', externalId: lost });
  expect(upserts(changes)).not.toContain(kept);
});

test('a change of sharing is reported with the version that is known', async () => {
  await open();
  fake.app(APP.clientId).permissions.push(REPORTS_SHARING);
  const id = library.add('shared.txt', 'x');
  const { cursor, items } = await walk();
  library.share(id, { to: 'link', scope: 'anonymous', type: 'view', role: 'read' } as never);
  const { changes } = await follow(cursor);
  expect(upserts(changes)).toEqual([id]);
  const [change] = changes.filter((each) => each.type === 'upsert');
  expect(change?.type === 'upsert' && change.item.contentVersion).toBe(items[0]?.contentVersion);
  const permissions = await connector.getPermissions(library.id, id, live);
  if (permissions === 'denied') return expect.unreachable('The source tells.');
  const { grants, complete } = permissions;
  expect(grants).toContainEqual(expect.objectContaining({ principalKind: 'anyone', external: true }));
  expect(complete).toBe(false);
});

test.each([true, false])('a cursor that is gone begins again, with a location: %s', async (withLocation) => {
  await open();
  const ids = [library.add('a.txt', 'x'), library.add('b.txt', 'x')];
  const { cursor } = await walk();
  library.resync({ code: 'resyncChangesUploadDifferences', withLocation });
  const error = await connector.listDelta(library.id, cursor, null, live).catch((thrown: unknown) => thrown);
  if (!(error instanceof DeltaCursorInvalid)) return expect.unreachable('The cursor is gone.');
  expect(error.restartAt === null).toBe(!withLocation);
  const again = await connector.listItems(library.id, error.restartAt, live);
  expect(again.items.map((item) => item.externalId).sort()).toEqual(ids.sort());
});

test('a cursor that nobody can read begins again', async () => {
  await open();
  const { cursor } = await walk();
  await expect(connector.listDelta(library.id, 'nonsense', null, live)).rejects.toBeInstanceOf(
    DeltaCursorInvalid,
  );
  fake.fail({ on: 'delta', fault: { kind: 'error', status: 400, code: 'invalidRequest' } });
  await expect(connector.listDelta(library.id, cursor, null, live)).rejects.toBeInstanceOf(
    DeltaCursorInvalid,
  );
});

test('without the right to see sharing, walk and deltas go on without its headers', async () => {
  await open();
  const app = fake.app(APP.clientId);
  app.permissions = ['Sites.Read.All', 'Files.Read.All'];
  library.add('a.txt', 'x');
  fake.fail({ on: 'delta', fault: { kind: 'error', status: 403, code: 'accessDenied' } });
  const { cursor } = await walk();
  library.add('b.txt', 'x');
  expect(upserts((await follow(cursor)).changes)).toHaveLength(1);
});

test('files without a content tag are asked for in batches, and keep their version', async () => {
  await open({ deltaOmitsContentTag: true });
  const ids = Array.from({ length: 45 }, (_, n) => library.add(`${n}.txt`, `text ${n}`));
  const { items } = await walk();
  expect(fake.callsOf('batch')).toHaveLength(3);
  expect(items).toHaveLength(ids.length);
  for (const item of items.slice(0, 3)) {
    const alone = await connector.getItem(library.id, item.externalId, live);
    expect(alone !== null && alone !== 'denied' && alone.contentVersion).toBe(item.contentVersion);
  }
});

test('shortcuts are left out, notebooks and malware are listed and not read', async () => {
  await open({ withUnknownFields: true });
  const target = library.add('target.txt', 'x');
  library.addShortcut('Shortcut', { driveId: library.id, itemId: target });
  const notebook = library.addPackage('Notebook');
  const bad = library.add('bad.exe', 'x');
  library.flagMalware(bad);
  const empty = library.add('empty.txt', '');
  const { items, pages } = await walk();
  const found = new Map(items.map((item) => [item.externalId, item.notRead]));
  expect(found).toEqual(
    new Map([
      [target, undefined],
      [notebook, 'package'],
      [bad, 'malware'],
      [empty, undefined],
    ]),
  );
  expect(pages.flatMap((page) => page.leftOut ?? [])).toEqual(['shortcut']);
  expect(pages.flatMap((page) => page.folders ?? []).map(({ externalId }) => externalId)).toContain(notebook);
  expect(await connector.readContent(library.id, empty, 100, live)).toMatchObject({
    state: 'available',
    bytes: expect.objectContaining({ byteLength: 0 }),
  });
  expect(await connector.readContent(library.id, bad, 100, live)).toEqual({ state: 'inaccessible' });
});

test('a page that is larger than a page of the service comes in parts', async () => {
  await open({ pageOverflow: 130 });
  for (let n = 0; n < 500; n++) library.add(`${n}.txt`, 'x');
  const { items, pages } = await walk();
  expect(new Set(items.map((item) => item.externalId)).size).toBe(500);
  expect(Math.max(...pages.map((page) => page.items.length))).toBeLessThanOrEqual(200);
});

test('a refused observation is unknown, and never ends a scan', async () => {
  await open();
  const id = library.add('a.txt', 'x');
  for (const family of ['permissions', 'labels_extract'] as const)
    fake.fail({ on: family, fault: { kind: 'error', status: 403, code: 'accessDenied' } });
  expect(await connector.getPermissions(library.id, id, live)).toBe('denied');
  expect(await connector.getLabel(library.id, id, live)).toEqual({ state: 'unknown' });
  fake.fail({ on: 'labels_extract', fault: { kind: 'error', status: 423, code: 'fileIsEncrypted' } });
  expect(await connector.getLabel(library.id, id, live)).toEqual({ state: 'unknown' });
  expect(await connector.getLabel(library.id, id, live)).toEqual({ state: 'unlabeled' });
  fake.fail({ on: 'item', fault: { kind: 'error', status: 403, code: 'accessDenied' } });
  expect(await connector.getItem(library.id, id, live)).toBe('denied');
});

test('personal sites are no scopes, however they are selected', async () => {
  await open(
    {},
    {},
    {
      sites: [
        { name: 'Finance', libraries: ['Documents', 'Archive'] },
        { name: 'Ada', libraries: ['Documents'], personal: true },
      ],
    },
  );
  const { scopes } = await connector.listScopes(null, live);
  expect(scopes.map((scope) => scope.name)).toEqual(['Finance / Archive', 'Finance / Documents']);
  const [finance, ada] = fake.tenant().sites;
  const named = async (...sites: string[]) =>
    (await connectorOf(fake, APP.clientId, { sites }).listScopes(null, live)).scopes;
  expect(await named(`${fake.tenant().hostName}:/${finance?.path}`)).toEqual(scopes);
  expect(await named(finance?.id ?? '', finance?.id ?? '')).toEqual(scopes);
  expect(await named(ada?.id ?? '')).toEqual([]);
  expect(await named('nowhere.sharepoint.com:/sites/none')).toEqual([]);
});

test.each([400, 423])(
  'a site that answers %d has no libraries, and the others have theirs',
  async (status) => {
    await open(
      {},
      {},
      {
        sites: [
          { name: 'Finance', libraries: ['Documents'] },
          { name: 'HR', libraries: ['Files'] },
        ],
      },
    );
    const locked = fake.tenant().sites.find((site) => site.name === 'HR')?.id ?? '';
    const isLocked = (path: string) => decodeURIComponent(path).includes(locked);
    const fault = { kind: 'error', status, code: 'resourceLocked' } as const;
    fake.fail({ on: ['site', 'site_drives'], fault, where: isLocked, times: 10 });
    const names = async (sites: 'all' | string[]) =>
      (await connectorOf(fake, APP.clientId, { sites }).listScopes(null, live)).scopes.map(
        ({ name }) => name,
      );
    expect(await names('all')).toEqual(['Finance / Documents']);
    expect(await names(fake.tenant().sites.map(({ id }) => id))).toEqual(['Finance / Documents']);
  },
);

test('labels that are read at once share one call for the catalogue, which may fail', async () => {
  const label = {
    ...{ id: '5feba255-812e-446a-ac59-a7044ef827b5', name: 'Internal', priority: 1 },
    ...{ hasProtection: false, sublabels: [] },
  };
  await open({}, {}, { labels: [label] });
  const ids = ['a.docx', 'b.docx', 'c.docx'].map((name) => library.add(name, name));
  for (const id of ids) library.label(id, label.id);
  fake.fail({ on: 'label_catalogue', fault: { kind: 'error', status: 400, code: 'badRequest' } });
  const read = () => Promise.all(ids.map((id) => connector.getLabel(library.id, id, live)));
  expect(await read()).toMatchObject(ids.map(() => ({ state: 'labeled', labelName: label.id })));
  expect(await read()).toMatchObject(ids.map(() => ({ state: 'labeled', labelName: 'Internal' })));
  expect(fake.callsOf('label_catalogue')).toHaveLength(2);
});

test('the quota of a drive says how many bytes it has; null for one that is refused', async () => {
  await open();
  library.add('a.txt', 'seven b');
  library.add('b.txt', 'four');
  expect(await connector.countedBytes?.(library.id, live)).toBe(11);
  fake.fail({ on: 'drive', fault: { kind: 'error', status: 403, code: 'accessDenied' } });
  expect(await connector.countedBytes?.(library.id, live)).toBeNull();
});
