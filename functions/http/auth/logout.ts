import { z } from 'zod';
import { revokeSession } from '../../../core/auth/session.sql.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';

export const logout = endpoint({
  name: 'auth-logout',
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'Revoke the session and clear its cookie',
  description: 'The answer is the same without a session.',
  access: anyone,
  transaction: 'write',
  response: z.object({ ok: z.literal(true) }),
  handle: async ({ tx, principal, sessionHash, now, audit, setSession }) => {
    if (tx !== null && principal !== null && sessionHash !== null) {
      await revokeSession(tx, sessionHash, now);
      audit({ category: 'auth', type: 'logout', target: { kind: 'principal', id: principal.principalId } });
    }
    setSession(null);
    return { ok: true as const };
  },
});
