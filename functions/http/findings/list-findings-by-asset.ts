import { FindingFilterSchema } from '../../../core/findings/finding-list.sql.ts';
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
  access: can('finding.read'),
  transaction: 'read',
  query: FindingFilterSchema,
  response: listOf(ShownAssetFindingsSchema),
  handle: async ({ tx, principal, visibility, query }) => {
    const list = bounded(await findingsByAsset(tx, visibility, query.status, LIMIT + 1), LIMIT);
    return { ...list, items: await shownByAsset(tx, { principal, visibility }, list.items) };
  },
});
