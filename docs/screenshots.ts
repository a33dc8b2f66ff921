import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ensureConsole } from '../infra/console/ensure-console.ts';
import { scanFamily } from '../infra/local/first-scan.ts';
import { removePostgres } from '../infra/local/postgres.ts';
import { byDevelopmentSignIn } from '../infra/local/sign-in-as.ts';
import { startStack } from '../infra/local/stack.ts';
import { startBrowser } from '../test/support/browser.ts';

/*
 * npm run screenshots [-- ADDRESS]
 * Makes the pictures of the console for README and docs, of the fixture tenant. It scans it first, or takes a service
 * that runs at an address.
 */
const FOLDER = path.join(import.meta.dirname, 'pictures');
const root = path.resolve(import.meta.dirname, '..');

const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 320, height: 640 };

type Picture = {
  name: string;
  person: string;
  size: { width: number; height: number };
  scheme: 'light' | 'dark';
  /** Brings the page from Home to what is to be seen. */
  show: (page: Page) => Promise<void>;
};

const showReview = async (page: Page) => {
  await page.getByRole('link', { name: 'Review', exact: true }).click();
  await page.getByRole('heading', { name: /Why/ }).waitFor();
};
const showFindings = async (page: Page) => {
  await page.getByRole('link', { name: 'Findings' }).click();
  await page.getByRole('article').first().waitFor();
};

const OWNER = 'Lena Vogel';

const PICTURES: readonly Picture[] = [
  { name: 'review', person: OWNER, size: DESKTOP, scheme: 'light', show: showReview },
  { name: 'review-dark', person: OWNER, size: DESKTOP, scheme: 'dark', show: showReview },
  { name: 'home', person: OWNER, size: DESKTOP, scheme: 'light', show: async () => undefined },
  { name: 'review-phone', person: OWNER, size: PHONE, scheme: 'light', show: showReview },
  { name: 'findings-phone-dark', person: OWNER, size: PHONE, scheme: 'dark', show: showFindings },
];

async function take(browser: Browser, url: string, { name, person, size, scheme, show }: Picture) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: person }).click();
  await page.getByRole('heading', { name: 'Your domains' }).waitFor();
  await show(page);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
  await context.close();
}

async function takeAll(url: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const browser = await startBrowser();
  for (const picture of PICTURES) await take(browser, url, picture);
  await browser.close();
}

async function takeOfFixture(): Promise<void> {
  const signal = new AbortController().signal;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'screenshots-'));
  await ensureConsole(signal, console.error);
  const stack = await startStack({
    root,
    dataDir,
    port: 0,
    share: null,
    fresh: false,
    log: console.error,
  });
  await scanFamily(byDevelopmentSignIn(stack.url), 'm365', () => undefined, signal);
  await takeAll(stack.url);
  await stack.stop();
  await removePostgres(path.join(dataDir, 'postgres'));
  await rm(dataDir, { recursive: true, force: true });
}

const [address] = process.argv.slice(2);
await (address === undefined ? takeOfFixture() : takeAll(address));
process.exit();
