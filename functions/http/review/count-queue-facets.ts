import { can, endpoint } from '../../../core/http/endpoint.ts';
import { QueueFacetsSchema, queueFacets } from '../../../core/review/queue-counts.sql.ts';
import { QueueFilterSchema } from '../../../core/review/queue-filter.sql.ts';

export const countQueueFacets = endpoint({
  name: 'review-queue-facets',
  method: 'GET',
  path: '/api/review/queue/facets',
  summary: 'Numbers of questions by the values of the filters',
  description:
    'Has the filters of the queue, and counts its questions among the 1,000 most valuable candidates of each domain. ' +
    'A facet shows its 50 most frequent values. A question counts once for each of its information types.',
  access: can('review.read'),
  transaction: 'read',
  query: QueueFilterSchema,
  response: QueueFacetsSchema,
  handle: ({ tx, visibility, query }) => queueFacets(tx, visibility, query),
});
