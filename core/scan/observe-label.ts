import type { LabelObservation, SourceItem } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { UnitFailure } from '../work/failure.ts';
import { type AssetState, lockLoaded, storeObservation } from './asset-state.sql.ts';

/**
 * Stores an item and its label as they were just read, and assesses the risk of the asset again. Everything else
 * about the asset stays as it is. Returns false and stores nothing if the asset has been stored since it was
 * `loaded`, because this data may be older.
 */
export async function storeLabelLook(
  tx: Tx,
  loaded: AssetState,
  { item, label }: { item: SourceItem; label: LabelObservation },
  now: number,
): Promise<boolean> {
  let inferenceKey: string | null;
  try {
    ({ inferenceKey } = await lockLoaded(tx, loaded));
  } catch (error) {
    if (error instanceof UnitFailure) return false;
    throw error;
  }
  const { assetId } = loaded;
  const content = { outcome: loaded.content, text: null };
  const stageKeys = {
    ...loaded.stageKeys,
    labels: item.sourceVersion,
    ...(inferenceKey !== null && { inference: inferenceKey }),
  };
  await storeObservation(
    tx,
    assetId,
    { item, permissions: null, label, content, signals: null, stageKeys },
    now,
  );
  return true;
}
