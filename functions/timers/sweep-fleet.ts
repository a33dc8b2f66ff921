import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sweepFleet } from '../../core/work/fleet.ts';

/** Releases the units of offline scanners, and deletes scanners that have been offline for long. */
app.timer('sweep-fleet', {
  schedule: '*/10 * * * * *',
  handler: async () => sweepFleet(await runtime()),
});
