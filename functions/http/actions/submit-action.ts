import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { submitAction } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const submit = endpoint({
  name: 'actions-submit',
  method: 'POST',
  path: '/api/actions/{id}/submit',
  summary: 'Submit a draft for approval',
  description:
    'Refused if it is blocked, would change nothing, or something is known to prevent it (`preventedBy`).',
  access: can('action.submit'),
  transaction: 'write',
  params: IdParams,
  response: ActionDetailSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, audit, now }) =>
    submitAction(tx, { principal, visibility, audit, now }, params.id),
});
