import { app } from '@azure/functions';
import { beginSearchEras } from '../../core/assets/search-eras.sql.ts';
import { runtime } from '../../core/runtime.ts';

/** Begins another era of a search where the newest one has its some thousand assets. */
app.timer('sweep-search', {
  schedule: '15 * * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await beginSearchEras({ db, clock }, stopping);
  },
});
