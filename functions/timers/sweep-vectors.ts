import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';
import { sortVectors } from '../../core/similarity/sort-vectors.sql.ts';

const BUDGET_MS = 20_000;

/** Keeps the search for semantic neighbors fast as tenants grow. */
app.timer('sweep-vectors', {
  schedule: '30 * * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await sortVectors(db, { clock, signal: stopping, budgetMs: BUDGET_MS });
  },
});
