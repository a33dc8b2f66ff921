import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { startService, type TestService } from '../support/client.ts';
import { withConsole } from '../support/console.ts';
import { type ConsolePages, openConsole, question, settled } from '../support/console-pages.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  addSecondDomain,
  makeFirstWorld,
  nameFinance,
  savePlans,
  signInEverybody,
} from '../support/leak-worlds.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* What the browser of an owner holds, whose files share places and copies with those of another domain. */
let database: TestDatabase;
let service: TestService;
let pages: ConsolePages;

/** Owners, with a word of each name of their files, and of the other's. */
const OWNERS = [
  { name: 'Amara Okafor', own: 'Auranox', foreign: ['Umbraxis', 'ast_people_', 'fnd_people_'] },
  { name: 'Lena Vogel', own: 'Umbraxis', foreign: ['Auranox'] },
] as const;
const CRAWLING = NIGHTLY ? OWNERS : OWNERS.slice(0, 1);

/** Pages of one kind, such as those of a file, that a crawl opens. */
const OF_ONE_KIND = NIGHTLY ? 8 : 2;

beforeAll(async () => {
  await withConsole();
  database = await createSeededDatabase({ itemsPerScope: 8 });
  service = await startService(database);
  const personas = await signInEverybody(service, database);
  await makeFirstWorld(service, database, personas);
  await nameFinance(database);
  await savePlans(database);
  await addSecondDomain(service, database, personas);
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

type Held = { what: string; text: string };

/** Keeps what the page asks for, and what it is answered. */
async function recordTraffic(page: Page) {
  const held: Held[] = [];
  const cacheable: string[] = [];
  await page.route(`${service.url}/api/**`, async (route) => {
    const request = route.request();
    const asked = `${request.method()} ${request.url()}`;
    held.push({ what: 'asked', text: `${asked} ${request.postData() ?? ''}` });
    const response = await route.fetch();
    held.push({ what: `answer to ${asked}`, text: await response.text() });
    if (response.headers()['cache-control'] !== 'no-store') cacheable.push(asked);
    await route.fulfill({ response });
  });
  return { held, cacheable };
}

/** What the browser keeps for the page, but for the page itself. */
const KEPT = `(async () => [
  ...Object.entries(localStorage),
  ...Object.entries(sessionStorage),
  ...(await caches.keys()).map((name) => ['cache', name]),
  ...(await indexedDB.databases()).map(({ name }) => ['database', name]),
  ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => ['worker', scope]),
  ...document.cookie.split('; ').filter(Boolean).map((cookie) => ['cookie', cookie]),
])()`;
const keptFor = (page: Page) => page.evaluate<[key: string, value: string][]>(KEPT);

const HREFS = `[...document.querySelectorAll('nav a[href], main a[href]')]
  .filter((link) => !link.hasAttribute('download'))
  .map((link) => link.getAttribute('href'))
  .filter((href) => href.startsWith('/'))`;

/** Opens every view of the navigation, and what these link to. */
async function crawl(page: Page, look: () => Promise<void>): Promise<string[]> {
  const waiting = ['/'];
  const seen = new Set(waiting);
  const kinds = new Map<string, number>();
  const opened: string[] = [];
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    await page.goto(`${service.url}${address}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    opened.push(address);
    await look();
    const links = await page.evaluate<string[]>(HREFS);
    for (const href of links) {
      const kind = href.replace(/[a-z]{3}_[^/?&]+/g, '*').replace(/%[^&]*|"[^"]*"/g, '*');
      const count = kinds.get(kind) ?? 0;
      if (seen.has(href) || count >= OF_ONE_KIND) continue;
      seen.add(href);
      kinds.set(kind, count + 1);
      waiting.push(href);
    }
  }
  return opened;
}

test.each(CRAWLING)('the browser of $name holds nothing of the other domain', async (owner) => {
  const page = await pages.enter(owner.name, '/');
  const { held, cacheable } = await recordTraffic(page);
  const look = async () => {
    held.push({ what: 'page', text: await page.content() });
    for (const [key, value] of await keptFor(page)) held.push({ what: 'storage', text: `${key}=${value}` });
  };
  const opened = await crawl(page, look);
  expect(opened).toEqual(expect.arrayContaining(['/', '/review', '/assets', '/findings', '/actions']));
  expect(opened.length).toBeGreaterThan(12);

  // What only an act shows: the type-aheads, the excerpts, a search for the beginning of a foreign name.
  await page.goto(`${service.url}/review`);
  await question(page).waitFor();
  for (const key of ['2', '3']) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await look();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('e');
  await settled(page);
  await look();
  for (const { own } of OWNERS) {
    await page.goto(`${service.url}/assets?q=${own.slice(0, -1)}`);
    await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor();
    await settled(page);
    await look();
  }
  await page.unrouteAll({ behavior: 'wait' });

  const found = (word: string) => held.filter(({ text }) => text.includes(word)).map(({ what }) => what);
  // The words are where they may be, else this would prove nothing.
  expect(found(owner.own)).toEqual(expect.arrayContaining(['page']));
  expect(owner.foreign.flatMap(found)).toEqual([]);
  expect(cacheable).toEqual([]);
});

test('an owner of a copy sees that there is another, and not what it is', async () => {
  const page = await pages.enter('Amara Okafor', '/');
  const [copy] = await database.inspect<{ asset_id: string }>(sql`
    select a.asset_id from assets a join assets b on b.content_hash = a.content_hash and b.asset_id like 'ast_people_%'
     where a.name like 'Auranox%' limit 1`);
  await page.goto(`${service.url}/assets/${copy?.asset_id}`);
  await page
    .getByRole('region', { name: 'Connections' })
    .getByText('of another domain')
    .filter({ visible: true })
    .first()
    .waitFor();
  await page.goto(`${service.url}/assets/ast_people_3`);
  await page.getByText('This asset is not here any more, or you may not see it.').waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.content()).not.toContain('Umbraxis');
  expect(pages.complaints.splice(0).filter((each) => !each.includes('404'))).toEqual([]);
});

test('storage holds preferences alone, also when the page is left', async () => {
  const page = await pages.enter('Amara Okafor', '/assets?q=Auranox');
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
  await page.locator('main a[href^="/assets/"]').first().click();
  await page.getByRole('heading', { name: 'What to do' }).waitFor();
  await page.mouse.wheel(0, 400);
  await page.goto(`${service.url}/review`);
  await question(page).waitFor();
  await page.keyboard.press('n');
  await page.keyboard.type('half a thought');
  await page.reload();
  await question(page).waitFor();
  expect(await keptFor(page)).toEqual([['preference.theme', 'dark']]);
});
