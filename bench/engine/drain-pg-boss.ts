import { once } from 'node:events';
import { announce, taskOfParent } from '../support/child.ts';
import { loadPeer } from '../support/peers.ts';
import type { PgBoss as PgBossModule } from './peers.ts';
import { QUEUE } from './pg-boss.ts';
import type { DrainTask } from './queue.ts';

const LOOPS = 4;
const BATCH = 100;
/** The polling interval of an idle loop. */
const IDLE_MS = 20;

const { PgBoss } = await loadPeer<PgBossModule>('pg-boss');
const { url } = await taskOfParent<DrainTask>();
const boss = new PgBoss({
  connectionString: url,
  max: LOOPS,
  supervise: false,
  schedule: false,
  migrate: false,
});
boss.on('error', console.error);
await boss.start();
let stopped = false;
announce({}, async () => {
  stopped = true;
  await boss.stop({ graceful: false });
});
await once(process, 'message');

async function loop(): Promise<void> {
  while (!stopped) {
    const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
    if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    else {
      await boss.complete(
        QUEUE,
        jobs.map(({ id }) => id),
      );
    }
  }
}
// Jobs that run when the connections close fail. The measurement has ended by then.
await Promise.all(Array.from({ length: LOOPS }, () => loop().catch(() => undefined)));
