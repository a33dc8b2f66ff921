import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { axeFindings } from '../support/axe.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import { withConsole } from '../support/console.ts';
import {
  type ConsolePages,
  namesInQueue,
  openConsole,
  personIn,
  question,
  scrollsSideways,
} from '../support/console-pages.ts';
import type { TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { decided, invoices, queueOf } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/* What owners do in the console, in a real browser against the built files and their policy. */
let database: TestDatabase;
let service: TestService;
let pages: ConsolePages;
let complaints: string[];
let amara: SignedIn;

const LONG = `${'Very long name of an invoice '.repeat(7).slice(0, 195)}.docx`;
const HEBREW = 'חשבונית 🧾 2026.docx';
const QUESTIONS = 40;
/** Of them, the last ones have the same bytes. */
const COPIES = 4;

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
      assetId: `ast_console_${String(at).padStart(2, '0')}`,
      name: at === 0 ? LONG : at === 1 ? HEBREW : `Invoice ${at}.docx`,
      ...(at >= QUESTIONS - COPIES && { contentHash: 'c0' }),
      excerpts: [{ detectorId: 'iban', text: 'IBAN DE•• •••• 3000' }],
      said: [invoices(0.9 - at / 1000)],
    })),
  );
  amara = await service.signInAs(PERSONA.financeOwner);
  pages = await openConsole(service);
  ({ complaints } = pages);
});
afterAll(async () => {
  await pages?.close();
  await service?.close();
  await database?.drop();
});
afterEach(async () => {
  await pages.closePages();
  expect(complaints.splice(0)).toEqual([]);
});

/** A finding on a file, as the rules would store it. */
const storeFinding = (findingId: string, assetId: string) =>
  database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at,
                          changed_at)
    values (${DEV}, ${findingId}, ${assetId}, 'location', 'high', 'open', 'In a wrong place, found in the test.', 'risk-1',
            now(), now())`);

/** An action of Amara’s that waits for an approver. */
async function submittedTask(findingId: string, targetAssetId: string): Promise<string> {
  await storeFinding(findingId, targetAssetId);
  const { body } = await amara.post<{ actionId: string }>('/api/actions', {
    kind: 'internal_task',
    targetAssetId,
    findingId,
    justification: 'In a wrong place, found in the test.',
    taskTitle: `A task on ${LONG}`.slice(0, 200),
  });
  expect((await amara.post(`/api/actions/${body.actionId}/submit`)).status).toBe(200);
  return body.actionId;
}

/** Waits until another question is shown, and the keys are for it. */
const shows = (page: Page, name: string) => expect.poll(() => question(page).textContent()).toBe(name);
const openCount = (page: Page) => page.locator('.queue .queue-top .dim').textContent();
describe('an owner', () => {
  test('answers twenty questions by keyboard alone', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await shows(page, LONG);
    const answers = [
      ['1', 'mine'],
      ['4', 'mine_not_sensitive'],
      ['5', 'not_a_match'],
      ['6', 'need_more_evidence'],
      ['2', 'mine_different_type'],
      ['3', 'another_domain'],
    ] as const;
    const given: string[] = [];
    for (let at = 0; at < 20; at++) {
      const [key, decision] = answers[at % answers.length] ?? answers[0];
      const [, next = ''] = await namesInQueue(page);
      await page.keyboard.press(key);
      if (key === '2' || key === '3') {
        await page.getByRole('dialog').getByRole('searchbox').waitFor();
        await page.keyboard.type(key === '2' ? 'Tax' : 'Legal');
        await page.getByRole('option', { name: key === '2' ? 'Tax papers' : 'Legal' }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
      }
      given.push(decision);
      await shows(page, next);
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    }
    const stored = () =>
      database.inspect<{ decision: string }>(
        sql`select decision from decisions where tenant_id = ${DEV} order by created_at`,
      );
    await expect.poll(async () => (await stored()).length).toBe(20);
    expect((await stored()).map(({ decision }) => decision)).toEqual(given);
    await expect.poll(() => openCount(page)).toBe(`${QUESTIONS - 20} open · 20 today`);
  });

  test('the keys j and k move to the next question and back', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [first = '', second = ''] = await namesInQueue(page);
    await shows(page, first);
    await page.keyboard.press('j');
    await shows(page, second);
    await page.keyboard.press('k');
    await shows(page, first);
  });

  test('takes the last answer back, within the rules', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [first = '', second = ''] = await namesInQueue(page);
    await page.keyboard.press('5');
    await shows(page, second);
    await page.keyboard.press('u');
    await shows(page, first);
    await page.getByText('You have answered').waitFor();
    await page.keyboard.press('1');
    await shows(page, second);
    await expect
      .poll(async () => {
        const path = '/api/review/decisions?limit=2';
        const { body } = await amara.get<{ items: { decision: string }[] }>(path);
        return body.items.map(({ decision }) => decision);
      })
      .toEqual(['mine', 'not_a_match']);
  });

  test('reads excerpts on demand alone, once', async () => {
    const reads = async () =>
      (
        await database.inspect(
          sql`select from audit_events where tenant_id = ${DEV} and record like '%asset_excerpts_read%'`,
        )
      ).length;
    const before = await reads();
    const page = await pages.enter('Amara Okafor', '/review');
    await page.getByRole('heading', { name: 'Excerpts' }).waitFor();
    expect(await reads()).toBe(before);
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    expect(await page.getByText('IBAN DE••').count()).toBe(0);
    await page.keyboard.press('e');
    await page.getByText('IBAN DE••').waitFor();
    expect(await reads()).toBe(before + 1);
  });

  test('types a note, and no key is taken from the field', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [first = '', second = ''] = await namesInQueue(page);
    await shows(page, first);
    await page.keyboard.press('n');
    await page.keyboard.type('j 15 guests?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('4');
    await shows(page, second);
    await expect
      .poll(async () => {
        const { body } = await amara.get<{ items: { note: string | null }[] }>(
          '/api/review/decisions?limit=1',
        );
        return body.items[0]?.note;
      })
      .toBe('j 15 guests?');
  });

  test('walks copies, leaves one out, and answers once after each was shown', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const copies = Array.from({ length: COPIES }, (_, at) => `Invoice ${QUESTIONS - 1 - at}.docx`);
    const [first = ''] = copies;
    await page.getByRole('button', { name: first }).click();
    await shows(page, first);
    await page.getByRole('link', { name: `Walk all ${COPIES}, then answer once` }).click();
    const list = page.getByRole('list', { name: 'Alike' });
    await list.getByText('✓ shown').waitFor();
    await page.keyboard.press('1');
    await page
      .getByText(`Look at the other ${COPIES - 1} first, or leave them out.`)
      .first()
      .waitFor();
    for (let at = 1; at < COPIES; at++) {
      // A key that is held down goes to the next one alone.
      for (let press = 0; press < 3; press++) await page.keyboard.down('j');
      await page.keyboard.up('j');
      await expect.poll(() => list.getByText('✓ shown').count()).toBe(at + 1);
    }
    const leftOut = await question(page).textContent();
    await page.keyboard.press('x');
    await page.getByText(`One answer for ${COPIES - 1} alike`).waitFor();
    await page.keyboard.press('5');
    await list.waitFor({ state: 'detached' });
    await expect
      .poll(async () => {
        const path = `/api/review/decisions?limit=${COPIES - 1}`;
        const { body } = await amara.get<{ items: { assetName: string; decision: string }[] }>(path);
        return body.items.map(({ assetName, decision }) => `${assetName} ${decision}`).sort();
      })
      .toEqual(
        copies
          .filter((name) => name !== leftOut)
          .map((name) => `${name} not_a_match`)
          .sort(),
      );
    expect(await namesInQueue(page)).toContain(leftOut);
  });

  test('searches files as they type, and opens one', async () => {
    const page = await pages.enter('Amara Okafor', '/assets?sort=name');
    await page.getByRole('link', { name: HEBREW }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Invoice 7');
    await page.getByRole('link', { name: HEBREW }).waitFor({ state: 'detached' });
    // What is searched for has no other order.
    const order = page.getByLabel('Order');
    expect([await order.isDisabled(), await order.locator('option:checked').textContent()]).toEqual([
      true,
      'Best match',
    ]);
    await page.getByRole('link', { name: 'Invoice 7.docx' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoice 7.docx' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Invoice 7.docx' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('searchbox').inputValue()).toBe('Invoice 7');
  });

  test('drafts from a finding and submits; an approver approves; both see the history', async () => {
    await storeFinding('fnd_moved', 'ast_console_30');
    const page = await pages.enter('Amara Okafor', '/findings');
    const found = page.getByRole('article').filter({ hasText: 'found in the test' });
    await found.getByRole('button', { name: 'Draft a task' }).click();
    await found.getByRole('link', { name: 'Look at it and submit it' }).click();
    const title = 'Move it to a place that is governed for such documents.';
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByRole('region', { name: 'What changes' }).getByText('A task for the owners').waitFor();
    const step = page.getByRole('region', { name: 'Next step' });
    await step.getByRole('button', { name: 'Submit' }).click();
    await step.getByText('Another person decides, because you took part in the request.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Next step');
    expect(await step.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0);

    const other = await pages.enter('Ingrid Solberg', '/');
    await other.getByRole('heading', { name: 'What waits' }).waitFor();
    await other.keyboard.press('g');
    await other.keyboard.press('c');
    await other.getByRole('button', { name: 'Waiting for me' }).click();
    await expect.poll(() => new URL(other.url()).search).toBe('?mine=to_approve');
    await other.getByRole('link', { name: title }).click();
    await other.getByRole('button', { name: 'Approve' }).click();
    const task = other.getByRole('region', { name: 'Its task' });
    await task.getByRole('heading', { name: title }).waitFor();
    expect(await task.getByRole('button').count()).toBe(0);
    const acts = (shown: Page) =>
      shown
        .getByRole('region', { name: 'History' })
        .getByRole('listitem')
        .locator('.strong')
        .allTextContents();
    expect(await acts(other)).toEqual(['Amara Okafor', 'Amara Okafor', 'You', 'The service', 'The service']);

    await page.reload();
    await page.getByRole('region', { name: 'Its task' }).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Open again' }).waitFor();
    expect(await acts(page)).toEqual(['You', 'You', 'Ingrid Solberg', 'The service', 'The service']);
    await page.getByRole('link', { name: 'Actions' }).click();
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.getByRole('button', { name: 'Done 1' }).click();
    await page.getByRole('heading', { name: title }).waitFor();
  });

  test.runIf(NIGHTLY)(
    'reads why an approver rejected; an auditor reads it too, and can do nothing',
    async () => {
      const actionId = await submittedTask('fnd_rejected', 'ast_console_29');
      const approver = await pages.enter('Ingrid Solberg', `/actions/${actionId}`);
      await approver.getByRole('button', { name: 'Reject' }).click();
      await approver.keyboard.type('It is in the right place.');
      await approver.getByRole('button', { name: 'Reject' }).click();
      await approver.getByText('it was rejected').waitFor();
      for (const name of ['Amara Okafor', 'Marcus Bell']) {
        const page = await pages.enter(name, `/actions/${actionId}`);
        const history = page.getByRole('region', { name: 'History' });
        await history.getByText('It is in the right place.').waitFor();
        expect(await page.getByRole('main').getByRole('button').count(), name).toBe(0);
      }
    },
  );

  test.runIf(NIGHTLY)('turns keys of one letter off, which is remembered', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [first = ''] = await namesInQueue(page);
    await shows(page, first);
    await page.keyboard.press('?');
    await page.getByRole('checkbox').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await shows(page, first);
    await page.keyboard.press('5');
    await page.keyboard.press('j');
    await shows(page, first);
    expect(await page.evaluate(() => Object.keys(localStorage).map((key) => key.split('.')[0]))).toEqual([
      'preference',
    ]);
  });
});

describe('what does not go as it should', () => {
  test('somebody was faster: the question returns with their name and answer', async () => {
    const page = await pages.enter('Daniel Whitcombe', '/review?domain=dom_finance');
    const [name = '', second = ''] = await namesInQueue(page);
    await shows(page, name);
    const asked = (await queueOf(amara)).find(({ assetName }) => assetName === name);
    await decided(amara, asked?.candidateId ?? '', { decision: 'not_a_match', revision: asked?.revision });
    complaints.length = 0;
    await page.keyboard.press('1');
    await shows(page, second);
    const notice = page.getByRole('alert');
    await notice.getByText('Amara Okafor was faster: Not a match.').waitFor();
    await notice.getByRole('button', { name: 'Show the question' }).click();
    await shows(page, name);
    await page.getByText('Amara Okafor has answered').waitFor();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  test.runIf(NIGHTLY)('somebody was faster with an action: it is shown as it is now', async () => {
    const actionId = await submittedTask('fnd_faster', 'ast_console_31');
    const page = await pages.enter('Ingrid Solberg', `/actions/${actionId}`);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.keyboard.type('It is in the right place.');
    expect((await amara.post(`/api/actions/${actionId}/withdraw`)).status).toBe(200);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('alert').getByText('This was not done.').waitFor();
    await page.getByText('Nothing is left to do here: it was cancelled.').waitFor();
    expect(await page.getByRole('button', { name: 'Reject' }).count()).toBe(0);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  test('without a network the answer is taken back, and can be sent again', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [name = '', second = ''] = await namesInQueue(page);
    await shows(page, name);
    await page.route('**/decision', (route) => route.abort());
    await page.keyboard.press('1');
    await shows(page, second);
    const notice = page.getByRole('alert');
    await notice.getByText('The service cannot be reached.').waitFor();
    expect(await namesInQueue(page)).toContain(name);
    await page.unroute('**/decision');
    await notice.getByRole('button', { name: 'Send again' }).click();
    await notice.waitFor({ state: 'detached' });
    await expect.poll(async () => (await queueOf(amara)).some((each) => each.assetName === name)).toBe(false);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });

  test('a session that ends in mid-work keeps what was typed', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    const [name = '', second = ''] = await namesInQueue(page);
    await shows(page, name);
    await page.keyboard.press('n');
    await page.keyboard.type('half a thought');
    await page.keyboard.press('Escape');
    await page.context().clearCookies();
    await page.keyboard.press('1');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await personIn(page, 'Amara Okafor').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('alert').getByRole('button', { name: 'Show the question' }).click();
    await shows(page, name);
    expect(await page.getByLabel('Note to the answer').inputValue()).toBe('half a thought');
    await question(page).focus();
    await page.keyboard.press('1');
    await shows(page, second);
    expect(complaints.splice(0).filter((each) => !each.includes('401'))).toEqual([]);
  });

  test('after sign-out the back button shows nothing', async () => {
    const page = await pages.enter('Amara Okafor', '/');
    await page.getByRole('link', { name: 'Review' }).click();
    await question(page).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Who are you today?' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Who are you today?' }).waitFor();
    expect(await page.getByText('Invoice').count()).toBe(0);
  });

  test('a tab begins again when somebody else signs in in another', async () => {
    const page = await pages.enter('Amara Okafor', '/review');
    await question(page).waitFor();
    await page.context().clearCookies();
    const other = await page.context().newPage();
    await other.goto(`${service.url}/sign-in`);
    await personIn(other, 'Ingrid Solberg').click();
    const who = page.locator('.who').getByText('Ingrid Solberg');
    await who.waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await page.getByText('Invoice').count()).toBe(0);
  });

  test.runIf(NIGHTLY)('a question that is not open any more says so', async () => {
    const page = await pages.enter('Amara Okafor', '/review?question=cnd_gone');
    await page.getByText('This question is not open any more.').waitFor();
    await page.getByRole('button', { name: 'Go to the next question' }).click();
    await question(page).waitFor();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });
});

const SCHEMES = NIGHTLY ? (['light', 'dark'] as const) : (['light'] as const);
const WIDTHS = NIGHTLY ? [320, 390] : [320];

describe.each(SCHEMES)('in %s', (scheme) => {
  test('axe finds nothing', async () => {
    const actionId = await submittedTask(
      `fnd_${scheme}`,
      scheme === 'light' ? 'ast_console_32' : 'ast_console_33',
    );
    const first = await pages.newPage({ scheme });
    await first.goto(service.url);
    await personIn(first, 'Amara Okafor').waitFor();
    expect(await axeFindings(first), 'sign-in').toEqual([]);

    const page = await pages.enter('Amara Okafor', '/', { scheme });
    await page.getByRole('heading', { name: 'Your domains' }).waitFor();
    expect(await axeFindings(page), 'home').toEqual([]);
    await page.goto(`${service.url}/review`);
    await page.getByRole('heading', { name: /Why/ }).waitFor();
    expect(await axeFindings(page), 'review').toEqual([]);
    await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    await page.keyboard.press('2');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    expect(await axeFindings(page), 'type-ahead').toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await axeFindings(page), 'keys').toEqual([]);
    const others = [
      ['/assets/ast_console_00', 'What to do'],
      [`/actions/${actionId}`, 'Next step'],
      ['/assets', 'Assets'],
      ['/findings', 'Findings'],
      ['/actions', 'Actions'],
      ['/actions/tasks', 'Tasks'],
      ['/design', 'Fields'],
    ] as const;
    for (const [path, heading] of NIGHTLY ? others : others.slice(0, 2)) {
      await page.goto(`${service.url}${path}`);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      expect(await axeFindings(page), path).toEqual([]);
    }
  });
});

test.each(WIDTHS)('%i px: nothing scrolls sideways, and the queue is a sheet', async (width) => {
  const actionId = await submittedTask(`fnd_${width}`, width === 320 ? 'ast_console_34' : 'ast_console_35');
  const page = await pages.enter('Amara Okafor', '/', { width, height: 640 });
  await page.getByRole('heading', { name: 'Your domains' }).waitFor();
  expect(await scrollsSideways(page)).toBe(false);
  for (const path of [
    '/assets',
    '/assets/ast_console_00',
    '/findings',
    '/actions',
    '/actions/tasks',
    `/actions/${actionId}`,
  ]) {
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    expect(await scrollsSideways(page), path).toBe(false);
  }
  await page.goto(`${service.url}/review`);
  await page.getByRole('heading', { name: /Why/ }).waitFor();
  expect(await scrollsSideways(page)).toBe(false);
  await page.getByRole('button', { name: /open ·/ }).click();
  const sheet = page.getByRole('dialog', { name: 'Queue' });
  await sheet
    .getByRole('button', { name: /Invoice/ })
    .last()
    .waitFor();
  expect(await scrollsSideways(page)).toBe(false);
  expect(await axeFindings(page)).toEqual([]);
});
