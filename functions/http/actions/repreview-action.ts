import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { previewAgain, repreviewAction } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const repreview = endpoint({
  name: 'actions-repreview',
  method: 'POST',
  path: '/api/actions/{id}/repreview',
  summary: 'Preview an action again',
  description:
    'Allowed before submission, and after the action drifted, failed or was blocked. It becomes a draft again ' +
    'and must be submitted and approved with the new preview.',
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
