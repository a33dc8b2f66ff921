import { KEPT_QUERIES, listQueries, PastQuerySchema } from '../../../core/analyst/history.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

export const listAnalystHistory = endpoint({
  name: 'analyst-list-history',
  method: 'GET',
  path: '/api/analyst/history',
  summary: 'The caller’s own last 25 questions',
  access: can('analyst.query'),
  transaction: 'read',
  response: listOf(PastQuerySchema),
  handle: async ({ tx, principal }) => bounded(await listQueries(tx, principal.principalId), KEPT_QUERIES),
});
