import { z } from 'zod';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';

export const reportAuthMode = endpoint({
  name: 'auth-report-mode',
  method: 'GET',
  path: '/api/auth/mode',
  summary: 'How people sign in to this deployment',
  access: anyone,
  transaction: 'none',
  response: z.object({
    env: z.enum(['development', 'production']),
    authMode: z.enum(['dev', 'idp']),
    devBannerRequired: z.boolean(),
  }),
  handle: ({ runtime: { config } }) => ({
    env: config.SVC_ENV,
    authMode: config.SVC_AUTH_MODE,
    devBannerRequired: config.SVC_AUTH_MODE === 'dev',
  }),
});
