import { z } from 'zod';
import { ActionDetailSchema } from '../../../core/actions/action-schema.ts';
import { withdrawAction } from '../../../core/actions/draft.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const withdraw = endpoint({
  name: 'actions-withdraw',
  method: 'POST',
  path: '/api/actions/{id}/withdraw',
  summary: 'Take back an own action before it is approved',
  access: can('action.draft'),
  transaction: 'write',
  params: z.strictObject({ id: z.string().max(64) }),
  response: ActionDetailSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, audit, now }) =>
    withdrawAction(tx, { principal, visibility, audit, now }, params.id),
});
