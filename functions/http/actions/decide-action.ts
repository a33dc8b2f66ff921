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
    'An approved one is executed once and verified at its source; the answer tells what came of it where ' +
    'that ended in time. Whoever asked for the action is refused. The same decision given again by the ' +
    'same person changes nothing. With `revision`, an action that has changed since it was read is ' +
    'refused.',
  access: can('action.approve'),
  // What is approved is committed before the source is written.
  transaction: 'none',
  params: IdParams,
  body: ApprovalSchema,
  response: ActionDetailSchema,
  errors: ['conflict'],
  handle: ({ runtime, principal, params, body, correlationId, now }) =>
    decideAction(runtime, { principal, correlationId, now }, params.id, body),
});
