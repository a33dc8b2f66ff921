import { appendAudit } from '../audit/append.sql.ts';
import { auditText } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { followSuppression } from './follow-suppression.ts';
import { lockExpired, markEnded, nextVersion, tenantsWithExpired } from './suppressions.sql.ts';

/** Rules that end in one transaction. Each is followed by a rescore. */
const BATCH = 20;

/**
 * Ends the rules whose time is over, audits each, and schedules the rescore that brings the signals back. Concurrent
 * runs are safe. Returns the number of rules.
 */
export async function sweepSuppressions(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
): Promise<number> {
  const now = clock();
  let ended = 0;
  const tenants = await withEngineTx(db, (tx) => tenantsWithExpired(tx, now), signal);
  await forEachTenant(tenants, signal, async (tenantId) => {
    for (let some = BATCH; some === BATCH && !signal.aborted; ended += some) {
      some = await expireSome(db, tenantId, now);
    }
  });
  return ended;
}

const expireSome = (db: Db, tenantId: TenantId, now: number): Promise<number> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const due = await lockExpired(tx, now, BATCH);
    if (due.length === 0) return 0;
    const correlationId = newId('cor', now);
    const active = due.filter(({ status }) => status === 'active');
    const version = active.length === 0 ? null : await nextVersion(tx);
    const ids = due.map(({ suppressionId }) => suppressionId);
    await markEnded(tx, ids, { status: 'expired', by: null, untilVersion: version }, now);
    for (const { suppressionId } of version === null ? [] : active) {
      const origin = { createdBy: null, correlationId };
      await followSuppression(tx, { suppressionId, version: version ?? 0 }, origin, now);
    }
    const source = { tenantId, principalId: null, correlationId, now };
    await appendAudit(
      tx,
      due.map(({ suppressionId: id, status }) =>
        auditText(source, {
          category: 'governance',
          type: 'suppression_expired',
          target: { kind: 'suppression', id },
          details: { wasActive: status === 'active' },
        }),
      ),
    );
    return due.length;
  });
