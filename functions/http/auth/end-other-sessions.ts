import { z } from 'zod';
import { revokeAllSessions } from '../../../core/auth/session-list.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';

export const endOtherSessions = endpoint({
  name: 'auth-end-other-sessions',
  method: 'DELETE',
  path: '/api/auth/sessions',
  summary: 'End all of your sessions but this one',
  access: session,
  transaction: 'write',
  response: z.object({ ended: z.int() }),
  handle: async ({ tx, principal: { principalId }, session: own, audit, now }) => {
    const ended = await revokeAllSessions(tx, principalId, now, own?.sessionId ?? null);
    audit({
      category: 'auth',
      type: 'sessions_ended',
      target: { kind: 'principal', id: principalId },
      details: { count: ended },
    });
    return { ended };
  },
});
