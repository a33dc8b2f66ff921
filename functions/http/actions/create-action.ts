import { ActionDetailSchema, ActionRequestSchema } from '../../../core/actions/action-schema.ts';
import { draftAction, previewDraft } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const createAction = endpoint({
  name: 'actions-create',
  method: 'POST',
  path: '/api/actions',
  summary: 'Draft an action on an asset and preview its effect',
  description:
    '`desiredLabelGuid` is required to set a label, `taskTitle` for an internal task. Fields of another kind ' +
    'are ignored. Where labels cannot be written, the action is `blocked` with a reason. `preventedBy` of the ' +
    'preview names a known obstacle to writing at the source.',
  access: can('action.draft'),
  transaction: 'write',
  idempotent: true,
  body: ActionRequestSchema,
  response: ActionDetailSchema,
  errors: ['not_found', 'conflict'],
  prepare: ({ runtime, principal, visibility, body: request, idempotencyKey: key }) =>
    previewDraft(runtime, { principal, visibility }, { request, key }),
  handle: ({ tx, principal, visibility, body: request, idempotencyKey: key, prepared, audit, now }) =>
    draftAction(tx, { principal, visibility, audit, now }, { request, key }, prepared),
});
