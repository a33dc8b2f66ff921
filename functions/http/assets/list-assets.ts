import { AssetFilterSchema, AssetSummarySchema } from '../../../core/assets/asset-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, limitUpTo, listOf, rowsToRead } from '../../../core/kernel/list.ts';
import { listAssets } from '../../../core/search/asset-list.sql.ts';

export const listVisibleAssets = endpoint({
  name: 'assets-list',
  method: 'GET',
  path: '/api/assets',
  summary: 'Assets that the caller may see, the latest changed first',
  description:
    '`limit` of them, or 200. All words of `q` are sought, in name, path, format, text, the kinds of ' +
    'what was found in it and information type; where no asset has them, the last one as the beginning ' +
    'of a word of a name, then `q` as a part of name or path. `riskSeverity` is that of the most severe ' +
    'risk component.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  query: AssetFilterSchema.extend({ limit: limitUpTo(200) }),
  response: listOf(AssetSummarySchema),
  handle: async ({ tx, visibility, query: { limit, ...filter } }) =>
    bounded(await listAssets(tx, visibility, filter, rowsToRead(limit)), limit),
});
