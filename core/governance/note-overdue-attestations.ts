import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { noteNewlyOverdue, tenantsWithNewlyOverdue } from './owners.sql.ts';

const BATCH = 200;

/**
 * Audits attestations that have become overdue, each once for its due date. It has no other effect: the owner keeps
 * the domain. Concurrent runs are safe.
 */
export async function noteOverdueAttestations(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const now = clock();
  const tenants = await withEngineTx(db, (tx) => tenantsWithNewlyOverdue(tx, now), signal);
  await forEachTenant(tenants, signal, async (tenantId) => {
    while (!signal.aborted && (await noteSome(db, tenantId, now)) === BATCH);
  });
}

/** Notes one batch in a transaction with its audit events, which have no principal. */
const noteSome = (db: Db, tenantId: TenantId, now: number): Promise<number> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const noted = await noteNewlyOverdue(tx, BATCH, now);
    const source = { tenantId, principalId: null, correlationId: newId('cor', now), now };
    const entry = ({ assignmentId: id, ...details }: (typeof noted)[number]) =>
      auditText(source, {
        category: 'governance',
        type: 'attestation_overdue',
        target: { kind: 'owner_assignment', id },
        details,
      });
    await appendAudit(tx, noted.map(entry));
    return noted.length;
  });
