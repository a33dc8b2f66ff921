import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Connector,
  type DeltaChange,
  DeltaCursorInvalid,
  ScopeRefused,
} from '../../core/connectors/connector.ts';
import { createBoxAddressBook, probeBoxGroups } from '../../core/connectors/file-box/box-address-book.ts';
import { probeBox } from '../../core/connectors/file-box/probe-box.ts';
import { besideRepository } from '../support/beside-repository.ts';
import { type BoxFake, startBoxFake } from '../support/file-box/box-fake.ts';
import { boxClients, connectToBox, filledFolder } from '../support/file-box/box-source.ts';
import { exerciseConnector, refusal, type Subject, walkAll } from './connector.exercise.ts';

describe.each([
  ['by events', true],
  ['by comparison', false],
] as const)('on a fake of Box, %s', (_, readsEvents) => {
  exerciseConnector('file_box', async (): Promise<Subject> => {
    const fake = await startBoxFake();
    const { world } = fake;
    const top = filledFolder(fake);
    return {
      connector: connectToBox(fake, { folders: [top], readsEvents }),
      scopeExternalId: top,
      canaries: ['canary', 'nordwind', '127.0.0.1'],
      act: {
        add: async (name, text) => world.addFile(name, top, text),
        edit: async (id, text) => world.edit(id, text),
        rename: async (id, name) => {
          world.rename('file', id, name);
          return id;
        },
        remove: async (id) => world.remove('file', id),
      },
      close: async () => {
        await fake.stop();
        expect(fake.offences).toEqual([]);
      },
    };
  });
});

const live = new AbortController().signal;
const MAX_BYTES = 1_000_000;

let fake: BoxFake;
/** A folder of Ada, which the service account may view. */
let top: string;
beforeEach(async () => {
  fake = await startBoxFake();
  top = fake.world.addFolder('Contracts');
  fake.world.invite('folder', top, { role: 'viewer', userId: fake.authority.accountId });
});
afterEach(async () => {
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

const connect = (more: Parameters<typeof connectToBox>[1] = {}) =>
  connectToBox(fake, { folders: [top], ...more });
const walk = async (connector: Connector = connect()) => (await walkAll(connector, top, live)).items;
const cursorOf = async (connector: Connector) =>
  (await walkAll(connector, top, live)).pages.at(-1)?.deltaCursor ?? expect.unreachable('no cursor');
async function deltaFrom(connector: Connector, cursor: string): Promise<DeltaChange[]> {
  if (connector.delta !== 'feed') return expect.unreachable();
  const changes: DeltaChange[] = [];
  for (let token: string | null = null, page = 0; page < 100; page++) {
    const delta = await connector.listDelta(top, cursor, token, live);
    changes.push(...delta.changes);
    token = delta.nextPageToken;
    if (token === null) return changes;
  }
  return expect.unreachable('the delta has no end');
}
const idsOf = (changes: readonly DeltaChange[], type: DeltaChange['type']) =>
  changes.flatMap((change) => {
    if (change.type !== type) return [];
    if (change.type === 'upsert') return change.item.externalId;
    return change.type === 'folder' ? change.folder.externalId : change.externalId;
  });
const calls = (pattern: RegExp) => fake.requests.filter(({ path }) => pattern.test(path));
const grantsOf = async (id: string, connector: Connector = connect()) => {
  const found = await connector.getPermissions(top, id, live);
  return found === 'denied' ? expect.unreachable('denied') : found;
};
const read = (id: string, connector: Connector = connect()) =>
  connector.readContent(top, id, MAX_BYTES, live);

describe('what is listed', () => {
  test('files at any depth are items; links and the trash are none', async () => {
    const { world } = fake;
    const inner = world.addFolder('Inner', world.addFolder('Outer', top));
    world.addFile('deep.txt', inner, 'deep');
    world.addWebLink('Elsewhere', top);
    world.remove('file', world.addFile('gone.txt', top, 'gone'));
    world.remove('folder', world.addFolder('Gone', top));
    const { items, leftOut } = await connect().listItems(top, null, live);
    expect(items).toMatchObject([{ name: 'deep.txt', parentExternalId: `folder:${inner}` }]);
    expect(leftOut).toEqual(['no_content']);
    const [compared] = await walk(connect({ readsEvents: false }));
    expect(compared).toMatchObject({ path: 'Outer/Inner/deep.txt' });
  });

  test('a folder that the account does not see is refused, and the others are listed', async () => {
    const hidden = fake.world.addFolder('Hidden');
    const connector = connect({ folders: [top, hidden] });
    const { scopes, refused } = await connector.listScopes(null, live);
    expect(scopes.map(({ externalId }) => externalId)).toEqual([top]);
    expect(refused).toMatchObject([{ reason: 'not_found' }]);
    expect(await refusal(connector.listItems(hidden, null, live))).toBeInstanceOf(ScopeRefused);
  });

  test('a folder inside another selected one is no scope of its own', async () => {
    const inner = fake.world.addFolder('Inner', top);
    const { scopes } = await connect({ folders: [inner, top] }).listScopes(null, live);
    expect(scopes.map(({ externalId }) => externalId)).toEqual([top]);
  });

  test('a marker that Box no longer takes begins the walk again', async () => {
    for (let n = 0; n < 250; n++) fake.world.addFile(`${n}.txt`, top, 'x');
    const connector = connect();
    const { nextPageToken } = await connector.listItems(top, null, live);
    fake.expireMarkers();
    expect(await refusal(connector.listItems(top, nextPageToken, live))).toBeInstanceOf(DeltaCursorInvalid);
  });

  test('a marker that comes round ends the walk, and never the scope', async () => {
    fake.instead = ({ path }) =>
      path.endsWith('/items') ? { status: 200, body: { entries: [], next_marker: 'again' } } : null;
    expect(await refusal(walk())).toBeInstanceOf(DeltaCursorInvalid);
  });

  test('what the item does not count in its version changes the version', async () => {
    const { world } = fake;
    const id = world.addFile('a.txt', top, 'a');
    const acts = [
      () => world.share('file', id, { access: 'open' }),
      () => world.classify(id, 'Confidential'),
      () => world.invite('file', id, { role: 'viewer', userId: '102' }),
      () => Object.assign(world.item('file', id), { canDownload: false }),
      () => Object.assign(world.item('file', id), { isWatermarked: true }),
    ];
    const versions = [];
    for (const act of [() => undefined, ...acts]) {
      act();
      versions.push((await walk())[0]);
    }
    expect(new Set(versions.map((item) => item?.sourceVersion)).size).toBe(acts.length + 1);
    expect(new Set(versions.map((item) => item?.contentVersion)).size).toBe(1);
    expect(versions.at(-1)).toMatchObject({
      notRead: 'no_download',
      facts: { tags: [{ name: 'watermarked', value: 'yes' }] },
    });
  });

  test('what belongs to another enterprise, and what is locked, says so', async () => {
    const lockedUntil = '2026-12-24T10:00:00+00:00';
    fake.world.addFile('theirs.txt', top, 'x', { ownerId: '201', lockedUntil });
    expect((await walk())[0]?.facts?.tags).toEqual([
      { name: 'externally owned', value: 'yes' },
      { name: 'locked', value: lockedUntil },
    ]);
  });
});

describe('the stream of events', () => {
  test('a renamed folder is one change, with one call for it and none for what is in it', async () => {
    const { world } = fake;
    const folder = world.addFolder('Old', top);
    for (let n = 0; n < 30; n++) world.addFile(`${n}.txt`, folder, 'x');
    const connector = connect();
    const cursor = await cursorOf(connector);
    world.rename('folder', folder, 'New');
    fake.requests.length = 0;
    expect(await deltaFrom(connector, cursor)).toEqual([
      {
        type: 'folder',
        folder: { externalId: `folder:${folder}`, parentExternalId: `folder:${top}`, name: 'New' },
      },
    ]);
    expect(calls(/^\/2\.0\/f/).map(({ path }) => path)).toEqual([`/2.0/folders/${folder}`]);
  });

  test('a folder that comes into the scope comes with all that is in it', async () => {
    const { world } = fake;
    const elsewhere = world.addFolder('Elsewhere');
    const inner = world.addFolder('Inner', elsewhere);
    const files = Array.from({ length: 3 }, (_, n) => world.addFile(`${n}.txt`, inner, 'x'));
    const connector = connect();
    const cursor = await cursorOf(connector);
    world.move('folder', elsewhere, top);
    const changes = await deltaFrom(connector, cursor);
    expect(idsOf(changes, 'upsert').sort()).toEqual(files.sort());
    expect(idsOf(changes, 'folder')).toContain(`folder:${inner}`);
  });

  test('what leaves the scope, or the sight of the account, is gone', async () => {
    const { world } = fake;
    const folder = world.addFolder('Inner', top);
    const file = world.addFile('a.txt', top, 'a');
    const elsewhere = world.addFolder('Elsewhere');
    const connector = connect();
    const cursor = await cursorOf(connector);
    world.move('folder', folder, elsewhere);
    world.remove('file', file);
    const gone = idsOf(await deltaFrom(connector, cursor), 'delete').sort();
    expect(gone).toEqual([file, `folder:${folder}`].sort());
  });

  test('events without a source, of unknown types and about people are dropped', async () => {
    const connector = connect();
    const cursor = await cursorOf(connector);
    fake.world.emitRaw('UNLOCK', null);
    fake.world.emitRaw('A_TYPE_OF_TOMORROW', { item_type: 'file', item_id: '1', item_name: 'x' });
    fake.world.emitRaw('SHARE', { type: 'user', id: '101', name: 'Ada', login: 'ada@nordwind.example' });
    expect(await deltaFrom(connector, cursor)).toEqual([]);
  });

  test('an event that is repeated, also in a later answer, counts once', async () => {
    const { world } = fake;
    const connector = connect();
    const cursor = await cursorOf(connector);
    const id = world.addFile('a.txt', top, 'a');
    const [event] = world.stream.slice(-1);
    for (let n = 0; n < 300; n++) world.emitRaw('LOCK', null);
    if (event !== undefined) world.stream.push(event);
    expect(idsOf(await deltaFrom(connector, cursor), 'upsert')).toEqual([id]);
  });

  test('an old place, and a credential without events, are a new walk', async () => {
    let now = Date.now();
    const connector = connect({ clock: () => now });
    const cursor = await cursorOf(connector);
    now += 14 * 86_400_000;
    expect(await refusal(deltaFrom(connector, cursor))).toBeInstanceOf(DeltaCursorInvalid);
    fake.scopes.delete('manage_enterprise_properties');
    const without = await cursorOf(connector);
    expect(await refusal(deltaFrom(connector, without))).toBeInstanceOf(DeltaCursorInvalid);
  });

  test('a folder above the scope that is shared changes the scope', async () => {
    const { world } = fake;
    const above = world.addFolder('Above');
    world.invite('folder', above, { role: 'viewer', userId: fake.authority.accountId });
    world.move('folder', top, above);
    const connector = connect();
    const cursor = await cursorOf(connector);
    world.share('folder', above, { access: 'open' });
    expect(idsOf(await deltaFrom(connector, cursor), 'folder')).toEqual([`folder:${top}`]);
  });

  test('a folder within the scope that is denied is not empty: the walk fails', async () => {
    const inner = fake.world.addFolder('Inner', top);
    fake.world.addFile('salaries.txt', inner, 'text');
    const { reader } = boxClients(fake);
    const denied: typeof reader = {
      ...reader,
      get: async (call, values, options) =>
        call === 'items' && values.folderId === inner
          ? ({ ok: false, status: 403 } as never)
          : reader.get(call, values, options),
    };
    const connector = connect({ reader: denied, readsEvents: false });
    const walk = async () => {
      for (let token: string | null = null, first = true; first || token !== null; first = false)
        ({ nextPageToken: token } = await connector.listItems(top, token, live));
    };
    await expect(walk()).rejects.toMatchObject({ retryClass: 'transient', safeDiagnostic: 'box_items_403' });
  });

  test('a scope that is no longer seen is refused, and not emptied', async () => {
    const { world } = fake;
    const file = world.addFile('a.txt', top, 'a');
    const connector = connect();
    const cursor = await cursorOf(connector);
    world.item('folder', top).collaborations.length = 0;
    world.edit(file, 'b');
    expect(await refusal(deltaFrom(connector, cursor))).toBeInstanceOf(ScopeRefused);
    expect(await refusal(connector.getItem(top, file, live))).toBeInstanceOf(ScopeRefused);
  });
});

describe('a test of the connection', () => {
  const parts = () => ({ ...boxClients(fake), readsEvents: true, clock: Date.now });

  test('reads, names the rights that are missing, and says that no credential only reads', async () => {
    const reach = { state: 'warning', reason: 'no_read_only_credential', missing: [] };
    const ok = { state: 'ok' };
    const optional = { state: 'not_configured', reason: 'optional_permission', missing: ['manage_groups'] };
    const all = { token: ok, sharing: ok, notifications: ok, directory: optional, reach };
    expect(await probeBox(parts(), live)).toEqual(all);
    fake.scopes.delete('manage_managed_users');
    fake.scopes.delete('manage_enterprise_properties');
    const lacks = (right: string) => ({ state: 'blocked', reason: 'missing_permission', missing: [right] });
    expect(await probeBox(parts(), live)).toEqual({
      token: ok,
      sharing: lacks('manage_managed_users'),
      notifications: lacks('manage_enterprise_properties'),
      directory: optional,
      reach,
    });
  });

  test('without the right to read files, the right is named and no file is gone', async () => {
    const file = fake.world.addFile('a.txt', top, 'a');
    const connector = connect();
    expect(await walk(connector)).toHaveLength(1);
    fake.scopes.delete('root_readonly');
    const scopeMissing = {
      retryClass: 'auth',
      safeDiagnostic: expect.stringMatching(/^box_\w+_scope_missing$/),
    };
    for (const read of [
      () => connector.listItems(top, null, live),
      () => connector.getItem(top, file, live),
      () => connector.getPermissions(top, file, live),
    ])
      expect(await refusal(read())).toMatchObject(scopeMissing);
  });

  test('a page that is none of Box says nothing of a file', async () => {
    const file = fake.world.addFile('a.txt', top, 'a');
    const connector = connect();
    for (const status of [403, 404]) {
      fake.instead = ({ path }) =>
        path.includes('/files/') ? { status, body: Buffer.from('<html>blocked</html>') } : null;
      for (const read of [
        () => connector.getItem(top, file, live),
        () => connector.getPermissions(top, file, live),
        () => connector.getLabel(top, file, live),
        () => connector.readContent(top, file, MAX_BYTES, live),
      ])
        expect(await refusal(read())).toMatchObject({
          retryClass: 'transient',
          safeDiagnostic: expect.stringMatching(/^box_\w+_no_reason$/),
        });
    }
  });
});

describe('content', () => {
  test('is read without the bearer where Box says, also if it is not ready at first', async () => {
    const id = fake.world.addFile('a.txt', top, 'the words');
    expect(await read(id)).toMatchObject({ state: 'available', bytes: Buffer.from('the words') });
    expect(calls(/\/content$/)).toHaveLength(2);
  });

  test('leaves with a token for this folder, or the usual one if none is exchanged', async () => {
    const id = fake.world.addFile('a.txt', top, 'a', { unready: 0 });
    await read(id);
    const [asked] = calls(/\/content$/);
    expect(fake.authority.holderOf(asked?.token ?? null)?.downloadsBelow).toBe(top);
    fake.authority.exchanges = false;
    expect(await read(id)).toMatchObject({ state: 'available' });
  });

  test.each([
    ['malware', { policy: 'malware' }, 'malware'],
    ['a policy of access', { policy: 'access_policy' }, 'no_download'],
    ['a right to preview alone', { canDownload: false }, 'no_download'],
  ] as const)('%s is inaccessible, with the reason', async (_, more, reason) => {
    const id = fake.world.addFile('a.txt', top, 'a', more);
    expect(await read(id)).toEqual({ state: 'inaccessible', reason });
  });

  test('a file that is long not ready is read later', async () => {
    const id = fake.world.addFile('a.txt', top, 'a', { unready: 50 });
    expect(await refusal(read(id))).toMatchObject({
      retryClass: 'throttled',
      safeDiagnostic: 'box_content_not_ready',
      retryAfterMs: 1_000,
    });
  });

  test('an address on another host is never followed', async () => {
    const id = fake.world.addFile('a.txt', top, 'a');
    fake.instead = ({ path }) =>
      path.endsWith('/content') ? { status: 302, headers: { location: 'http://169.254.169.254/x' } } : null;
    expect(await refusal(read(id))).toMatchObject({ safeDiagnostic: 'box_download_link_refused' });
  });

  test('a call that is to wait waits, and an expired token is acquired again', async () => {
    const id = fake.world.addFile('a.txt', top, 'a');
    const connector = connect();
    await connector.getItem(top, id, live);
    fake.authority.expireTokens();
    let busy = 2;
    fake.instead = ({ path }) =>
      path.includes('/files/') && busy-- > 0 ? { status: 429, headers: { 'retry-after': '1' } } : null;
    expect(await connector.getItem(top, id, live)).toMatchObject({ name: 'a.txt' });
  });
});

describe('classification', () => {
  test('is the label, by its name and the id of the catalogue', async () => {
    const { world } = fake;
    const id = world.addFile('a.txt', top, 'a');
    const connector = connect();
    expect(await connector.getLabel(top, id, live)).toEqual({ state: 'unlabeled' });
    world.classify(id, 'Confidential');
    const labelGuid = '00000000-0000-4000-8000-000000000002';
    expect(await connector.getLabel(top, id, live)).toEqual({
      state: 'labeled',
      labelGuid,
      labelName: 'Confidential',
    });
    expect((await connector.listLabels(live)).map(({ name }) => name)).toEqual(world.classifications);
  });

  test.each([
    [404, { state: 'unlabeled' }],
    [403, { state: 'unknown' }],
  ])('metadata that is answered with %i, where the file does not say', async (status, label) => {
    const { world } = fake;
    const id = world.addFile('a.txt', top, 'a');
    fake.instead = ({ path }) => {
      // Box gives a code with every refusal.
      if (path.includes('/metadata/')) return { status, body: { code: 'instance_not_found' } };
      if (path !== `/2.0/files/${id}`) return null;
      const path_collection = { total_count: 1, entries: [{ type: 'folder', id: top, name: 'Contracts' }] };
      return { status: 200, body: { type: 'file', id, name: 'a.txt', etag: '0', path_collection } };
    };
    expect(await connect().getLabel(top, id, live)).toEqual(label);
  });
});

describe('who has access', () => {
  const named = (grants: readonly { principal: string }[]) => grants.map(({ principal }) => principal).sort();

  test('the owner, people inside and outside, groups, and all of the enterprise', async () => {
    const { world } = fake;
    world.addGroup('g1', 'Legal', ['102']);
    world.addGroup('g2', 'All', [], true);
    const id = world.addFile('a.txt', top, 'a');
    world.invite('file', id, { role: 'editor', userId: '102' });
    world.invite('file', id, { role: 'previewer', userId: '201' });
    world.invite('file', id, { role: 'viewer', groupId: 'g1' });
    world.invite('folder', top, { role: 'viewer', groupId: 'g2' });
    const { grants } = await grantsOf(id);
    expect(grants).toEqual(
      expect.arrayContaining([
        {
          principal: 'ada@nordwind.example',
          principalKind: 'user',
          external: false,
          role: 'owner',
          inherited: null,
        },
        {
          principal: 'ben@nordwind.example',
          principalKind: 'user',
          external: false,
          role: 'write',
          inherited: false,
        },
        {
          principal: 'uma@partner.example',
          principalKind: 'user',
          external: true,
          role: 'read',
          inherited: false,
        },
        {
          principal: 'Legal',
          principalKind: 'group',
          external: false,
          role: 'read',
          inherited: false,
          groupId: 'g1',
        },
        { principal: 'All', principalKind: 'organization', external: false, role: 'read', inherited: true },
      ]),
    );
  });

  test('pending invitations count; refused and expired ones do not', async () => {
    const id = fake.world.addFile('a.txt', top, 'a');
    fake.world.invite('file', id, { role: 'viewer', status: 'pending', inviteEmail: 'new@partner.example' });
    fake.world.invite('file', id, { role: 'viewer', status: 'rejected', userId: '102' });
    fake.world.invite('file', id, { role: 'viewer', userId: '201', expiresAt: '2020-01-01T00:00:00+00:00' });
    const { grants } = await grantsOf(id);
    expect(grants).toContainEqual(
      expect.objectContaining({ principal: 'new@partner.example', external: true }),
    );
    expect(named(grants)).not.toContain('ben@nordwind.example');
    expect(named(grants)).not.toContain('uma@partner.example');
  });

  test('an invitation to see the way alone, above the item, is unconfirmed', async () => {
    const id = fake.world.addFile('a.txt', top, 'a');
    fake.world.invite('folder', top, { role: 'viewer', userId: '201', isAccessOnly: true });
    expect((await grantsOf(id)).grants).toContainEqual(
      expect.objectContaining({ principal: 'uma@partner.example', inherited: true, unconfirmed: true }),
    );
  });

  test.each([
    ['open', { access: 'open' }, { principalKind: 'anyone', external: true, role: 'read' }],
    [
      'with a password',
      { access: 'open', password: true },
      { principalKind: 'link', external: true, role: 'read' },
    ],
    [
      'of the company',
      { access: 'company' },
      { principalKind: 'organization', external: false, role: 'read' },
    ],
    [
      'that the enterprise has narrowed',
      { access: 'open', effective: 'company' },
      { principalKind: 'organization', external: false, role: 'read' },
    ],
    [
      'that edits',
      { access: 'open', permission: 'can_edit' },
      { principalKind: 'anyone', external: true, role: 'write' },
    ],
    ['for collaborators', { access: 'collaborators' }, null],
    ['that has ended', { access: 'open', unsharedAt: '2020-01-01T00:00:00+00:00' }, null],
    ['without access', { access: 'open', permission: 'no_access' }, null],
  ] as const)('a link %s, on the item and on a folder above it', async (_, link, grant) => {
    const { world } = fake;
    const id = world.addFile('a.txt', world.addFolder('Inner', top), 'a');
    const links = async () =>
      (await grantsOf(id)).grants.filter(({ principalKind }) => !['user', 'group'].includes(principalKind));
    for (const [place, inherited] of [
      [{ type: 'file', id }, false],
      [{ type: 'folder', id: top }, true],
    ] as const) {
      world.share(place.type, place.id, link);
      expect(await links()).toEqual(grant === null ? [] : [expect.objectContaining({ ...grant, inherited })]);
      world.share(place.type, place.id, null);
    }
  });

  test('is complete if the owner reads and all people are known', async () => {
    const id = fake.world.addFile('a.txt', top, 'a');
    expect((await grantsOf(id)).complete).toBe(false);
    const owner = () => connect({ userId: '101' });
    expect((await grantsOf(id, owner())).complete).toBe(true);
    fake.scopes.delete('manage_managed_users');
    fake.world.invite('file', id, { role: 'viewer', userId: '201' });
    const { grants, complete } = await grantsOf(id, owner());
    expect(complete).toBe(false);
    expect(grants).toContainEqual(
      expect.objectContaining({ principal: 'uma@partner.example', external: false }),
    );
  });

  test('an empty list of collaborations is not a private file', async () => {
    const id = fake.world.addFile('a.txt', top, 'a');
    fake.instead = ({ path }) =>
      path.endsWith('/collaborations') ? { status: 200, body: { entries: [] } } : null;
    expect((await grantsOf(id)).complete).toBe(false);
  });

  test('folders are asked for once for all that is in them', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => fake.world.addFile(`${n}.txt`, top, 'x'));
    const connector = connect({ sharingKeptMs: 60_000 });
    await Promise.all(ids.map((id) => grantsOf(id, connector)));
    expect(calls(new RegExp(`/folders/${top}(?:/collaborations)?$`))).toHaveLength(2);
  });
});

/** The vendor's description. It lies beside the repository, and not everywhere. */
const VENDOR = besideRepository('vendor-schemas/box.schema.json');

describe.skipIf(!existsSync(VENDOR))('the fake', () => {
  test('answers as the vendor describes, and with nothing else', async () => {
    const { world, authority } = fake;
    world.addGroup('g1', 'Legal', ['102']);
    const id = world.addFile('a.txt', top, 'a', { lockedUntil: '2026-12-24T10:00:00+00:00' });
    world.share('file', id, { access: 'open' });
    world.classify(id, 'Internal');
    world.invite('file', id, { role: 'viewer', groupId: 'g1' });
    world.invite('file', id, { role: 'viewer', status: 'pending', inviteEmail: 'new@partner.example' });
    const connector = connect();
    const cursor = await cursorOf(connector);
    world.rename('file', id, 'b.txt');
    world.invite('folder', top, { role: 'editor', userId: '102' });
    await deltaFrom(connector, cursor);
    await grantsOf(id, connector);
    await connector.listLabels(live);
    await connector.getItem(top, '1', live);
    fake.scopes.add('manage_groups');
    world.addGroup('3', 'Finance', ['101'], false, ['101']);
    await createBoxAddressBook(boxClients(fake).admin).ownersOfGroups(['3'], live);
    await probeBoxGroups(boxClients(fake).admin, live);
    fake.scopes.delete('root_readonly');
    await refusal(connector.listItems(top, null, live));
    expect(authority.holderOf('none')).toBeNull();
    const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    const types = new Set(fake.outputs.map(({ type }) => type));
    expect([...types].sort()).toEqual(
      [
        'ClassificationTemplate',
        'ClientError',
        'Collaborations',
        'Events',
        'File--Full',
        'Folder--Full',
        'GroupMemberships',
        'Groups',
      ].concat(['Items', 'User--Full', 'Users']),
    );
    const vendor = vendorTypes();
    for (const { type, body } of fake.outputs) {
      const check = ajv.compile({ ...closed(vendor, vendor[type] ?? {}, true), definitions: vendor });
      expect([type, check(body) ? [] : check.errors, body]).toEqual([type, [], body]);
    }
  });
});

type Schema = {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  additionalProperties?: unknown;
};

const vendorTypes = (): Record<string, Schema> =>
  (JSON.parse(readFileSync(VENDOR, 'utf8')) as { definitions: Record<string, Schema> }).definitions;

/**
 * A type with all that it inherits, and no member besides. Real answers lack `accessed` of links, have codes of errors that
 * the description lacks, and null where it says object.
 */
function closed(vendor: Record<string, Schema>, schema: Schema, top = false): Schema {
  if (schema.$ref !== undefined)
    return closed(vendor, vendor[schema.$ref.replace('#/definitions/', '')] ?? {}, top);
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return { anyOf: options.map((option) => closed(vendor, option)) };
  const parts = (schema.allOf ?? []).map((part) => closed(vendor, part));
  const [only] = parts;
  if (parts.length === 1 && schema.properties === undefined && only !== undefined)
    return top ? only : nullable(only);
  const properties = Object.assign(
    {},
    ...parts.map((part) => part.properties ?? {}),
    Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, each]) => [name, closed(vendor, each)]),
    ),
  ) as Record<string, Schema>;
  const { allOf: _, ...own } = schema;
  const isObject = Object.keys(properties).length > 0;
  if (!isObject)
    return { ...own, ...(schema.items !== undefined && { items: closed(vendor, schema.items) }) };
  const isError = properties.code !== undefined && properties.context_info !== undefined;
  const required = [...parts.flatMap((part) => part.required ?? []), ...(schema.required ?? [])];
  const described: Schema = {
    type: 'object',
    properties: isError ? { ...properties, code: { type: 'string' } } : properties,
    required: required.filter((name) => name !== 'accessed'),
    additionalProperties: schema.additionalProperties ?? false,
  };
  return top ? described : nullable(described);
}

const nullable = (schema: Schema): Schema =>
  schema.type === 'object' ? { ...schema, type: ['object', 'null'] } : { anyOf: [schema, { type: 'null' }] };
