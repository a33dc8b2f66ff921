import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Capability, GRANTS } from '../../core/authz/capabilities.ts';
import { sql } from '../../core/db/sql.ts';
import type { Role } from '../../core/kernel/vocabulary.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { withConsole } from '../support/console.ts';
import {
  type ConsolePages,
  type Look,
  namesInQueue,
  openConsole,
  question,
  settled,
} from '../support/console-pages.ts';
import type { TestDatabase } from '../support/database.ts';
import { invoices } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* Each view as each person: what it offers, where the focus is, and two people at the same question. */
let database: TestDatabase;
let service: TestService;
let pages: ConsolePages;
let amara: SignedIn;

const QUESTIONS = 16;
const ASSET = 'ast_people_view_15';

beforeAll(async () => {
  await withConsole();
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  await database.inspect(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
    values (${DEV}, 'own_second', ${PERSONA.legalOwner}, 'dom_finance', 'delegate', now())`);
  await storeScanned(
    database.db,
    DEV,
    Array.from({ length: QUESTIONS }, (_, at) => ({
      assetId: `ast_people_view_${String(at).padStart(2, '0')}`,
      name: `Invoice ${at}.docx`,
      excerpts: [{ detectorId: 'iban', text: 'IBAN DE•• •••• 3000' }],
      said: [invoices(0.9 - at / 1000)],
    })),
  );
  for (const at of [12, 13, 14, 15]) await storeFinding(`fnd_view_${at}`, `ast_people_view_${at}`);
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

const storeFinding = (findingId: string, assetId: string) =>
  database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                          changed_at)
    values (${DEV}, ${findingId}, ${assetId}, 'location', 'high', 'open', 'In a wrong place.', 'risk-1', now(), now())`);

async function submitted(taskTitle: string): Promise<string> {
  const { body } = await amara.post<{ actionId: string }>('/api/actions', {
    kind: 'internal_task',
    targetAssetId: ASSET,
    justification: 'It is asked about every year.',
    taskTitle,
  });
  expect((await amara.post(`/api/actions/${body.actionId}/submit`)).status).toBe(200);
  return body.actionId;
}

const PEOPLE: readonly (readonly [name: string, roles: readonly Role[]])[] = [
  ['Priya Nair', ['platform_admin']],
  ['Helena Brandt', ['governance_admin']],
  ['Amara Okafor', ['domain_owner']],
  ['Ingrid Solberg', ['remediation_approver']],
  ['Marcus Bell', ['auditor']],
  ['Noor Haddad', []],
];

/** Buttons that act, and what a person must be permitted for each. */
const ACTS: readonly (readonly [button: RegExp, capability: Capability])[] = [
  [/^(Mine|Another domain|Not a match|Need more evidence|Add a note)/, 'review.decide'],
  [/^Read/, 'asset.evidence.excerpt.read'],
  [/cknowledge/, 'finding.acknowledge'],
  [/^(Draft|Withdraw|Preview again)/, 'action.draft'],
  [/^Submit/, 'action.submit'],
  [/^(Approve|Reject)/, 'action.approve'],
  [/^Cancel the action/, 'action.cancel'],
  [/^(Start|Done|Drop|Put back|Open again)$/, 'task.update'],
];

/** Those that are pressed or not are filters. */
const buttonsOf = (page: Page) => page.locator('main button:not([aria-pressed])').allTextContents();

const linksOf = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('main a[href^="/"]:not([download])')].map((each) => each.getAttribute('href'))`,
  );

/** Opens a view, and returns when it has loaded. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${service.url}${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await settled(page);
}

describe('each view as each person', () => {
  test.each(PEOPLE)('%s: what is offered works, and is permitted', async (name, roles) => {
    await submitted(`Ask ${name}`);
    const page = await pages.enter(name, '/');
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await settled(page);
    const views = await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link')
      .evaluateAll((all) => all.map(String));
    const addresses = views.map((each) => new URL(each).pathname);
    const buttons = new Set<string>();
    const kinds = new Set<string>();
    for (let address = addresses.shift(); address !== undefined; address = addresses.shift()) {
      await open(page, address);
      for (const button of await buttonsOf(page)) buttons.add(button);
      // One page of each kind that a view leads to.
      for (const href of await linksOf(page)) {
        const kind = href.replace(/[a-z]{3}_[^/?&]+/g, '*');
        if (kinds.has(kind)) continue;
        kinds.add(kind);
        addresses.push(href);
      }
    }
    expect(refused).toEqual([]);
    expect(await page.getByRole('alert').count()).toBe(0);
    const mayNot = (capability: Capability) => roles.every((role) => GRANTS[capability][role] === null);
    const offered = ACTS.filter(([act]) => [...buttons].some((button) => act.test(button)));
    expect(offered.filter(([, capability]) => mayNot(capability))).toEqual([]);
    if (name === 'Amara Okafor') expect(kinds).toContain('/assets/*');
    if (name === 'Ingrid Solberg') expect(offered.map(([, each]) => each)).toContain('action.approve');
  });

  test.each([
    ['Noor Haddad', '/review?q=any'],
    ['Noor Haddad', `/assets/${ASSET}`],
    ['Priya Nair', '/assets'],
    ['Ingrid Solberg', '/findings'],
    ['Helena Brandt', '/actions'],
  ])('%s at the address of %s reads a sentence, and no button acts', async (name, path) => {
    const page = await pages.enter(name, path);
    await settled(page);
    await page.getByText('Your role does not have this view.').waitFor();
    const acts = (await buttonsOf(page)).filter((button) => ACTS.some(([act]) => act.test(button)));
    expect(acts).toEqual([]);
  });
});

test('two owners answer one question at once: one is faster, and the other learns it', async () => {
  const first = await pages.enter('Amara Okafor', '/review?domain=dom_finance');
  const second = await pages.enter('Daniel Whitcombe', '/review?domain=dom_finance');
  const [name = ''] = await namesInQueue(first);
  expect((await namesInQueue(second))[0]).toBe(name);
  await Promise.all([first.keyboard.press('1'), second.keyboard.press('5')]);
  const faster = (page: Page) => page.getByRole('alert').getByText('was faster:');
  await expect.poll(async () => (await faster(first).count()) + (await faster(second).count())).toBe(1);
  const isFirst = (await faster(second).count()) === 1;
  const [loser, sentence, answer] = isFirst
    ? ([second, 'Amara Okafor was faster: Mine.', '5'] as const)
    : ([first, 'Daniel Whitcombe was faster: Not a match.', '1'] as const);
  await loser.getByRole('alert').getByText(sentence).waitFor();
  const stored = async () =>
    (await database.inspect(sql`select from decisions where tenant_id = ${DEV}`)).length;
  expect(await stored()).toBe(1);
  // Who was slower may still answer otherwise, which replaces it for both.
  await loser.getByRole('button', { name: 'Show the question' }).click();
  await expect.poll(() => question(loser).textContent()).toBe(name);
  await loser.keyboard.press(answer);
  await expect.poll(stored).toBe(2);
  await loser.getByRole('alert').waitFor({ state: 'detached' });
  expect(pages.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
});

/** The element that has the focus, by its role and its words. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement.tagName + ' ' + (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim().slice(0, 40)`,
  );

describe('the focus', () => {
  test('is at the beginning of a view after a change of view, by click and by keys', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    await page.getByRole('link', { name: 'Assets', exact: true }).click();
    await page.getByRole('heading', { name: 'Assets' }).waitFor();
    expect(await focused(page)).toMatch(/^MAIN /);
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('heading', { name: 'Findings' }).waitFor();
    expect(await focused(page)).toMatch(/^MAIN /);
    // The next Tab is in the view, not in the navigation.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
  });

  test('returns to what opened a dialog', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    await page.getByRole('button', { name: 'Keys' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^BUTTON Keys/);
    const answer = page.getByRole('button', { name: 'Another domain' });
    await answer.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('searchbox').waitFor();
    expect(await focused(page)).toMatch(/^INPUT/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^BUTTON .*Another domain/);
  });

  test('is on the next question after an answer by button', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [, next] = await namesInQueue(page);
    await page.getByRole('button', { name: 'Mine, not sensitive' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe(`H1 ${next}`);
  });

  test('is on the name of the view after the last question', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    // Of one whose finding no other test needs.
    const name = (await namesInQueue(page)).at(-5) ?? '';
    await page.goto(`${service.url}/review?q=${encodeURIComponent(name)}`);
    await expect.poll(() => question(page).textContent()).toBe(name);
    await page.getByRole('button', { name: 'Not a match' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('No open question is like this.').waitFor();
    await expect.poll(() => focused(page)).toBe('H1 Review');
  });

  test('stays in its part when the button is gone that was pressed', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    await page.getByRole('button', { name: /^Read/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('IBAN DE•• •••• 3000').waitFor();
    await expect.poll(() => focused(page)).toBe('H2 Excerpts');

    await page.goto(`${service.url}/findings`);
    const card = page.getByRole('article').first();
    await card.getByRole('button', { name: 'Acknowledge' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('It may stay.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await card.getByRole('button', { name: 'Take the acknowledgement back' }).waitFor();
    await expect.poll(() => focused(page)).toBe('H3 It is in the wrong place');
    await card.getByRole('button', { name: 'Change the note' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' Until May.');
    await card.getByRole('button', { name: 'Save the note' }).click();
    await card.getByText('It may stay. Until May.', { exact: true }).waitFor();
    await expect.poll(() => focused(page)).toBe('H3 It is in the wrong place');
    await card.getByRole('button', { name: 'Take the acknowledgement back' }).focus();
    await page.keyboard.press('Enter');
    await card.getByRole('button', { name: 'Acknowledge' }).waitFor();
    await expect.poll(() => focused(page)).toBe('H3 It is in the wrong place');
  });
});

test('a screen reader hears the answers with their keys, and what was answered', async () => {
  const page = await pages.enter('Amara Okafor', '/review');
  const answers = page.getByRole('group', { name: 'Is this yours?' }).getByRole('button');
  expect(await answers.count()).toBe(6);
  for (const [key, name] of [
    ['1', 'Mine'],
    ['2', 'Mine, another type…'],
    ['3', 'Another domain…'],
    ['4', 'Mine, not sensitive'],
    ['5', 'Not a match'],
    ['6', 'Need more evidence'],
  ] as const) {
    // The key is no part of the name: it would be read with each.
    await page.getByRole('button', { name, exact: true }).waitFor();
    expect(await page.getByRole('button', { name, exact: true }).getAttribute('aria-keyshortcuts')).toBe(key);
  }
  const [name] = await namesInQueue(page);
  await page.keyboard.press('4');
  await page.getByRole('status').getByText(`Mine, not sensitive: ${name}`).waitFor();
});

test('reasons are read as names with numbers', async () => {
  await storeScanned(database.db, DEV, [
    {
      assetId: 'ast_reasons',
      name: 'Reasons.docx',
      said: [
        {
          ...invoices(0.95),
          contributions: [{ name: 'starting_point', weight: 4, score: -1, value: -4, evidence: {} }],
        },
      ],
    },
  ]);
  const page = await pages.enter('Amara Okafor', '/review?q=Reasons');
  await question(page).waitFor();
  const reasons = page.getByRole('list', { name: 'Reasons, for and against' }).getByRole('listitem');
  await reasons.first().waitFor();
  expect(await reasons.allTextContents()).toContain('Starting point−4.0');
});

test('with reduced motion nothing moves', async () => {
  const page = await pages.enter('Amara Okafor', '/review', { motion: 'reduce' });
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
});

/** What can be used or read as a title, by its words. */
const SEEN = `[...document.querySelectorAll('h1, h2, h3, a[href], button, select, input, textarea')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.only-read, .skip'))
  .map((each) => each.tagName + ' ' + (each.getAttribute('aria-label') ?? each.labels?.[0]?.innerText ?? each.textContent).trim())`;

/** The cut of a window of 1280 px at 200 %, and of a telephone. */
const NARROW: readonly Look[] = [
  { width: 640, height: 400 },
  { width: 320, height: 640 },
];

test.each(NARROW)('at $width px every view offers what it offers at 1280', async (narrow) => {
  const page = await pages.enter('Amara Okafor', '/');
  const actionId = await submitted('Ask again');
  const lost: string[] = [];
  for (const path of [
    '/',
    '/review',
    '/assets',
    `/assets/${ASSET}`,
    '/findings',
    '/actions',
    `/actions/${actionId}`,
    '/actions/tasks',
  ]) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await open(page, path);
    if (path === '/review') await page.getByRole('heading', { name: /Why/ }).waitFor();
    const wide = await page.evaluate<string[]>(SEEN);
    await page.setViewportSize({ width: narrow.width ?? 0, height: narrow.height ?? 0 });
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
    const seen = await page.evaluate<string[]>(SEEN);
    if (path === '/review') {
      await page.getByRole('button', { name: /open ·/ }).click();
      await page.getByRole('dialog', { name: 'Queue' }).waitFor();
      seen.push(...(await page.evaluate<string[]>(SEEN)));
    }
    lost.push(...wide.filter((each) => !seen.includes(each)).map((each) => `${path}: ${each}`));
  }
  expect(lost).toEqual([]);
});
