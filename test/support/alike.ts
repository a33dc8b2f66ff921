import { type Db, withTx } from '../../core/db/tx.ts';
import { packVector, unpackVector } from '../../core/inference/packed.ts';
import { sketchesOf } from '../../core/similarity/sketches.ts';
import { storeComparable } from '../../core/similarity/store-comparable.sql.ts';
import { storeVector } from '../../core/similarity/store-vector.sql.ts';
import { type ScannedAsset, storeScanned } from './assets.ts';
import { DEV } from './seed.ts';

/** A vector at an angle in degrees to the first axis. */
export function vectorAt(degrees: number, axis = 1): Int8Array {
  const vector = new Float32Array(32);
  vector[0] = Math.cos((degrees * Math.PI) / 180);
  vector[axis] = Math.sin((degrees * Math.PI) / 180);
  return unpackVector(packVector(vector));
}

/** Stores an asset with what similarity compares: its text, the hashes of embedded files, and its vector. */
export async function storeAlike(
  db: Db,
  asset: ScannedAsset,
  has: { text?: string; contains?: readonly string[]; vector?: Int8Array; tenantId?: typeof DEV } = {},
): Promise<void> {
  const { text = '', contains = [], vector = null, tenantId = DEV } = has;
  await storeScanned(db, tenantId, [asset]);
  await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await storeComparable(tx, asset.assetId, { sketches: sketchesOf(text), contains });
    await storeVector(tx, asset.assetId, vector && { provider: 'test', model: 'test', vector });
  });
}
