import { type Db, type Tx, withTx } from '../db/tx.ts';
import { assertLeased } from './lease.sql.ts';
import type { WorkUnit } from './unit.ts';

/** A write transaction of a unit that still holds its lease, and keeps it until the commit; else `lease_lost`. */
export const withLeasedTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withTx(db, { tenantId: unit.tenantId, mode: 'write' }, async (tx) => {
    await assertLeased(tx, unit);
    return fn(tx);
  });
