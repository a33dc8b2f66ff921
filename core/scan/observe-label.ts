import type { LabelObservation, SourceItem } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { UnitFailure } from '../work/failure.ts';
import { type AssetState, lockLoaded, storeObservation } from './asset-state.sql.ts';

/**
 * Stores an item and its label as they were just read, and judges the asset's risk anew, the way a delta does; what else
 * is known of the asset stays as it was. False, and nothing is written, where the asset was stored by somebody else since
 * it was `loaded`, since this look may be the older of the two.
 */
export async function storeLabelLook(
  tx: Tx,
  loaded: AssetState,
  { item, label }: { item: SourceItem; label: LabelObservation },
  now: number,
): Promise<boolean> {
  try {
    await lockLoaded(tx, loaded);
  } catch (error) {
    if (error instanceof UnitFailure) return false;
    throw error;
  }
  const { assetId, content } = loaded;
  const signals = loaded.features?.value.signals ?? [];
  const stageKeys = { ...loaded.stageKeys, labels: item.sourceVersion };
  await storeObservation(
    tx,
    assetId,
    { item, permissions: null, label, content, signals, features: null, stageKeys },
    now,
  );
  return true;
}
