import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { decideRelease } from '../../../core/models/decide-release.ts';
import { ReleaseDetailSchema, ReleaseStepSchema } from '../../../core/models/release-schema.ts';

export const approve = endpoint({
  name: 'models-approve-release',
  method: 'POST',
  path: '/api/models/releases/{id}/approve',
  summary: 'Approve an evaluated release',
  description: 'Refused for its proposer. With `revision`, a release that has changed since is refused.',
  access: can('model.release.approve'),
  // A refusal for the proposer is audited in a transaction of its own.
  transaction: 'none',
  params: IdParams,
  body: ReleaseStepSchema,
  response: ReleaseDetailSchema,
  errors: ['conflict'],
  handle: ({ runtime, principal, visibility, params, body, correlationId, now }) =>
    decideRelease(runtime, { principal, visibility, correlationId, now }, params.id, 'approve', body),
});
