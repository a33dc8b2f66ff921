import { app } from '@azure/functions';
import { sweepNoOwner } from '../../core/findings/sweep-no-owner.ts';
import { runtime } from '../../core/runtime.ts';

/** Opens and resolves findings that follow from time and from who owns what, rather than from a change of the asset. */
app.timer('sweep-findings', {
  schedule: '45 */10 * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await sweepNoOwner(db, { clock, signal: stopping });
  },
});
