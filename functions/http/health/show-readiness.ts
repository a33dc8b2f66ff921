import { z } from 'zod';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { ReadinessSchema, readinessOf } from '../../../core/operations/readiness.ts';

export const showReadiness = endpoint({
  name: 'health-show-readiness',
  method: 'GET',
  path: '/api/ready',
  summary: 'Whether the process can work',
  description:
    'Contains the mode of every integration. Answers 503 while the database does not answer, lacks migrations of this ' +
    'release, or has lately refused to write. While there are problems, the process leases no work.',
  access: anyone,
  transaction: 'none',
  // Monitors may add parameters to bypass caches.
  query: z.object({}),
  response: ReadinessSchema,
  status: ({ dbOk }) => (dbOk ? 200 : 503),
  statuses: [503],
  handle: ({ runtime }) => readinessOf(runtime),
});
