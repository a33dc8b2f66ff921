import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sealSearch } from '../../core/search/search-segments.sql.ts';

const BUDGET_MS = 45_000;

/** Seals for search what has changed in the last minute. */
app.timer('sweep-search', {
  schedule: '15 * * * * *',
  handler: async () => {
    const { db, clock, log, stopping } = await runtime();
    await sealSearch(db, { clock, log, signal: stopping, budgetMs: BUDGET_MS });
  },
});
