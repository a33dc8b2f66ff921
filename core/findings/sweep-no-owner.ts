import { forEachTenant } from '../authz/for-each-tenant.ts';
import { tenantsWithScopes } from '../authz/tenants.sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { assetsWithoutOwnerDue } from './no-owner-due.sql.ts';
import { recomputeRisks } from './recompute.ts';

/** Assets judged in one transaction. */
const BATCH = 100;

/**
 * Assesses assets again whose `no_owner` finding changes with time or with the owners of a domain: those that a
 * colleague sent to a domain without an owner some days ago, and those for which that no longer holds. Concurrent and
 * repeated runs are safe. Returns the number of assets assessed.
 */
export async function sweepNoOwner(
  db: Db,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<number> {
  let judged = 0;
  await forEachTenant(await tenantsWithScopes(db), signal, async (tenantId) => {
    for (let after = ''; !signal.aborted; ) {
      const batch = await withTx(db, { tenantId, mode: 'write', signal }, async (tx) => {
        const due = await assetsWithoutOwnerDue(tx, after, clock(), BATCH);
        if (due.length > 0) await recomputeRisks(tx, due, clock());
        return due;
      });
      judged += batch.length;
      if (batch.length < BATCH) return;
      after = batch.at(-1) ?? '';
    }
  });
  return judged;
}
