import { app } from '@azure/functions';
import { beginSearchEras } from '../../core/assets/search-eras.sql.ts';
import { runtime } from '../../core/runtime.ts';

/** Keeps the eras few thousand assets long that a search goes through one after the other. */
app.timer('sweep-search', {
  schedule: '15 * * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await beginSearchEras({ db, clock }, stopping);
  },
});
