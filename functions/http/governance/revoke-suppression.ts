import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { revokeSuppression } from '../../../core/suppressions/change-suppression.ts';
import { SuppressionSchema } from '../../../core/suppressions/suppression-schema.ts';

export const revokeSuppressionRule = endpoint({
  name: 'governance-revoke-suppression',
  method: 'POST',
  path: '/api/governance/suppressions/{id}/revoke',
  summary: 'Revoke a suppression',
  description: 'Its assets are scored again with their original signals. Revoking again changes nothing.',
  access: can('governance.suppression.create'),
  transaction: 'write',
  params: IdParams,
  response: SuppressionSchema,
  errors: ['conflict'],
  handle: ({ runtime, tx, principal, visibility, audit, now, correlationId, afterCommit, params }) => {
    ringAfterCommit({ runtime, afterCommit });
    const by = { principal, audit, now, origin: { createdBy: principal.principalId, correlationId } };
    return revokeSuppression(tx, by, visibility, params.id);
  },
});
