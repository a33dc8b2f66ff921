import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { DOORBELL_QUEUE } from '../../core/work/doorbell.ts';

/** After this time, an invocation rings again and ends, well within the host's function timeout. */
const BUDGET_MS = 60_000;

app.storageQueue('drain-work', {
  queueName: DOORBELL_QUEUE,
  connection: 'AzureWebJobsStorage',
  handler: async () => {
    const { worker, stopping } = await runtime();
    await worker.drain(BUDGET_MS, stopping);
  },
});
