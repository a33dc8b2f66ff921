import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removePostgres } from '../../infra/local/postgres.ts';
import { type ConsolePages, openConsole, question } from '../support/console-pages.ts';
import { type StartedStack, startStackProcess, stopStackProcess } from '../support/stack-process.ts';

let data: string;
let started: StartedStack;
let pages: ConsolePages;

afterAll(async () => {
  await pages?.close();
  started?.child.kill('SIGKILL');
  await removePostgres(path.join(data, 'postgres'));
  await rm(data, { recursive: true, force: true });
});

/** What a newcomer does after `npm start`, and no more. */
const STEPS = ['open the address', 'choose the person', 'answer the first', 'press 1'];

test('a newcomer answers a question in four steps, with what the start prints', async () => {
  data = await mkdtemp(path.join(tmpdir(), 'newcomer-'));
  started = startStackProcess(['--data', data]);
  const printed = await started.line('Sign in as ');
  const owner = /^Sign in as (.+), who is asked [1-9]/.exec(printed)?.[1] ?? '';
  const at = started.lines.indexOf('The console, to open in a browser:');
  const address = started.lines[at + 2]?.trim() ?? '';

  pages = await openConsole({ url: address });
  const page = await pages.newPage();
  const done: string[] = [];
  const step = async (name: string, act: () => Promise<unknown>) => {
    await act();
    done.push(name);
  };
  await step('open the address', () => page.goto(address));
  await step('choose the person', () => page.getByRole('button', { name: owner }).click());
  await step('answer the first', () => page.getByRole('link', { name: 'Answer the first' }).click());
  const asked = await question(page).textContent();
  await step('press 1', () => page.keyboard.press('1'));
  await expect.poll(() => question(page).textContent()).not.toBe(asked);
  await page
    .getByText(/open · 1 today/)
    .first()
    .waitFor();
  expect(done).toEqual(STEPS);
  // Nothing was refused on the way.
  expect(pages.complaints).toEqual([]);
  await stopStackProcess(started);
});
