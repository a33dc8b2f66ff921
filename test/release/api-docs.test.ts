import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/*
 * What a reader does on /api/docs, in a real browser: look, sign in, change something. The tests follow one another.
 */
let database: TestDatabase;
let service: TestService;
let browser: Browser;
let page: Page;
/** What the browser complained of: refused by the page's policy, not found, thrown, or asked of another host. */
const complaints: string[] = [];

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  browser = await startBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(30000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.url) && !/^(?:data|blob):/.test(url)) complaints.push(url);
  });
  await page.goto(`${service.url}/api/docs`);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await database?.drop();
});

const sidebar = () => page.getByRole('complementary', { name: /^Sidebar/ });

test('the page lists every operation, sign-in first, and keeps to its policy', async () => {
  await page.getByRole('heading', { name: 'Data discovery and governance' }).waitFor();
  const closed = sidebar().getByRole('button', { name: /^Open Group/ });
  while ((await closed.count()) > 0) await closed.first().click();
  const document = await service.anonymous.get<{ paths: Record<string, object> }>('/api/openapi.json');
  const operations = Object.entries(document.body.paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()}${route}`),
  );
  const items = await sidebar().locator('[data-sidebar-id]').all();
  const ids = await Promise.all(items.map((item) => item.getAttribute('data-sidebar-id')));
  const shown = ids.flatMap((id) => /[A-Z]{3,}\/.*$/.exec(id ?? '') ?? []);
  expect(shown.toSorted()).toEqual(operations.toSorted());
  expect(shown[0]).toBe('POST/api/auth/dev/login');
  expect(complaints).toEqual([]);
});

test.each(['light', 'dark'] as const)('it fits a screen of 320 px, %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width: 320, height: 700 });
  await page.getByRole('heading', { name: 'Data discovery and governance' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(complaints).toEqual([]);
});

test('a signed-in reader sends a change, and the page adds the token of their session', async () => {
  const signIn = `fetch('/api/auth/dev/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"principalId":"${PERSONA.governanceAdmin}"}',
  }).then(({ status }) => status)`;
  expect(await page.evaluate(signIn)).toBe(200);
  await page.goto(`${service.url}/api/docs#tag/governance/POST/api/governance/domains`);
  await page
    .locator('[id$="POST/api/governance/domains"]')
    .getByRole('button', { name: /^Test Request/ })
    .click();
  const sent = page.waitForResponse((response) => response.url().endsWith('/api/governance/domains'));
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const response = await sent;
  expect(response.request().headers()['x-svc-csrf']).toMatch(/^\S{20,}$/);
  expect(response.status()).toBe(200);
  expect(await response.json()).toMatchObject({ name: 'Facilities' });
  expect(complaints).toEqual([]);
});
