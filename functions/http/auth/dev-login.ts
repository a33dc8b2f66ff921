import { z } from 'zod';
import { clientName } from '../../../core/auth/client-name.ts';
import { devLogin } from '../../../core/auth/dev-login.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';

export const devLoginEndpoint = endpoint({
  name: 'auth-dev-login',
  method: 'POST',
  path: '/api/auth/dev/login',
  summary: 'Sign in as a seeded principal, without a password',
  access: anyone,
  devOnly: true,
  transaction: 'none',
  carriesSecret: true,
  body: z.strictObject({ principalId: z.string().min(1).max(128) }),
  response: z.object({ ok: z.literal(true), csrfToken: z.string(), authMode: z.literal('dev') }),
  handle: async ({ runtime, principal, sessionHash, body, correlationId, now, header, setSession }) => {
    const presented = principal !== null && sessionHash !== null ? { principal, sessionHash } : null;
    const session = await devLogin(runtime, {
      ...body,
      client: clientName(header('user-agent')),
      presented,
      correlationId,
      now,
    });
    setSession(session);
    return { ok: true as const, csrfToken: session.csrfToken, authMode: 'dev' as const };
  },
});
