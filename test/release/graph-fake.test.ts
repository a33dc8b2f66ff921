import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiClient, signIn } from '../../infra/local/api-client.ts';
import { removePostgres } from '../../infra/local/postgres.ts';
import { startBrowser } from '../support/browser.ts';
import type { UserAct } from '../support/graph/local/user-acts.ts';
import type { ShownItem, ShownLibrary } from '../support/local-clouds/acts.ts';
import {
  addressOf,
  type StartedStack,
  startStackProcess,
  stopStackProcess,
} from '../support/stack-process.ts';

/** Scheduled deltas find what is not notified. A start has them each minute, which is long for a test. */
const PERIOD_S = 20;

let data: string;
let started: StartedStack;
let url: string;
let actsUrl: string;
let admin: ApiClient;
let owner: ApiClient;

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'stack-'));
  started = startStackProcess(['--data', data, '--graph-fake'], {
    SVC_DELTA_SCHEDULE: `*/${PERIOD_S} * * * * *`,
  });
  url = await addressOf(started);
  await started.line('The service is subscribed');
  const banner = await started.line('Its company');
  actsUrl = /Act as its people: (\S+)/.exec(banner)?.[1] ?? expect.unreachable(banner);
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
  type Probed = { capability: string; state: string; reason: string | null };
  const { body } = await admin.post<{ ok: boolean; capabilities: Probed[] }>('/api/admin/connector/test', {});
  expect(body.ok).toBe(true);
  const others = body.capabilities.filter(({ state }) => state !== 'ok');
  expect(others.map(({ capability, reason }) => [capability, reason])).toEqual([
    ['sharing', 'optional_permission'],
    // Of mailboxes and of channels.
    ['reach', 'not_part_of_source'],
    ['files', 'not_part_of_source'],
  ]);
});

test('an edit and a share arrive by notification', async () => {
  const name = 'Vendor master, bank details.csv';
  const before = await assetNamed(name);
  expect(before.permissions.grants.items.map(({ principalKind }) => principalKind)).not.toContain('anyone');

  // What is notified while a scheduled delta runs starts nothing.
  await until(async () => Math.floor((new Date().getSeconds() % PERIOD_S) / 3) === 4);
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

/** What the page says of an item: of its company, and of the service. */
const rowOf = (page: Page, { itemId }: ShownItem) => page.locator(`tr[id="${itemId}"] td`).allInnerTexts();

test('the page shows what the service knows beside what the company has', async () => {
  const name = 'Expense claim Nadia Ortega.xlsx';
  const [library, item] = await itemFor('label', name);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${actsUrl}#${encodeURIComponent(item.itemId)}`);
    expect((await rowOf(page, item)).slice(4, 6)).toEqual(['available', '']);
    await act(library, item, 'label');
    await page.reload();
    const label = (await rowOf(page, item))[1];
    expect(label).not.toBe('');
    // The page reads again what the service knows.
    await until(async () => (await rowOf(page, item))[5] === label);
    await act(library, item, 'delete');
    await until(async () => (await rowOf(page, item))[4] === 'deleted');
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('the page fits a screen of 320 pixels, also in the dark', async () => {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 320, height: 600 }, colorScheme: 'dark' });
    await page.goto(actsUrl);
    for (const library of await page.locator('summary').all()) await library.click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    // A page without dark colours would keep its black text.
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(255, 255, 255)');
  } finally {
    await browser.close();
  }
});

test('a library that is locked is inaccessible on the page and in the answers', async () => {
  const [library] = await itemFor('edit', 'Vendor master, bank details.csv');
  const ofLibrary = async (what: UserAct) => {
    const body = JSON.stringify({ libraryId: library.libraryId, act: what });
    expect((await fetch(actsUrl, { method: 'POST', body })).status).toBe(200);
  };
  const scope = async () => {
    const { items } =
      await admin.get<List<{ externalId: string; inaccessible: object | null; coverageState: string }>>(
        '/api/sources',
      );
    return items.find(({ externalId }) => externalId === library.libraryId);
  };
  await ofLibrary('lock');
  // A scheduled delta finds it.
  await until(async () => (await scope())?.inaccessible !== null);
  expect(await scope()).toMatchObject({ coverageState: 'stale', inaccessible: { reason: 'locked' } });
  const shown = await (await fetch(actsUrl, { headers: { accept: 'text/html' } })).text();
  expect(shown).toMatch(/coverage stale, inaccessible \(locked\) since/);
  await ofLibrary('unlock');
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
