import type { Tx } from '../db/tx.ts';
import type { RelatedDecision } from '../inference/contributions.ts';
import type { Features } from '../inference/features.ts';
import { INFERENCE_VERSION, infer } from '../inference/inference.ts';
import type { AssetId, DomainId } from '../kernel/ids.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { decisionsOnCopies } from '../review/decisions-on-copies.sql.ts';
import { reconsider } from '../review/reconsider.ts';
import { recordInferences } from '../review/record-inferences.sql.ts';
import type { Sketches } from '../similarity/sketches.ts';
import { digest } from './stage-keys.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** An asset as inference reads it. */
export type InferredAsset = {
  assetId: AssetId;
  name: string;
  path: string;
  /** SHA-256 of its bytes in hex. Null if no bytes were read. */
  contentHash: string | null;
  /** The content version at the source of the content that was read. */
  contentVersion: string;
  features: { key: string; value: Features };
  /** The sketches of the text that was just read. Null to use the stored ones. */
  sketches: Sketches | null;
  expectedDomainId: DomainId | null;
  /** The key of its last inference. */
  inferenceKey: string | undefined;
};

/** A key that changes with everything that an inference depends on. `related`: decisions on copies of the asset. */
export const inferenceKeyOf = (
  { features, name, path, expectedDomainId }: InferredAsset,
  related: readonly RelatedDecision[],
  { revision, ensemble }: TaxonomyInUse,
): string =>
  digest(features.key, name, path, revision, ensemble.version, INFERENCE_VERSION, expectedDomainId, related);

/**
 * Scores an asset's features against the approved taxonomy and stores the inferences, unless nothing has changed.
 * Reads no source.
 * @returns the present key of the inference
 */
export async function inferAsset(
  tx: Tx,
  asset: InferredAsset,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<{ key: string; outcome: StageOutcome }> {
  const { assetId, contentHash, contentVersion, features, sketches, expectedDomainId } = asset;
  const { index, ensemble } = taxonomy;
  const related = await decisionsOnCopies(tx, assetId, contentHash, sketches);
  const inferenceKey = inferenceKeyOf(asset, related, taxonomy);
  if (asset.inferenceKey === inferenceKey) return { key: inferenceKey, outcome: 'cache_hit' };
  const inferences = infer({
    features: features.value,
    taxonomy: index,
    ensemble,
    expectedDomainId,
    related,
  });
  const { signals } = features.value;
  const run = { assetId, inferences, signals, inferenceKey };
  // The statements are sent in this order, in one round trip.
  await Promise.all([
    recordInferences(tx, { ...run, ensemble, readAnew: sketches !== null, now }),
    reconsider(tx, { ...run, contentHash, contentVersion, sketches }, ensemble, now),
  ]);
  return { key: inferenceKey, outcome: 'computed' };
}
