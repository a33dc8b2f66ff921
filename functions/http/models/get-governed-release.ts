import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ReleaseDetailSchema } from '../../../core/models/release-schema.ts';
import { showRelease } from '../../../core/models/show-releases.ts';

export const getGovernedRelease = endpoint({
  name: 'models-get-governed-release',
  method: 'GET',
  path: '/api/models/governed-releases/{id}',
  summary: 'A release with its evaluation and history',
  description: 'Owners see the evaluation of their own domains.',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  params: IdParams,
  response: ReleaseDetailSchema,
  handle: ({ tx, visibility, params }) => showRelease(tx, params.id, visibility),
});
