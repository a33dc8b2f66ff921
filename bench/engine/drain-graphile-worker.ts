import { once } from 'node:events';
import { announce, taskOfParent } from '../support/child.ts';
import { loadPeer } from '../support/peers.ts';
import type { GraphileWorker } from './peers.ts';
import type { DrainTask } from './queue.ts';

const { run, Logger } = await loadPeer<GraphileWorker>('graphile-worker');

const { url } = await taskOfParent<DrainTask>();
let stop: () => Promise<unknown> = async () => undefined;
announce({}, () => stop());
await once(process, 'message');
const runner = await run({
  connectionString: url,
  taskList: { task: async () => undefined },
  noHandleSignals: true,
  logger: new Logger(() => () => undefined),
  // The settings that its performance guide recommends for many small jobs.
  preset: {
    worker: {
      concurrentJobs: 24,
      maxPoolSize: 8,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      pollInterval: 100,
    },
  },
});
stop = () => runner.stop();
