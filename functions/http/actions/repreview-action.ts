import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { previewAgain, repreviewAction } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const repreview = endpoint({
  name: 'actions-repreview',
  method: 'POST',
  path: '/api/actions/{id}/repreview',
  summary: 'Look at the target of an action anew',
  description:
    'After the action has drifted, failed or was blocked, or before it is submitted. It is a draft ' +
    'again: it has to be submitted and approved with what is seen now.',
  access: can('action.draft'),
  transaction: 'write',
  params: IdParams,
  response: ActionDetailSchema,
  errors: ['conflict'],
  prepare: ({ runtime, principal, visibility, params }) =>
    previewAgain(runtime, principal.tenantId, visibility, params.id),
  handle: ({ tx, principal, visibility, params, prepared, audit, now }) =>
    repreviewAction(tx, { principal, visibility, audit, now }, params.id, prepared),
});
