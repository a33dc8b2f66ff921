import { app } from '@azure/functions';
import { foldPlacements } from '../../core/landscape/fold.sql.ts';
import { runtime } from '../../core/runtime.ts';

/** Keeps the changes few that home and the landscape add to their counts. */
app.timer('sweep-landscape', {
  schedule: '*/10 * * * * *',
  handler: async () => {
    const { db, stopping } = await runtime();
    await foldPlacements(db, stopping);
  },
});
