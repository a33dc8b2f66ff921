import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { decideSuppression } from '../../../core/suppressions/change-suppression.ts';
import { SuppressionSchema } from '../../../core/suppressions/suppression-schema.ts';

export const rejectSuppression = endpoint({
  name: 'governance-reject-suppression',
  method: 'POST',
  path: '/api/governance/suppressions/{id}/reject',
  summary: 'Reject a proposed suppression',
  description: 'Not by the person who proposed it.',
  access: can('governance.suppression.approve'),
  // A refusal for its author is audited in a transaction of its own.
  transaction: 'none',
  params: IdParams,
  response: SuppressionSchema,
  errors: ['conflict'],
  handle: ({ runtime, principal, now, correlationId, params }) =>
    decideSuppression(runtime, { principal, correlationId, now }, params.id, 'rejected'),
});
