import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { cancelAction } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const cancel = endpoint({
  name: 'actions-cancel',
  method: 'POST',
  path: '/api/actions/{id}/cancel',
  summary: 'Cancel an action that is neither executing nor over',
  access: can('action.cancel'),
  transaction: 'write',
  params: IdParams,
  response: ActionDetailSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, audit, now }) =>
    cancelAction(tx, { principal, visibility, audit, now }, params.id),
});
