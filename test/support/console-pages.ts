import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from './browser.ts';
import type { TestService } from './client.ts';
import { DEV } from './seed.ts';

export type Look = {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  motion?: 'reduce' | 'no-preference';
};

/** The console in a browser whose pages are watched. */
export type ConsolePages = {
  browser: Browser;
  /** What the pages complained of: refused by the policy, not found, thrown, sent to another host. */
  complaints: string[];
  newPage(look?: Look): Promise<Page>;
  /** Opens an address as a person of the development tenant, who signs in there. */
  enter(name: string, path: string, look?: Look): Promise<Page>;
  /** Closes the pages of a test. */
  closePages(): Promise<void>;
  close(): Promise<void>;
};

export async function openConsole({ url }: Pick<TestService, 'url'>): Promise<ConsolePages> {
  const browser = await startBrowser();
  const complaints: string[] = [];
  let contexts: BrowserContext[] = [];
  const newPage: ConsolePages['newPage'] = async ({
    width = 1280,
    height = 800,
    scheme = 'light',
    motion = 'no-preference',
  } = {}) => {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: motion,
    });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => {
      // Before the sign-in nobody has a session, and the browser says so.
      const isExpected = message.location().url.endsWith('/api/auth/me') && message.text().includes('401');
      if (message.type() === 'error' && !isExpected) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== url) complaints.push(`asks ${request.url()}`);
    });
    return page;
  };
  return {
    browser,
    complaints,
    newPage,
    enter: async (name, path, look) => {
      const page = await newPage(look);
      await page.goto(`${url}${path}`);
      const person = personIn(page, name);
      await person.waitFor();
      await person.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      // Before the queue is there, nothing can be read from it.
      if (path === '/review' || path.startsWith('/review?domain')) await queueListed(page);
      return page;
    },
    closePages: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      contexts = [];
    },
    close: () => browser.close(),
  };
}

export const personIn = (page: Page, name: string) =>
  page.getByRole('region', { name: `People of ${DEV}` }).getByRole('button', { name });

export const question = (page: Page) => page.locator('.question-head h1');
const queue = (page: Page) => page.locator('ol[aria-label="Open questions"] .strong');
export const namesInQueue = (page: Page) => queue(page).allTextContents();
/** The list follows the first question. A phone does not show it. */
export const queueListed = (page: Page) => queue(page).first().waitFor({ state: 'attached' });

/** Waits until nothing on the page is loading. */
export const settled = (page: Page) =>
  page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });

export const scrollsSideways = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
