import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderTable } from '../infra/local/table.ts';
import { graphileWorker } from './engine/graphile-worker.ts';
import { ours } from './engine/ours.ts';
import { pgBoss } from './engine/pg-boss.ts';
import type { DrainTask, MakeQueue, Queue } from './engine/queue.ts';
import { startProcess } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { ratioOf } from './support/comparison.ts';
import { startDatabase } from './support/database.ts';
import { havePeers } from './support/peers.ts';
import { median } from './support/rounds.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- engine [--seconds N] [--json]

Measures the jobs per second that are enqueued and drained, with one process and with two, compared with
graphile-worker (local queue, batched completion) and pg-boss (batched fetch and completion) on the same database.

  --seconds N  approximate time to measure (default 20)
  --json       end with one JSON object on the last line`;

const options = readOptions(USAGE);

const JOBS = options.smoke ? 1_000 : 20_000;
const PER_STATEMENT = 1_000;
const PROCESSES = [1, 2];
const POLL_MS = 5;

type Rates = { enqueue: number[]; drain: number[][] };

/** Enqueues the jobs, drains them with `processes`, and returns the rates per second. */
async function round(
  queue: Queue,
  url: string,
  processes: number,
): Promise<{ enqueue: number; drain: number }> {
  await queue.clear();
  const stops: (() => Promise<unknown>)[] = [];
  const task: DrainTask = { url };
  const drainers = await Promise.all(
    Array.from({ length: processes }, () =>
      startProcess({ atEnd: (stop) => stops.push(stop) }, queue.drainer, task),
    ),
  );
  try {
    const putIn = performance.now();
    await queue.enqueue(JOBS, PER_STATEMENT);
    const started = performance.now();
    for (const { child } of drainers) child.send('go');
    const failed = Promise.race(drainers.map(({ child }) => once(child, 'exit'))).then(() => {
      throw new Error(`A process of ${queue.name} ended before its jobs`);
    });
    const drained = async () => {
      while (await queue.hasOpen()) await sleep(POLL_MS);
    };
    await Promise.race([drained(), failed]);
    const ended = performance.now();
    failed.catch(() => undefined);
    return { enqueue: (JOBS * 1000) / (started - putIn), drain: (JOBS * 1000) / (ended - started) };
  } finally {
    for (const stop of stops) await stop();
  }
}

async function measure(workspace: Workspace, makers: readonly MakeQueue[], seconds: number) {
  const urls = await startDatabase(workspace);
  const queues: Queue[] = [];
  for (const make of makers) queues.push(await make(urls, workspace));
  const rates = new Map(
    queues.map((queue): [Queue, Rates] => [queue, { enqueue: [], drain: PROCESSES.map(() => []) }]),
  );
  const drainUrl = (queue: Queue) => (queue.name === 'this service' ? urls.url : urls.adminUrl);
  const deadline = performance.now() + seconds * 1000;
  // The order of the sides changes with each round. The first round does not count.
  for (let n = options.smoke ? 0 : -1; n < 1 || performance.now() < deadline; n++) {
    for (const queue of n % 2 === 0 ? queues : queues.toReversed()) {
      for (const [at, processes] of PROCESSES.entries()) {
        const { enqueue, drain } = await round(queue, drainUrl(queue), processes);
        if (n < 0) continue;
        rates.get(queue)?.enqueue.push(enqueue);
        rates.get(queue)?.drain[at]?.push(drain);
      }
    }
  }
  return Array.from(rates, ([{ name }, { enqueue, drain }]) => ({
    name,
    enqueuePerSecond: Math.round(median(enqueue)),
    /** With one process and with two. */
    drainPerSecond: drain.map((rate) => Math.round(median(rate))),
  }));
}

const makers = (await havePeers(options.smoke)) ? [ours, graphileWorker, pgBoss] : [ours];
const results = await inWorkspace((workspace) => measure(workspace, makers, options.seconds));

console.log(
  renderTable(
    ['Jobs per second', 'enqueued', 'drained by one process', 'by two'],
    results.map(({ name, enqueuePerSecond, drainPerSecond }) => [name, enqueuePerSecond, ...drainPerSecond]),
  ),
);
const [mine, ...others] = results.map(({ drainPerSecond, ...rest }) => ({
  ...rest,
  drainPerSecond: Math.max(...drainPerSecond),
  byProcesses: drainPerSecond,
}));
const fastest = (rates: number[]) => Math.max(...rates);
const ratios =
  mine === undefined || others.length === 0
    ? { drainRatio: null, enqueueRatio: null }
    : {
        drainRatio: ratioOf(mine.drainPerSecond, fastest(others.map((peer) => peer.drainPerSecond))),
        enqueueRatio: ratioOf(mine.enqueuePerSecond, fastest(others.map((peer) => peer.enqueuePerSecond))),
      };
if (ratios.drainRatio !== null) {
  console.log(`\nRatio to the faster peer: drained ${ratios.drainRatio}, enqueued ${ratios.enqueueRatio}`);
}
if (options.json) {
  console.log(
    JSON.stringify({
      drainPerSecond: mine?.drainPerSecond,
      enqueuePerSecond: mine?.enqueuePerSecond,
      drainByProcesses: mine?.byProcesses,
      peers: others,
      ...ratios,
    }),
  );
}
