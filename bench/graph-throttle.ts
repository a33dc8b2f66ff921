import { setTimeout as sleep } from 'node:timers/promises';
import { renderTable } from '../infra/local/table.ts';
import type { CallersTask } from './graph-throttle/callers.ts';
import { startThrottlingServer } from './graph-throttle/throttling-server.ts';
import { startProcess } from './support/child.ts';
import { readOptions } from './support/command-line.ts';
import { startDatabase } from './support/database.ts';
import { inWorkspace, type Workspace } from './support/workspace.ts';

const USAGE = `npm run bench -- graph-throttle [--seconds N] [--json]

Two processes call a source that allows a fixed rate, through the client of Microsoft Graph and the pause that they
share. Measures the share of the rate that they use, and the share of calls that are refused, after a first minute.

  --seconds N  time to measure after the first minute (default 20)
  --json       end with one JSON object on the last line`;

const options = readOptions(USAGE);

const SOURCE = { rate: 40, burst: 40, latencyMs: 50, retryAfterMs: 2_000 };
const PROCESSES = 2;
const CALLERS = 16;
const SETTLE_SECONDS = options.smoke ? 1 : 60;
const SECONDS = options.smoke ? 1 : options.seconds;

async function measure(workspace: Workspace) {
  const { url } = await startDatabase(workspace);
  const server = await workspace.untilEnd(startThrottlingServer(SOURCE));
  const task: CallersTask = { databaseUrl: url, origin: server.origin, callers: CALLERS };
  const module = new URL('./graph-throttle/callers.ts', import.meta.url);
  for (let n = 0; n < PROCESSES; n++) await startProcess(workspace, module, task);
  await sleep(SETTLE_SECONDS * 1_000);
  const before = server.tally();
  await sleep(SECONDS * 1_000);
  const after = server.tally();
  const accepted = after.accepted - before.accepted;
  const refused = after.refused - before.refused;
  const percent = (part: number, whole: number) => Math.round((part * 1_000) / Math.max(1, whole)) / 10;
  return {
    allowedPerSecond: SOURCE.rate,
    acceptedPerSecond: Math.round((accepted * 10) / SECONDS) / 10,
    usedPercent: percent(accepted, SOURCE.rate * SECONDS),
    refusedPercent: percent(refused, accepted + refused),
    refusedInFirstMinute: before.refused,
  };
}

const figures = await inWorkspace(measure);
console.log(
  renderTable(
    ['Allowed/s', 'accepted/s', 'used %', 'refused %', 'refused in the first minute'],
    [Object.values(figures)],
  ),
);
if (options.json) console.log(JSON.stringify(figures));
