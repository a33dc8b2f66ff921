import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { renewDue } from '../../../core/notifications/renew.ts';

/** Limited because the caller waits. The timer renews the rest. */
const BUDGET_MS = 15_000;

export const renewSubscriptions = endpoint({
  name: 'notifications-renew',
  method: 'POST',
  path: '/api/admin/notifications/renew',
  summary: 'Renew the subscriptions that expire soon',
  description:
    'Renews subscriptions with less than 20 minutes left, and those that the source wants authorized again, as the ' +
    'timer does.',
  access: can('connector.configure'),
  transaction: 'write',
  response: z.object({ renewed: z.int(), failed: z.int(), postponed: z.int() }),
  prepare: ({ runtime, principal }) =>
    renewDue(runtime, principal.tenantId, { signal: runtime.stopping, budgetMs: BUDGET_MS }),
  handle: ({ prepared, audit }) => {
    audit({ category: 'config', type: 'subscriptions_renewed', details: prepared });
    return prepared;
  },
});
