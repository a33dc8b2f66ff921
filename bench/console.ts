import { loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { renderTable } from '../infra/local/table.ts';
import { startBrowser } from '../test/support/browser.ts';
import {
  foundFor,
  IN_SIGHT,
  isListed,
  listPainted,
  NEXT_QUESTION,
  PLAIN,
  USABLE,
} from './console/in-page.ts';
import {
  type BenchPage,
  type Line,
  processorTime,
  putOnLine,
  SLOWDOWN,
  signedIn,
  weightOf,
} from './console/pages.ts';
import { startWorld } from './console/world.ts';
import { readOptions } from './support/command-line.ts';
import { median } from './support/rounds.ts';
import { inWorkspace } from './support/workspace.ts';

const USAGE = `npm run bench -- console [--json]

Measures the console in Chromium, with a quarter of the processor: until an owner can answer, on two lines; from an
answer to the next question; a list of 200 files; a search as one types; memory after 50 answers. Rows of a list are
measured when those in sight are painted, and when all are. The peer shows the same texts in plain elements.

  --json  end with one JSON object on the last line`;

const options = readOptions(USAGE);
const ROUNDS = options.smoke ? 1 : 5;
const ANSWERS = options.smoke ? 3 : 50;
/** Not counted: what is loaded once. */
const FIRST_ANSWERS = options.smoke ? 1 : 10;
const FILES = 300;
/** A list has no more. */
const LISTED = 200;
const LINES: readonly (Line & { aim: number })[] = [
  { megabits: 10, latency: 40, aim: 1_000 },
  { megabits: 1.6, latency: 150, aim: 1_600 },
];
/** Each finds all files. */
const WORDS = ['invoice', 'supplier', 'month', 'accounting', 'suppliers'];

/** With an empty cache, and again. */
async function loads(browser: Browser, url: string, line: Line) {
  const opened = await signedIn(browser, url);
  await putOnLine(opened, line);
  const { page } = opened;
  const visit = async () => {
    await page.goto(`${url}/review`, { waitUntil: 'commit' });
    return page.evaluate<number>(USABLE);
  };
  const first = await visit();
  await page.waitForLoadState('networkidle');
  const again = await visit();
  await page.context().close();
  return { first, again };
}

/** Until the paint, by the clock and by the processor. */
type Taken = { ms: number; processor: number };

/** What is measured in the page from a key on. */
async function afterKey(opened: BenchPage, measure: string, key: string): Promise<Taken> {
  const measured = opened.page.evaluate<number>(measure);
  // It listens before the key is pressed: calls of the page are in order.
  await opened.page.evaluate('0');
  const before = await processorTime(opened);
  await opened.page.keyboard.press(key);
  const ms = await measured;
  return { ms, processor: (await processorTime(opened)) - before };
}

async function answers(opened: BenchPage, url: string) {
  await opened.page.goto(`${url}/review`);
  await opened.page.evaluate(USABLE);
  const give = async (count: number) => {
    const taken: Taken[] = [];
    for (let n = 0; n < count; n++) {
      taken.push(await afterKey(opened, NEXT_QUESTION, '5'));
      await opened.page.waitForLoadState('networkidle');
    }
    return taken;
  };
  await give(FIRST_ANSWERS);
  const before = await weightOf(opened);
  const taken = await give(ANSWERS);
  const after = await weightOf(opened);
  return { taken, megabytes: after.megabytes - before.megabytes, nodes: after.nodes - before.nodes };
}

const listed = (isThere: boolean) => `atPaint(() => ${isListed(LISTED)} === ${isThere})`;

/** The list is in the cache of the page, so this is what it costs to show it. */
async function lists(opened: BenchPage, url: string, found: string): Promise<Taken[]> {
  const { page } = opened;
  await page.goto(`${url}/assets`);
  await page.evaluate(listed(true));
  const taken: Taken[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.evaluate(listed(false));
    await page.keyboard.press('g');
    taken.push(await afterKey(opened, listPainted(found), 'a'));
    await page.evaluate(listed(true));
  }
  return taken;
}

async function searches({ page }: BenchPage, url: string, rows: string): Promise<number[]> {
  await page.goto(`${url}/assets`);
  const field = page.getByRole('searchbox');
  const taken: number[] = [];
  for (const word of WORDS.slice(0, ROUNDS)) {
    // Before each there are no rows.
    await field.fill('qqxxzz');
    await page.getByText('Nothing is like this.').waitFor();
    await page.evaluate('performance.clearResourceTimings()');
    await field.fill('');
    const found = page.evaluate<number>(foundFor(word, rows));
    await field.pressSequentially(word);
    taken.push(await found);
  }
  return taken;
}

async function plain(opened: BenchPage, url: string) {
  const { page } = opened;
  await page.goto(`${url}/design`);
  await page.evaluate(PLAIN);
  const given: Taken[] = [];
  for (let n = 0; n < ANSWERS; n++) given.push(await afterKey(opened, NEXT_QUESTION, '5'));
  const listed: Taken[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.keyboard.press('h');
    listed.push(await afterKey(opened, listPainted(isListed(LISTED)), 'a'));
  }
  return { given, listed };
}

const figures = await inWorkspace(async (workspace) => {
  const { url } = await startWorld(workspace, FILES);
  const browser = await startBrowser();
  workspace.atEnd(() => browser.close());
  // Before answers are given: then both sides have the same questions.
  const bare = await plain(await signedIn(browser, url), url);
  const opened = await signedIn(browser, url);
  const all = isListed(LISTED);
  const rowsListed = { inSight: await lists(opened, url, IN_SIGHT), all: await lists(opened, url, all) };
  const found = { inSight: await searches(opened, url, IN_SIGHT), all: await searches(opened, url, all) };
  const answered = await answers(opened, url);
  await opened.page.context().close();
  const visits = LINES.map((line) => ({ line, first: [] as number[], again: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { line, first, again } of visits) {
      const visit = await loads(browser, url, line);
      first.push(visit.first);
      again.push(visit.again);
    }
  }
  return { visits, bare, rowsListed, found, answered };
});

const { visits, bare, rowsListed, found, answered } = figures;
const middle = (samples: readonly number[]) => Math.round(median(samples));
const slowest = (samples: readonly number[]) => Math.round(Math.max(...samples));
type Peer = { processor: number; plain: number; plainProcessor: number };
const row = (name: string, of: readonly number[], aim: number | null, beside: Peer | null = null) => ({
  name,
  median: middle(of),
  slowest: slowest(of),
  aim,
  processor: beside?.processor ?? null,
  plain: beside?.plain ?? null,
  plainProcessor: beside?.plainProcessor ?? null,
});
const compared = (name: string, ours: readonly Taken[], peer: readonly Taken[], aim: number | null) =>
  row(
    name,
    ours.map(({ ms }) => ms),
    aim,
    {
      processor: middle(ours.map(({ processor }) => processor)),
      plain: middle(peer.map(({ ms }) => ms)),
      plainProcessor: middle(peer.map(({ processor }) => processor)),
    },
  );
const rows = [
  ...visits.flatMap(({ line: { megabits, latency, aim }, first, again }) => {
    const line = `review, ${megabits} Mbit/s and ${latency} ms`;
    return [row(`${line}: first visit`, first, aim), row(`${line}: next visit`, again, null)];
  }),
  compared('answer to the next question', answered.taken, bare.given, 100),
  compared(`list of ${LISTED} files, in sight`, rowsListed.inSight, bare.listed, null),
  compared(`list of ${LISTED} files, all`, rowsListed.all, bare.listed, null),
  row('search, after the answer of the service: in sight', found.inSight, 150),
  row('search, after the answer of the service: all', found.all, null),
];
const load = loadavg()[0] ?? 0;
console.log(`Chromium, ${SLOWDOWN} × slower. The load of the machine at the end: ${load.toFixed(1)}.\n`);
console.log(
  renderTable(
    ['Milliseconds to the paint', 'median', 'slowest', 'aim', 'processor', 'plain', 'plain, processor'],
    rows.map((each) => Object.values(each).map((value) => value ?? '')),
  ),
);
console.log(
  `After ${ANSWERS} further answers: ${answered.megabytes.toFixed(1)} MB and ${answered.nodes} nodes more.`,
);
if (options.json) {
  const { megabytes, nodes } = answered;
  console.log(JSON.stringify({ load, times: rows, answers: ANSWERS, megabytes, nodes }));
}
