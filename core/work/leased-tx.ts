import { type Db, type Tx, withTx } from '../db/tx.ts';
import { assertLeased } from './lease.sql.ts';
import type { WorkUnit } from './unit.ts';

/**
 * A write transaction of a unit that locks its lease until the commit. Throws `lease_lost` if the unit no longer has
 * it.
 */
export const withLeasedTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withTx(db, { tenantId: unit.tenantId, mode: 'write', planned: 'once' }, async (tx) => {
    // The check is sent in one round trip with the first statement of `fn`. If it throws, nothing is committed.
    const [, value] = await Promise.all([assertLeased(tx, unit), fn(tx)]);
    return value;
  });
