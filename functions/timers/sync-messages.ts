import { app } from '@azure/functions';
import { findMessageSource } from '../../core/integrations/message-source-for.ts';
import { syncDue } from '../../core/messages/sync-due.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 50_000;

/** Continues syncs of messages, and repeats those of which `SVC_MESSAGE_SYNC_HOURS` have passed. */
app.timer('sync-messages', {
  schedule: '35 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await syncDue(
      parts,
      (_, family) => {
        const source = findMessageSource(parts, family);
        return 'missing' in source ? null : source;
      },
      { signal: parts.stopping, budgetMs: BUDGET_MS },
    );
  },
});
