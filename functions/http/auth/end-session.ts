import { z } from 'zod';
import { revokeSessionOf } from '../../../core/auth/session-list.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { notFound } from '../../../core/kernel/errors.ts';

export const endOwnSession = endpoint({
  name: 'auth-end-session',
  method: 'DELETE',
  path: '/api/auth/sessions/{id}',
  summary: 'End one of your sessions',
  access: session,
  transaction: 'write',
  params: IdParams,
  response: z.object({ ok: z.literal(true) }),
  handle: async ({ tx, principal: { principalId }, session: own, params, audit, now, setSession }) => {
    if (!(await revokeSessionOf(tx, principalId, params.id, now))) throw notFound();
    if (own?.sessionId === params.id) setSession(null);
    audit({
      category: 'auth',
      type: 'session_ended',
      target: { kind: 'session', id: params.id },
    });
    return { ok: true as const };
  },
});
