import { z } from 'zod';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { ReadinessSchema, readinessOf } from '../../../core/operations/readiness.ts';

export const showReadiness = endpoint({
  name: 'health-show-readiness',
  method: 'GET',
  path: '/api/ready',
  summary: 'Whether the database answers',
  description: 'Contains the mode of every integration. Answers 503 while the database does not answer.',
  access: anyone,
  transaction: 'none',
  // Monitors may add parameters to bypass caches.
  query: z.object({}),
  response: ReadinessSchema,
  status: ({ dbOk }) => (dbOk ? 200 : 503),
  statuses: [503],
  handle: ({ runtime }) => readinessOf({ config: runtime.config, db: runtime.probe }),
});
