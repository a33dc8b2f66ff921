import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sweepFleet } from '../../core/work/fleet.ts';

/** Takes over what scanners held that are offline, and forgets those that have been for long. */
app.timer('sweep-fleet', {
  schedule: '*/10 * * * * *',
  handler: async () => sweepFleet(await runtime()),
});
