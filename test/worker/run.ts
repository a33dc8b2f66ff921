import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from './compared.ts';

const USAGE = `WORKER=FOLDER [WORKER_NODE=FILE] npm run test:worker

Compares the built app under the official Node language worker with the local host.

  WORKER       the folder of the worker, with worker.config.json. The image of the Functions host has it in
               /azure-functions-host/workers/node, and the Azure Functions Core Tools in workers/node:
            docker create --name host mcr.microsoft.com/azure-functions/node:4-node24
            docker cp host:/azure-functions-host/workers/node worker
  WORKER_NODE  the Node that runs the worker. Default: the one that runs this script. npm sets NODE itself.
`;

/** Differences of a group. */
const SHOWN = 20;

let failed = false;
function report(group: string, { tried, differences }: Outcome, note = ''): void {
  failed ||= differences.length > 0 || tried === 0;
  console.log(`${group}: ${tried} tried, ${differences.length} different${note && `; ${note}`}`);
  for (const difference of differences.slice(0, SHOWN)) console.log(`  ${difference}`);
  if (differences.length > SHOWN) console.log(`  and ${differences.length - SHOWN} more`);
}

const { WORKER, WORKER_NODE = process.execPath } = process.env;
if (WORKER === undefined) {
  console.log(`Nothing was tried, because no worker was given.\n\n${USAGE}`);
} else {
  const given = { folder: path.resolve(WORKER), node: WORKER_NODE };
  if (!existsSync(path.join(given.folder, 'worker.config.json'))) {
    console.error(`WORKER names no folder of a worker: it has no worker.config.json.\n\n${USAGE}`);
    process.exit(1);
  }
  // Whoever gives no worker does not wait for them.
  const { tryWorker } = await import('./try-worker.ts');
  const { APP, createWorld } = await import('./world.ts');
  execFileSync('npm', ['run', 'build'], { cwd: APP, stdio: ['ignore', 'ignore', 'inherit'] });
  const world = await createWorld();
  try {
    await tryWorker(given, world, report);
  } finally {
    await world.end();
  }
  process.exit(failed ? 1 : 0);
}
