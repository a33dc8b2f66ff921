import { withAuditedTx } from '../audit/audited-tx.ts';
import type { Config } from '../config/config.ts';
import { type Db, withEngineTx } from '../db/tx.ts';
import { validationFailed } from '../kernel/errors.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { endSession, type PresentedSession } from './end-session.ts';
import { tenantOfPersona } from './personas.sql.ts';
import { type NewSession, startSession } from './session.sql.ts';

/**
 * Starts a development session as a seeded principal. The tenant is that of the principal, because nobody is signed
 * in yet. Throws `validation_failed` if no active principal has this id.
 */
export async function devLogin(
  { db, config }: { db: Db; config: Config },
  login: {
    principalId: string;
    client: string;
    presented: PresentedSession | null;
    correlationId: string;
    now: number;
  },
): Promise<NewSession> {
  const { presented, client, correlationId, now } = login;
  const principalId = login.principalId as PrincipalId;
  const tenantId = await withEngineTx(db, (tx) => tenantOfPersona(tx, principalId));
  if (tenantId === null) {
    throw validationFailed([{ path: 'principalId', message: 'No active principal has this id.' }]);
  }
  if (presented !== null) await endSession(db, presented, { correlationId, now });
  return withAuditedTx(db, { tenantId, principalId, correlationId, now }, async (tx, events) => {
    events.push({ category: 'auth', type: 'dev_login', target: { kind: 'principal', id: principalId } });
    return startSession(tx, config, { principalId, authMode: 'dev', client }, now);
  });
}
