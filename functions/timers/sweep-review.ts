import { app } from '@azure/functions';
import { askRepresentatives } from '../../core/review/ask-representatives.ts';
import { refreshRelated } from '../../core/review/refresh-related.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 20_000;

/**
 * Updates the order of the review queue when similar assets appear or disappear, and asks about representatives of groups
 * about which nobody has been asked.
 */
app.timer('sweep-review', {
  schedule: '15 * * * * *',
  handler: async () => {
    const { db, clock, stopping } = await runtime();
    await refreshRelated(db, { clock, signal: stopping, budgetMs: BUDGET_MS });
    await askRepresentatives(db, { clock, signal: stopping });
  },
});
