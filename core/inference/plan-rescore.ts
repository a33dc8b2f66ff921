import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { NewUnit } from '../work/enqueue.sql.ts';
import { assetsToRescore } from './assets-to-rescore.sql.ts';

/** What a `rescore_asset` unit is told. */
export type RescorePayload = {
  assetId: AssetId;
  /** Thresholds older than these are not the ones that the rescore is for. */
  ensembleVersion: number;
  /** On the first unit of a full batch: the batch's last asset, after which this unit enqueues the next batch. */
  planAfter?: AssetId;
};

/** Assets enqueued in one transaction, so that none is long however many assets there are. */
const BATCH = 1_000;

/**
 * Units for the next batch of a tenant's assets after `after`: one each and nothing besides, since the first of a batch
 * brings in the next one.
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

/** Units for assets that a decision speaks to; its id tells them from those of another one. */
export const followUps = (
  assetIds: readonly AssetId[],
  ensembleVersion: number,
  decisionId: string,
): NewUnit[] =>
  assetIds.map((assetId) => {
    const payload: RescorePayload = { assetId, ensembleVersion };
    return { kind: 'rescore_asset', logicalKey: `asset:${assetId}:${decisionId}`, payload };
  });
