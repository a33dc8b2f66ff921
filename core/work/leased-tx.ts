import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import { assertLeased } from './lease.sql.ts';
import type { WorkUnit } from './unit.ts';

/**
 * A write transaction of a unit that locks its lease until the commit. Throws `lease_lost` if the unit no longer has
 * it.
 */
export const withLeasedTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withLeasedGroupTx(db, unit.tenantId, [unit], fn);

/** The same for units of one tenant. */
export const withLeasedGroupTx = <T>(
  db: Db,
  tenantId: TenantId,
  units: readonly WorkUnit[],
  fn: (tx: Tx) => Promise<T>,
): Promise<T> =>
  withTx(db, { tenantId, mode: 'write', planned: 'once' }, async (tx) => {
    // The check is sent in one round trip with the first statement of `fn`. If it throws, nothing is committed.
    const [, value] = await Promise.all([assertLeased(tx, units), fn(tx)]);
    return value;
  });
