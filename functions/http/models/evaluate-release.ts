import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { evaluateRelease } from '../../../core/models/evaluate-release.ts';
import { ReleaseDetailSchema } from '../../../core/models/release-schema.ts';

export const evaluate = endpoint({
  name: 'models-evaluate-release',
  method: 'POST',
  path: '/api/models/releases/{id}/evaluate',
  summary: 'Compare a release with the thresholds in force',
  description:
    'Precision, recall and F1 on the held-out labels of its snapshot, for each domain and type, and what would change ' +
    'in the queue: of all assets, or of as many of an arbitrary sample as can be scored in five seconds. Reads retained ' +
    'features and no source. Another evaluation voids an approval.',
  access: can('model.release.propose'),
  // Scoring takes seconds, and the taxonomy may be embedded by a provider.
  transaction: 'none',
  params: IdParams,
  response: ReleaseDetailSchema,
  errors: ['conflict', 'blocked_capability'],
  handle: ({ runtime, principal, visibility, params, correlationId, now }) =>
    evaluateRelease(runtime, { principal, visibility, correlationId, now }, params.id),
});
