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
/** What the browser complained of: refused by the page's policy, not found, thrown. */
const complaints: string[] = [];

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  browser = await startBrowser();
  page = await browser.newPage();
  page.setDefaultTimeout(0);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${service.url}/api/docs`);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await database?.drop();
});

/** Opens an operation, fills in what is given and sends it; the status and body that the page got. */
async function execute(operationId: string, given: { body: unknown }) {
  await page.locator(`#operations-tag-${operationId.slice(0, operationId.indexOf('-'))}`).click();
  const operation = page.locator(`.opblock[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.locator('textarea.body-param__text').fill(JSON.stringify(given.body));
  const sent = page.waitForResponse((response) => response.request().method() === 'POST');
  await operation.getByRole('button', { name: 'Execute', exact: true }).click();
  const response = await sent;
  await operation.locator('.live-responses-table').waitFor();
  return {
    status: response.status(),
    body: (await response.json()) as Record<string, unknown>,
    token: response.request().headers()['x-svc-csrf'],
  };
}

test('the page shows every operation and keeps to its policy', async () => {
  await page.locator('.opblock-tag').first().waitFor();
  const document = await service.anonymous.get<{ paths: Record<string, object> }>('/api/openapi.json');
  const operations = Object.values(document.body.paths).flatMap((methods) => Object.keys(methods));
  let shown = 0;
  for (const tag of await page.locator('.opblock-tag').all()) {
    await tag.click();
    await page.locator('.opblock').first().waitFor();
    shown += await page.locator('.opblock').count();
    await tag.click();
    await page.locator('.opblock').first().waitFor({ state: 'detached' });
  }
  expect(shown).toBe(operations.length);
  expect(complaints).toEqual([]);
});

test('a reader signs in on the page', async () => {
  const { status, body } = await execute('auth-dev-login', {
    body: { principalId: PERSONA.governanceAdmin },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, authMode: 'dev' });
});

test('a signed-in reader sends a change, and the page adds the token of their session', async () => {
  const { status, body, token } = await execute('governance-create-domain', {
    body: { name: 'Facilities', description: 'Buildings and what is in them.' },
  });
  expect(body).toMatchObject({ name: 'Facilities' });
  expect(status).toBe(200);
  expect(token).toMatch(/^\S{20,}$/);
});
