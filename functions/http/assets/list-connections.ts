import { ConnectionGraphSchema } from '../../../core/assets/connection-schema.ts';
import { connectionsOf } from '../../../core/assets/connections.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const listConnections = endpoint({
  name: 'assets-connections',
  method: 'GET',
  path: '/api/assets/{id}/connections',
  summary: 'What an asset is connected with, and why',
  description:
    'To a depth of two and at most 30 nodes. Each edge has its reason: the same bytes, a file inside the ' +
    'other, nearly the same text, the same template, and of the asset itself what is nearest in meaning. ' +
    'What the caller may not see has a redacted label and is not gone on from.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  params: IdParams,
  response: ConnectionGraphSchema,
  handle: ({ tx, visibility, params }) => connectionsOf(tx, visibility, params.id),
});
