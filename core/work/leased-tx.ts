import { holdCampaign } from '../campaigns/campaign-control.sql.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import { CampaignCancelled } from './failure.ts';
import { assertLeased } from './lease.sql.ts';
import type { WorkUnit } from './unit.ts';

/** A write transaction of a unit that still holds its lease, and keeps it until the commit; else `lease_lost`. */
export const withLeasedTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withTx(db, { tenantId: unit.tenantId, mode: 'write' }, async (tx) => {
    await assertLeased(tx, unit);
    return fn(tx);
  });

/** Like `withLeasedTx`, for what a walk writes of its scope: never once its campaign is cancelled. */
export const withWalkTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withLeasedTx(db, unit, async (tx) => {
    if (!(await holdCampaign(tx, unit.campaignId))) throw new CampaignCancelled();
    return fn(tx);
  });
