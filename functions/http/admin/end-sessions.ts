import { z } from 'zod';
import { revokeAllSessions } from '../../../core/auth/session-list.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { notFound } from '../../../core/kernel/errors.ts';
import { lockPrincipal } from '../../../core/people/principals.sql.ts';

export const endPrincipalSessions = endpoint({
  name: 'admin-end-sessions',
  method: 'DELETE',
  path: '/api/admin/principals/{id}/sessions',
  summary: 'End all sessions of a person',
  access: can('principal.manage'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ ended: z.int() }),
  handle: async ({ tx, params: { id }, audit, now }) => {
    if ((await lockPrincipal(tx, id)) === null) throw notFound();
    const ended = await revokeAllSessions(tx, id, now);
    audit({
      category: 'auth',
      type: 'sessions_ended',
      target: { kind: 'principal', id },
      details: { count: ended },
    });
    return { ended };
  },
});
