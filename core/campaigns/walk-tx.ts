import type { Db, Tx } from '../db/tx.ts';
import { CampaignCancelled } from '../work/failure.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import type { WorkUnit } from '../work/unit.ts';
import { holdCampaign } from './campaign-control.sql.ts';

/**
 * Like `withLeasedTx`, but also throws `CampaignCancelled` if the campaign is cancelled. For writes to a scope while
 * it is listed.
 */
export const withWalkTx = <T>(db: Db, unit: WorkUnit, fn: (tx: Tx) => Promise<T>): Promise<T> =>
  withLeasedTx(db, unit, async (tx) => {
    if (!(await holdCampaign(tx, unit.campaignId))) throw new CampaignCancelled();
    return fn(tx);
  });
