import { forEachTenant } from '../authz/for-each-tenant.ts';
import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { lapseSubscriptions, tenantsToLapse } from './subscriptions.sql.ts';
import { auditSweep, type SweepOptions } from './sweep.ts';

const BATCH = 200;

/** Ends subscriptions that have expired. Concurrent runs are safe. */
export async function expireSubscriptions(
  { db, clock }: { db: Db; clock: Clock },
  { signal, budgetMs }: SweepOptions,
): Promise<void> {
  const deadline = clock() + budgetMs;
  const goesOn = () => !signal.aborted && clock() < deadline;
  const tenants = await withEngineTx(db, (tx) => tenantsToLapse(tx, clock()), signal);
  await forEachTenant(tenants, signal, async (tenantId) => {
    while (goesOn() && (await lapseSome(db, tenantId, clock())) === BATCH);
  });
}

const lapseSome = (db: Db, tenantId: TenantId, now: number): Promise<number> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const ended = await lapseSubscriptions(tx, BATCH, now);
    await auditSweep(tx, 'subscription_expired', ended, now);
    return ended.length;
  });
