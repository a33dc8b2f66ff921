import { type Db, withEngineTx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { forEachTenant } from '../tenancy/for-each-tenant.ts';
import { deleteOldNotifications } from './notifications.sql.ts';
import { lapseSubscriptions, tenantsToLapse } from './subscriptions.sql.ts';
import { auditSweep, type SweepOptions } from './sweep.ts';

const BATCH = 200;
/** Notifications are kept this long. */
const RETENTION_MS = 30 * 24 * 3_600_000;
const DELETED_AT_ONCE = 5_000;

/** Ends subscriptions that have expired, then deletes notifications older than 30 days. Concurrent runs are safe. */
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
  const before = new Date(clock() - RETENTION_MS);
  const deleteSome = () =>
    withEngineTx(db, (tx) => deleteOldNotifications(tx, before, DELETED_AT_ONCE), signal);
  while (goesOn() && (await deleteSome()) === DELETED_AT_ONCE);
}

const lapseSome = (db: Db, tenantId: TenantId, now: number): Promise<number> =>
  withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const ended = await lapseSubscriptions(tx, BATCH, now);
    await auditSweep(tx, 'subscription_expired', ended, now);
    return ended.length;
  });
