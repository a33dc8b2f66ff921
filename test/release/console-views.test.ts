import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { Signal } from '../../core/detectors/detector.ts';
import { storeScanned } from '../support/assets.ts';
import { axeFindings } from '../support/axe.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { withConsole } from '../support/console.ts';
import { type ConsolePages, openConsole, scrollsSideways, settled } from '../support/console-pages.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices, payroll } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* Pictures, saved views, columns and names in the console, in a real browser. */
let database: TestDatabase;
let service: TestService;
let pages: ConsolePages;
let amara: SignedIn;

const LONG = `${'Very long name of an invoice '.repeat(7).slice(0, 195)}.docx`;
const HEBREW = 'חשבונית 🧾 2026.docx';
/** Files with the same bytes. The last one is of another domain. */
const COPIES = ['Invoice 1.docx', LONG, HEBREW, 'Umbraxis payslip.docx'];
const DAY_MS = 24 * 3_600_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  await withConsole();
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  const signals: Signal[] = [
    {
      ...{ detectorId: 'iban', detectorVersion: 1, family: 'bank', confidence: 0.98, positions: [] },
      ...{ count: 2, tiers: { checksum_and_context: 2 } },
    },
  ];
  await storeScanned(
    database.db,
    DEV,
    COPIES.map((name, at) => ({
      assetId: `ast_copy_${at}`,
      name,
      contentHash: 'c0',
      signals,
      excerpts: [{ detectorId: 'iban', text: 'IBAN DE•• •••• 3000' }],
      said: [at === 3 ? payroll(0.9) : invoices(0.9 - at / 100)],
    })),
  );
  await database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                          changed_at)
    values (${DEV}, 'fnd_views', 'ast_copy_0', 'location', 'high', 'open', 'In a wrong place, found in the test.',
            'risk-1', now(), now())`);
  for (const [day, exposed, critical] of [
    [dayBefore(9), 4, 1],
    [dayBefore(1), 10, 3],
  ] as const)
    await database.inspect(sql`
      insert into trend_days (tenant_id, domain_id, day, measured_at, assets, sensitive, exposed, labeled, label_unknown,
                              content_read, open_findings, open_findings_by_severity, open_questions,
                              answered_questions)
      values (${DEV}, 'dom_finance', ${day}::date, now(), 20, 0, ${exposed}, 0, 0, 20, ${critical + 2},
              ${sql.json({ critical, high: 2, medium: 0, low: 0 })}::jsonb, 3, 1)`);
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

const graphOf = (page: Page) => page.getByRole('group', { name: /Connected assets/ });
const focusedName = (page: Page) => page.evaluate<string | null>('document.activeElement.ariaLabel');
const cell = (page: Page, row: number, column: number) =>
  page.getByRole('row').nth(row).getByRole('cell').nth(column);

describe('the graph of an asset', () => {
  test('that could not be loaded says so, and comes at the next try', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    // Without the service, the page does not load itself again.
    await page.route(`${service.url}/`, (route) => route.abort());
    await page.route('**/connection-graph-*', (route) => route.abort());
    await page.goto(`${service.url}/assets/ast_copy_0`);
    const notice = page.getByRole('region', { name: 'Connections' }).getByRole('alert');
    await notice.waitFor();
    expect(await graphOf(page).count()).toBe(0);
    await page.unrouteAll();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await graphOf(page).waitFor();
    expect(pages.complaints.splice(0).filter((each) => !/ERR_|could not be loaded/.test(each))).toEqual([]);
  });

  test('is reached by keyboard, node by node, and opens one', async () => {
    const page = await pages.enter('Amara Okafor', '/assets/ast_copy_0', { motion: 'reduce' });
    const graph = graphOf(page);
    await graph.getByRole('link').first().focus();
    expect(await focusedName(page)).toBe('Invoice 1.docx: this one');
    const reached = new Set<string | null>();
    // From each node in each direction, until no name is new.
    for (const key of ['Right', 'Up', 'Left', 'Left', 'Down', 'Down', 'Right', 'Right', 'Up', 'Up', 'Left'])
      for (let press = 0; press < 2; press++) {
        await page.keyboard.press(`Arrow${key}`);
        reached.add(await focusedName(page));
      }
    expect([...reached].map((name) => name?.split(':')[0]).sort()).toEqual(
      ['Invoice 1.docx', LONG, HEBREW, 'Restricted asset'].sort(),
    );
    await graph.getByRole('link', { name: HEBREW }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: HEBREW }).waitFor();
  });

  test('a mouse shows a node and leaves the place of the keyboard', async () => {
    const page = await pages.enter('Amara Okafor', '/assets/ast_copy_0', { motion: 'reduce' });
    const graph = graphOf(page);
    const root = graph.getByRole('link', { name: 'Invoice 1.docx: this one' });
    await root.focus();
    await graph.getByRole('link', { name: HEBREW }).hover();
    const shown = page.locator('.graph-shown bdi');
    await expect.poll(() => shown.textContent()).toBe(HEBREW);
    expect(await focusedName(page)).toBe('Invoice 1.docx: this one');
    expect(await root.getAttribute('tabindex')).toBe('0');
    await page.mouse.move(0, 0);
    await expect.poll(() => shown.textContent()).toBe('Invoice 1.docx');
  });

  test('shows a file of another domain without its name, also in the table', async () => {
    const page = await pages.enter('Amara Okafor', '/assets/ast_copy_0');
    await graphOf(page)
      .getByRole('link', { name: 'Restricted asset: the same bytes · of another domain' })
      .waitFor();
    const table = page.getByRole('region', { name: 'Connections' }).getByRole('table');
    expect(await table.getByRole('row').count()).toBe(COPIES.length);
    await table.getByRole('cell', { name: 'Restricted asset of another domain' }).waitFor();
    expect(await page.content()).not.toContain('Umbraxis');
  });

  test.each([
    ['reduce', false],
    ['no-preference', true],
  ] as const)('with motion %s it moves: %s; then it rests', async (motion, moves) => {
    const page = await pages.enter('Amara Okafor', '/assets', { motion });
    await page.evaluate(`
      globalThis.places = new Set();
      new MutationObserver(() => {
        for (const mark of document.querySelectorAll('[data-kind="redacted"] circle.graph-mark'))
          places.add(mark.getAttribute('cx') + ' ' + mark.getAttribute('cy'));
      }).observe(document.body, { subtree: true, childList: true, attributes: true });`);
    await page.getByRole('link', { name: 'Invoice 1.docx' }).click();
    await graphOf(page).waitFor();
    const places = () => page.evaluate<number>('places.size');
    if (moves) await expect.poll(places).toBeGreaterThan(20);
    // In both cases it comes to rest.
    let before = -1;
    await expect
      .poll(
        async () => {
          const [last, now] = [before, await places()];
          before = now;
          return last === now;
        },
        { interval: 500 },
      )
      .toBe(true);
    // One place before the picture knows its width, and one for each width that it then has.
    if (!moves) expect(before).toBeLessThanOrEqual(4);
  });
});

describe('severity over time', () => {
  test('is a picture with what is now, and a table', async () => {
    const page = await pages.enter('Amara Okafor', '/findings');
    const part = page.getByRole('region', { name: 'Open findings, 30 days' });
    await part.getByRole('img', { name: /by day and severity/ }).waitFor();
    expect(await part.getByRole('list', { name: 'Now' }).getByRole('listitem').allTextContents()).toEqual([
      '3 critical2 more',
      '2 highas before',
      '0 mediumas before',
      '0 lowas before',
    ]);
    await part.getByText('As a table').click();
    expect(await part.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      '3',
      '2',
      '0',
      '0',
    ]);
  });

  test('is on Home too, with how many more files are open to people who are not named', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    await page.getByRole('region', { name: 'Open findings, 30 days' }).getByRole('img').waitFor();
    await page.getByText('6 more than before can be opened by people who are not named').waitFor();
  });
});

describe('a finding', () => {
  test('leads to its draft, also after a reload', async () => {
    const page = await pages.enter('Amara Okafor', '/findings');
    const found = page.getByRole('article').filter({ hasText: 'found in the test' });
    await found.getByRole('button', { name: 'Draft a task' }).click();
    const link = found.getByRole('link', { name: 'Look at it and submit it' });
    await link.waitFor();
    await page.reload();
    await link.waitFor();
    expect(await found.getByRole('button', { name: 'Draft a task' }).count()).toBe(0);
    const { body } = await amara.get<{ items: { actionId: string }[] }>('/api/actions');
    expect(await link.getAttribute('href')).toBe(`/actions/${body.items[0]?.actionId}`);
    await amara.post(`/api/actions/${body.items[0]?.actionId}/withdraw`);
    await page.reload();
    await found.getByRole('link', { name: 'See its action' }).waitFor();
    await found.getByRole('button', { name: 'Draft a task' }).waitFor();
  });

  test('is found by severity, kind and domain; the address has them', async () => {
    const page = await pages.enter('Amara Okafor', '/findings');
    await page.getByRole('button', { name: 'High 1' }).click();
    await page.getByRole('button', { name: 'It is in the wrong place 1' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?severity=high&kind=location');
    await page.getByRole('button', { name: 'Critical 0' }).click();
    await page.getByText('No finding is so.').waitFor();
    await page.goBack();
    await page.getByRole('article').filter({ hasText: 'found in the test' }).waitFor();
  });
});

describe('the list of files', () => {
  test('remembers a view as its address, and forgets it', async () => {
    const page = await pages.enter('Amara Okafor', '/assets?severity=high&sort=name');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.keyboard.type('By name 🧾');
    await page.keyboard.press('Enter');
    const views = page.getByRole('navigation', { name: 'Saved views' });
    await views.getByRole('link', { name: 'By name 🧾' }).waitFor();
    await page.goto(`${service.url}/assets`);
    await views.getByRole('link', { name: 'By name 🧾' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?severity=high&sort=name');
    const kept = await page.evaluate<[string, string][]>('Object.entries(localStorage)');
    expect(kept).toEqual([
      [
        `preference.views.assets.${PERSONA.financeOwner}`,
        JSON.stringify([{ name: 'By name 🧾', search: { severity: 'high', sort: 'name' } }]),
      ],
    ]);
    await views.getByRole('button', { name: 'Forget this view' }).click();
    await views.getByRole('link').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Saved views');
  });

  test('Escape in the name of a view goes back to the button that asked for it', async () => {
    const page = await pages.enter('Amara Okafor', '/assets?severity=high');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.keyboard.type('By');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Save this view');
  });

  test('shows the columns that are chosen, in the address and the next time', async () => {
    const page = await pages.enter('Amara Okafor', '/assets');
    const heads = () => page.getByRole('columnheader').allTextContents();
    await page.getByRole('link', { name: HEBREW }).waitFor();
    expect(await heads()).toEqual(['Name', 'Type', 'Risk', 'Label', 'Content', 'Changed']);
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Risk' }).click();
    await page.getByRole('checkbox', { name: 'Size' }).click();
    const chosen = ['Name', 'Type', 'Label', 'Content', 'Size', 'Changed'];
    await expect.poll(heads).toEqual(chosen);
    expect(new URL(page.url()).searchParams.get('columns')).toBe('type,label,content,size,changed');
    await page.goto(`${service.url}/assets`);
    await expect.poll(heads).toEqual(chosen);
    await page.goto(`${service.url}/assets?columns=none,nonsense`);
    await expect.poll(heads).toEqual(['Name']);
  });
});

test('what was found is named as people name it, in Review and on the asset', async () => {
  const page = await pages.enter('Amara Okafor', '/review');
  const title = 'International bank account number';
  await cell(page, 1, 0).getByText(title).waitFor();
  await page.keyboard.press('e');
  await page.getByRole('figure').getByText(title).waitFor();
  await page.goto(`${service.url}/assets/ast_copy_0`);
  await page.getByRole('button', { name: 'Read' }).click();
  await page.getByRole('figure').getByText(title).waitFor();
});

test('a sentence names what is meant, and why its content was not read', async () => {
  const become = (kind: string, state: string, reason: string | null) =>
    database.inspect(sql`
      update assets set kind = ${kind}, content_state = ${state}, content_reason = ${reason}
      where tenant_id = ${DEV} and asset_id = 'ast_copy_0'`);
  await become('table', 'inaccessible', 'no_download');
  const page = await pages.enter('Amara Okafor', '/review');
  await page.getByRole('link', { name: 'All about this table' }).click();
  await page.getByText('access was denied: the source does not let the service download it').waitFor();
  await become('file', 'available', null);
});

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  test('axe finds nothing in the new views', async () => {
    const page = await pages.enter('Amara Okafor', '/assets/ast_copy_0', { scheme, motion: 'reduce' });
    await graphOf(page).waitFor();
    expect(await axeFindings(page), 'asset').toEqual([]);
    await page.goto(`${service.url}/findings`);
    await page.getByText('As a table').click();
    expect(await axeFindings(page), 'findings').toEqual([]);
    await page.goto(`${service.url}/assets?severity=high`);
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await settled(page);
    expect(await axeFindings(page), 'assets').toEqual([]);
  });
});

test('320 px: pictures and saved views lose nothing', async () => {
  const page = await pages.enter('Amara Okafor', `/assets/ast_copy_0`, { width: 320, height: 640 });
  await graphOf(page).waitFor();
  expect(await scrollsSideways(page), 'asset').toBe(false);
  await page.goto(`${service.url}/findings`);
  await page.getByText('As a table').click();
  expect(await scrollsSideways(page), 'findings').toBe(false);
  await page.goto(`${service.url}/assets?sort=name`);
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.keyboard.type(LONG.slice(0, 60));
  await page.keyboard.press('Enter');
  await page.getByText('Columns', { exact: true }).click();
  expect(await scrollsSideways(page), 'assets').toBe(false);
});
