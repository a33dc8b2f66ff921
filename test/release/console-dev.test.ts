import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DevServer, serveFromSources } from '../../infra/console/dev-server.ts';
import { startBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/client.ts';
import { personIn } from '../support/console-pages.ts';
import type { TestDatabase } from '../support/database.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* The console from its sources, as `npm run dev` serves it. */
let database: TestDatabase;
let service: TestService;
let server: DevServer;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  server = await serveFromSources(service.url, 0);
});
afterAll(async () => {
  await server?.close();
  await service?.close();
  await database?.drop();
});

test('a person signs in through it, and the page waits for changes', async () => {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    const waits = page.waitForEvent('console', { predicate: (line) => line.text() === '[vite] connected.' });
    await page.goto(server.url);
    await personIn(page, 'Amara Okafor').click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await waits;
    expect(new URL(page.url()).port).toBe(new URL(server.url).port);
    expect(server.url).not.toBe(`${service.url}/`);
  } finally {
    await browser.close();
  }
});
