import type { Tx } from '../db/tx.ts';
import type { Features } from '../inference/features.ts';
import { INFERENCE_VERSION, infer } from '../inference/inference.ts';
import type { AssetId, DomainId } from '../kernel/ids.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { decisionsOnCopies } from '../review/decisions-on-copies.sql.ts';
import { reconsider } from '../review/reconsider.ts';
import { recordInferences } from '../review/record-inferences.sql.ts';
import type { Sketches } from '../similarity/sketches.ts';
import { digest } from './stage-key.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** An asset as inference sees it. */
export type InferredAsset = {
  assetId: AssetId;
  name: string;
  path: string;
  /** SHA-256 of its bytes in hex, or null where none were read. */
  contentHash: string | null;
  /** The source's version of the content that was read. */
  contentVersion: string;
  features: { key: string; value: Features };
  /** Of what was read just now; null: nothing was, and those that are stored of it are compared. */
  sketches: Sketches | null;
  expectedDomainId: DomainId | null;
  /** Key of its last inference. */
  inferenceKey: string | undefined;
};

/**
 * Scores an asset's features against the approved taxonomy and records what comes of it, unless nothing that it depends
 * on has changed. Reads no source.
 * @returns the key of the inference as it now is
 */
export async function inferAsset(
  tx: Tx,
  asset: InferredAsset,
  { index, ensemble, revision }: TaxonomyInUse,
  now: number,
): Promise<{ key: string; outcome: StageOutcome }> {
  const { assetId, features, expectedDomainId } = asset;
  const related = await decisionsOnCopies(tx, assetId, asset.contentHash, asset.sketches);
  const key = digest(
    features.key,
    asset.name,
    asset.path,
    revision,
    ensemble.version,
    INFERENCE_VERSION,
    expectedDomainId,
    related,
  );
  if (asset.inferenceKey === key) return { key, outcome: 'cache_hit' };
  const inferences = infer({
    features: features.value,
    taxonomy: index,
    ensemble,
    expectedDomainId,
    related,
  });
  const readAnew = asset.sketches !== null;
  const { contentHash, contentVersion, sketches } = asset;
  const { signals } = features.value;
  await recordInferences(tx, { assetId, inferences, signals, ensemble, inferenceKey: key, readAnew, now });
  const present = { assetId, contentHash, contentVersion, signals, sketches, inferences, inferenceKey: key };
  await reconsider(tx, present, ensemble, now);
  return { key, outcome: 'computed' };
}
