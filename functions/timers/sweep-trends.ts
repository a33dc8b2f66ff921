import { app } from '@azure/functions';
import { sweepTrends } from '../../core/landscape/sweep-trends.ts';
import { runtime } from '../../core/runtime.ts';

/** Measures the counts of the day every hour. The last measurement of a day is the point that trends keep of it. */
app.timer('sweep-trends', {
  schedule: '30 50 * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await sweepTrends(db, { clock, signal: stopping });
  },
});
