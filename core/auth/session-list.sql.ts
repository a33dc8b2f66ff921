import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

export type ListedSession = {
  sessionId: string;
  client: string;
  authMode: 'dev' | 'idp';
  startedAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
};

/** Sessions of a person that still hold, the last used first; at most `limit`. */
export const listSessions = (
  tx: Tx,
  principalId: string,
  idleMinutes: number,
  limit: number,
  now: number,
): Promise<ListedSession[]> =>
  tx.query(sql`
    select session_id as "sessionId", client, auth_mode as "authMode", created_at as "startedAt",
           last_seen_at as "lastUsedAt", expires_at as "expiresAt"
      from sessions
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} and revoked_at is null
       and expires_at > ${new Date(now)} and last_seen_at > ${new Date(now - idleMinutes * 60_000)}
     order by last_seen_at desc, session_id limit ${limit}`);

/** Ends one session of a person; false where they have none of that id that still holds. */
export async function revokeSessionOf(
  tx: Tx,
  principalId: string,
  sessionId: string,
  now: number,
): Promise<boolean> {
  const ended = await tx.execute(sql`
    update sessions set revoked_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} and session_id = ${sessionId}
       and revoked_at is null and expires_at > ${new Date(now)}`);
  return ended === 1;
}

/** Ends all sessions of a person, apart from `kept`; returns how many. */
export const revokeAllSessions = (
  tx: Tx,
  principalId: string,
  now: number,
  kept: string | null = null,
): Promise<number> =>
  tx.execute(sql`
    update sessions set revoked_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} and revoked_at is null
       and expires_at > ${new Date(now)} and session_id is distinct from ${kept}`);
