import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { NewUnit } from '../work/enqueue.sql.ts';
import { assetsToRescore } from './assets-to-rescore.sql.ts';

/** The payload of a `rescore_asset` unit. */
export type RescorePayload = {
  assetId: AssetId;
  /** The rescore uses this ensemble version or a later one. */
  ensembleVersion: number;
  /** The rule that came into force or ended, and the version of the set of rules since then. */
  suppression?: { suppressionId: string; version: number };
  /** Time in milliseconds of the answer that it follows. The rescore counts this answer and those before it. */
  answeredAt?: number;
  /**
   * Set on the first unit of a batch that others follow: the last asset that was looked at. This unit enqueues the next
   * batch after it.
   */
  planAfter?: AssetId;
};

/** Assets enqueued in one transaction. The bound keeps the transaction short, however many assets there are. */
export const RESCORE_BATCH = 1_000;

/**
 * Units for the next batch of a tenant's assets after `after`, one for each asset. The first unit of a full batch
 * enqueues the next batch.
 */
export async function planRescore(
  tx: Tx,
  ensembleVersion: number,
  after: AssetId | null,
): Promise<NewUnit[]> {
  const assetIds = await assetsToRescore(tx, after, RESCORE_BATCH);
  const next = assetIds.length === RESCORE_BATCH ? (assetIds.at(-1) ?? null) : null;
  return batchOf({ assetIds, next }, { ensembleVersion });
}

/**
 * Units for a batch of assets. If there may be more after `next`, the first unit enqueues them. A batch without assets
 * then gets a unit for `next` itself.
 */
export function batchOf(
  { assetIds, next }: { assetIds: readonly AssetId[]; next: AssetId | null },
  cause: Pick<RescorePayload, 'ensembleVersion' | 'suppression'>,
): NewUnit[] {
  const { suppression } = cause;
  const suffix = suppression === undefined ? '' : `:${suppression.suppressionId}:${suppression.version}`;
  const scored = assetIds.length === 0 && next !== null ? [next] : assetIds;
  return scored.map((assetId, at) => {
    const payload: RescorePayload = {
      assetId,
      ...cause,
      ...(at === 0 && next !== null && { planAfter: next }),
    };
    return { kind: 'rescore_asset', logicalKey: `asset:${assetId}${suffix}`, payload };
  });
}

/**
 * Units for the assets that follow from a decision, or that were moved. The id of the cause in their keys keeps them apart
 * from those of other causes.
 */
export const followUps = (
  assetIds: readonly AssetId[],
  cause: Pick<RescorePayload, 'ensembleVersion' | 'answeredAt'>,
  causeId: string,
): NewUnit[] =>
  assetIds.map((assetId) => {
    const payload: RescorePayload = { assetId, ...cause };
    return { kind: 'rescore_asset', logicalKey: `asset:${assetId}:${causeId}`, payload };
  });
