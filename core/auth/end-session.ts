import { withAuditedTx } from '../audit/audited-tx.ts';
import type { Principal } from '../authz/principal.ts';
import type { Db } from '../db/tx.ts';
import { revokeSession } from './session.sql.ts';

/** The session that a sign-in came with. It ends, no matter whose it was. */
export type PresentedSession = { principal: Principal; sessionHash: Buffer };

/** Revokes it in the tenant that it belongs to, and audits that. */
export function endSession(
  db: Db,
  { principal, sessionHash }: PresentedSession,
  { correlationId, now }: { correlationId: string; now: number },
): Promise<void> {
  const { tenantId, principalId } = principal;
  return withAuditedTx(db, { tenantId, principalId, correlationId, now }, async (tx, events) => {
    await revokeSession(tx, sessionHash, now);
    events.push({ category: 'auth', type: 'logout', target: { kind: 'principal', id: principalId } });
  });
}
