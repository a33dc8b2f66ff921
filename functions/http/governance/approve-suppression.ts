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
  transaction: 'write',
  params: IdParams,
  response: SuppressionSchema,
  errors: ['conflict'],
  handle: ({ runtime, tx, principal, audit, now, correlationId, afterCommit, params }) => {
    ringAfterCommit({ runtime, afterCommit });
    const by = { principal, audit, now, origin: { createdBy: principal.principalId, correlationId } };
    return decideSuppression(tx, by, params.id, 'approved');
  },
});
