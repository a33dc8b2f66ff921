import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiClient, signIn } from '../../infra/local/api-client.ts';
import { removePostgres } from '../../infra/local/postgres.ts';
import { startBrowser } from '../support/browser.ts';
import type { ShownItem, ShownLibrary } from '../support/local-clouds/acts.ts';
import {
  addressOf,
  type StartedStack,
  startStackProcess,
  stopStackProcess,
} from '../support/stack-process.ts';

type List<T> = { items: T[] };
type Asset = { assetId: string; name: string; path: string };
type Detail = {
  location: { path: string };
  contentVersion: string;
  sourceUrl: string | null;
  permissions: { grants: List<{ principalKind: string; principal: string; external: boolean }> };
};

/** A start has deltas each half minute, which is long for a test. A scope whose delta runs gets no other one. */
const EVERY_SECOND = '* * * * * *';

/** Until it is so; the test has its own bound. */
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await sleep(250);
};

describe.each([
  {
    ...{
      option: 'drive-fake',
      name: 'Google Drive',
      family: 'cloud_drive',
      integration: 'cloudDriveConnector',
    },
    ...{ scopes: ['Finance', 'People', 'Projects', 'greta.hoffmann@nordwind.example'] },
    ...{ address: /^https:\/\/drive\.google\.com\// },
  },
  {
    ...{ option: 'box-fake', name: 'Box', family: 'file_box', integration: 'fileBoxConnector' },
    ...{ scopes: ['Customer support', 'Finance', 'Operations', 'Sales'] },
    ...{ address: /^https:\/\/app\.box\.com\/file\/\d+$/ },
  },
])('--$option', ({ option, name, family, integration, scopes, address }) => {
  let data: string;
  let started: StartedStack;
  let url: string;
  let actsUrl: string;
  let admin: ApiClient;
  let owner: ApiClient;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'stack-'));
    started = startStackProcess(['--data', data, `--${option}`], { SVC_DELTA_SCHEDULE: EVERY_SECOND });
    url = await addressOf(started);
    await started.line('The service asks for changes');
    const banner = await started.line('Its company');
    actsUrl = /Act as its people: (\S+)/.exec(banner)?.[1] ?? expect.unreachable(banner);
    admin = await signIn(url, 'pri_priya_nair');
    owner = await signIn(url, 'pri_amara_okafor');
  });
  afterAll(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
    await removePostgres(path.join(data, option, 'postgres'));
    await rm(data, { recursive: true, force: true });
  });

  const finance = async (): Promise<ShownLibrary> => {
    const { libraries } = (await (await fetch(actsUrl)).json()) as { libraries: ShownLibrary[] };
    return libraries.find((each) => each.name === 'Finance') ?? expect.unreachable();
  };
  const itemAt = async (ends: string): Promise<ShownItem> =>
    (await finance()).items.find((item) => item.path.endsWith(ends)) ?? expect.unreachable(ends);
  const act = async (ends: string, what: string): Promise<string> => {
    const [{ libraryId }, { itemId }] = [await finance(), await itemAt(ends)];
    const answer = await fetch(actsUrl, {
      method: 'POST',
      body: JSON.stringify({ libraryId, itemId, act: what }),
    });
    expect([what, answer.status]).toEqual([what, 200]);
    return ((await answer.json()) as { itemId: string }).itemId;
  };
  const assetsFor = async (q: string) =>
    (await owner.get<List<Asset>>(`/api/assets?q=${encodeURIComponent(q)}`)).items;
  const assetNamed = async (wanted: string): Promise<Detail> => {
    const asset = (await assetsFor(`"${wanted}"`)).find((each) => each.name === wanted);
    return owner.get<Detail>(`/api/assets/${asset?.assetId}`);
  };
  const isOpenToAnyone = async (wanted: string) =>
    (await assetNamed(wanted)).permissions.grants.items.some(
      ({ principalKind }) => principalKind === 'anyone',
    );

  const TEXT = 'Vendor master, bank details.csv';

  test('the source is live, says that its data is made up, and has scanned all', async () => {
    expect(started.lines.slice(1, 3).join(' ')).toContain(`${name} is a fake of test/support/`);
    expect(await admin.get('/api/ready')).toMatchObject({
      demoMode: true,
      integrations: { connector: 'mock', [integration]: 'live' },
    });
    const { items } =
      await admin.get<List<{ name: string; family: string; mode: string; deltaCursorStatus: string }>>(
        '/api/sources',
      );
    const mine = items.filter((scope) => scope.family === family);
    expect(mine.map((scope) => scope.name).sort()).toEqual(scopes);
    for (const scope of mine) expect(scope).toMatchObject({ mode: 'live', deltaCursorStatus: 'valid' });
    expect((await owner.get<List<object>>('/api/review/queue')).items.length).toBeGreaterThan(10);
    expect((await assetNamed(TEXT)).sourceUrl).toMatch(address);
  });

  test('what is in the trash is no asset, and people outside are shown as external', async () => {
    expect(await itemAt('Old price list.txt')).toMatchObject({ deleted: true });
    expect(await assetsFor('"Old price list.txt"')).toEqual([]);
    const shared = await assetNamed('Questions of the tax adviser.txt');
    expect(shared.permissions.grants.items.filter(({ external }) => external)).toMatchObject([
      { principalKind: 'user', principal: expect.stringMatching(/@partner\.example$/) },
    ]);
  });

  test('an edit, a link, and the end of the link arrive by the delta', async () => {
    const before = await assetNamed(TEXT);
    await act(TEXT, 'edit');
    await until(async () => (await assetNamed(TEXT)).contentVersion !== before.contentVersion);
    await act(TEXT, 'share');
    await until(() => isOpenToAnyone(TEXT));
    await act(TEXT, 'restrict');
    await until(async () => !(await isOpenToAnyone(TEXT)));
  });

  test('a folder that is shared opens what is in it, and its new name is in the paths', async () => {
    const file = 'Questions of the tax adviser.txt';
    await act('For the tax adviser', 'share');
    await until(() => isOpenToAnyone(file));
    await act('For the tax adviser', 'rename');
    await until(async () => (await assetNamed(file)).location.path === `Renamed For the tax adviser/${file}`);
  });

  test('a new file is found, one in the trash is gone, and one that is taken out is back', async () => {
    await act('Payables', 'add');
    await until(async () => (await assetsFor('"New invoice"')).length === 1);
    await act(TEXT, 'trash');
    await until(async () => (await assetsFor(`"${TEXT}"`)).every((asset) => asset.name !== TEXT));
    await act(TEXT, 'restore');
    await until(async () => (await assetsFor(`"${TEXT}"`)).some((asset) => asset.name === TEXT));
  });

  test('the page shows what the service knows, and fits a small screen', async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 320, height: 600 } });
      page.setDefaultTimeout(0);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      const { itemId } = await itemAt(TEXT);
      await page.goto(actsUrl);
      expect(await page.locator('h1').textContent()).toBe(`A fake of ${name}`);
      for (const library of await page.locator('summary').all()) await library.click();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      await act(TEXT, 'trash');
      const states = page.locator(`tr[id="${itemId}"] td.service`);
      await until(async () => (await states.allInnerTexts()).some((text) => text.includes('deleted')));
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('it ends cleanly', async () => {
    await stopStackProcess(started);
    await expect(fetch(actsUrl)).rejects.toThrow();
  });
});
