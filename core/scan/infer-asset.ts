import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import type { RelatedDecision } from '../inference/contributions.ts';
import type { Features } from '../inference/features.ts';
import { INFERENCE_VERSION, infer } from '../inference/inference.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { decisionsOnCopies } from '../review/decisions-on-copies.sql.ts';
import { reconsider } from '../review/reconsider.ts';
import { recordInferences } from '../review/record-inferences.sql.ts';
import type { Sketches } from '../similarity/sketches.ts';
import { digest } from './digest.ts';
import { storeStandingSignals } from './suppressed.sql.ts';
import { type AboutAsset, rulesAbout, standingOf } from './suppressed-signals.ts';
import type { TaxonomyInUse } from './taxonomy-cache.ts';

/** An asset as inference reads it. */
export type InferredAsset = {
  assetId: AssetId;
  scopeId: ScopeId;
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

/** What an inference depends on besides the asset's row, its features and the taxonomy. */
export type InferenceBasis = {
  /** Decisions on copies of the asset. */
  related: readonly RelatedDecision[];
  about: AboutAsset;
};

/** Reads the basis of an inference. `sketches` as in `InferredAsset`. */
export async function inferenceBasis(
  tx: Tx,
  asset: Pick<InferredAsset, 'assetId' | 'scopeId' | 'path' | 'contentHash' | 'sketches'>,
  features: Features | null,
  { suppressions }: TaxonomyInUse,
): Promise<InferenceBasis> {
  const { assetId, scopeId, path, contentHash, sketches } = asset;
  const suppressible = {
    ...{ assetId, scopeId, path },
    ...{ signals: features?.signals ?? [], fingerprints: features?.fingerprints },
  };
  const [related, about] = await Promise.all([
    decisionsOnCopies(tx, assetId, contentHash, sketches),
    rulesAbout(tx, suppressible, sketches, suppressions.rules),
  ]);
  return { related, about };
}

/**
 * A key that changes with everything that an inference depends on. A rule of suppression is part of it for the assets
 * that it is about, so that other assets are not inferred again when it changes.
 */
export const inferenceKeyOf = (
  { features, name, path, expectedDomainId }: InferredAsset,
  { related, about }: InferenceBasis,
  { revision, ensemble }: TaxonomyInUse,
): string =>
  digest(
    ...[features.key, name, path, revision, ensemble.version, INFERENCE_VERSION, expectedDomainId, related],
    ...(about.rules.length === 0
      ? []
      : [about.rules.map(({ suppressionId }) => suppressionId), about.tiedByPeople]),
  );

/**
 * Scores an asset's features against the approved taxonomy and stores the inferences, unless nothing has changed.
 * Reads no source.
 * @returns the present key of the inference, and the signals that count after suppressions
 */
export async function inferAsset(
  tx: Tx,
  asset: InferredAsset,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<{ key: string; outcome: StageOutcome; signals: readonly Signal[] }> {
  const { assetId, contentHash, contentVersion, features, sketches, expectedDomainId } = asset;
  const { index, ensemble } = taxonomy;
  const basis = await inferenceBasis(tx, asset, features.value, taxonomy);
  const inferenceKey = inferenceKeyOf(asset, basis, taxonomy);
  const { related } = basis;
  const input = { features: features.value, taxonomy: index, ensemble, expectedDomainId, related };
  const standing = standingOf(input, basis.about);
  const { signals } = standing;
  if (asset.inferenceKey === inferenceKey) return { key: inferenceKey, outcome: 'cache_hit', signals };
  const inferences = infer({ ...input, features: { ...features.value, signals: [...signals] } });
  const run = { assetId, inferences, signals, inferenceKey };
  // The statements are sent in this order, in one round trip.
  await Promise.all([
    recordInferences(tx, { ...run, ensemble, readAnew: sketches !== null, now }),
    reconsider(tx, { ...run, contentHash, contentVersion, sketches }, ensemble, now),
    storeStandingSignals(tx, assetId, standing),
  ]);
  return { key: inferenceKey, outcome: 'computed', signals };
}
