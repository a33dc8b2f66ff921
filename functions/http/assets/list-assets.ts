import { AssetFilterSchema, AssetSummarySchema } from '../../../core/assets/asset-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';
import { countAssets, LOOKED_AT } from '../../../core/search/asset-counts.sql.ts';
import { listAssets } from '../../../core/search/asset-list.sql.ts';
import { AssetSortSchema, requireOrderOfWalk } from '../../../core/search/asset-sort.sql.ts';

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
    'assets. `riskSeverity` is that of the most severe risk component. The filters `fileFormat`, `labelGuid`, ' +
    '`exposure` and `identifier` are applied to the 5,000 newest assets that meet the other filters; narrow the others, ' +
    'such as `changedBefore`, to reach older ones, or export them. `sort` by name or size orders the 5,000 newest ' +
    'assets of the list; with `q` it is not accepted. `total` counts up to 10,000; with `q`, it is the number of ' +
    'matches that were read.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  query: AssetFilterSchema.extend({ sort: AssetSortSchema.optional(), limit: limitUpTo(200) }),
  response: countedListOf(AssetSummarySchema),
  handle: async ({ tx, visibility, query: { limit, sort, ...filter } }) => {
    requireOrderOfWalk(filter, sort);
    const options = { order: 'best', look: LOOKED_AT, ...(sort !== undefined && { sort }) } as const;
    const { assets, isWhole } = await listAssets(tx, visibility, filter, rowsToRead(limit), options);
    const { items, truncated } = bounded(assets, limit);
    const isSearch = filter.q !== undefined && filter.q !== '';
    const counted = isSearch
      ? { total: assets.length, totalIsExact: isWhole && assets.length < rowsToRead(limit) }
      : await countAssets(tx, visibility, filter);
    return { items, truncated: truncated || !isWhole || !counted.totalIsExact, ...counted };
  },
});
