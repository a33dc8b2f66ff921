import { app } from '@azure/functions';
import { foldPlacements } from '../../core/landscape/fold.sql.ts';
import { runtime } from '../../core/runtime.ts';

/** Merges pending changes into the counts of home and the landscape, so that reads add up only a few. */
app.timer('sweep-landscape', {
  schedule: '*/10 * * * * *',
  handler: async () => {
    const { db, stopping } = await runtime();
    await foldPlacements(db, stopping);
  },
});
