import { FindingFacetsSchema, findingFacets } from '../../../core/findings/finding-counts.sql.ts';
import { FindingFilterSchema } from '../../../core/findings/finding-filter.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const countFindingFacets = endpoint({
  name: 'findings-facets',
  method: 'GET',
  path: '/api/findings/facets',
  summary: 'Numbers of findings by the values of the filters',
  description:
    'Has the filters of the list, and counts the 2,000 most severe findings that it would show. A facet shows its 50 most ' +
    'frequent values. A finding counts once in each of the caller’s domains.',
  access: can('finding.read'),
  transaction: 'read',
  query: FindingFilterSchema,
  response: FindingFacetsSchema,
  handle: ({ tx, visibility, query }) => findingFacets(tx, visibility, query),
});
