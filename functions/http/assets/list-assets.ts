import { listAssets } from '../../../core/assets/asset-list.sql.ts';
import { AssetFilterSchema, AssetSummarySchema } from '../../../core/assets/asset-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listVisibleAssets = endpoint({
  name: 'assets-list',
  method: 'GET',
  path: '/api/assets',
  summary:
    'Assets that the caller may see, the most recently seen first. `q` is sought in name, path, format and ' +
    'information type; without three letters or digits in a row, at the beginning of the name and in the ' +
    'information type. `riskSeverity` is that of the most severe risk component',
  access: can('asset.metadata.read'),
  transaction: 'read',
  query: AssetFilterSchema,
  response: listOf(AssetSummarySchema),
  handle: async ({ tx, visibility, query }) =>
    bounded(await listAssets(tx, visibility, query, LIMIT + 1), LIMIT),
});
