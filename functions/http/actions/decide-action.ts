import { ActionDetailSchema, ApprovalSchema } from '../../../core/actions/action-schema.ts';
import { decideAction } from '../../../core/actions/decide-action.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const decide = endpoint({
  name: 'actions-decide',
  method: 'POST',
  path: '/api/actions/{id}/approval',
  summary: 'Approve or reject an action',
  description:
    'An approved action is executed once and verified at its source. The answer shows the result if execution ' +
    'ended in time; a source that goes on with the write leaves it `executing`. A person who took part in the request cannot decide. The same decision by the same person ' +
    'changes nothing. With `revision`, an action that has changed since is refused.',
  access: can('action.approve'),
  // The approval must be committed before the source is written.
  transaction: 'none',
  params: IdParams,
  body: ApprovalSchema,
  response: ActionDetailSchema,
  errors: ['conflict'],
  handle: ({ runtime, principal, params, body, correlationId, now }) =>
    decideAction(runtime, { principal, correlationId, now }, params.id, body),
});
