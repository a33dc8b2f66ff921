import { execFileSync } from 'node:child_process';
import { appendFileSync, truncateSync } from 'node:fs';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isOpenAt, openShare } from '../../../core/connectors/smb/share.ts';
import { refusalOf } from '../../../core/connectors/smb/share-error.ts';
import { encodePath, fromBytes, fromText } from '../../../core/connectors/smb/share-path.ts';
import { readShareFile } from '../../../core/connectors/smb/share-read.ts';
import { createSmbConnector } from '../../../core/connectors/smb/smb-connector.ts';
import { expectSafe, refusal, walkAll } from '../../contract/connector.exercise.ts';

const live = new AbortController().signal;
type Three = [string, string, string];
const ENOUGH = 1024 * 1024;
const idOf = (path: string) => encodePath(fromText(path));

let outside: string;
let root: string;
/** The scope that is the whole root. */
let rootScope: string;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'share-'));
  // Open to the unprivileged user that some tests become.
  await chmod(outside, 0o755);
  root = join(outside, 'root');
  await mkdir(root);
  await writeFile(join(outside, 'secret.txt'), 'outside the share');
  await writeFile(join(root, 'plain.txt'), 'plain');
  rootScope = (await connect().listScopes(null, live)).scopes[0]?.externalId ?? '';
});
afterEach(() => rm(outside, { recursive: true, force: true }));

const connect = (shares = ['.']) => createSmbConnector({ root, shares });
const pathsOf = async () => (await walkAll(connect(), rootScope, live)).items.map((item) => item.path);
/** A file without bytes of its own. */
async function truncateFile(path: string, size: number): Promise<void> {
  await writeFile(join(root, path), '');
  await truncate(join(root, path), size);
}
const read = (path: string) => connect().readContent(rootScope, idOf(path), ENOUGH, live);

/** Root may read everything: what is refused shows to an ordinary user only. */
async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

it('lists regular files in byte order of their names, hidden ones too', async () => {
  await mkdir(join(root, 'b'));
  await writeFile(join(root, 'b', 'inner.txt'), '');
  for (const name of ['.hidden', 'B.txt', 'a.txt', 'b.txt', 'ä.txt']) await writeFile(join(root, name), '');
  expect(await pathsOf()).toEqual([
    '.hidden',
    'B.txt',
    'a.txt',
    'b/inner.txt',
    'b.txt',
    'plain.txt',
    'ä.txt',
  ]);
});

it('neither lists nor follows symbolic links', async () => {
  await mkdir(join(outside, 'elsewhere'));
  await writeFile(join(outside, 'elsewhere', 'other.txt'), 'elsewhere');
  await symlink(join(outside, 'secret.txt'), join(root, 'file-link'));
  await symlink(join(outside, 'elsewhere'), join(root, 'folder-link'));
  await symlink(join(root, 'plain.txt'), join(root, 'inner-link'));
  expect(await pathsOf()).toEqual(['plain.txt']);
  for (const path of ['file-link', 'folder-link', 'folder-link/other.txt', 'inner-link']) {
    expect(await connect().getItem(rootScope, idOf(path), live)).toBeNull();
    expect(await read(path)).toEqual({ state: 'inaccessible' });
    const permissions = await connect().getPermissions(rootScope, idOf(path), live);
    expect(permissions).toEqual({ grants: [], complete: false });
  }
});

it.each([201, 1100])(
  'does not walk on into a folder of %i that became a link between two pages',
  async (count) => {
    await mkdir(join(root, 'many'));
    for (let n = 0; n < count; n++) await link(join(root, 'plain.txt'), join(root, 'many', `${1000 + n}`));
    const first = await connect().listItems(rootScope, null, live);
    expect(first.items).toHaveLength(200);
    await rename(join(root, 'many'), join(outside, 'many'));
    await symlink(join(outside, 'many'), join(root, 'many'));
    const second = await connect().listItems(rootScope, first.nextPageToken, live);
    expect(second.items.map((item) => item.path)).toEqual(['plain.txt']);
  },
);

it('takes an open file for the one at its path, whatever was swapped since', async () => {
  await mkdir(join(root, 'folder'));
  await mkdir(join(outside, 'folder'));
  for (const place of [root, outside]) await writeFile(join(place, 'folder', 'a.txt'), place);
  await link(join(root, 'folder', 'a.txt'), join(root, 'folder', 'hard.txt'));
  const share = await openShare(fromText(root), '');
  const opened = async (path: string, before: () => unknown, after: () => unknown) => {
    await before();
    const file = await open(join(root, path));
    try {
      await after();
      return await isOpenAt(share, path, file.fd).catch(refusalOf);
    } finally {
      await file.close();
    }
  };
  const away = async () => {
    await rename(join(root, 'folder'), join(root, 'kept'));
    await symlink(join(outside, 'folder'), join(root, 'folder'));
  };
  const back = async () => {
    await rm(join(root, 'folder'));
    await rename(join(root, 'kept'), join(root, 'folder'));
  };
  const nothing = () => undefined;
  expect(await opened('folder/a.txt', nothing, nothing)).toBe(true);
  expect(await opened('folder/hard.txt', nothing, nothing)).toBe(true);
  // Opened through a link that is one no more when the place is checked, and the other way about.
  expect(await opened('folder/a.txt', away, back)).toBe(false);
  expect(await opened('folder/a.txt', nothing, away)).toBe(false);
  expect(await opened('folder/a.txt', back, () => rm(join(root, 'folder', 'a.txt')))).toBe('gone');
  const another = async () => {
    await writeFile(join(root, 'another'), 'another');
    await rename(join(root, 'another'), join(root, 'folder', 'hard.txt'));
  };
  expect(await opened('folder/hard.txt', nothing, another)).toBe(false);
});

it('reads where the root leads now, also just after it has led elsewhere', async () => {
  const [mount, before, after] = ['mount', 'before', 'after'].map((name) => join(outside, name)) as Three;
  for (const place of [before, after]) await mkdir(place);
  await writeFile(join(before, 'a.txt'), 'before');
  await writeFile(join(after, 'b.txt'), 'after');
  await symlink(before, mount);
  const connector = createSmbConnector({ root: mount, shares: ['.'] });
  const [scope] = (await connector.listScopes(null, live)).scopes;
  const read = (path: string) => connector.readContent(scope?.externalId ?? '', idOf(path), ENOUGH, live);
  expect(await read('a.txt')).toMatchObject({ state: 'available' });
  await rm(mount);
  await symlink(after, mount);
  expect(await read('b.txt')).toEqual({ state: 'available', bytes: new Uint8Array(Buffer.from('after')) });
});

it('resolves no crafted id to a place outside', async () => {
  const ids = [
    '../secret.txt',
    'x/../../secret.txt',
    join(outside, 'secret.txt'),
    './plain.txt',
    'a//b',
    '',
    '\0',
  ];
  for (const path of ids) {
    const id = Buffer.from(path).toString('base64url');
    expect(await connect().getItem(rootScope, id, live)).toBeNull();
    expect(await connect().readContent(rootScope, id, ENOUGH, live)).toEqual({ state: 'inaccessible' });
  }
});

it('passes over pipes, and does not hang on one that took the place of a file', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  expect(await pathsOf()).toEqual(['plain.txt']);
  expect(await connect().getItem(rootScope, idOf('pipe'), live)).toBeNull();
  expect(await read('pipe')).toEqual({ state: 'inaccessible' });
});

it('keeps names that are not UTF-8 apart, shows them escaped, and reads them', async () => {
  const names = [Buffer.from([0x61, 0xe4]), Buffer.from([0x61, 0xe5])];
  for (const name of names) await writeFile(Buffer.concat([Buffer.from(`${root}/`), name]), name);
  const { items } = await walkAll(connect(), rootScope, live);
  expect(items.map((item) => item.name)).toEqual(['a\\xe4', 'a\\xe5', 'plain.txt']);
  for (const name of names) {
    const content = await connect().readContent(rootScope, encodePath(fromBytes(name)), ENOUGH, live);
    expect(content).toEqual({ state: 'available', bytes: new Uint8Array(name) });
  }
});

it.each([
  ['nothing', 0o000],
  ['the names only', 0o444],
])('shows a folder of which it may read %s as one item without content', async (_may, mode) => {
  await mkdir(join(root, 'closed'));
  await writeFile(join(root, 'closed', 'unseen.txt'), 'unseen');
  await chmod(join(root, 'closed'), mode);
  await asOrdinaryUser(async () => {
    const { items } = await walkAll(connect(), rootScope, live);
    expect(items.map((item) => [item.kind, item.path])).toEqual([
      ['folder', 'closed'],
      ['file', 'plain.txt'],
    ]);
    expect(await connect().getItem(rootScope, idOf('closed'), live)).toEqual(items[0]);
    expect(await connect().getItem(rootScope, idOf('closed/unseen.txt'), live)).toBe('denied');
    expect(await read('closed')).toEqual({ state: 'inaccessible' });
    expect(await read('closed/unseen.txt')).toEqual({ state: 'inaccessible' });
  });
  await chmod(join(root, 'closed'), 0o700);
});

it('answers inaccessible for a file that it may list and not read', async () => {
  await chmod(join(root, 'plain.txt'), 0o000);
  await asOrdinaryUser(async () => {
    expect(await pathsOf()).toEqual(['plain.txt']);
    expect(await read('plain.txt')).toEqual({ state: 'inaccessible' });
  });
});

it('answers inaccessible for the content of a folder', async () => {
  await mkdir(join(root, 'folder'));
  await writeFile(join(root, 'folder', 'file.txt'), '');
  expect(await read('folder')).toEqual({ state: 'inaccessible' });
  expect(await connect().getItem(rootScope, idOf('folder'), live)).toBeNull();
});

it('stops at its depth bound with a folder item', async () => {
  const deep = Array.from({ length: 70 }, () => 'd').join('/');
  await mkdir(join(root, deep), { recursive: true });
  await writeFile(join(root, deep, 'file.txt'), '');
  const { items } = await walkAll(connect(), rootScope, live);
  const folder = items.find((item) => item.kind === 'folder');
  expect(items).toHaveLength(2);
  expect(folder?.path.split('/')).toHaveLength(65);
  expect(await connect().getItem(rootScope, folder?.externalId ?? '', live)).toEqual(folder);
});

it('stops at its path bound with a folder item', async () => {
  const long = Array.from({ length: 6 }, () => 'x'.repeat(200)).join('/');
  await mkdir(join(root, long), { recursive: true });
  await writeFile(join(root, long, 'file.txt'), '');
  const { items } = await walkAll(connect(), rootScope, live);
  expect(items.map((item) => [item.kind, item.path.length])).toEqual([
    ['file', 9],
    ['folder', 1205],
  ]);
  expect(Math.max(...items.map((item) => item.externalId.length))).toBeLessThan(2000);
  const { leftOut } = await connect().listItems(rootScope, null, live);
  expect(leftOut).toEqual(['path_bound']);
});

it('finds the paths that no entry has exactly, and leaves open what it may not list', async () => {
  await mkdir(join(root, 'Docs'));
  await mkdir(join(root, 'closed'));
  await writeFile(join(root, 'Docs', 'a.txt'), '');
  await chmod(join(root, 'closed'), 0o000);
  const asked = [
    'Docs/a.txt',
    'docs/a.txt',
    'Docs/A.txt',
    'plain.txt',
    'PLAIN.txt',
    'closed/x.txt',
    'none/x',
  ];
  await asOrdinaryUser(async () => {
    const missing = await connect().missingPaths?.(rootScope, asked.map(idOf), live);
    expect(missing).toEqual(new Set(['docs/a.txt', 'Docs/A.txt', 'PLAIN.txt', 'none/x'].map(idOf)));
  });
  await chmod(join(root, 'closed'), 0o700);
});

it('reads the size of a huge file without its bytes, and a sparse one as it is', async () => {
  await truncateFile('huge.bin', 2 ** 33);
  expect(await read('huge.bin')).toEqual({ state: 'too_large', sizeBytes: 2 ** 33 });
  expect(await connect().getItem(rootScope, idOf('huge.bin'), live)).toMatchObject({ sizeBytes: 2 ** 33 });
  await truncateFile('sparse.bin', ENOUGH);
  const sparse = await read('sparse.bin');
  expect(sparse).toEqual({ state: 'available', bytes: new Uint8Array(ENOUGH) });
});

it('answers inaccessible for a file that vanished after it was listed', async () => {
  const { items } = await walkAll(connect(), rootScope, live);
  await rm(join(root, 'plain.txt'));
  await writeFile(join(root, 'another.txt'), 'another');
  const id = items[0]?.externalId ?? '';
  expect(await connect().readContent(rootScope, id, ENOUGH, live)).toEqual({ state: 'inaccessible' });
  expect(await connect().getItem(rootScope, id, live)).toBeNull();
  expect(await connect().getPermissions(rootScope, id, live)).toEqual({ grants: [], complete: false });
});

it('walks ten thousand files of one folder, each once, in order', async () => {
  await mkdir(join(root, 'flat'));
  const names = Array.from({ length: 10_000 }, (_, n) => `${(n * 7919) % 10_000}`.padStart(5, '0'));
  for (const name of names) await link(join(root, 'plain.txt'), join(root, 'flat', name));
  const { pages, items } = await walkAll(connect(), rootScope, live);
  expect(items.map((item) => item.path)).toEqual([
    ...names.toSorted().map((name) => `flat/${name}`),
    'plain.txt',
  ]);
  expect(pages).toHaveLength(51);
  await writeFile(join(root, 'flat', '05000 added'), '');
  expect(await pathsOf()).toContain('flat/05000 added');
});

it('misses nothing that stays when files come and go between pages', async () => {
  for (let n = 0; n < 450; n++) await writeFile(join(root, `stay-${1000 + n}`), '');
  const first = await connect().listItems(rootScope, null, live);
  for (const item of first.items.slice(-3)) await rm(join(root, item.path));
  await writeFile(join(root, 'stay-0000'), 'behind the walk');
  await writeFile(join(root, 'stay-1300-new'), 'before the walk');
  const seen = first.items.map((item) => item.path);
  for (let token = first.nextPageToken; token !== null; ) {
    const page = await connect().listItems(rootScope, token, live);
    seen.push(...page.items.map((item) => item.path));
    token = page.nextPageToken;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(450 + 1 + 1);
  expect(seen).toContain('stay-1300-new');
});

it('takes a missing, empty or denied share for an outage, never for an empty one', async () => {
  const retryAfterMs = 30_000;
  await rm(join(root, 'plain.txt'));
  const empty = await refusal(connect().listItems(rootScope, null, live));
  expect(empty).toMatchObject({ retryClass: 'transient', safeDiagnostic: 'share_empty', retryAfterMs });
  await writeFile(join(root, 'plain.txt'), 'plain');
  await chmod(root, 0o000);
  await asOrdinaryUser(async () => {
    const denied = await refusal(connect().listItems(rootScope, null, live));
    expect(denied).toMatchObject({ retryClass: 'auth', safeDiagnostic: 'share_denied', retryAfterMs });
  });
  await chmod(root, 0o755);
  const connector = connect();
  await rename(root, `${root}-away`);
  for (const attempt of [
    () => connector.listItems(rootScope, null, live),
    () => connector.listItems(rootScope, idOf('plain.txt'), live),
    () => connector.getItem(rootScope, idOf('plain.txt'), live),
    () => connector.readContent(rootScope, idOf('plain.txt'), ENOUGH, live),
  ]) {
    const error = await refusal(attempt());
    expect(error).toMatchObject({
      retryClass: 'transient',
      safeDiagnostic: 'share_unreachable',
      retryAfterMs,
    });
    expectSafe(error, ['plain', 'root', tmpdir()]);
  }
});

it('lists each selected folder as a scope, and refuses links, escapes and overlaps', async () => {
  await mkdir(join(root, 'one', 'two'), { recursive: true });
  await writeFile(join(root, 'one', 'two', 'file.txt'), '');
  await symlink(outside, join(root, 'away'));
  const connector = connect(['one/two', 'away']);
  expect((await connector.listScopes(null, live)).scopes).toEqual([
    { externalId: idOf('away'), name: 'away', kind: 'share' },
    { externalId: idOf('one/two'), name: 'one/two', kind: 'share' },
  ]);
  const { items } = await connector.listItems(idOf('one/two'), null, live);
  expect(items.map((item) => item.path)).toEqual(['file.txt']);
  expect(await refusal(connector.listItems(idOf('away'), null, live))).toMatchObject({
    safeDiagnostic: 'share_not_a_folder',
  });
  for (const selection of [['..'], ['one/../..'], ['/etc'], ['one', 'one/two'], ['.', 'one'], ['one', 'one']])
    expect(() => connect(selection)).toThrow(/^share_selection_(invalid|overlaps)$/);
});

it('knows the root by its place and names it as it is named, whatever the characters', async () => {
  const scopeOf = async (root: string) =>
    (await createSmbConnector({ root, shares: ['.'] }).listScopes(null, live)).scopes[0] ??
    expect.unreachable('No scope.');
  const awkward = join(outside, ' a, b ');
  await mkdir(awkward);
  await writeFile(join(awkward, 'file.txt'), '');
  const scope = await scopeOf(`${awkward}/`);
  expect(scope.name).toBe(' a, b ');
  expect(scope).toEqual(await scopeOf(awkward));
  expect(scope.externalId).not.toBe(rootScope);
  const { items } = await walkAll(
    createSmbConnector({ root: `${awkward}/`, shares: ['.'] }),
    scope.externalId,
    live,
  );
  expect(items.map((item) => item.path)).toEqual(['file.txt']);
  // The same name elsewhere is another folder: its scan must not read as the deletion of this one's items.
  await mkdir(join(outside, 'elsewhere', 'root'), { recursive: true });
  const namesake = await scopeOf(join(outside, 'elsewhere', 'root'));
  expect(namesake.name).toBe('root');
  expect(namesake.externalId).not.toBe(rootScope);
  expect(await refusal(connect().listItems(namesake.externalId, null, live))).toMatchObject({
    safeDiagnostic: 'scope_unknown',
  });
});

it('tells what the mode bits tell, and that it is not all', async () => {
  await chmod(join(root, 'plain.txt'), 0o664);
  const permissions = await connect().getPermissions(rootScope, idOf('plain.txt'), live);
  if (permissions === 'denied') return expect.unreachable('A share tells what it knows.');
  expect(permissions.complete).toBe(false);
  expect(permissions.grants.map((grant) => [grant.principalKind, grant.role])).toEqual([
    ['user', 'owner'],
    ['group', 'write'],
    ['organization', 'read'],
  ]);
});

it('changes the source version and not the content version when the mode changes', async () => {
  const versions = async () => {
    const item = await connect().getItem(rootScope, idOf('plain.txt'), live);
    if (item === null || item === 'denied') return expect.unreachable('It is there.');
    return { content: item.contentVersion, source: item.sourceVersion };
  };
  const before = await versions();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await chmod(join(root, 'plain.txt'), 0o600);
  const after = await versions();
  expect(after.content).toBe(before.content);
  expect(after.source).not.toBe(before.source);
});

it.each([
  ['grew', (path: string) => appendFileSync(path, ' and more')],
  ['was cut off', (path: string) => truncateSync(path, 1)],
])('refuses content that %s while it was read', async (_how, meddle) => {
  const share = await openShare(fromText(root), '');
  const meddling = {
    get aborted() {
      meddle(join(root, 'plain.txt'));
      return false;
    },
  } as AbortSignal;
  expect(await refusal(readShareFile(share, 'plain.txt', ENOUGH, meddling))).toMatchObject({
    retryClass: 'transient',
    safeDiagnostic: 'content_changed_while_read',
  });
});

it('knows the used bytes of a share that is a mount, and none of a folder in one', async () => {
  const counted = async (from: string, share: string) => {
    const connector = createSmbConnector({ root: from, shares: [share] });
    const [scope] = (await connector.listScopes(null, live)).scopes;
    return connector.countedBytes?.(scope?.externalId ?? '', live);
  };
  expect(await counted(root, '.')).toBeNull();
  // Linux mounts it everywhere, and it takes no room.
  expect(await counted('/', 'proc')).toBe(0);
});
