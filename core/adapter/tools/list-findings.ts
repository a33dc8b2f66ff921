import { z } from 'zod';
import { FindingFilterSchema } from '../../findings/finding-filter.sql.ts';
import { ListedFindingSchema } from '../../findings/finding-list.sql.ts';
import { listOf } from '../../kernel/list.ts';
import { PageArguments, pageOf } from '../page.ts';
import { tool } from '../tool.ts';

const ShownFindingSchema = ListedFindingSchema.pick({
  findingId: true,
  kind: true,
  severity: true,
  status: true,
  notes: true,
  openedAt: true,
  changedAt: true,
  resolvedAt: true,
  assetId: true,
  assetName: true,
  scopeId: true,
  scopeName: true,
});

export const listFindings = tool({
  name: 'list_findings',
  title: 'List findings',
  description:
    'Lists findings on assets that the person may see, the most severe first. Without `status`: those that are not ' +
    'resolved. At most 200 can be paged through.',
  effect: 'read',
  input: FindingFilterSchema.omit({ ids: true }).extend(PageArguments),
  data: z.object({ findings: z.array(ShownFindingSchema) }),
  listed: ({ findings }) => findings,
  answer: async (ask, { offset, limit, ...filter }) => {
    const list = await ask(listOf(ListedFindingSchema), {
      method: 'GET',
      path: '/api/findings',
      query: filter,
    });
    const { items, counts } = pageOf(list, { offset, limit });
    return { ...counts, data: { findings: items } };
  },
});
