import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { renewDue } from '../../../core/notifications/renew.ts';
import { resubscribe } from '../../../core/notifications/resubscribe.ts';

/** Limited because the caller waits. The timer renews the rest. */
const BUDGET_MS = 15_000;

export const renewSubscriptions = endpoint({
  name: 'notifications-renew',
  method: 'POST',
  path: '/api/admin/notifications/renew',
  summary: 'Renew the subscriptions that expire soon',
  description:
    'Renews subscriptions with less than 20 minutes left, and those that the source wants authorized again. Then ' +
    'registers again those that failed, were removed or have expired. The timer does the same.',
  access: can('connector.configure'),
  transaction: 'write',
  response: z.object({ renewed: z.int(), failed: z.int(), postponed: z.int(), registered: z.int() }),
  prepare: async ({ runtime, principal: { tenantId } }) => {
    const options = { signal: runtime.stopping, budgetMs: BUDGET_MS };
    const tally = await renewDue(runtime, tenantId, options);
    return { ...tally, registered: await resubscribe(runtime, tenantId, options) };
  },
  handle: ({ prepared, audit }) => {
    audit({ category: 'config', type: 'subscriptions_renewed', details: prepared });
    return prepared;
  },
});
