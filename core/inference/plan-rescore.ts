import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { NewUnit } from '../work/enqueue.sql.ts';
import { assetsToRescore } from './assets-to-rescore.sql.ts';

/** The payload of a `rescore_asset` unit. */
export type RescorePayload = {
  assetId: AssetId;
  /** The rescore uses this ensemble version or a later one. */
  ensembleVersion: number;
  /**
   * Set on the first unit of a full batch: the last asset of the batch. This unit enqueues the next batch after it.
   */
  planAfter?: AssetId;
};

/** Assets enqueued in one transaction. The bound keeps the transaction short, however many assets there are. */
const BATCH = 1_000;

/**
 * Units for the next batch of a tenant's assets after `after`, one for each asset. The first unit of a full batch
 * enqueues the next batch.
 */
export async function planRescore(
  tx: Tx,
  ensembleVersion: number,
  after: AssetId | null,
): Promise<NewUnit[]> {
  const assetIds = await assetsToRescore(tx, after, BATCH);
  const last = assetIds.at(-1);
  return assetIds.map((assetId, at) => {
    const planAfter = at === 0 && assetIds.length === BATCH && last !== undefined ? { planAfter: last } : {};
    const payload: RescorePayload = { assetId, ensembleVersion, ...planAfter };
    return { kind: 'rescore_asset', logicalKey: `asset:${assetId}`, payload };
  });
}

/**
 * Units for the assets that follow from a decision, or that were moved. The id of the cause in their keys keeps them apart
 * from those of other causes.
 */
export const followUps = (
  assetIds: readonly AssetId[],
  ensembleVersion: number,
  causeId: string,
): NewUnit[] =>
  assetIds.map((assetId) => {
    const payload: RescorePayload = { assetId, ensembleVersion };
    return { kind: 'rescore_asset', logicalKey: `asset:${assetId}:${causeId}`, payload };
  });
