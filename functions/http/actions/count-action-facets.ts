import { ActionFacetsSchema, actionFacets } from '../../../core/actions/action-counts.sql.ts';
import { ActionFilterSchema } from '../../../core/actions/action-filter.sql.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';

export const countActionFacets = endpoint({
  name: 'actions-facets',
  method: 'GET',
  path: '/api/actions/facets',
  summary: 'Numbers of actions by the values of the filters',
  description:
    'Has the filters of the list, and counts the 2,000 newest actions that it would show. An action counts once in each of ' +
    'the domains through which its requester saw the asset, as far as the caller may see them.',
  access: session,
  transaction: 'read',
  query: ActionFilterSchema,
  response: ActionFacetsSchema,
  handle: ({ tx, principal, query }) => actionFacets(tx, readableBy(principal), query),
});
