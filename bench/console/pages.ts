import type { Browser, CDPSession, Page } from 'playwright-core';
import { AT_PAINT } from './in-page.ts';
import { OWNER } from './world.ts';

/** How much slower than this machine a processor is taken to be. */
export const SLOWDOWN = 4;

export type Line = { megabits: number; latency: number };

export type BenchPage = { page: Page; cdp: CDPSession };

/** A page of an own, empty cache, whose owner is signed in. */
export async function signedIn(browser: Browser, url: string): Promise<BenchPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const personas = await page.request.get(`${url}/api/auth/dev/personas`);
  const { items } = (await personas.json()) as { items: { principalId: string; displayName: string }[] };
  const principalId = items.find(({ displayName }) => displayName === OWNER)?.principalId;
  await page.request.post(`${url}/api/auth/dev/login`, { data: { principalId } });
  await page.addInitScript(AT_PAINT);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return { page, cdp };
}

export async function putOnLine({ cdp }: BenchPage, { megabits, latency }: Line): Promise<void> {
  const bytesPerSecond = (megabits * 1_000_000) / 8;
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond / 2,
  });
}

async function metricsOf({ cdp }: BenchPage): Promise<(name: string) => number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (name) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

/** Milliseconds of the processor that the page has used. Other work on the machine does not count. */
export const processorTime = async (opened: BenchPage): Promise<number> =>
  (await metricsOf(opened))('TaskDuration') * 1_000;

/** The page after its garbage is collected. */
export async function weightOf(opened: BenchPage): Promise<{ megabytes: number; nodes: number }> {
  await opened.cdp.send('HeapProfiler.enable');
  await opened.cdp.send('HeapProfiler.collectGarbage');
  const metric = await metricsOf(opened);
  return { megabytes: metric('JSHeapUsedSize') / 1e6, nodes: metric('Nodes') };
}
