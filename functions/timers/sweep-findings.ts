import { app } from '@azure/functions';
import { sweepNoOwner } from '../../core/findings/sweep-no-owner.ts';
import { runtime } from '../../core/runtime.ts';

/** Opens and resolves findings that depend on time and on owner assignments, and not on a change of the asset. */
app.timer('sweep-findings', {
  schedule: '45 */10 * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await sweepNoOwner(db, { clock, signal: stopping });
  },
});
