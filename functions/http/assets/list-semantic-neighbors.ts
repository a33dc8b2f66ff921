import { SemanticNeighborsSchema, semanticNeighbors } from '../../../core/assets/semantic-neighbors.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const listSemanticNeighbors = endpoint({
  name: 'assets-semantic-neighbors',
  method: 'GET',
  path: '/api/assets/{id}/semantic-neighbors',
  summary: 'Assets with the nearest meaning',
  description:
    'At most eight assets that the caller may see. The cosine of the embeddings is at least 0.55. Only ' +
    'embeddings of the same provider and model are compared.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  params: IdParams,
  response: SemanticNeighborsSchema,
  handle: ({ tx, visibility, params }) => semanticNeighbors(tx, visibility, params.id),
});
