import {
  FindingFilterSchema,
  ListedFindingSchema,
  listFindings,
} from '../../../core/findings/finding-list.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listVisibleFindings = endpoint({
  name: 'findings-list',
  method: 'GET',
  path: '/api/findings',
  summary: 'Findings that the caller may see, the most severe first',
  description:
    'Findings on assets that the caller may see. Without a status: those that are not resolved. `all` ' +
    'includes resolved ones.',
  access: can('finding.read'),
  transaction: 'read',
  query: FindingFilterSchema,
  response: listOf(ListedFindingSchema),
  handle: async ({ tx, visibility, query }) =>
    bounded(await listFindings(tx, visibility, query.status, LIMIT + 1), LIMIT),
});
