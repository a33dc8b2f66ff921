import { z } from 'zod';
import { ActionSchema, ApprovalSchema } from '../../../core/actions/action-schema.ts';
import { recordDecision } from '../../../core/actions/decide-action.ts';
import { apartOf, batchOf, eachApart, MAX_BATCH } from '../../../core/http/each-apart.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

const ReadActionSchema = z.strictObject({
  actionId: z.string().min(1).max(64),
  revision: z.int().nonnegative(),
});

export const decideMany = endpoint({
  name: 'actions-decide-many',
  method: 'POST',
  path: '/api/actions/approvals',
  summary: 'Approve or reject several actions',
  description:
    `At most ${MAX_BATCH}, each named with the revision that the caller has read. Each is decided, audited and refused ` +
    'apart, as by a request of its own. The approved ones are executed within seconds after the answer.',
  access: can('action.approve'),
  // Each decision has a transaction of its own.
  transaction: 'none',
  body: z.strictObject({
    decision: ApprovalSchema.shape.decision,
    reason: ApprovalSchema.shape.reason,
    actions: batchOf(ReadActionSchema, ({ actionId }) => actionId),
  }),
  response: apartOf(ActionSchema.pick({ actionId: true, status: true, revision: true })),
  handle: ({ runtime, principal, body: { decision, reason, actions }, correlationId, now, countNotFound }) =>
    eachApart(
      actions,
      ({ actionId }) => actionId,
      ({ actionId, revision }) =>
        recordDecision(runtime, { principal, correlationId, now }, actionId, { decision, reason, revision }),
      countNotFound,
    ),
});
