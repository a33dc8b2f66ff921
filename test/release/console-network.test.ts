import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { withConsole } from '../support/console.ts';
import {
  type ConsolePages,
  namesInQueue,
  openConsole,
  personIn,
  question,
  queueListed,
  settled,
} from '../support/console-pages.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* The console on a network that is slow, that fails, and that is not there. */
let database: TestDatabase;
let service: TestService;
let pages: ConsolePages;
let amara: SignedIn;

/** Of good web pages: a tenth of what is seen may move by itself. */
const GOOD_SHIFT = 0.1;

beforeAll(async () => {
  await withConsole();
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  await storeScanned(
    database.db,
    DEV,
    Array.from({ length: 20 }, (_, at) => ({
      assetId: `ast_network_${String(at).padStart(2, '0')}`,
      name: `Invoice ${at}.docx`,
      said: [invoices(0.9 - at / 1000)],
    })),
  );
  await database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                          changed_at)
    values (${DEV}, 'fnd_network', 'ast_network_19', 'location', 'high', 'open', 'In a wrong place.', 'risk-1', now(), now())`);
  amara = await service.signInAs(PERSONA.financeOwner);
  pages = await openConsole(service);
});
afterAll(async () => {
  await pages?.close();
  await service?.close();
  await database?.drop();
});
afterEach(async () => {
  await pages.closePages();
  expect(pages.complaints.splice(0)).toEqual([]);
});

/** The browser complains of each answer that failed. */
const complainsOnlyOf = (text: string) =>
  expect(pages.complaints.splice(0).filter((each) => !each.includes(text))).toEqual([]);

const answersOf = async () =>
  (await database.inspect(sql`select from decisions where tenant_id = ${DEV}`)).length;

/** Holds the calls to these addresses until it is released. */
async function hold(page: Page, addresses: string) {
  const waiting: Route[] = [];
  let isHeld = true;
  await page.route(addresses, (route) => (isHeld ? void waiting.push(route) : route.continue()));
  return {
    calls: () => waiting.length,
    release: async () => {
      isHeld = false;
      await Promise.all(waiting.map((route) => route.continue()));
    },
  };
}

async function actionThatWaits(): Promise<string> {
  const { body } = await amara.post<{ actionId: string }>('/api/actions', {
    kind: 'internal_task',
    targetAssetId: 'ast_network_18',
    justification: 'It is asked about every year.',
    taskTitle: 'Ask',
  });
  expect((await amara.post(`/api/actions/${body.actionId}/submit`)).status).toBe(200);
  return body.actionId;
}

describe('slow', () => {
  test('1.6 Mbit/s and a quarter of the processor: an owner signs in and answers', async () => {
    const page = await pages.newPage();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 1_600_000 / 8,
      uploadThroughput: 750_000 / 8,
    });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const before = await answersOf();
    await page.goto(`${service.url}/review`);
    await personIn(page, 'Amara Okafor').click();
    await queueListed(page);
    const [, second] = await namesInQueue(page);
    await page.keyboard.press('5');
    await expect.poll(() => question(page).textContent()).toBe(second);
    await expect.poll(answersOf).toBe(before + 1);
  });

  test.each(['/', '/review', '/assets', '/assets/ast_network_19', '/findings', '/actions', '/actions/tasks'])(
    '%s says that it loads, and does not jump when it is there',
    async (path) => {
      const page = await pages.enter('Amara Okafor', '/sign-in');
      const held = await hold(page, '**/api/{home,landscape,review,assets,findings,actions,tasks}**');
      await page.addInitScript(`
        shifted = 0;
        new PerformanceObserver((list) => {
          for (const each of list.getEntries()) if (!each.hadRecentInput) shifted += each.value;
        }).observe({ type: 'layout-shift', buffered: true });`);
      await page.goto(`${service.url}${path}`);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor();
      expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true);
      await held.release();
      await settled(page);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      // The shift of the last frame is reported after it.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(await page.evaluate<number>('shifted')).toBeLessThan(GOOD_SHIFT);
    },
  );

  const FIRST_READS: readonly [string, readonly string[]][] = [
    ['/', ['/api/home']],
    ['/review', ['/api/review/queue']],
    ['/review?severity=high', []],
    ['/assets', ['/api/assets', '/api/assets/facets']],
    ['/findings', ['/api/findings/by-asset', '/api/findings/facets']],
  ];
  test.each(FIRST_READS)(
    '%s: the page asks for what the view reads first, each thing once',
    async (path, reads) => {
      const page = await pages.enter('Amara Okafor', '/sign-in');
      await page.goto(`${service.url}${path}`);
      await settled(page);
      await page.waitForLoadState('networkidle');
      const asked = await page.evaluate<{ url: string; by: string }[]>(`
        performance.getEntriesByType('resource').map(({ name, initiatorType }) =>
          ({ url: name.slice(location.origin.length), by: initiatorType }))`);
      const urls = asked.map(({ url }) => url);
      expect(urls.filter((url, at) => urls.indexOf(url) !== at)).toEqual([]);
      const byPage = asked.filter(({ url, by }) => by === 'link' && url.startsWith('/api/'));
      expect(byPage.map(({ url }) => url).sort()).toEqual(['/api/auth/me', ...reads].sort());
    },
  );

  test('a double click gives one answer, and approves once', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [, second] = await namesInQueue(page);
    const before = await answersOf();
    await page.getByRole('button', { name: 'Not a match' }).dblclick();
    await expect.poll(() => question(page).textContent()).toBe(second);
    await expect.poll(answersOf).toBe(before + 1);
    await page.waitForLoadState('networkidle');
    expect(await answersOf()).toBe(before + 1);

    const approver = await pages.enter('Ingrid Solberg', `/actions/${await actionThatWaits()}`);
    const held = await hold(approver, '**/approval');
    await approver.getByRole('button', { name: 'Approve' }).dblclick();
    await approver.getByRole('button', { name: 'Approve', disabled: true }).waitFor();
    expect(held.calls()).toBe(1);
    await held.release();
    await approver.getByRole('region', { name: 'Its task' }).waitFor();
  });
});

describe('failing', () => {
  test('500: the view says so, with the reference, and is there at the next try', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    await page.route('**/api/review/queue**', (route) =>
      route.fulfill({
        status: 500,
        headers: { 'x-svc-correlation': 'cor-7' },
        json: { error: 'internal_error', correlationId: 'cor-7' },
      }),
    );
    await page.getByRole('link', { name: 'Review' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('The service has failed at this.').waitFor();
    await alert.getByText('Reference: cor-7').waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await question(page).waitFor();
    complainsOnlyOf('500');
  });

  test('503 with Retry-After: the call is sent again by itself', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    let asked = 0;
    await page.route(/\/api\/assets(\?|$)/, (route) =>
      asked++ > 0
        ? route.continue()
        : route.fulfill({
            status: 503,
            headers: { 'retry-after': '1' },
            json: {
              error: 'overloaded',
              message: 'The database does not answer. Try again in a few seconds.',
            },
          }),
    );
    await page.getByRole('link', { name: 'Assets', exact: true }).click();
    await page.getByRole('link', { name: 'Invoice 19.docx' }).waitFor();
    expect(asked).toBe(2);
    complainsOnlyOf('503');
  });

  test('429 of a proxy: the page is busy, says so, and an answer can be sent again', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [name = '', second] = await namesInQueue(page);
    await page.route('**/decision', (route) => route.fulfill({ status: 429, body: '<h1>Too many</h1>' }));
    await page.keyboard.press('5');
    await expect.poll(() => question(page).textContent()).toBe(second);
    const alert = page.getByRole('alert');
    await alert.getByText('The service is busy.').waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Send again' }).click();
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => namesInQueue(page)).not.toContain(name);
    complainsOnlyOf('429');
  });
});

describe('absent', () => {
  const NOT_REACHED = 'The service cannot be reached.';

  test('a view that was never open says so in its place, and comes when it can', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    await page.keyboard.press('n');
    await page.keyboard.type('half a thought');
    await page.context().setOffline(true);
    // What the pointer is over is loaded ahead. It must not cost what was typed.
    await page.getByRole('link', { name: 'Findings' }).hover();
    await page.waitForEvent('requestfailed');
    expect(await page.getByLabel('Note to the answer').inputValue()).toBe('half a thought');
    await page.getByRole('link', { name: 'Findings' }).click();
    await page.getByRole('alert').getByText(NOT_REACHED).waitFor();
    // The page asks whether the service is there, to load itself again. Served, it would need no second click.
    const isAbsent = page.waitForEvent('requestfailed', (request) => request.method() === 'HEAD');
    await page.getByRole('button', { name: 'Try again' }).click();
    await isAbsent;
    await page.getByRole('alert').getByText(NOT_REACHED).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('In a wrong place.').waitFor();
    expect(pages.complaints.splice(0).filter((each) => !/ERR_|could not be loaded/.test(each))).toEqual([]);
  });

  test('what is shown stays, and what is asked for says so', async () => {
    const page = await pages.enter('Amara Okafor', '/assets');
    await page.getByRole('link', { name: 'Invoice 19.docx' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('searchbox').fill('Invoice 7');
    await page.getByRole('alert').getByText(NOT_REACHED).waitFor();
    await page.context().setOffline(false);
    // The browser says that the network is back.
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Invoice 19.docx' }).waitFor({ state: 'detached' });
    complainsOnlyOf('ERR_');
  });

  test('acts say that they were not done', async () => {
    const page = await pages.enter('Amara Okafor', '/findings');
    await page.getByText('In a wrong place.').waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Draft a task' }).click();
    await page.getByRole('alert').getByText(NOT_REACHED).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText(`You are not signed out. ${NOT_REACHED}`).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Draft a task' }).click();
    await page.getByRole('link', { name: 'Look at it and submit it' }).waitFor();
    complainsOnlyOf('ERR_');
  });
});
