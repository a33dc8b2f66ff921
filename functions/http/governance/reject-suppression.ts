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
  transaction: 'write',
  params: IdParams,
  response: SuppressionSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, correlationId, params }) => {
    const by = { principal, audit, now, origin: { createdBy: principal.principalId, correlationId } };
    return decideSuppression(tx, by, params.id, 'rejected');
  },
});
