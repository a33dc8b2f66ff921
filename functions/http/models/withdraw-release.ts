import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ReleaseDetailSchema, ReleaseStepSchema } from '../../../core/models/release-schema.ts';
import { withdrawRelease } from '../../../core/models/withdraw-release.ts';

export const withdraw = endpoint({
  name: 'models-withdraw-release',
  method: 'POST',
  path: '/api/models/releases/{id}/withdraw',
  summary: 'Withdraw an own release that is not promoted',
  description:
    'For the person who proposed it, also after its approval, and final. With `revision`, a release that has changed ' +
    'since is refused.',
  access: can('model.release.propose'),
  transaction: 'write',
  params: IdParams,
  body: ReleaseStepSchema,
  response: ReleaseDetailSchema,
  errors: ['conflict'],
  handle: (request) => withdrawRelease(request.tx, request, request.params.id, request.body),
});
