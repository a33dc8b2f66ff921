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
    '`limit` of them, or 200. `q` searches name, path, format, text, the kinds of what was found in the text, and ' +
    'information type. All words must match. Where no asset has all of them, the last word may be the beginning of a ' +
    'word of a name, then `q` may be a part of name or path, then some of the words are enough. Words in quotes are ' +
    'next to each other in a name. Matches in names come first. `truncated` is also true if `q` was not sought in older ' +
    'assets. `riskSeverity` is that of the most severe risk component.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  query: AssetFilterSchema.extend({ limit: limitUpTo(200) }),
  response: listOf(AssetSummarySchema),
  handle: async ({ tx, visibility, query: { limit, ...filter } }) => {
    const { assets, isWhole } = await listAssets(tx, visibility, filter, rowsToRead(limit), {
      order: 'best',
    });
    const list = bounded(assets, limit);
    return { ...list, truncated: list.truncated || !isWhole };
  },
});
