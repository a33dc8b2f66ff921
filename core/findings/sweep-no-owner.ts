import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { forEachTenant } from '../tenancy/for-each-tenant.ts';
import { tenantsWithScopes } from '../tenancy/tenants.sql.ts';
import { assetsWithoutOwnerDue } from './no-owner-due.sql.ts';
import { recomputeRisk } from './recompute.ts';

/** Assets judged in one transaction. */
const BATCH = 100;

/**
 * Judges assets again for which only time or the owners of a domain have changed: those that a colleague sent to a domain
 * without an owner some days ago, and those of which that no longer holds. May run anywhere, at any time, also twice at
 * once. Returns how many assets were judged.
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
        for (const assetId of due) await recomputeRisk(tx, assetId, clock());
        return due;
      });
      judged += batch.length;
      if (batch.length < BATCH) return;
      after = batch.at(-1) ?? '';
    }
  });
  return judged;
}
