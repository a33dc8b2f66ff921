import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { decideSuppression } from '../../../core/suppressions/change-suppression.ts';
import { SuppressionSchema } from '../../../core/suppressions/suppression-schema.ts';

export const approveSuppression = endpoint({
  name: 'governance-approve-suppression',
  method: 'POST',
  path: '/api/governance/suppressions/{id}/approve',
  summary: 'Approve a proposed suppression',
  description:
    'Not by the person who proposed it. The assets that it is about are then scored again, without their sources.',
  access: can('governance.suppression.approve'),
  // A refusal for its author is audited in a transaction of its own.
  transaction: 'none',
  params: IdParams,
  response: SuppressionSchema,
  errors: ['conflict'],
  handle: ({ runtime, principal, now, correlationId, afterCommit, params }) => {
    ringAfterCommit({ runtime, afterCommit });
    return decideSuppression(runtime, { principal, correlationId, now }, params.id, 'approved');
  },
});
