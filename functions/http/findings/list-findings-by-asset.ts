import { countFindings } from '../../../core/findings/finding-counts.sql.ts';
import { FindingFilterSchema, isByStatus } from '../../../core/findings/finding-filter.sql.ts';
import { findingsByAsset } from '../../../core/findings/findings-by-asset.sql.ts';
import { ShownAssetFindingsSchema, shownByAsset } from '../../../core/findings/shown-findings.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listFindingsByAsset = endpoint({
  name: 'findings-list-by-asset',
  method: 'GET',
  path: '/api/findings/by-asset',
  summary: 'Findings grouped by asset, the most severe assets first',
  description: 'Has the filters of the list.',
  access: can('finding.read'),
  transaction: 'read',
  query: FindingFilterSchema,
  response: listOf(ShownAssetFindingsSchema),
  handle: async ({ tx, principal, visibility, query }) => {
    const { items, truncated } = bounded(await findingsByAsset(tx, visibility, query, LIMIT + 1), LIMIT);
    const isWhole =
      visibility.kind === 'domains' ||
      isByStatus(query) ||
      (await countFindings(tx, visibility, query)).totalIsExact;
    return {
      items: await shownByAsset(tx, { principal, visibility }, items),
      truncated: truncated || !isWhole,
    };
  },
});
