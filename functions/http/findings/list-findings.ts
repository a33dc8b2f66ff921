import { z } from 'zod';
import { FINDING_SORTS, FindingFilterSchema } from '../../../core/findings/finding-filter.sql.ts';
import { listFindings } from '../../../core/findings/finding-list.sql.ts';
import { ShownListedFindingSchema, shownFindings } from '../../../core/findings/shown-findings.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';

export const listVisibleFindings = endpoint({
  name: 'findings-list',
  method: 'GET',
  path: '/api/findings',
  summary: 'Findings that the caller may see, the most severe first',
  description:
    'Findings on assets that the caller may see: `limit` of them, or 200. Without a status: those that are not resolved, ' +
    'also with `ids`. `all` includes resolved ones. Each says what to do, since when and until when. `proposedAction` is ' +
    'the body of a request to draft it. For a caller who sees the whole tenant, the filters `kind` and `actionKind` are ' +
    'applied to the 5,000 most severe findings that meet the other filters, and `sort` orders the 10,000 most severe. ' +
    '`total` counts up to 10,000.',
  access: can('finding.read'),
  transaction: 'read',
  query: FindingFilterSchema.extend({
    sort: z.enum(FINDING_SORTS).default('-severity'),
    limit: limitUpTo(200),
  }),
  response: countedListOf(ShownListedFindingSchema),
  handle: async ({ tx, principal, visibility, query: { limit, sort, ...filter } }) => {
    const { findings, counted } = await listFindings(tx, visibility, filter, rowsToRead(limit), { sort });
    const { items, truncated } = bounded(findings, limit);
    return {
      items: await shownFindings(tx, { principal, visibility }, items),
      truncated: truncated || !counted.totalIsExact,
      ...counted,
    };
  },
});
