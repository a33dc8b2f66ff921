import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';
import type { Config } from '../config.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import { validationFailed } from '../kernel/errors.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { tenantOfPersona } from './personas.sql.ts';
import { type NewSession, revokeSession, startSession } from './session.sql.ts';

/** The session that the request came with. Signing in ends it, whoever it belonged to. */
export type PresentedSession = { principal: Principal; sessionHash: Buffer };

/**
 * Starts a development session as a seeded principal. The tenant is that of the principal, because nobody is signed
 * in yet. Throws `validation_failed` if no active principal has this id.
 */
export async function devLogin(
  { db, config }: { db: Db; config: Config },
  login: { principalId: string; presented: PresentedSession | null; correlationId: string; now: number },
): Promise<NewSession> {
  const { presented, correlationId, now } = login;
  const principalId = login.principalId as PrincipalId;
  const tenantId = await withEngineTx(db, (tx) => tenantOfPersona(tx, principalId));
  if (tenantId === null) {
    throw validationFailed([{ path: 'principalId', message: 'No active principal has this id.' }]);
  }
  if (presented !== null) {
    const former = presented.principal;
    await withTx(db, { tenantId: former.tenantId, mode: 'write' }, async (tx) => {
      await revokeSession(tx, presented.sessionHash, now);
      const source = { tenantId: former.tenantId, principalId: former.principalId, correlationId, now };
      await appendAudit(tx, [
        auditText(source, {
          category: 'auth',
          type: 'logout',
          target: { kind: 'principal', id: former.principalId },
        }),
      ]);
    });
  }
  return withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const session = await startSession(tx, config, { principalId, authMode: 'dev' }, now);
    const entry = {
      category: 'auth',
      type: 'dev_login',
      target: { kind: 'principal', id: principalId },
    } as const;
    await appendAudit(tx, [auditText({ tenantId, principalId, correlationId, now }, entry)]);
    return session;
  });
}
