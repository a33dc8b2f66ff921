import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';
import { type Db, withTx } from '../db/tx.ts';
import { revokeSession } from './session.sql.ts';

/** The session that a sign-in came with. It ends, whoever it belonged to. */
export type PresentedSession = { principal: Principal; sessionHash: Buffer };

/** Revokes it in the tenant that it belongs to, and audits that. */
export function endSession(
  db: Db,
  { principal, sessionHash }: PresentedSession,
  { correlationId, now }: { correlationId: string; now: number },
): Promise<void> {
  const { tenantId, principalId } = principal;
  return withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await revokeSession(tx, sessionHash, now);
    const entry = {
      category: 'auth',
      type: 'logout',
      target: { kind: 'principal', id: principalId },
    } as const;
    await appendAudit(tx, [auditText({ tenantId, principalId, correlationId, now }, entry)]);
  });
}
