import { ConnectionGraphSchema } from '../../../core/assets/connection-schema.ts';
import { connectionsOf } from '../../../core/assets/connections.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const listConnections = endpoint({
  name: 'assets-connections',
  method: 'GET',
  path: '/api/assets/{id}/connections',
  summary: 'Connections of an asset, with reasons',
  description:
    'To a depth of two, with at most 30 nodes. Each edge has a reason: the same bytes, a file inside the ' +
    'other, nearly the same text, the same template, or, for the asset itself, the nearest meaning. A node ' +
    'that the caller may not see has a redacted label and is not followed.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  params: IdParams,
  response: ConnectionGraphSchema,
  handle: ({ tx, visibility, params }) => connectionsOf(tx, visibility, params.id),
});
