import { app } from '@azure/functions';
import { findMessageSource, selectsNothing } from '../../core/integrations/message-source-for.ts';
import { syncDue } from '../../core/messages/sync-due.ts';
import { runtime } from '../../core/runtime.ts';

const BUDGET_MS = 50_000;

/** Continues syncs of messages, and repeats a sync after `SVC_MESSAGE_SYNC_HOURS`. */
app.timer('sync-messages', {
  schedule: '35 * * * * *',
  handler: async () => {
    const parts = await runtime();
    await syncDue(
      parts,
      (_, family) => {
        const source = findMessageSource(parts, family);
        if (!('missing' in source)) return source;
        return selectsNothing(source, family) ? 'nothing_selected' : null;
      },
      { signal: parts.stopping, budgetMs: BUDGET_MS },
    );
  },
});
