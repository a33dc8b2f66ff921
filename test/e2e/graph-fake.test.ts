import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, signIn } from '../../infra/local/api-client.ts';
import { removePostgres } from '../../infra/local/postgres.ts';
import type { ShownItem, ShownLibrary, UserAct } from '../support/graph/local/user-acts.ts';
import {
  addressOf,
  type StartedStack,
  startStackProcess,
  stopStackProcess,
} from '../support/stack-process.ts';

let data: string;
let started: StartedStack;
let url: string;
let actsUrl: string;
let admin: ApiClient;
let owner: ApiClient;

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'stack-'));
  started = startStackProcess('--data', data, '--graph-fake');
  url = await addressOf(started);
  await started.line('The service is subscribed');
  actsUrl = (await started.line('  http')).trim();
  admin = await signIn(url, 'pri_priya_nair');
  owner = await signIn(url, 'pri_amara_okafor');
});
afterAll(async () => {
  started.child.kill('SIGKILL');
  await started.ended;
  await removePostgres(path.join(data, 'graph-fake/postgres'));
  await rm(data, { recursive: true, force: true });
});

type List<T> = { items: T[] };
type Asset = { assetId: string; name: string; path: string };
type Detail = {
  name: string;
  contentVersion: string;
  sizeBytes: number;
  permissions: { grants: List<{ principalKind: string }> };
};

const bodyOf = async <T>(answer: Response): Promise<T> => (await answer.json()) as T;
const libraries = async () => (await bodyOf<{ libraries: ShownLibrary[] }>(await fetch(actsUrl))).libraries;
const act = async (library: ShownLibrary, item: ShownItem, what: UserAct) => {
  const body = JSON.stringify({ libraryId: library.libraryId, itemId: item.itemId, act: what });
  const answer = await fetch(actsUrl, { method: 'POST', body });
  expect(answer.status).toBe(200);
};
const assetNamed = async (name: string): Promise<Detail> => {
  const { items } = await owner.get<List<Asset>>(`/api/assets?q=${encodeURIComponent(`"${name}"`)}`);
  const asset = items.find((each) => each.name === name);
  return owner.get<Detail>(`/api/assets/${asset?.assetId}`);
};
const liveNotifications = async () =>
  (
    await admin.get<List<{ source: string; outcome: string; reconcileLagMs: number | null }>>(
      '/api/admin/notifications/recent',
    )
  ).items.filter(({ source }) => source === 'live');
/** Until it is so; the test has its own bound. */
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await sleep(250);
};
/** An item of Finance that an owner sees and that has this act. */
async function itemFor(what: UserAct, name: string): Promise<[ShownLibrary, ShownItem]> {
  const finance = (await libraries()).find((library) => library.name === 'Finance / Documents');
  const item = finance?.items.find(
    ({ path: at, acts }) => `/${at}`.endsWith(`/${name}`) && acts.includes(what),
  );
  if (finance === undefined || item === undefined) throw new Error(`Nobody can ${what} this item.`);
  return [finance, item];
}

test('the service is live, says that its data is made up, and has scanned all', async () => {
  expect(started.lines.slice(1, 3).join(' ')).toMatch(/is a fake of test\/support\/graph/);
  expect(await admin.get('/api/ready')).toMatchObject({
    demoMode: true,
    integrations: { connector: 'live', labelRead: 'live', labelWrite: 'live', changeNotifications: 'live' },
  });
  const { items } =
    await admin.get<List<{ mode: string; deltaCursorStatus: string; assetCount: number }>>('/api/sources');
  expect(items).toHaveLength(4);
  for (const scope of items) expect(scope).toMatchObject({ mode: 'live', deltaCursorStatus: 'valid' });
  expect((await owner.get<List<object>>('/api/review/queue')).items.length).toBeGreaterThan(10);
  const { items: labels } = await (await signIn(url, 'pri_helena_brandt')).get<List<object>>(
    '/api/governance/labels',
  );
  expect(labels).toHaveLength(4);
});

test('the connector test finds every capability of the documented permissions', async () => {
  const { body } = await admin.post<{ ok: boolean; capabilities: { capability: string; state: string }[] }>(
    '/api/admin/connector/test',
    {},
  );
  expect(body.ok).toBe(true);
  expect(body.capabilities.filter(({ state }) => state !== 'ok')).toMatchObject([
    { capability: 'sharing', state: 'not_configured', reason: 'optional_permission' },
  ]);
});

test('an edit and a share arrive by notification', async () => {
  const name = 'Vendor master, bank details.csv';
  const before = await assetNamed(name);
  expect(before.permissions.grants.items.map(({ principalKind }) => principalKind)).not.toContain('anyone');

  await act(...(await itemFor('edit', name)), 'edit');
  await until(async () => (await assetNamed(name)).contentVersion !== before.contentVersion);
  expect((await assetNamed(name)).sizeBytes).toBeGreaterThan(before.sizeBytes);
  // The delta ends after its last asset.
  await until(async () =>
    (await liveNotifications()).some(
      ({ outcome, reconcileLagMs }) => outcome === 'reconcile_enqueued' && reconcileLagMs !== null,
    ),
  );

  const { length } = await liveNotifications();
  await act(...(await itemFor('share', name)), 'share');
  await until(async () => (await liveNotifications()).length > length);
  // One that comes within ten seconds of another starts nothing: the scheduled delta finds its change.
  await until(async () =>
    (await assetNamed(name)).permissions.grants.items.some(({ principalKind }) => principalKind === 'anyone'),
  );
});

test('a shared folder opens findings of its files, and restricting it resolves them', async () => {
  const exposed = async () => {
    const { items } = await owner.get<List<{ kind: string; assetId: string }>>('/api/findings?status=open');
    const ids = items.filter(({ kind }) => kind === 'exposure').map(({ assetId }) => assetId);
    return ids.sort();
  };
  const before = await exposed();
  await act(...(await itemFor('add', 'Payables')), 'share');
  await until(async () => (await exposed()).length > before.length + 1);
  await act(...(await itemFor('add', 'Payables')), 'restrict');
  await until(async () => (await exposed()).join() === before.join());
});

test('a renamed folder renames the paths in it, and what is deleted is gone', async () => {
  const [library, folder] = await itemFor('add', 'Receivables/Invoices');
  await act(library, folder, 'rename');
  await act(...(await itemFor('delete', 'Vendor master, bank details (2).csv')), 'delete');
  const paths = async () =>
    (await owner.get<List<Asset>>('/api/assets?q=invoice')).items.map((asset) => asset.path);
  await until(async () => (await paths()).some((at) => at.startsWith('Receivables/Renamed Invoices/')));
  await until(async () => {
    const { items } = await owner.get<List<Asset>>('/api/assets?q=vendor%20master');
    return !items.some(({ name }) => name === 'Vendor master, bank details (2).csv');
  });
});

test('another page may not act, and an unknown act is explained', async () => {
  const [library, item] = await itemFor('label', 'Corporate tax return working paper 2025.docx');
  const asked = { libraryId: library.libraryId, itemId: item.itemId };
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(actsUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  const foreign = await post({ ...asked, act: 'label' }, { origin: 'https://elsewhere.example' });
  expect(foreign.status).toBe(403);
  const unknown = await post({ ...asked, act: 'paint' });
  expect(unknown.status).toBe(400);
  expect((await bodyOf<{ message: string }>(unknown)).message).toContain('rename');
  expect((await post({ ...asked, itemId: 'none', act: 'label' })).status).toBe(404);
  const shown = await fetch(actsUrl, { headers: { accept: 'text/html' } });
  expect(await shown.text()).toContain('Corporate tax return working paper 2025.docx');
});

test('it ends cleanly, and begins again', async () => {
  await stopStackProcess(started);
  await expect(fetch(actsUrl)).rejects.toThrow();
  await expect(fetch(`${url}/api/health`)).rejects.toThrow();
});
