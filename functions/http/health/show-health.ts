import { z } from 'zod';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';

export const showHealth = endpoint({
  name: 'health-show-liveness',
  method: 'GET',
  path: '/api/health',
  summary: 'Whether the process answers',
  description: 'Checks nothing else.',
  access: anyone,
  transaction: 'none',
  // Monitors may add parameters to bypass caches.
  query: z.object({}),
  response: z.object({ status: z.literal('ok') }),
  handle: () => ({ status: 'ok' as const }),
});
