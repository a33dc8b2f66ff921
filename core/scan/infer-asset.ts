import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import type { RelatedDecision } from '../inference/contributions.ts';
import type { Features, Opinion } from '../inference/features.ts';
import {
  countingOpinion,
  INFERENCE_VERSION,
  type Inference,
  type InferenceInput,
  infer,
} from '../inference/inference.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import type { StageOutcome } from '../kernel/vocabulary.ts';
import { decisionsOnCopies, decisionsOnCopiesOfEach } from '../review/decisions-on-copies.sql.ts';
import { reconsider } from '../review/reconsider.ts';
import { recordInferences } from '../review/record-inferences.sql.ts';
import type { StandingSignals } from '../signals/suppression.ts';
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
  { index, revision, ensemble }: TaxonomyInUse,
): string => {
  const opinion = countingOpinion(features.value, index);
  return digest(
    ...[features.key, name, path, revision, ensemble.version, INFERENCE_VERSION, expectedDomainId, related],
    ...(about.rules.length === 0
      ? []
      : [about.rules.map(({ suppressionId }) => suppressionId), about.tiedByPeople]),
    ...(opinion === null ? [] : [opinion.provider, opinion.model, opinion.typeSet, answerKey(opinion)]),
  );
};

/** Members of what is stored come back in another order. */
const answerKey = ({ answer }: Opinion): string =>
  typeof answer === 'string' ? answer : answer.informationTypeId;

/** What an asset is scored by, with the signals that count after suppressions. */
export function inferenceInput(
  { features, expectedDomainId }: Pick<InferredAsset, 'features' | 'expectedDomainId'>,
  { related, about }: InferenceBasis,
  { index, ensemble }: TaxonomyInUse,
): { input: InferenceInput; standing: StandingSignals } {
  const input = { features: features.value, taxonomy: index, ensemble, expectedDomainId, related };
  const standing = standingOf(input, about);
  return {
    input: { ...input, features: { ...features.value, signals: [...standing.signals] } },
    standing,
  };
}

/** The present key of an inference, and the signals that count after suppressions. */
export type Inferred = { assetId: AssetId; key: string; outcome: StageOutcome; signals: readonly Signal[] };

/**
 * Scores an asset's features against the approved taxonomy and stores the inferences, unless nothing has changed.
 * Reads no source.
 */
export async function inferAsset(
  tx: Tx,
  asset: InferredAsset,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<Inferred> {
  const basis = await inferenceBasis(tx, asset, asset.features.value, taxonomy);
  const inferred = inferOn(asset, basis, taxonomy);
  await storeInferred(tx, [inferred], taxonomy, now);
  return inferred;
}

/** The same for several assets at once, by their stored sketches. */
export async function inferAssets(
  tx: Tx,
  assets: readonly InferredAsset[],
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<Inferred[]> {
  const [related, abouts] = await Promise.all([
    decisionsOnCopiesOfEach(tx, assets),
    Promise.all(
      assets.map((asset) => rulesAbout(tx, suppressible(asset), null, taxonomy.suppressions.rules)),
    ),
  ]);
  const inferred = assets.flatMap((asset, nth) => {
    const about = abouts[nth];
    return about === undefined
      ? []
      : [inferOn(asset, { related: related.get(asset.assetId) ?? [], about }, taxonomy)];
  });
  await storeInferred(tx, inferred, taxonomy, now);
  return inferred;
}

type InferredOn = Inferred & { asset: InferredAsset; standing: StandingSignals; inferences: Inference[] };

/** Infers nothing if the key is that of the last inference. */
function inferOn(asset: InferredAsset, basis: InferenceBasis, taxonomy: TaxonomyInUse): InferredOn {
  const key = inferenceKeyOf(asset, basis, taxonomy);
  const { input, standing } = inferenceInput(asset, basis, taxonomy);
  const isKnown = asset.inferenceKey === key;
  return {
    ...{ assetId: asset.assetId, asset, key, standing, signals: standing.signals },
    outcome: isKnown ? 'cache_hit' : 'computed',
    inferences: isKnown ? [] : infer(input),
  };
}

async function storeInferred(
  tx: Tx,
  inferred: readonly InferredOn[],
  { ensemble }: TaxonomyInUse,
  now: number,
): Promise<void> {
  const computed = inferred.filter(({ outcome }) => outcome === 'computed');
  if (computed.length === 0) return;
  const runs = computed.map(({ asset, key, signals, inferences }) => {
    const { assetId, contentHash, contentVersion, sketches } = asset;
    return {
      ...{ assetId, contentHash, contentVersion, sketches, signals, inferences, inferenceKey: key },
      readAnew: sketches !== null,
    };
  });
  // The statements are sent in this order, in one round trip.
  await Promise.all([
    recordInferences(tx, runs, ensemble, now),
    reconsider(tx, runs, ensemble, now),
    storeStandingSignals(
      tx,
      computed.map(({ assetId, standing }) => ({ assetId, ...standing })),
    ),
  ]);
}

const suppressible = ({ features: { value }, ...asset }: InferredAsset) => ({
  ...asset,
  ...{ signals: value.signals, fingerprints: value.fingerprints },
});
