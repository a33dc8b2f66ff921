import { app } from '@azure/functions';
import { sealSearch } from '../../core/assets/search-segments.sql.ts';
import { runtime } from '../../core/runtime.ts';

/** Seals for search what has changed in the last minute. */
app.timer('sweep-search', {
  schedule: '15 * * * * *',
  handler: async () => {
    const { db, stopping } = await runtime();
    await sealSearch(db, stopping);
  },
});
