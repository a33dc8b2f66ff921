import { z } from 'zod';
import { AssetFilterSchema, AssetSummarySchema } from '../../assets/asset-schema.ts';
import { listOf } from '../../kernel/list.ts';
import { AssetSortSchema } from '../../search/asset-sort.sql.ts';
import { PageArguments, pageOf } from '../page.ts';
import { tool } from '../tool.ts';

export const searchAssets = tool({
  name: 'search_assets',
  title: 'Search assets',
  description:
    'Finds assets (files, messages, tables) that the person may see, by words and filters. Without `q`: the latest ' +
    'changed first. At most 200 matches can be paged through; narrow the search beyond that.',
  effect: 'read',
  input: AssetFilterSchema.omit({ ids: true }).extend({ sort: AssetSortSchema.optional(), ...PageArguments }),
  data: z.object({ assets: z.array(AssetSummarySchema) }),
  listed: ({ assets }) => assets,
  answer: async (ask, { offset, limit, ...filter }) => {
    const list = await ask(listOf(AssetSummarySchema), { method: 'GET', path: '/api/assets', query: filter });
    const { items, counts } = pageOf(list, { offset, limit });
    return { ...counts, data: { assets: items } };
  },
});
