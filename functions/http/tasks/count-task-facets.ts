import { TaskFacetsSchema, taskFacets } from '../../../core/actions/action-counts.sql.ts';
import { TaskFilterSchema } from '../../../core/actions/task-filter.sql.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';

export const countTaskFacets = endpoint({
  name: 'tasks-facets',
  method: 'GET',
  path: '/api/tasks/facets',
  summary: 'Numbers of tasks by the values of the filters',
  description:
    'Has the filters of the list, and counts the 2,000 newest tasks that it would show. A task counts once in each domain of ' +
    'its action that the caller may see.',
  access: session,
  transaction: 'read',
  query: TaskFilterSchema,
  response: TaskFacetsSchema,
  handle: ({ tx, principal, query }) => taskFacets(tx, readableBy(principal), query),
});
