import { listActions } from '../../../core/actions/action-list.sql.ts';
import { ActionSchema } from '../../../core/actions/action-schema.ts';
import { readableBy } from '../../../core/actions/action-visibility.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 100;

export const listRecentActions = endpoint({
  name: 'actions-list',
  method: 'GET',
  path: '/api/actions',
  summary: 'The newest actions that the caller may see',
  description:
    'Approvers and auditors see all actions. Others see the actions on assets of the domains that they own.',
  access: session,
  transaction: 'read',
  response: listOf(ActionSchema),
  handle: async ({ tx, principal }) =>
    bounded(await listActions(tx, readableBy(principal), LIMIT + 1), LIMIT),
});
