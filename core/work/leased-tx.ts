import { type Db, type Tx, withTx } from '../db/tx.ts';
import { assertLeased } from './lease.sql.ts';
import type { WorkUnit } from './unit.ts';

/** A write transaction of a unit that still holds its lease, and keeps it until the commit; else `lease_lost`. */
export const withLeasedTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withTx(db, { tenantId: unit.tenantId, mode: 'write', planned: 'once' }, async (tx) => {
    // In one round trip with the first statement of `fn`. Nothing is committed where the lease is lost.
    const [, value] = await Promise.all([assertLeased(tx, unit), fn(tx)]);
    return value;
  });
