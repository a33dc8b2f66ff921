import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { withdrawAction } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const withdraw = endpoint({
  name: 'actions-withdraw',
  method: 'POST',
  path: '/api/actions/{id}/withdraw',
  summary: 'Withdraw your own action before it is approved',
  access: can('action.draft'),
  transaction: 'write',
  params: IdParams,
  response: ActionDetailSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, audit, now }) =>
    withdrawAction(tx, { principal, visibility, audit, now }, params.id),
});
