import { AssetFilterSchema } from '../../../core/assets/asset-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { AssetFacetsSchema, assetFacets } from '../../../core/search/asset-facets.sql.ts';

export const countAssetFacets = endpoint({
  name: 'assets-facets',
  method: 'GET',
  path: '/api/assets/facets',
  summary: 'Numbers of assets by the values of the filters',
  description:
    'Has the filters of the list, and counts the 2,000 newest assets that it would show. A facet shows its 50 most ' +
    'frequent values. An asset counts once in each of the caller’s domains and for each of its information types and ' +
    'identifiers.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  query: AssetFilterSchema,
  response: AssetFacetsSchema,
  handle: ({ tx, visibility, query }) => assetFacets(tx, visibility, query),
});
