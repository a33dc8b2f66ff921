import { findAction } from '../../../core/actions/action-list.sql.ts';
import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { notFound } from '../../../core/kernel/errors.ts';

export const getAction = endpoint({
  name: 'actions-get',
  method: 'GET',
  path: '/api/actions/{id}',
  summary: 'One action with its history',
  description: 'Visible to the callers of the list.',
  access: session,
  transaction: 'read',
  params: IdParams,
  response: ActionDetailSchema,
  handle: async ({ tx, principal, params }) => {
    const action = await findAction(tx, params.id, readableBy(principal));
    if (action === null) throw notFound();
    return action;
  },
});
