import { z } from 'zod';
import { countActions } from '../../../core/actions/action-counts.sql.ts';
import { ACTION_SORTS, ActionFilterSchema } from '../../../core/actions/action-filter.sql.ts';
import { listActions } from '../../../core/actions/action-list.sql.ts';
import { ActionSchema } from '../../../core/actions/action-schema.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';

export const listRecentActions = endpoint({
  name: 'actions-list',
  method: 'GET',
  path: '/api/actions',
  summary: 'The newest actions that the caller may see',
  description:
    'Approvers and auditors see all actions. Others see the actions on assets of the domains that they own. Returns `limit` ' +
    'of them, or 100. `mine=to_approve` leaves out what the caller has drafted, submitted or previewed, because others ' +
    'decide on it. `total` counts up to 10,000.',
  access: session,
  transaction: 'read',
  query: ActionFilterSchema.extend({
    sort: z.enum(ACTION_SORTS).default('-created'),
    limit: limitUpTo(100),
  }),
  response: countedListOf(ActionSchema),
  handle: async ({ tx, principal, query: { limit, sort, ...filter } }) => {
    const reader = readableBy(principal);
    const { items, truncated } = bounded(
      await listActions(tx, reader, filter, rowsToRead(limit), { sort }),
      limit,
    );
    return { items, truncated, ...(await countActions(tx, reader, filter)) };
  },
});
