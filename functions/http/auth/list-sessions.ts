import { z } from 'zod';
import { listSessions } from '../../../core/auth/session-list.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 100;

export const listOwnSessions = endpoint({
  name: 'auth-list-sessions',
  method: 'GET',
  path: '/api/auth/sessions',
  summary: 'Your sessions that still hold',
  description:
    'The last used first. `client` names browser and system. No network address is kept: the audit trail says who signed ' +
    'in and when, which is enough to end a session that somebody does not know.',
  access: session,
  transaction: 'read',
  carriesSecret: true,
  response: listOf(
    z.object({
      sessionId: z.string(),
      client: z.string(),
      authMode: z.enum(['dev', 'idp']),
      startedAt: z.iso.datetime(),
      lastUsedAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      isCurrent: z.boolean(),
    }),
  ),
  handle: async ({ tx, principal, session: own, runtime: { config }, now }) => {
    const idleMinutes = config.SVC_SESSION_IDLE_MINUTES;
    const rows = await listSessions(tx, principal.principalId, idleMinutes, LIMIT + 1, now);
    const { items, truncated } = bounded(rows, LIMIT);
    return {
      items: items.map((row) => ({
        ...row,
        startedAt: row.startedAt.toISOString(),
        lastUsedAt: row.lastUsedAt.toISOString(),
        expiresAt: row.expiresAt.toISOString(),
        isCurrent: row.sessionId === own?.sessionId,
      })),
      truncated,
    };
  },
});
